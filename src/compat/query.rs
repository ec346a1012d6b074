//! The queries of lists: what WordPress supposes where nothing is given.

use chrono::Utc;
use poem::Request;

use super::asked::Asked;
use crate::{auth::identify, wire::form};

/// Items on a page, where nothing is said.
const PER_PAGE: &str = "10";

/// The query of a list with the reference's own defaults: ten a page, and for those who may see more than what
/// is published, all of it.
pub async fn of_list(request: &Request, asked: &Asked) -> String {
    let mut query = asked.query.clone();
    let given = form::query(&query).into_values();
    let is_given = |name: &str| {
        given.get(name).is_some_and(|value| {
            let texts = value.as_array().cloned().unwrap_or(vec![value.clone()]);
            let is_filled = |text: &str| !text.trim().is_empty();
            texts
                .iter()
                .any(|text| text.as_str().is_some_and(is_filled))
        })
    };
    if !is_given("per_page") {
        push(&mut query, "per_page", PER_PAGE);
    }
    let is_of_terms = asked.target().is_some_and(|target| target.kind.is_term());
    if !is_of_terms && !is_given("status") && may_list_unpublished(request, asked).await {
        push(&mut query, "status", "any");
    }
    query
}

fn push(query: &mut String, name: &str, value: &str) {
    if !query.is_empty() {
        query.push('&');
    }
    query.push_str(name);
    query.push('=');
    query.push_str(value);
}

/// Whether the reader may list more than what is published. Wrong credentials are for the endpoint to refuse.
async fn may_list_unpublished(request: &Request, asked: &Asked) -> bool {
    if asked.is_anonymous {
        return false;
    }
    let Ok(almanac) = super::almanac(request) else {
        return false;
    };
    identify(&almanac.store, request.headers(), Utc::now().timestamp())
        .await
        .is_ok_and(crate::auth::Identity::may_list_unpublished)
}
