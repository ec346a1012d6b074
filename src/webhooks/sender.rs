//! Sending of messages.

use std::time::Instant;

use bytes::Bytes;
use chrono::Utc;
use metrics::counter;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::{Message, signature};
use crate::{
    config::WebhookArgs,
    egress::{EgressError, Post, PostClient},
    store::entity::{webhook, webhook_delivery},
};

/// Counts attempts by their outcome.
const DELIVERIES: &str = "almanac_webhook_deliveries_total";

/// Sends messages.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    client: PostClient,
    arguments: WebhookArgs,
}

/// Parses the URL of an endpoint. The error follows the name of the field: "must be …".
pub(crate) fn check_url(text: &str, arguments: &WebhookArgs) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|_| "must be a URL, such as https://example.org/hook".to_owned())?;
    match url.scheme() {
        "https" => {}
        "http" if arguments.webhook_allow_http => {}
        "http" => return Err("must begin with https:// (the server allows http with --webhook-allow-http)".to_owned()),
        _ => return Err("must begin with https://".to_owned()),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or a password".to_owned());
    }
    if url.fragment().is_some() {
        return Err("must not contain a fragment".to_owned());
    }
    Ok(url)
}

impl Sender {
    pub(crate) fn new(arguments: &WebhookArgs) -> Result<Self, EgressError> {
        Ok(Self {
            client: PostClient::new(arguments.webhook_allow.clone().into())?,
            arguments: arguments.clone(),
        })
    }

    /// Checks that the URL leads to a public address, as far as that is known without resolving its name.
    pub(crate) fn check_url(&self, text: &str) -> Result<Url, String> {
        let url = check_url(text, &self.arguments)?;
        self.client.check_literal(&url).map_err(|refusal| {
            format!("must be a public address, but {refusal} (the server allows networks with --webhook-allow)")
        })?;
        Ok(url)
    }

    /// Sends a message, and returns the attempt for the log. It never fails: failures are a part of the attempt.
    pub(crate) async fn send(&self, row: &webhook::Model, message: Message, attempt: i64) -> webhook_delivery::Model {
        let started = Instant::now();
        let now = Utc::now().timestamp();
        let received = match self.post(row, &message, now) {
            Ok(post) => self.client.send(post).await,
            Err(error) => Err(error),
        };
        let Message {
            id,
            name,
            object_id,
            body,
        } = message;
        let (response_status, response_body, error) = match received {
            Ok(received) => (Some(received.status), received.body, None),
            Err(error) => (None, String::new(), Some(error)),
        };
        let is_success = response_status.is_some_and(|status| status.is_success());
        let outcome = match (&error, is_success) {
            (_, true) => "success",
            (Some(EgressError::Private(_)), _) => "refused",
            (Some(EgressError::Timeout), _) => "timeout",
            (Some(EgressError::Failed(_)), _) => "unreachable",
            (None, false) => "error_response",
        };
        counter!(DELIVERIES, "outcome" => outcome).increment(1);
        webhook_delivery::Model {
            id: 0,
            webhook_id: row.id,
            message_id: id,
            message_type: name,
            object_id,
            body,
            attempt,
            is_success,
            response_status: response_status.map(|status| status.as_u16().into()),
            // PostgreSQL's texts can't contain it.
            response_body: response_body.replace('\0', "\u{fffd}"),
            error: error.map(|error| error.to_string()),
            duration_ms: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
            created_at: now,
        }
    }

    fn post(&self, row: &webhook::Model, message: &Message, now: i64) -> Result<Post, EgressError> {
        let invalid = |reason: &str| EgressError::Failed(reason.to_owned());
        // The flags may have changed since the endpoint was added.
        let url = check_url(&row.url, &self.arguments).map_err(|reason| invalid(&format!("the URL {reason}")))?;
        let signature = signature::header(row, now, &message.id, now, &message.body);
        let signature = signature.ok_or_else(|| invalid("the secret is not valid"))?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in [
            ("webhook-id", message.id.as_str()),
            ("webhook-timestamp", &now.to_string()),
            ("webhook-signature", &signature),
        ] {
            let value = HeaderValue::from_str(value).map_err(|_| invalid("a header is not valid"))?;
            headers.insert(name, value);
        }
        Ok(Post {
            url,
            headers,
            body: Bytes::from(message.body.clone()),
        })
    }
}
