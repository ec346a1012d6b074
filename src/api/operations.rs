//! The table of operations. `build.rs` generates it from `openapi/specification.yaml`.

use poem::http::Method;

use crate::{calendar::Kind, views::ROOT};

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

/// An operation of the specification.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The operation ID, such as `listEvents`.
    pub id: &'static str,
    pub method: Method,
    /// The path below the root, such as `/events/{id}`.
    pub path: &'static str,
    /// The names of the path and query parameters in all variants.
    pub parameters: &'static [&'static str],
    /// The media types of the response, the default first.
    pub media_types: &'static [&'static str],
    /// True if the response contains a secret. Such a response must not be stored for its idempotency key.
    pub returns_secret: bool,
    /// True if the operation sends a request to another server. A transaction must not stay open during that request.
    pub sends_message: bool,
}

impl Operation {
    /// The path as in the document and in request URLs.
    pub(crate) fn full_path(&self) -> String {
        format!("{ROOT}{}", self.path.trim_end_matches('/'))
    }

    /// Why a request can't have the header `Idempotency-Key`. None if it can.
    pub(crate) fn refusal_of_keys(&self) -> Option<&'static str> {
        match self {
            Self {
                returns_secret: true, ..
            } => Some("can't be used for this operation, whose response has a secret: send the request without it"),
            Self {
                sends_message: true, ..
            } => Some("can't be used for this operation, which sends a message each time: send the request without it"),
            _ => None,
        }
    }

    /// Returns true for the operations that a batch accepts: those on events, series, venues, organizers, categories
    /// and tags.
    pub(crate) fn is_for_batches(&self) -> bool {
        let collection = self.path.split('/').nth(1).unwrap_or_default();
        collection == "series" || Kind::ALL.into_iter().any(|kind| kind.plural() == collection)
    }

    /// Returns true if the template of the operation matches the path, which is relative to the root.
    fn is_at(&self, path: &str) -> bool {
        matches(self.path.trim_end_matches('/'), path)
    }
}

/// The operations at the path of a request; none if the path is unknown.
pub(crate) fn at(path: &str) -> impl Iterator<Item = &'static Operation> {
    let path = path.strip_prefix(ROOT);
    OPERATIONS
        .iter()
        .filter(move |operation| path.is_some_and(|path| operation.is_at(path)))
}

/// The operation of a request. HEAD is handled like GET.
pub(crate) fn find(method: &Method, path: &str) -> Option<&'static Operation> {
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let path = path.strip_prefix(ROOT)?;
    OPERATIONS
        .iter()
        .find(|operation| operation.method == method && operation.is_at(path))
}

/// Matches a path against a template, in which `{id}` and `{delivery}` stand for digits.
pub(crate) fn matches(template: &str, path: &str) -> bool {
    // Most templates differ in their first letters.
    let literal = template.bytes().take_while(|byte| *byte != b'{');
    if literal.zip(path.bytes()).any(|(expected, byte)| expected != byte) {
        return false;
    }
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    loop {
        match (template.next(), path.next()) {
            (None, None) => return true,
            (Some("{id}" | "{delivery}"), Some(part))
                if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) => {}
            (Some("{slug}" | "{source}" | "{external_id}"), Some(part)) if !part.is_empty() => {}
            (Some(part), Some(other)) if part == other && !part.starts_with('{') => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_matches_template() {
        for (template, path, expected) in [
            ("/events/{id}", "/events/5", true),
            ("/events/{id}", "/events/x", false),
            ("/events/{id}", "/events/", false),
            ("/events/{id}", "/events/5/6", false),
            ("/events/by-slug/{slug}", "/events/by-slug/a-b", true),
            ("/events/by-slug/{slug}", "/events/by-slug/", false),
            (
                "/by-external-id/{source}/{external_id}",
                "/by-external-id/a/b%2Fc",
                true,
            ),
            ("/by-external-id/{source}/{external_id}", "/by-external-id/a/b/c", false),
            ("/events", "/events", true),
            ("/events", "/venues", false),
        ] {
            assert_eq!(matches(template, path), expected, "{template} {path}");
        }
    }

    #[test]
    fn operations_without_keys_or_batches() {
        let of = |is_wanted: fn(&Operation) -> bool| -> Vec<&str> {
            let writes = OPERATIONS.iter().filter(|operation| operation.method != Method::GET);
            writes
                .filter(|operation| is_wanted(operation))
                .map(|operation| operation.id)
                .collect()
        };
        let without_keys = of(|operation| operation.refusal_of_keys().is_some());
        assert_eq!(without_keys, ["createWebhook", "testWebhook", "redeliver"]);
        let without_batches = of(|operation| !operation.is_for_batches());
        let webhooks = [
            "createWebhook",
            "patchWebhook",
            "deleteWebhook",
            "testWebhook",
            "redeliver",
        ];
        assert_eq!(without_batches, [&webhooks[..], &["runBatch"]].concat());
    }

    #[test]
    fn find_by_method_and_path() {
        for (method, path, expected) in [
            (Method::GET, "/calendar/events/v1", Some("getIndex")),
            (Method::GET, "/calendar/events/v1/events", Some("listEvents")),
            (Method::HEAD, "/calendar/events/v1/events/7", Some("getEvent")),
            (Method::PUT, "/calendar/events/v1/tags/7", Some("replaceTag")),
            (Method::PUT, "/calendar/events/v1/tags", None),
            (Method::GET, "/calendar/events/v2/tags", None),
        ] {
            assert_eq!(
                find(&method, path).map(|operation| operation.id),
                expected,
                "{method} {path}"
            );
        }
    }
}
