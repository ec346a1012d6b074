//! Examples of errors in the document, generated from the errors that handlers return.

use serde_json::{Map, Value, json};

use super::{
    batch::BatchPayload,
    categories::CategoryPayload,
    changes::{ChangeQuery, StreamQuery},
    document::Document,
    events::EventPayload,
    index::IndexQuery,
    organizers::OrganizerPayload,
    paging::Paging,
    series::PreviewPayload,
    tags::TagPayload,
    venues::VenuePayload,
    webhooks::WebhookPayload,
};
use crate::{
    auth::{cross_site_write, wrong_password},
    calendar::{Kind, Variant},
    config::BODY_LIMIT,
    error::Problem,
    extract::{
        Fields, InputFormat, Parameters, Selectable, UnknownNames, form,
        members::MemberNames,
        parameters::{self, Purpose},
        unknown_names,
    },
    views::{
        event::EventView,
        organizer::OrganizerView,
        series::SeriesView,
        term::{CategoryView, TagView},
        user::UserView,
        venue::VenueView,
        webhook::{DeliveryView, WebhookView},
    },
};

/// Adds an example to each error response of each operation.
pub(crate) fn insert(document: &mut Value, variant: Variant) {
    let items = document["paths"].as_object_mut().into_iter().flatten();
    let operations = items.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten());
    for (method, operation) in operations {
        let Some(operation_id) = operation["operationId"].as_str().map(str::to_owned) else {
            continue;
        };
        let tag = operation["tags"][0].as_str().unwrap_or_default();
        let examples = ErrorExamples {
            kind: Kind::ALL
                .into_iter()
                .find(|kind| kind.plural().eq_ignore_ascii_case(tag)),
            is_series: tag == "Series",
            variant,
            method,
            id: &operation_id,
            is_list: operation_id.starts_with("list"),
            is_create: operation_id.starts_with("create"),
        };
        let responses = operation["responses"].as_object_mut().into_iter().flatten();
        for (status, response) in responses {
            let problem = status.parse().ok().and_then(|status| examples.error(status));
            if let Some(problem) = problem {
                response["content"]["application/json"]["example"] = json!(problem.body());
            }
        }
    }
}

/// The errors of one operation.
struct ErrorExamples<'a> {
    /// None for the index, the document, users and series.
    kind: Option<Kind>,
    is_series: bool,
    variant: Variant,
    method: &'a str,
    id: &'a str,
    is_list: bool,
    is_create: bool,
}

