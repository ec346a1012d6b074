//! 404 for unknown paths, 405 for methods that a path does not allow, and OPTIONS (RFC 9110, section 9.3.7).

use std::sync::Arc;

use poem::{
    Endpoint, Request, Response, Result,
    http::{Method, StatusCode, header},
};

use super::idempotency::is_keyed;
use crate::{api::operations, error::Problem, views::ROOT};

/// Responds to OPTIONS, and rejects methods that the path does not allow. `Allow` lists the allowed ones.
pub(crate) async fn check<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    let path = request.uri().path();
    let mut allowed: Vec<Method> = match path.starts_with(ROOT) {
        true => operations::at(path).map(|operation| operation.method.clone()).collect(),
        false => vec![Method::GET],
    };
    if allowed.is_empty() {
        return Err(Problem::no_route().into());
    }
    if allowed.contains(&Method::GET) {
        allowed.push(Method::HEAD);
    }
    allowed.push(Method::OPTIONS);
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
    if is_keyed(&request) && operations::find(request.method(), path).is_some_and(|operation| operation.returns_secret)
    {
        let message = "can't be used for this operation, whose response has a secret";
        return Err(Problem::invalid_idempotency_key(message).into());
    }
    next.call(request).await
}
