//! Errors in the reference's words: its statuses, codes and particulars.

use poem::http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::{
    request::CompatRequest,
    route::{RouteEndpoint, Selector, Target},
    validation::expected_type,
};
use crate::calendar::Kind;

const FORBIDDEN: &str = "Sorry, you are not allowed to do that.";
const NO_ROUTE: &str = "No route was found matching the URL and request method.";

/// The order in which the reference names what is missing.
const REQUIRED_ORDER: [&str; 3] = ["title", "start_date", "end_date"];

/// An error of the native endpoints as the reference has it.
pub fn translate(status: StatusCode, native: &Value, compat: &CompatRequest) -> (StatusCode, Value) {
    let code = native["code"].as_str().unwrap_or_default();
    let message = native["message"].as_str().unwrap_or_default();
    let kind = compat.target().map(|target| target.kind);
    match code {
        "rest_not_logged_in" if compat.route.endpoint == RouteEndpoint::CurrentUser => {
            error(status, code, "You are not currently logged in.")
        }
        "rest_not_logged_in" => error(status, "rest_forbidden", FORBIDDEN),
        "rest_forbidden" if compat.is_list() => invalid_params(&native["data"]["params"], compat),
        "rest_forbidden" => error(status, code, FORBIDDEN),
        "rest_no_route" | "rest_method_not_allowed" => error(StatusCode::NOT_FOUND, "rest_no_route", NO_ROUTE),
        "rest_missing_callback_param" => missing_params(&native["data"]["details"]),
        "rest_invalid_param" => invalid_or_blank(&native["data"]["params"], compat),
        "rest_invalid_json" => {
            let (status, mut body) = error(status, code, "Invalid JSON body passed.");
            body["data"]["json_error_code"] = 4.into();
            body["data"]["json_error_message"] = "Syntax error".into();
            (status, body)
        }
        // What can't be used inside an event is a wrong value of the event.
        "could-not-create-venue" | "could-not-create-organizer" => invalid_params(&native["data"]["params"], compat),
        _ => match (kind, code.split_once('-')) {
            (Some(kind), Some((_, "not-found"))) => not_found(kind, compat),
            (Some(kind), Some((_, "no-longer-available"))) => in_trash(kind, compat),
            (Some(kind), Some((_, "not-accessible"))) => not_accessible(kind),
            (Some(kind), Some((_, "is-in-trash"))) => {
                let message = format!("The {} is already trashed", kind.name());
                error(status, code, &message)
            }
            _ => {
                let (status, mut body) = error(status, code, message);
                if let Some(id) = native["data"].get("term_id") {
                    body["data"]["term_id"] = id.clone();
                }
                (status, body)
            }
        },
    }
}

fn error(status: StatusCode, code: &str, message: &str) -> (StatusCode, Value) {
    let body = json!({"code": code, "message": message, "data": {"status": status.as_u16()}});
    (status, body)
}

fn not_found(kind: Kind, compat: &CompatRequest) -> (StatusCode, Value) {
    match compat.target() {
        Some(Target {
            selector: Selector::Id { id },
            ..
        }) if kind == Kind::Event => {
            // As PHP reads digits: without leading zeros, and no larger than it can count.
            no_event(id.parse().unwrap_or(i64::MAX))
        }
        // The reference looks the slug up, and goes on with the ID 0.
        Some(Target {
            selector: Selector::Slug { .. },
            ..
        }) if kind == Kind::Event && compat.is_update() => no_event(0),
        Some(Target {
            selector: Selector::Slug { .. },
            ..
        }) => invalid_params(&json!({"slug": INVALID}), compat),
        _ => invalid_params(&json!({"id": INVALID}), compat),
    }
}

fn no_event(id: i64) -> (StatusCode, Value) {
    let message = format!("Event with ID {id} does not exist.");
    error(StatusCode::NOT_FOUND, "rest-event-not-found", &message)
}

