//! Errors as pages.

use askama::Template;
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderValue, StatusCode, header},
};

use super::{PAGE_SECURITY_POLICY, layout::Layout, render_uncached};
use crate::{error::Problem, middleware::layers::LayeredEndpoint, views::ROOT};

#[derive(Template)]
#[template(path = "error_page.html")]
struct ErrorPage {
    layout: Layout,
    heading: &'static str,
    hint: &'static str,
    /// Parameters, and what is wrong with them.
    errors: Vec<(String, String)>,
}

/// Replaces the body of an error by a page if the client is a browser and the path is outside the API.
pub(crate) async fn error_page(next: LayeredEndpoint, request: Request) -> Result<Response> {
    let wants_page = !request.uri().path().starts_with(ROOT) && accepts_html(&request);
    if !wants_page {
        return next.call(request).await;
    }
    let layout = Layout::of(&request)?;
    match next.call(request).await {
        Err(error) => {
            let problem = error.downcast_ref::<Problem>().map(Problem::body);
            let errors = problem.and_then(|body| body.data.params).unwrap_or_default();
            let mut response = error.into_response();
            let page = page(layout, response.status(), errors.into_iter().collect())?;
            let media_type = HeaderValue::from_static("text/html; charset=utf-8");
            for (name, value) in page.headers() {
                response.headers_mut().insert(name, value.clone());
            }
            response.headers_mut().insert(header::CONTENT_TYPE, media_type);
            response.set_body(page.into_body());
            Ok(response)
        }
        response => response,
    }
}

fn page(layout: Layout, status: StatusCode, errors: Vec<(String, String)>) -> Result<Response, Problem> {
    let texts = layout.texts;
    let (heading, hint) = match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => (texts.not_found, texts.not_found_hint),
        _ if status.is_server_error() => (texts.try_again_later, ""),
        _ if errors.is_empty() => (texts.invalid_request, ""),
        _ => (texts.invalid_request, texts.invalid_request_hint),
    };
    let page = ErrorPage {
        layout,
        heading,
        hint,
        errors,
    };
    render_uncached(&page, PAGE_SECURITY_POLICY)
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
