//! Webhooks and what was sent to them.

use poem_openapi::Object;
use serde::Serialize;

use super::ROOT;
use crate::{
    auth::Caller,
    calendar::{
        Kind,
        date::{format_utc, instant_at},
    },
    extract::selectable,
    response::{Nullable, Representation},
    store::entity::{webhook, webhook_delivery},
};

/// A URL that receives messages about changes.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Webhook")]
pub(crate) struct WebhookView {
    /// The ID, unique among webhooks and never reused.
    pub id: i64,
    /// The URL of the webhook in this interface.
    pub rest_url: String,
    /// The URL that receives messages.
    pub url: String,
    /// The purpose of the webhook, in plain text; may be empty.
    pub description: String,
    /// The types of objects whose changes it receives.
    pub types: Vec<String>,
    /// Whether the webhook also receives changes of unpublished objects.
    pub include_unpublished: bool,
    /// Whether it receives messages.
    pub enabled: bool,
    /// Why it receives none: `gone` (it has responded with 410), `failing` (all attempts have failed for five days),
    /// `restored` (the calendar was restored from a backup) or `by_administrator`; null if it is enabled.
    pub disabled_reason: Nullable<String>,
    /// The secret that signs messages. Shown only in the response that has created it, otherwise null.
    pub secret: Nullable<String>,
    /// The number of failed attempts since the last success.
    pub failures: i64,
    /// The first failure since the last success, RFC 3339, in UTC; null if the last attempt was a success.
    pub failing_since: Nullable<String>,
    /// When the next attempt is made after a failure, RFC 3339, in UTC; otherwise null.
    pub next_attempt_at: Nullable<String>,
    /// When it was added, RFC 3339, in UTC.
    pub created_at: String,
    /// Its last change, RFC 3339, in UTC.
    pub modified_at: String,
}

impl Representation for WebhookView {}

selectable!(WebhookView, "id", "url", "enabled");

/// All webhooks.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct WebhookList {
    /// The webhooks, ordered by ID.
    pub webhooks: Vec<WebhookView>,
}

impl Representation for WebhookList {
    const ITEMS: Option<&'static str> = Some("webhooks");
}

/// An attempt to send a message to a webhook.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Delivery")]
pub(crate) struct DeliveryView {
    /// The ID, unique among attempts and never reused.
    pub id: i64,
    /// The header `webhook-id`: the same for all attempts to send the same message.
    pub message_id: String,
    /// The type of the message, such as `event.changed`.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub message_type: String,
    /// ID of the object; null for tests.
    pub object_id: Nullable<i64>,
    /// The body that was sent.
    pub request: String,
    /// The number of the attempt, from 1.
    pub attempt: i64,
    /// Whether the response had a status from 200 to 299.
    pub success: bool,
    /// The status of the response; null if there was none.
    pub status: Nullable<i64>,
    /// The first 1024 bytes of the response.
    pub response: String,
    /// Why there was no response; null if there was one.
    pub error: Nullable<String>,
    /// The time until the response, in milliseconds.
    pub duration_ms: i64,
    /// When it was sent, RFC 3339, in UTC.
    pub sent_at: String,
}

impl Representation for DeliveryView {}

selectable!(DeliveryView, "id", "type", "status");

/// The latest attempts to send messages to a webhook.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct DeliveryList {
    /// The attempts, the latest first.
    pub deliveries: Vec<DeliveryView>,
}

impl Representation for DeliveryList {
    const ITEMS: Option<&'static str> = Some("deliveries");
}

/// The URL of a webhook in this interface.
pub(crate) fn rest_url(caller: &Caller, id: i64) -> String {
    format!("{}{ROOT}/webhooks/{id}", caller.address.base)
}

/// The representation of a webhook. `secret` is shown if it is new.
pub(crate) fn represent(caller: &Caller, row: webhook::Model, secret: Option<String>) -> WebhookView {
    let is_waiting = row.failures > 0 && row.disabled_reason.is_none();
    let names = row.kinds.split_terminator(',');
    let kinds = names.filter_map(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name));
    WebhookView {
        id: row.id,
        rest_url: rest_url(caller, row.id),
        url: row.url,
        description: row.description,
        types: kinds.map(|kind| kind.plural().to_owned()).collect(),
        include_unpublished: row.include_unpublished,
        enabled: row.disabled_reason.is_none(),
        disabled_reason: row.disabled_reason.into(),
        secret: secret.into(),
        failures: row.failures,
        failing_since: row.failing_since.map(utc).into(),
        next_attempt_at: is_waiting.then(|| utc(row.next_attempt_at)).into(),
        created_at: utc(row.created_at),
        modified_at: utc(row.modified_at),
    }
}

/// The representation of an attempt.
pub(crate) fn represent_delivery(row: webhook_delivery::Model) -> DeliveryView {
    DeliveryView {
        id: row.id,
        message_id: row.message_id,
        message_type: row.message_type,
        object_id: row.object_id.into(),
        request: row.body,
        attempt: row.attempt,
        success: row.is_success,
        status: row.response_status.into(),
        response: row.response_body,
        error: row.error.into(),
        duration_ms: row.duration_ms,
        sent_at: utc(row.created_at),
    }
}

fn utc(timestamp: i64) -> String {
    format_utc(instant_at(timestamp))
}
