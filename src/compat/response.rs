//! Responses: bodies in the format of The Events Calendar, and the headers that WordPress always sends.

use poem::{
    Response, Result,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};
use serde_json::{Map, Value, json};

use super::{
    discovery, errors,
    past_the_end::Totals,
    representation,
    request::CompatRequest,
    route::{Selector, Target},
    term,
};
use crate::{
    calendar::{Kind, status::Status},
    error::Problem,
    middleware::error_body,
    response::{ResponseMeta, is_event_stream},
    views::list::page_url,
};

const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/json; charset=UTF-8");

/// Translates a response of the native API. `past_the_end` has the totals of the list if the requested page is past its
/// end.
pub(super) async fn translate(
    result: Result<Response>,
    past_the_end: Option<Totals>,
    compat: &CompatRequest,
) -> Response {
    let mut response = error_body::to_response(result);
    if is_event_stream(response.headers()) {
        return response;
    }
    let status = response.status();
    let Some(native) = take_json(&mut response).await else {
        return response;
    };
    if status.is_success() && is_trashed_event(&native, compat) {
        let gone = Problem::no_longer_available(Kind::Event).into();
        return Box::pin(translate(Err(gone), None, compat)).await;
    }
    let (status, body) = match (compat.target(), past_the_end) {
        (Some(target), Some(totals)) if target.kind.is_term() => (StatusCode::OK, empty_page(target, totals, compat)),
        _ if !status.is_success() => errors::translate(status, &native, compat),
        (Some(target), _) => (status, represent(target, &native, compat)),
        // The OpenAPI document is not translated.
        (None, _) => (status, native),
    };
    response.set_status(status);
    if let Some(totals) = past_the_end {
        totals.insert_into(response.headers_mut());
    }
    rebase_headers(response.headers_mut(), compat);
    response.set_body(body.to_string());
    response
}

/// Whether the response is an event in the trash, which The Events Calendar never shows.
fn is_trashed_event(native: &Value, compat: &CompatRequest) -> bool {
    let is_event = |target: &Target| target.kind == Kind::Event && target.selector != Selector::Collection;
    compat.method == Method::GET && compat.target().is_some_and(is_event) && native["status"] == Status::Trash.as_str()
}

/// Takes the body of a response if it is JSON. Leaves any other body in place.
pub(super) async fn take_json(response: &mut Response) -> Option<Value> {
    let bytes = response.take_body().into_bytes().await.ok()?;
    let body = serde_json::from_slice(&bytes);
    if body.is_err() {
        response.set_body(bytes.to_vec());
    }
    body.ok()
}

fn represent(target: &Target, native: &Value, compat: &CompatRequest) -> Value {
    let kind = target.kind;
    let is_read = compat.method == Method::GET;
    if target.selector == Selector::Collection && is_read {
        return represent_list(target, native, compat);
    }
    if kind.is_term() {
        // A deleted term has no links.
        return term::standalone(kind, native, compat, compat.method != Method::DELETE);
    }
    representation::represent(kind, native, compat, is_read)
}

fn represent_list(target: &Target, native: &Value, compat: &CompatRequest) -> Value {
    let plural = target.kind.plural();
    let items = native[plural].as_array().into_iter().flatten();
    let items: Value = items
        .map(|item| representation::represent(target.kind, item, compat, false))
        .collect();
    let mut list = Map::new();
    list.insert(plural.to_owned(), items);
    for name in ["rest_url", "next_rest_url", "previous_rest_url"] {
        if let Some(url) = native[name].as_str() {
            list.insert(name.to_owned(), compat.rebase(url).into());
        }
    }
    for name in ["total", "total_pages"] {
        list.insert(name.to_owned(), native[name].clone());
    }
    list.into()
}

/// A page of terms past the end of the list.
fn empty_page(target: &Target, totals: Totals, compat: &CompatRequest) -> Value {
    let plural = target.kind.plural();
    let here = format!("{}/{plural}", compat.root());
    let mut list = json!({plural: [], "rest_url": format!("{here}?{}", compat.query)});
    if totals.pages > 0 {
        list["previous_rest_url"] = page_url(&here, &compat.query, totals.pages).into();
    }
    list["total"] = totals.items.into();
    list["total_pages"] = totals.pages.into();
    list
}

/// Moves the URLs in headers to the requested namespace.
fn rebase_headers(headers: &mut HeaderMap, compat: &CompatRequest) {
    for name in [header::LINK, header::LOCATION] {
        let rebased = headers.get(&name).and_then(|value| {
            let native = compat.native_root();
            let rebased = value.to_str().ok()?.replace(&native, &compat.root());
            HeaderValue::from_str(&rebased).ok()
        });
        if let Some(value) = rebased {
            headers.insert(name, value);
        }
    }
}