/// An object in the trash: events for everybody, others for those who may not bring them back.
fn in_trash(kind: Kind, compat: &CompatRequest) -> (StatusCode, Value) {
    match kind {
        _ if compat.method != Method::GET => error(StatusCode::FORBIDDEN, "rest_forbidden", FORBIDDEN),
        Kind::Event => error(
            StatusCode::FORBIDDEN,
            "event-no-longer-available",
            "This event is no longer available",
        ),
        kind => not_accessible(kind),
    }
}

fn not_accessible(kind: Kind) -> (StatusCode, Value) {
    let kind = kind.name();
    error(
        StatusCode::FORBIDDEN,
        &format!("{kind}-not-accessible"),
        &format!("The requested {kind} is not accessible"),
    )
}

/// What is missing, as a list; what else is wrong is not told before it is there.
fn missing_params(details: &Value) -> (StatusCode, Value) {
    let details = details.as_object().into_iter().flatten();
    let mut names: Vec<&str> = details
        .filter(|(_, error)| error["code"] == "rest_missing_callback_param")
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_by_key(|name| REQUIRED_ORDER.iter().position(|other| other == name));
    let message = format!("Missing parameter(s): {}", names.join(", "));
    let (status, mut body) = error(StatusCode::BAD_REQUEST, "rest_missing_callback_param", &message);
    body["data"]["params"] = json!(names);
    (status, body)
}

const INVALID: &str = "Invalid parameter.";

/// Values that are wrong; among them the name of a venue or organizer that is nothing but spaces, which the
/// reference finds later than others.
fn invalid_or_blank(params: &Value, compat: &CompatRequest) -> (StatusCode, Value) {
    let kind = compat.target().map(|target| target.kind);
    let only = params.as_object().filter(|params| params.len() == 1);
    let only = only.and_then(|params| params.keys().next());
    match (kind, compat.rejected.blank_name, only) {
        (Some(kind @ (Kind::Venue | Kind::Organizer)), Some(blank), Some(only)) if only == blank => {
            let message = format!("The {} could not be created from the provided data", kind.name());
            error(StatusCode::BAD_REQUEST, kind.could_not_create(), &message)
        }
        _ => invalid_params(params, compat),
    }
}

/// Values that are wrong. Wrong types are told where all values are right that are looked at closer.
fn invalid_params(params: &Value, compat: &CompatRequest) -> (StatusCode, Value) {
    let params = params.as_object().cloned().unwrap_or_default();
    let (mut types, values): (Vec<_>, Vec<_>) = params
        .into_iter()
        .partition(|(name, _)| wrong_type(name, compat).is_some());
    if !values.is_empty() {
        types.clear();
    }
    let mut messages: Map<String, Value> = values.into_iter().collect();
    for (name, message) in &mut messages {
        // What the endpoints say is about the value that was put in its place.
        if compat.rejected.invalid_values.contains(&name.as_str()) {
            *message = INVALID.into();
        }
    }
    let mut details = Map::new();
    for (name, _) in types {
        let ty = wrong_type(&name, compat).unwrap_or_default();
        let message = format!("{name} is not of type {ty}.");
        let detail = json!({"code": "rest_invalid_type", "message": message, "data": {"param": name}});
        messages.insert(name.clone(), message.into());
        details.insert(name, detail);
    }
    let names: Vec<&str> = messages.keys().map(String::as_str).collect();
    let message = format!("Invalid parameter(s): {}", names.join(", "));
    let (status, mut body) = error(StatusCode::BAD_REQUEST, "rest_invalid_param", &message);
    body["data"]["params"] = messages.into();
    // PHP's empty array.
    body["data"]["details"] = match details.is_empty() {
        true => json!([]),
        false => details.into(),
    };
    (status, body)
}

fn wrong_type(name: &str, compat: &CompatRequest) -> Option<&'static str> {
    if compat.rejected.wrong_types.contains(&name) {
        let kind = compat.target()?.kind;
        return expected_type(kind, name, false).or(Some("string"));
    }
    expected_type(compat.target()?.kind, name, compat.is_list())
}
