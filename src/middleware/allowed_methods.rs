//! 404 for unknown paths, 405 for methods that a path does not allow, and OPTIONS (RFC 9110, section 9.3.7). 400 for
//! operations that a batch can't contain, or that can't have an `Idempotency-Key`.

use poem::{
    Endpoint, Request, Response, Result,
    http::{Method, StatusCode, header},
};

use super::{idempotency::is_keyed, layers::LayeredEndpoint};
use crate::{
    api::{
        batch::is_in_batch,
        operations::{self, Operation},
    },
    error::Problem,
    views::ROOT,
};

/// Responds to OPTIONS, and rejects methods that the path does not allow. `Allow` lists the allowed ones.
pub(crate) async fn check(next: LayeredEndpoint, request: Request) -> Result<Response> {
    let path = request.uri().path();
    if let Some(operation) = operations::find(request.method(), path) {
        check_operation(operation, &request)?;
        return next.call(request).await;
    }
    let allowed = allowed_methods(path)?;
    let names: Vec<&str> = allowed.iter().map(Method::as_str).collect();
    let names = names.join(", ");
    if request.method() == Method::OPTIONS {
        return Ok(Response::builder()
            .status(StatusCode::NO_CONTENT)
            .header(header::ALLOW, names)
            .finish());
    }
    if !allowed.contains(request.method()) {
        return Err(Problem::method_not_allowed(&names).into());
    }
    next.call(request).await
}

/// Rejects a request of a batch whose operation batches can't contain, and an `Idempotency-Key` for an operation that
/// does not accept one.
fn check_operation(operation: &Operation, request: &Request) -> Result<(), Problem> {
    if is_in_batch(request) && !operation.is_for_batches() {
        return Err(not_for_batches());
    }
    match operation.refusal_of_keys() {
        Some(refusal) if is_keyed(request) => Err(Problem::invalid_idempotency_key(refusal)),
        _ => Ok(()),
    }
}

/// The methods that the path allows.
///
/// # Errors
/// 404 if no operation has the path.
fn allowed_methods(path: &str) -> Result<Vec<Method>, Problem> {
    let mut allowed: Vec<Method> = match path.starts_with(ROOT) {
        true => operations::at(path).map(|operation| operation.method.clone()).collect(),
        false => vec![Method::GET],
    };
    if allowed.is_empty() {
        return Err(Problem::no_route());
    }
    if allowed.contains(&Method::GET) {
        allowed.push(Method::HEAD);
    }
    allowed.push(Method::OPTIONS);
    Ok(allowed)
}

/// The error code is that of WordPress.
fn not_for_batches() -> Problem {
    Problem::bad_request(
        "rest_batch_not_allowed",
        "A batch can contain only writes of events, series, venues, organizers, categories and tags. Send this request \
         alone.",
    )
}
