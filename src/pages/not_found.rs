//! What people see where there is nothing to see.

use std::sync::Arc;

use askama::Template;
use poem::{
    Endpoint, Request, Response, Result,
    http::{StatusCode, header},
};

use super::{POLICY, site::Site, with_policy};
use crate::views::ROOT;

#[derive(Template)]
#[template(path = "not_found.html")]
struct NotFound {
    site: Site,
}

/// Tells browsers by a page what programs are told by an error, outside of the interface.
pub async fn explain<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    let is_person = !request.uri().path().starts_with(ROOT) && takes_html(&request);
    if !is_person {
        return next.call(request).await;
    }
    let site = Site::of(&request)?;
    match next.call(request).await {
        Err(error) if error.status() == StatusCode::NOT_FOUND => {
            let mut response = with_policy(&NotFound { site }, POLICY)?;
            response.set_status(StatusCode::NOT_FOUND);
            Ok(response)
        }
        answer => answer,
    }
}

/// Whether the reader names HTML: browsers do, and programs that take anything do not.
fn takes_html(request: &Request) -> bool {
    request
        .headers()
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok())
        .any(|accept| accept.contains("text/html"))
}
