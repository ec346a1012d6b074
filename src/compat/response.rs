//! Answers: bodies in the reference's shapes, and the headers that WordPress sends with all of them.

use poem::{
    Response, Result,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};
use serde_json::{Map, Value, json};

use super::{
    discovery, errors,
    past_the_end::Totals,
    request::CompatRequest,
    route::{Form, Target},
    shape, term,
};
use crate::{
    calendar::{Kind, status::Status},
    error::Problem,
    middleware::error_body,
    views::list::page_url,
};

const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/json; charset=UTF-8");

/// An answer of the native endpoints as the reference would give it.
///
/// `past_the_end` are the totals of a list whose end the request has passed.
pub async fn translate(result: Result<Response>, past_the_end: Option<Totals>, asked: &CompatRequest) -> Response {
    let mut response = error_body::answer(result);
    let status = response.status();
    let Some(native) = body(&mut response).await else {
        return response;
    };
    if status.is_success() && is_trashed_event(&native, asked) {
        let gone = Problem::no_longer_available(Kind::Event).into();
        return Box::pin(translate(Err(gone), None, asked)).await;
    }
    let (status, body) = match (asked.target(), past_the_end) {
        (Some(target), Some(totals)) if target.kind.is_term() => (StatusCode::OK, empty_page(target, totals, asked)),
        _ if !status.is_success() => errors::translate(status, &native, asked),
        (Some(target), _) => (status, found(target, &native, asked)),
        // The interface description is the native one.
        (None, _) => (status, native),
    };
    response.set_status(status);
    if let Some(totals) = past_the_end {
        totals.insert_into(response.headers_mut());
    }
    move_headers(response.headers_mut(), asked);
    response.set_body(body.to_string());
    response
}

/// Whether the answer is an event in the trash, which the reference shows to nobody.
fn is_trashed_event(native: &Value, asked: &CompatRequest) -> bool {
    let is_event = |target: &Target| target.kind == Kind::Event && target.form != Form::Collection;
    asked.method == Method::GET && asked.target().is_some_and(is_event) && native["status"] == Status::Trash.as_str()
}

/// Takes the JSON out of a response.
pub async fn body(response: &mut Response) -> Option<Value> {
    let bytes = response.take_body().into_bytes().await.ok()?;
    let body = serde_json::from_slice(&bytes);
    if body.is_err() {
        response.set_body(bytes.to_vec());
    }
    body.ok()
}

fn found(target: &Target, native: &Value, asked: &CompatRequest) -> Value {
    let kind = target.kind;
    let is_read = asked.method == Method::GET;
    if target.form == Form::Collection && is_read {
        return list(target, native, asked);
    }
    if kind.is_term() {
        // A term that has been deleted has no links any more.
        return term::by_itself(kind, native, asked, asked.method != Method::DELETE);
    }
    shape::item(kind, native, asked, is_read)
}

fn list(target: &Target, native: &Value, asked: &CompatRequest) -> Value {
    let plural = target.kind.plural();
    let items = native[plural].as_array().into_iter().flatten();
    let items: Value = items.map(|item| shape::item(target.kind, item, asked, false)).collect();
    let mut list = Map::new();
    list.insert(plural.to_owned(), items);
    for name in ["rest_url", "next_rest_url", "previous_rest_url"] {
        if let Some(url) = native[name].as_str() {
            list.insert(name.to_owned(), asked.moved(url).into());
        }
    }
    for name in ["total", "total_pages"] {
        list.insert(name.to_owned(), native[name].clone());
    }
    list.into()
}

/// A page of terms past the last one, which the reference finds empty instead of missing.
fn empty_page(target: &Target, totals: Totals, asked: &CompatRequest) -> Value {
    let plural = target.kind.plural();
    let here = format!("{}/{plural}", asked.root());
    let mut list = json!({plural: [], "rest_url": format!("{here}?{}", asked.query)});
    if totals.pages > 0 {
        list["previous_rest_url"] = page_url(&here, &asked.query, totals.pages).into();
    }
    list["total"] = totals.items.into();
    list["total_pages"] = totals.pages.into();
    list
}

