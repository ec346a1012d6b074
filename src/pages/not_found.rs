//! The page for 404.

use std::sync::Arc;

use askama::Template;
use poem::{
    Endpoint, Request, Response, Result,
    http::{StatusCode, header},
};

use super::{CONTENT_SECURITY_POLICY, layout::Layout, render_with_policy};
use crate::views::ROOT;

#[derive(Template)]
#[template(path = "not_found.html")]
struct NotFound {
    layout: Layout,
}

/// Replaces the error body of a 404 by a page if the client is a browser and the path is outside the API.
pub(crate) async fn not_found_page<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    let wants_page = !request.uri().path().starts_with(ROOT) && accepts_html(&request);
    if !wants_page {
        return next.call(request).await;
    }
    let layout = Layout::of(&request)?;
    match next.call(request).await {
        Err(error) if error.status() == StatusCode::NOT_FOUND => {
            let mut response = render_with_policy(&NotFound { layout }, CONTENT_SECURITY_POLICY)?;
            response.set_status(StatusCode::NOT_FOUND);
            Ok(response)
        }
        result => result,
    }
}

/// Whether `Accept` names HTML explicitly, as that of browsers does. A wildcard does not count.
fn accepts_html(request: &Request) -> bool {
    request
        .headers()
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok())
        .any(|accept| accept.contains("text/html"))
}
