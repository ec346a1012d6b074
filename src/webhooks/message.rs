//! Messages: what has changed. The receiver reads the object itself if it needs more.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{
    calendar::date::{format_utc, instant_at},
    changes::ChangeEntry,
    store::entity::webhook_delivery,
};

/// A message to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The same for all attempts to send the same state of an object.
    pub id: String,
    /// Such as `event.changed`.
    pub name: String,
    pub object_id: Option<i64>,
    /// JSON.
    pub body: String,
}

/// The members of an object that a message has, as `data` names them. The first of the names that the object has counts.
const MEMBERS: [(&str, &[&str]); 7] = [
    ("title", &["title", "venue", "organizer", "name"]),
    ("slug", &["slug"]),
    ("status", &["status"]),
    ("starts_at", &["starts_at"]),
    ("ends_at", &["ends_at"]),
    ("url", &["url"]),
    ("rest_url", &["rest_url"]),
];

impl Message {
    /// The message about a change. `endpoint` is the ID of the webhook.
    pub(super) fn of_change(endpoint: i64, entry: &ChangeEntry) -> Self {
        let view = &entry.view;
        let (order, changed_at) = entry.change.map_or((0, 0), |change| (change.order, change.changed_at));
        let name = format!("{}.{}", view.kind, view.change);
        let mut data = Map::new();
        data.insert("id".to_owned(), view.id.into());
        let object = view
            .object
            .0
            .as_ref()
            .and_then(|object| object.parse::<Map<String, Value>>().ok());
        if let Some(object) = object {
            data.insert("version".to_owned(), view.version.0.into());
            for (name, sources) in MEMBERS {
                // Events have members with the names of other kinds, which are lists.
                let value = sources
                    .iter()
                    .find_map(|source| object.get(*source).filter(|value| value.is_string()));
                data.extend(value.map(|value| (name.to_owned(), value.clone())));
            }
            // Terms have their URL elsewhere.
            let own_url = object.get("urls").and_then(|urls| urls.get("self"));
            data.extend(own_url.map(|url| ("rest_url".to_owned(), url.clone())));
        }
        let identity = format!(
            "{endpoint} {} {name} {} {order} {changed_at}",
            entry.next.epoch(),
            view.id
        );
        Self {
            id: message_id(&identity),
            body: body(&name, changed_at, data),
            name,
            object_id: Some(view.id),
        }
    }

    /// A message that tests an endpoint.
    pub(crate) fn test(endpoint: i64, now: i64) -> Self {
        let name = "webhook.test".to_owned();
        let data = Map::from_iter([("id".to_owned(), endpoint.into())]);
        Self {
            id: message_id(&format!("{endpoint} test {:032x}", rand::random::<u128>())),
            body: body(&name, now, data),
            name,
            object_id: None,
        }
    }

    /// The message of an earlier attempt.
    pub(crate) fn again(delivery: webhook_delivery::Model) -> Self {
        Self {
            id: delivery.message_id,
            name: delivery.message_type,
            object_id: delivery.object_id,
            body: delivery.body,
        }
    }
}

fn body(name: &str, timestamp: i64, data: Map<String, Value>) -> String {
    let timestamp = format_utc(instant_at(timestamp));
    json!({"type": name, "timestamp": timestamp, "data": data}).to_string()
}

/// An ID that depends on the message only, so that an attempt after a crash has the same.
fn message_id(identity: &str) -> String {
    let digest = Sha256::digest(identity);
    format!("msg_{}", BASE64_URL_SAFE_NO_PAD.encode(&digest[..18]))
}