/// Applies the features of every WordPress response: common headers, `_fields`, `_envelope`.
pub(super) async fn finish(mut response: Response, compat: &CompatRequest) -> Response {
    if is_event_stream(response.headers()) {
        return response;
    }
    let headers = response.headers_mut();
    // Clients use the first link for discovery, and the others for pagination.
    let paging = headers.get(header::LINK).and_then(|links| links.to_str().ok());
    let discovery = discovery::api_link(&compat.base);
    let links = match (discovery.to_str(), paging) {
        (Ok(discovery), Some(paging)) => HeaderValue::from_str(&format!("{discovery}, {paging}")),
        _ => Ok(discovery.clone()),
    };
    headers.insert(header::LINK, links.unwrap_or(discovery));
    headers.insert(header::CONTENT_TYPE, MEDIA_TYPE);
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    let allowed = allowed_methods(compat);
    if !allowed.is_empty() {
        headers.insert(header::ALLOW, HeaderValue::from_static(allowed));
    }
    if let Some(fields) = compat
        .selected_fields
        .as_ref()
        .filter(|_| response.status().is_success())
        && let Some(body) = take_json(&mut response).await
    {
        response.set_body(select_fields(&body, fields).to_string());
    }
    if compat.wants_envelope
        && let Some(body) = take_json(&mut response).await
    {
        let envelope = json!({
            "body": body,
            "status": response.status().as_u16(),
            "headers": envelope_headers(response.headers()),
        });
        if !response.status().is_success() {
            let meta = ResponseMeta {
                is_rolled_back: true,
                ..ResponseMeta::of(&response).clone()
            };
            meta.attach_to(&mut response);
        }
        response.set_status(StatusCode::OK);
        response.set_body(envelope.to_string());
    }
    response
}

/// The value of `Allow`: reads only for requests without credentials.
fn allowed_methods(compat: &CompatRequest) -> &'static str {
    match compat.target().map(|target| &target.selector) {
        None => "",
        Some(_) if compat.is_anonymous => "GET",
        Some(Selector::Collection) => "GET, POST",
        Some(_) => "GET, DELETE, POST, PUT, PATCH",
    }
}

/// The headers for the envelope, in WordPress's letter case. Totals are numbers.
fn envelope_headers(headers: &HeaderMap) -> Value {
    let mut envelope = Map::new();
    for name in [
        "X-TEC-Total",
        "X-TEC-TotalPages",
        "X-WP-Total",
        "X-WP-TotalPages",
        "Link",
        "Location",
        "Allow",
        "WWW-Authenticate",
        "Retry-After",
    ] {
        if let Some(text) = headers.get(name).and_then(|value| value.to_str().ok()) {
            let value = text.parse::<u64>().map_or_else(|_| text.into(), Value::from);
            envelope.insert(name.to_owned(), value);
        }
    }
    envelope.into()
}

/// The members of a body that `_fields` lists. `venue.id` selects a nested member.
fn select_fields(body: &Value, fields: &[String]) -> Value {
    let Value::Object(members) = body else {
        return body.clone();
    };
    let mut selected = Map::new();
    for (name, value) in members {
        if fields.iter().any(|field| field == name) {
            selected.insert(name.clone(), value.clone());
            continue;
        }
        let nested: Vec<String> = fields
            .iter()
            .filter_map(|field| Some(field.strip_prefix(name.as_str())?.strip_prefix('.')?.to_owned()))
            .collect();
        if nested.is_empty() {
            continue;
        }
        let value = match value {
            // WordPress addresses the items of a list by index, so a name selects none.
            Value::Array(_) => json!([]),
            value => select_fields(value, &nested),
        };
        selected.insert(name.clone(), value);
    }
    // PHP's empty array.
    match selected.is_empty() {
        true => json!([]),
        false => selected.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::select_fields;

    #[test]
    fn select_nested_fields() {
        let body = json!({"id": 1, "title": "T", "venue": {"id": 2, "city": "C"}, "tags": [{"id": 3}]});
        for (fields, expected) in [
            (&["id", "venue.id"][..], json!({"id": 1, "venue": {"id": 2}})),
            (&["venue", "venue.id"][..], json!({"venue": {"id": 2, "city": "C"}})),
            (&["tags.id"][..], json!({"tags": []})),
            (&["title.rendered"][..], json!({"title": "T"})),
            (&["nothing"][..], json!([])),
        ] {
            let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
            assert_eq!(select_fields(&body, &fields), expected, "{fields:?}");
        }
    }
}
