//! Examples of failures in the document: the failures themselves, as their endpoints give them.

use serde_json::{Map, Value, json};

use super::{publishable, terms, variant::Variant};
use crate::{
    auth::wrong_password,
    calendar::Kind,
    config::BODY_LIMIT,
    error::Problem,
    extract::{Described, Fields, InputFormat, MaybeUndefined, form, number::Position},
    response::reply::PastTheEnd,
    store::failure::StorageFailure,
};

/// Shows in each operation what each of its failures looks like.
pub fn show<V: Variant>(document: &mut Value) {
    let items = document["paths"].as_object_mut().into_iter().flatten();
    let operations = items.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten());
    for (method, operation) in operations {
        let Some(operation_id) = operation["operationId"].as_str().map(str::to_owned) else {
            continue;
        };
        let tag = operation["tags"][0].as_str().unwrap_or_default();
        let asked = CompatRequest {
            kind: Kind::ALL
                .into_iter()
                .find(|kind| kind.plural().eq_ignore_ascii_case(tag)),
            method,
            is_list: operation_id.starts_with("list"),
            is_create: operation_id.starts_with("create"),
        };
        let responses = operation["responses"].as_object_mut().into_iter().flatten();
        for (status, response) in responses {
            let problem = status.parse().ok().and_then(|status| asked.failure::<V>(status));
            if let Some(problem) = problem {
                response["content"]["application/json"]["example"] = json!(problem.body());
            }
        }
    }
}

/// What of an operation tells how it fails.
struct CompatRequest<'a> {
    /// None for the index and the document.
    kind: Option<Kind>,
    method: &'a str,
    is_list: bool,
    is_create: bool,
}

impl CompatRequest<'_> {
    fn failure<V: Variant>(&self, status: u16) -> Option<Problem> {
        Some(match (status, self.kind) {
            (400, kind) => self.bad_request::<V>(kind)?,
            (401, _) if self.method == "get" => wrong_password(),
            (401, _) => Problem::not_logged_in(),
            (403, Some(kind)) => self.forbidden(kind),
            (404, None) => Problem::no_route(),
            (404, Some(kind)) if self.is_list => Problem::page_not_found(kind, PastTheEnd { total: 3, pages: 1 }),
            (404, Some(kind)) => Problem::not_found(kind),
            (406, _) => Problem::not_acceptable(),
            (409, Some(kind)) => Problem::slug_conflict(kind, slug(kind)),
            (410, Some(kind)) if self.method == "delete" => Problem::is_in_trash(kind),
            (410, Some(kind)) => Problem::no_longer_available(kind),
            (412, _) => Problem::precondition_failed(),
            (413, _) => Problem::payload_too_large(BODY_LIMIT),
            (415, _) => Problem::unsupported_media_type("text/plain"),
            (429, _) => Problem::too_many_requests(1),
            (500, _) => Problem::internal("an example"),
            (503, _) => Problem::unavailable("an example"),
            (507, _) => Problem::storage(StorageFailure::DiskFull, "an example"),
            _ => return None,
        })
    }

    fn bad_request<V: Variant>(&self, kind: Option<Kind>) -> Option<Problem> {
        match kind {
            None => errors::<V::GetIndex, V>(form::query("context=all")),
            Some(_) if self.is_list => {
                let mut fields = form::query("per_page=0");
                let _: MaybeUndefined<Position> = fields.take("per_page");
                fields.errors.into_result().err()
            }
            Some(kind) if self.is_create => {
                let fields = body([]);
                match kind {
                    Kind::Event => errors::<V::EventCreate, V>(fields),
                    Kind::Venue => errors::<V::VenueCreate, V>(fields),
                    Kind::Organizer => errors::<V::OrganizerCreate, V>(fields),
                    Kind::Category => errors::<V::CategoryCreate, V>(fields),
                    Kind::Tag => errors::<V::TagCreate, V>(fields),
                }
            }
            Some(kind) => match kind {
                Kind::Event => errors::<V::EventUpdate, V>(body([("title", Value::Null)])),
                Kind::Venue => errors::<V::VenueUpdate, V>(body([("venue", Value::Null)])),
                Kind::Organizer => errors::<V::OrganizerUpdate, V>(body([("organizer", Value::Null)])),
                Kind::Category => errors::<V::CategoryUpdate, V>(body([("name", Value::Null)])),
                Kind::Tag => errors::<V::TagUpdate, V>(body([("name", Value::Null)])),
            },
        }
    }

    fn forbidden(&self, kind: Kind) -> Problem {
        match self.method {
            "get" if self.is_list => publishable::only_published(),
            "get" => Problem::not_accessible(kind),
            _ if kind.is_term() => terms::may_not_write(kind),
            "delete" => publishable::may_not("delete", kind.plural()),
            "post" if self.is_create => publishable::may_not("create", kind.plural()),
            _ => publishable::may_not("change", kind.plural()),
        }
    }
}

/// The slug of the example of this kind.
fn slug(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "spring-concert",
        Kind::Venue => "city-hall",
        Kind::Organizer => "city-orchestra",
        Kind::Category => "music",
        Kind::Tag => "open-air",
    }
}

fn body<const N: usize>(values: [(&str, Value); N]) -> Fields {
    let values: Map<String, Value> = values
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    Fields::new(values, InputFormat::Json)
}

/// What is wrong with such fields.
fn errors<T: Described<V>, V>(mut fields: Fields) -> Option<Problem> {
    T::read(&mut fields);
    fields.errors.into_result().err()
}