impl ErrorExamples<'_> {
    fn error(&self, status: u16) -> Option<Problem> {
        if let Some(problem) = self.series_error(status) {
            return Some(problem);
        }
        if let Some(problem) = self.change_error(status).or_else(|| self.webhook_error(status)) {
            return Some(problem);
        }
        Some(match (status, self.kind) {
            (400, kind) => self.bad_request(kind)?,
            (401, _) if self.method == "get" && self.id != "getMe" => wrong_password(),
            (401, _) => Problem::not_logged_in(),
            (403, Some(kind)) => self.forbidden(kind),
            (403, None) if self.id == "runBatch" => cross_site_write(),
            (404, None) => Problem::no_route(),
            (404, Some(kind)) if self.is_list => Problem::page_not_found(kind, 1),
            (404, Some(kind)) => Problem::not_found(kind),
            (406, _) => Problem::not_acceptable(),
            (409, Some(kind)) if !self.is_create => Problem::slug_conflict(kind, slug(kind)),
            (409, Some(kind)) if !kind.is_term() => Problem::external_id_conflict(kind, "league", "4711"),
            (409, _) => Problem::idempotency_key_in_use(),
            (410, Some(kind)) if self.method == "delete" => Problem::is_in_trash(kind),
            (410, Some(kind)) => Problem::no_longer_available(kind),
            (412, _) => Problem::precondition_failed(),
            (422, _) => Problem::idempotency_key_reused(),
            (413, _) => Problem::payload_too_large(BODY_LIMIT),
            (415, _) => Problem::unsupported_media_type("text/plain"),
            (429, _) => Problem::too_many_requests(1),
            (500, _) => Problem::internal("an example"),
            (503, _) => Problem::unavailable("an example"),
            (507, _) => Problem::insufficient_storage(),
            _ => return None,
        })
    }

    /// The errors of series that differ from those of other objects.
    fn series_error(&self, status: u16) -> Option<Problem> {
        if !self.is_series {
            return None;
        }
        Some(match status {
            400 if self.id == "previewSeries" => {
                let body = Fields::new(Map::new(), InputFormat::Json);
                return self.validation_error::<PreviewPayload>(body, Purpose::Create);
            }
            400 if self.id == "getSeries" => return unknown_member::<SeriesView>(),
            400 if matches!(self.method, "post" | "put" | "patch") => return self.bad_request(Some(Kind::Event)),
            401 if self.id == "previewSeries" => wrong_password(),
            409 => Problem::idempotency_key_in_use(),
            403 if self.is_list => Problem::only_published(),
            403 if self.method == "get" => Problem::series_not_accessible(),
            403 if self.method == "delete" => Problem::role_may_not("delete", "series"),
            403 => Problem::role_may_not("change", "series"),
            404 if self.is_list => Problem::page_not_found(Kind::Event, 1),
            404 => Problem::series_not_found(),
            410 if self.method == "delete" => Problem::series_is_in_trash(),
            410 => Problem::series_no_longer_available(),
            _ => return None,
        })
    }

    /// The errors of changes that differ from those of other objects.
    fn change_error(&self, status: u16) -> Option<Problem> {
        match (self.id, status) {
            ("getChanges", 400) => self.validation_error::<ChangeQuery>(form::query("limit=0"), Purpose::Query),
            ("streamChanges", 400) => self.validation_error::<StreamQuery>(form::query("types=users"), Purpose::Query),
            ("getChanges" | "streamChanges", 410) => {
                let url = "https://calendar.example.org/calendar/events/v1/changes";
                Some(Problem::sync_token_expired(url.to_owned()))
            }
            _ => None,
        }
    }

    /// The errors of webhooks that differ from those of other objects.
    fn webhook_error(&self, status: u16) -> Option<Problem> {
        let json = |body| Fields::new(body, InputFormat::Json);
        match (self.id, status) {
            ("createWebhook", 400) => self.validation_error::<WebhookPayload>(json(Map::new()), Purpose::Create),
            ("patchWebhook", 400) => {
                let body = Map::from_iter([("url".to_owned(), Value::Null)]);
                self.validation_error::<WebhookPayload>(json(body), Purpose::Update)
            }
            ("listWebhooks" | "getWebhook", 400) => unknown_member::<WebhookView>(),
            ("listDeliveries", 400) => unknown_member::<DeliveryView>(),
            ("deleteWebhook" | "testWebhook" | "redeliver", 400) => unknown_parameter(&[]),
            (id, 401) if is_of_webhooks(id) => Some(Problem::not_logged_in()),
            (id, 403) if is_of_webhooks(id) => Some(Problem::only_administrators()),
            ("redeliver", 404) => Some(Problem::delivery_not_found()),
            (id, 404) if is_of_webhooks(id) => Some(Problem::webhook_not_found()),
            _ => None,
        }
    }

    fn bad_request(&self, kind: Option<Kind>) -> Option<Problem> {
        if self.is_list {
            return self.validation_error::<Paging>(form::query("per_page=0"), Purpose::Query);
        }
        match (self.method, kind) {
            _ if self.id == "runBatch" => {
                let body = Fields::new(Map::new(), InputFormat::Json);
                return self.validation_error::<BatchPayload>(body, Purpose::Create);
            }
            _ if self.id == "getIndex" => {
                return self.validation_error::<IndexQuery>(form::query("context=all"), Purpose::Query);
            }
            ("get", Some(Kind::Event)) => return unknown_member::<EventView>(),
            ("get", Some(Kind::Venue)) => return unknown_member::<VenueView>(),
            ("get", Some(Kind::Organizer)) => return unknown_member::<OrganizerView>(),
            ("get", Some(Kind::Category)) => return unknown_member::<CategoryView>(),
            ("get", Some(Kind::Tag)) => return unknown_member::<TagView>(),
            ("get", None) if self.id == "getMe" => return unknown_member::<UserView>(),
            ("get", None) => return unknown_member::<Document>(),
            ("delete", Some(Kind::Event)) => return unknown_parameter(&["scope"]),
            ("delete", _) => return unknown_parameter(&[]),
            _ => {}
        }
        let kind = kind?;
        let (body, purpose) = match self.is_create {
            true => (Map::new(), Purpose::Create),
            false => (
                Map::from_iter([(name_field(kind).to_owned(), Value::Null)]),
                Purpose::Update,
            ),
        };
        let body = Fields::new(body, InputFormat::Json);
        match kind {
            Kind::Event => self.validation_error::<EventPayload>(body, purpose),
            Kind::Venue => self.validation_error::<VenuePayload>(body, purpose),
            Kind::Organizer => self.validation_error::<OrganizerPayload>(body, purpose),
            Kind::Category => self.validation_error::<CategoryPayload>(body, purpose),
            Kind::Tag => self.validation_error::<TagPayload>(body, purpose),
        }
    }

    /// The error response for the validation errors of the fields.
    fn validation_error<T: Parameters>(&self, mut fields: Fields, purpose: Purpose) -> Option<Problem> {
        parameters::read::<T>(&mut fields, self.variant, purpose);
        fields.errors.into_result().err()
    }

    fn forbidden(&self, kind: Kind) -> Problem {
        match self.method {
            "get" if self.is_list => Problem::only_published(),
            "get" => Problem::not_accessible(kind),
            _ if kind.is_term() => Problem::role_may_not_write_terms(kind),
            "delete" => Problem::role_may_not("delete", kind.plural()),
            "post" if self.is_create => Problem::role_may_not("create", kind.plural()),
            _ => Problem::role_may_not("change", kind.plural()),
        }
    }
}

fn is_of_webhooks(id: &str) -> bool {
    id.contains("Webhook") || matches!(id, "listDeliveries" | "redeliver")
}

/// The error response for `fields` with an unknown name.
fn unknown_member<V: Selectable>() -> Option<Problem> {
    let mut fields = form::query("fields=nothing");
    fields.take::<MemberNames<V>>("fields");
    fields.errors.into_result().err()
}

/// The error response for an unknown parameter of an operation with these parameters, with strict handling.
fn unknown_parameter(known: &[&'static str]) -> Option<Problem> {
    let mut fields = form::query("nothing=1");
    let unknown = unknown_names::parameters(fields.values().keys(), known);
    UnknownNames::new(true).report(unknown, &mut fields.errors);
    fields.errors.into_result().err()
}

/// The slug in the examples of the kind.
fn slug(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "spring-concert",
        Kind::Venue => "city-hall",
        Kind::Organizer => "city-orchestra",
        Kind::Category => "music",
        Kind::Tag => "open-air",
    }
}

/// The field with the title or name of the kind.
fn name_field(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "title",
        Kind::Venue => "venue",
        Kind::Organizer => "organizer",
        Kind::Category | Kind::Tag => "name",
    }
}
