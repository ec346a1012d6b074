//! The body of error responses, including those of poem itself.

use poem::{
    Endpoint, IntoResponse, Request, Response, Result,
    error::{MethodNotAllowedError, NotFoundError},
    http::{HeaderValue, StatusCode, header},
};
use serde_json::{Value, json};

use super::layers::LayeredEndpoint;
use crate::error::Problem;

/// The media type of RFC 9457.
const PROBLEM_JSON: &str = "application/problem+json";

/// Renders errors in the media type that the request accepts.
pub(crate) async fn render(next: LayeredEndpoint, request: Request) -> Result<Response> {
    let as_problem_json = request
        .headers()
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok())
        .any(|accept| accept.contains(PROBLEM_JSON));
    let response = to_response(next.call(request).await);
    if as_problem_json && is_error(response.status()) {
        return Ok(to_problem_json(response).await);
    }
    Ok(response)
}

/// The response of an endpoint. An error of poem gets the body of a [`Problem`].
pub(crate) fn to_response(result: Result<impl IntoResponse>) -> Response {
    let response = match result {
        Ok(response) => response.into_response(),
        Err(error) if error.is::<NotFoundError>() => problem_response(Problem::no_route()),
        Err(error) if error.is::<MethodNotAllowedError>() => {
            problem_response(Problem::method_not_allowed("GET, HEAD, OPTIONS"))
        }
        Err(error) => error.into_response(),
    };
    match missing_body(&response) {
        Some(problem) => problem_response(problem),
        None => response,
    }
}

fn problem_response(problem: Problem) -> Response {
    poem::Error::from(problem).into_response()
}

fn is_error(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

/// The problem for an error response whose body is neither a problem nor a page.
fn missing_body(response: &Response) -> Option<Problem> {
    let status = response.status();
    let is_problem_or_page =
        |media_type: &str| media_type.starts_with("application/json") || media_type.starts_with("text/html");
    if !is_error(status) || response.content_type().is_some_and(is_problem_or_page) {
        return None;
    }
    Some(match status {
        StatusCode::NOT_FOUND => Problem::no_route(),
        _ if status.is_server_error() => Problem::internal(status),
        _ => Problem::new(status, "rest_bad_request", "The request is invalid."),
    })
}

/// Converts an error to problem details, with the code and the data as extension members.
async fn to_problem_json(mut response: Response) -> Response {
    let bytes = response.take_body().into_bytes().await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let status = response.status();
    let problem = json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or_default(),
        "status": status.as_u16(),
        "detail": body["message"],
        "code": body["code"],
        "data": body["data"],
    });
    let media_type = HeaderValue::from_static(PROBLEM_JSON);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response.set_body(problem.to_string());
    response
}