/// Turns the addresses in headers to the root that was asked.
fn move_headers(headers: &mut HeaderMap, asked: &CompatRequest) {
    for name in [header::LINK, header::LOCATION] {
        let moved = headers.get(&name).and_then(|value| {
            let native = asked.native_root();
            let moved = value.to_str().ok()?.replace(&native, &asked.root());
            HeaderValue::from_str(&moved).ok()
        });
        if let Some(value) = moved {
            headers.insert(name, value);
        }
    }
}

/// What WordPress does with every answer: common headers, `_fields`, `_envelope`.
pub async fn finish(mut response: Response, asked: &CompatRequest) -> Response {
    let headers = response.headers_mut();
    // Libraries look for the first link, and page by the others.
    let paging = headers.get(header::LINK).and_then(|links| links.to_str().ok());
    let discovery = discovery::link(&asked.base);
    let links = match (discovery.to_str(), paging) {
        (Ok(discovery), Some(paging)) => HeaderValue::from_str(&format!("{discovery}, {paging}")),
        _ => Ok(discovery.clone()),
    };
    headers.insert(header::LINK, links.unwrap_or(discovery));
    headers.insert(header::CONTENT_TYPE, MEDIA_TYPE);
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    let allowed = allowed(asked);
    if !allowed.is_empty() {
        headers.insert(header::ALLOW, HeaderValue::from_static(allowed));
    }
    if let Some(fields) = asked.fields.as_ref().filter(|_| response.status().is_success())
        && let Some(body) = body(&mut response).await
    {
        response.set_body(only(&body, fields).to_string());
    }
    if asked.envelope
        && let Some(body) = body(&mut response).await
    {
        let envelope = json!({
            "body": body,
            "status": response.status().as_u16(),
            "headers": told(response.headers()),
        });
        response.set_status(StatusCode::OK);
        response.set_body(envelope.to_string());
    }
    response
}

/// What may be done at this address, as far as it is known: without credentials, read.
fn allowed(asked: &CompatRequest) -> &'static str {
    match asked.target().map(|target| &target.form) {
        None => "",
        Some(_) if asked.is_anonymous => "GET",
        Some(Form::Collection) => "GET, POST",
        Some(_) => "GET, DELETE, POST, PUT, PATCH",
    }
}

/// The headers of an answer for its envelope, in the case that WordPress writes. Counts are numbers.
fn told(headers: &HeaderMap) -> Value {
    let mut told = Map::new();
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
            told.insert(name.to_owned(), value);
        }
    }
    told.into()
}

/// The members of a body that `_fields` names, those of members by `venue.id`.
fn only(body: &Value, fields: &[String]) -> Value {
    let Value::Object(members) = body else {
        return body.clone();
    };
    let mut kept = Map::new();
    for (name, value) in members {
        if fields.iter().any(|field| field == name) {
            kept.insert(name.clone(), value.clone());
            continue;
        }
        let below: Vec<String> = fields
            .iter()
            .filter_map(|field| Some(field.strip_prefix(name.as_str())?.strip_prefix('.')?.to_owned()))
            .collect();
        if below.is_empty() {
            continue;
        }
        let value = match value {
            // The members of a list are its places, of which none has a name.
            Value::Array(_) => json!([]),
            value => only(value, &below),
        };
        kept.insert(name.clone(), value);
    }
    // PHP's empty array.
    match kept.is_empty() {
        true => json!([]),
        false => kept.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::only;

    #[test]
    fn fields_pick_members_and_members_of_members() {
        let body = json!({"id": 1, "title": "T", "venue": {"id": 2, "city": "C"}, "tags": [{"id": 3}]});
        for (fields, expected) in [
            (&["id", "venue.id"][..], json!({"id": 1, "venue": {"id": 2}})),
            (&["venue", "venue.id"][..], json!({"venue": {"id": 2, "city": "C"}})),
            (&["tags.id"][..], json!({"tags": []})),
            (&["title.rendered"][..], json!({"title": "T"})),
            (&["nothing"][..], json!([])),
        ] {
            let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
            assert_eq!(only(&body, &fields), expected, "{fields:?}");
        }
    }
}
