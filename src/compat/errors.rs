//! Errors in the reference's words: its statuses, codes and particulars.

use poem::http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::{
    request::CompatRequest,
    route::{Form, Place, Target},
    validation::type_of,
};
use crate::calendar::Kind;

const FORBIDDEN: &str = "Sorry, you are not allowed to do that.";
const NO_ROUTE: &str = "No route was found matching the URL and request method.";

/// The order in which the reference names what is missing.
const ORDER: [&str; 3] = ["title", "start_date", "end_date"];

/// An error of the native endpoints as the reference has it.
pub fn translate(status: StatusCode, native: &Value, asked: &CompatRequest) -> (StatusCode, Value) {
    let code = native["code"].as_str().unwrap_or_default();
    let message = native["message"].as_str().unwrap_or_default();
    let kind = asked.target().map(|target| target.kind);
    match code {
        "rest_not_logged_in" if asked.path.place == Place::Me => {
            error(status, code, "You are not currently logged in.")
        }
        "rest_not_logged_in" => error(status, "rest_forbidden", FORBIDDEN),
        "rest_forbidden" if asked.is_list() => invalid(&native["data"]["params"], asked),
        "rest_forbidden" => error(status, code, FORBIDDEN),
        "rest_no_route" | "rest_method_not_allowed" => error(StatusCode::NOT_FOUND, "rest_no_route", NO_ROUTE),
        "rest_missing_callback_param" => missing(&native["data"]["details"]),
        "rest_invalid_param" => unusable(&native["data"]["params"], asked),
        "rest_invalid_json" => {
            let (status, mut body) = error(status, code, "Invalid JSON body passed.");
            body["data"]["json_error_code"] = 4.into();
            body["data"]["json_error_message"] = "Syntax error".into();
            (status, body)
        }
        // What can't be used inside an event is a wrong value of the event.
        "could-not-create-venue" | "could-not-create-organizer" => invalid(&native["data"]["params"], asked),
        _ => match (kind, code.split_once('-')) {
            (Some(kind), Some((_, "not-found"))) => not_found(kind, asked),
            (Some(kind), Some((_, "no-longer-available"))) => gone(kind, asked),
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

fn not_found(kind: Kind, asked: &CompatRequest) -> (StatusCode, Value) {
    match asked.target() {
        Some(Target {
            form: Form::Item { id },
            ..
        }) if kind == Kind::Event => {
            // As PHP reads digits: without leading zeros, and no larger than it can count.
            no_event(id.parse().unwrap_or(i64::MAX))
        }
        // The reference looks the slug up, and goes on with the ID 0.
        Some(Target {
            form: Form::BySlug { .. },
            ..
        }) if kind == Kind::Event && asked.is_update() => no_event(0),
        Some(Target {
            form: Form::BySlug { .. },
            ..
        }) => invalid(&json!({"slug": INVALID}), asked),
        _ => invalid(&json!({"id": INVALID}), asked),
    }
}

fn no_event(id: i64) -> (StatusCode, Value) {
    let message = format!("Event with ID {id} does not exist.");
    error(StatusCode::NOT_FOUND, "rest-event-not-found", &message)
}

/// An object in the trash: events for everybody, others for those who may not bring them back.
fn gone(kind: Kind, asked: &CompatRequest) -> (StatusCode, Value) {
    match kind {
        _ if asked.method != Method::GET => error(StatusCode::FORBIDDEN, "rest_forbidden", FORBIDDEN),
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
fn missing(details: &Value) -> (StatusCode, Value) {
    let details = details.as_object().into_iter().flatten();
    let mut names: Vec<&str> = details
        .filter(|(_, error)| error["code"] == "rest_missing_callback_param")
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_by_key(|name| ORDER.iter().position(|other| other == name));
    let message = format!("Missing parameter(s): {}", names.join(", "));
    let (status, mut body) = error(StatusCode::BAD_REQUEST, "rest_missing_callback_param", &message);
    body["data"]["params"] = json!(names);
    (status, body)
}

const INVALID: &str = "Invalid parameter.";

/// Values that are wrong; among them the name of a venue or organizer that is nothing but spaces, which the
/// reference finds later than others.
fn unusable(params: &Value, asked: &CompatRequest) -> (StatusCode, Value) {
    let kind = asked.target().map(|target| target.kind);
    let only = params.as_object().filter(|params| params.len() == 1);
    let only = only.and_then(|params| params.keys().next());
    match (kind, asked.refused.blank_name, only) {
        (Some(kind @ (Kind::Venue | Kind::Organizer)), Some(blank), Some(only)) if only == blank => {
            let message = format!("The {} could not be created from the provided data", kind.name());
            error(StatusCode::BAD_REQUEST, kind.could_not_create(), &message)
        }
        _ => invalid(params, asked),
    }
}

/// Values that are wrong. Wrong types are told where all values are right that are looked at closer.
fn invalid(params: &Value, asked: &CompatRequest) -> (StatusCode, Value) {
    let wrong = params.as_object().cloned().unwrap_or_default();
    let (mut types, values): (Vec<_>, Vec<_>) = wrong
        .into_iter()
        .partition(|(name, _)| type_asked(name, asked).is_some());
    if !values.is_empty() {
        types.clear();
    }
    let mut told: Map<String, Value> = values.into_iter().collect();
    for (name, message) in &mut told {
        // What the endpoints say is about the value that was put in its place.
        if asked.refused.values.contains(&name.as_str()) {
            *message = INVALID.into();
        }
    }
    let mut details = Map::new();
    for (name, _) in types {
        let ty = type_asked(&name, asked).unwrap_or_default();
        let message = format!("{name} is not of type {ty}.");
        let detail = json!({"code": "rest_invalid_type", "message": message, "data": {"param": name}});
        told.insert(name.clone(), message.into());
        details.insert(name, detail);
    }
    let names: Vec<&str> = told.keys().map(String::as_str).collect();
    let message = format!("Invalid parameter(s): {}", names.join(", "));
    let (status, mut body) = error(StatusCode::BAD_REQUEST, "rest_invalid_param", &message);
    body["data"]["params"] = told.into();
    // PHP's empty array.
    body["data"]["details"] = match details.is_empty() {
        true => json!([]),
        false => details.into(),
    };
    (status, body)
}

fn type_asked(name: &str, asked: &CompatRequest) -> Option<&'static str> {
    if asked.refused.types.contains(&name) {
        let kind = asked.target()?.kind;
        return type_of(kind, name, false).or(Some("string"));
    }
    type_of(asked.target()?.kind, name, asked.is_list())
}
