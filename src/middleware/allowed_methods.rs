//! Paths and methods: what there is under the namespace, for 404, 405 and OPTIONS.

use std::sync::Arc;

use poem::{
    Endpoint, Request, Response, Result,
    http::{Method, StatusCode, header},
};
use serde_json::Value;

use crate::{Almanac, error::Problem, views::ROOT};

/// Answers OPTIONS, and refuses methods that a path does not have, with what it has in `Allow`.
pub async fn check<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    let path = request.uri().path();
    let allowed = match request.data::<Arc<Almanac>>() {
        Some(almanac) if path.starts_with(ROOT) => allowed(&almanac.documents.canonical().value, path),
        _ => Some(vec![Method::GET]),
    };
    let Some(mut allowed) = allowed else {
        return Err(Problem::no_route().into());
    };
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
    next.call(request).await
}

/// The methods of a path, by the document; none, if nobody knows it.
fn allowed(document: &Value, path: &str) -> Option<Vec<Method>> {
    let paths = document["paths"].as_object()?;
    let (_, item) = paths.iter().find(|(template, _)| fits(template, path))?;
    let methods = item.as_object()?.keys();
    Some(
        methods
            .filter_map(|method| method.to_uppercase().parse().ok())
            .collect(),
    )
}

/// Whether a path is one of those that a template of the interface description stands for.
pub fn fits(template: &str, path: &str) -> bool {
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    loop {
        match (template.next(), path.next()) {
            (None, None) => return true,
            (Some("{id}"), Some(part)) => {
                if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                    return false;
                }
            }
            (Some("{slug}"), Some(part)) => {
                if part.is_empty() {
                    return false;
                }
            }
            (Some(part), Some(other)) if part == other => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_path_fits_its_template_only() {
        for (template, path, expected) in [
            ("/events/{id}", "/events/5", true),
            ("/events/{id}", "/events/x", false),
            ("/events/{id}", "/events/", false),
            ("/events/{id}", "/events/5/6", false),
            ("/events/by-slug/{slug}", "/events/by-slug/a-b", true),
            ("/events", "/events", true),
            ("/events", "/venues", false),
        ] {
            assert_eq!(fits(template, path), expected, "{template} {path}");
        }
    }
}
