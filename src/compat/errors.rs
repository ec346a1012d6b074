//! Errors with the statuses, codes, messages and data of The Events Calendar.

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

/// The order in which The Events Calendar lists missing fields.
const REQUIRED_ORDER: [&str; 3] = ["title", "start_date", "end_date"];

/// Translates an error of the native API.
pub(super) fn translate(status: StatusCode, native: &Value, compat: &CompatRequest) -> (StatusCode, Value) {
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
        // An invalid nested object is an invalid field of the event.
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
            // PHP drops leading zeros and clamps the number to the largest integer.
            no_event(id.parse().unwrap_or(i64::MAX))
        }
        // The Events Calendar continues with the ID 0 after an unsuccessful search for the slug.
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

/// The error for an object in the trash.
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

/// The error for missing fields. Other errors are not reported with it.
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

/// The error for invalid values. If the only one is a blank name of a venue or organizer, The Events Calendar reports
/// it with a separate code.
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

/// The error for invalid values. Wrong types are reported only if no value is invalid.
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
        // The native message is about the value that replaced the rejected one.
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

/// The expected type of a field or parameter whose type is wrong. `None` if its value is wrong.
fn wrong_type(name: &str, compat: &CompatRequest) -> Option<&'static str> {
    if compat.rejected.wrong_types.contains(&name) {
        let kind = compat.target()?.kind;
        return expected_type(kind, name, false).or(Some("string"));
    }
    expected_type(compat.target()?.kind, name, compat.is_list())
}
