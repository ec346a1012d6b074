//! The requests of a batch.

use poem::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use serde_json::{Map, Value, json};

use super::references;
use crate::{
    calendar::Kind,
    error::FieldError,
    extract::{FromInput, InputValue, JsonObject},
};

/// The maximum number of requests in a batch.
const MAX_REQUESTS: usize = 100;

/// The methods of writes, the default first.
const METHODS: [Method; 4] = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Headers that a request of a batch can't have: those of the batch apply.
const OF_THE_BATCH: [&str; 3] = ["authorization", "idempotency-key", "cookie"];

/// Headers that are ignored.
const OF_THE_BODY: [HeaderName; 3] = [header::CONTENT_LENGTH, header::CONTENT_TYPE, header::CONTENT_ENCODING];

/// A request of a batch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BatchRequest {
    pub method: Method,
    /// Path and query.
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Map<String, Value>,
    /// The highest number of an earlier request to which this one refers; 0 if it refers to none.
    pub latest_reference: usize,
}

/// The requests of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BatchRequests(pub Vec<BatchRequest>);

impl FromInput for BatchRequests {
    fn schema(registry: &mut Registry) -> MetaSchema {
        let request = request_schema(registry);
        registry.schemas.insert("BatchRequest".to_owned(), request);
        MetaSchema {
            min_items: Some(1),
            max_items: Some(MAX_REQUESTS),
            items: Some(Box::new(MetaSchemaRef::Reference("BatchRequest".to_owned()))),
            ..MetaSchema::new("array")
        }
    }

    /// Reports the errors of all requests, which are counted from 1.
    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let items = match input.value {
            Value::Array(items) if (1..=MAX_REQUESTS).contains(&items.len()) => items,
            _ => {
                let message = format!("must be a list of 1 to {MAX_REQUESTS} requests");
                return Err(FieldError::invalid(message));
            }
        };
        let mut requests = Vec::with_capacity(items.len());
        let mut kinds = Vec::with_capacity(items.len());
        let mut messages = Vec::new();
        for (number, item) in (1..).zip(items) {
            let mut errors = Vec::new();
            let request = BatchRequest::of(item, &kinds, &mut errors);
            kinds.push(request.as_ref().and_then(|request| kind_of(request.uri.path())));
            requests.extend(request);
            messages.extend(errors.into_iter().map(|error| format!("request {number}: {error}")));
        }
        match messages.is_empty() {
            true => Ok(Self(requests)),
            false => Err(FieldError::invalid(format!("has errors: {}", messages.join("; ")))),
        }
    }
}

impl BatchRequest {
    /// Parses a request. `earlier` has the kinds of the objects of those before it. Returns None, or a request that is not
    /// complete, after adding errors.
    fn of(item: &Value, earlier: &[Option<Kind>], errors: &mut Vec<String>) -> Option<Self> {
        let Value::Object(members) = item else {
            errors.push("must be an object with method, path, headers and body".to_owned());
            return None;
        };
        let mut body = object(members, "body", errors);
        let latest_reference = references::check(&mut body, earlier, errors);
        let headers = headers(members, errors);
        let method = method(members, errors);
        Some(Self {
            uri: uri(members, errors)?,
            method,
            headers,
            body,
            latest_reference,
        })
    }
}

fn method(members: &Map<String, Value>, errors: &mut Vec<String>) -> Method {
    let name = match members.get("method") {
        None | Some(Value::Null) => return Method::POST,
        Some(name) => name.as_str().unwrap_or_default(),
    };
    let known = METHODS.into_iter().find(|method| method.as_str() == name);
    known.unwrap_or_else(|| {
        errors.push("method must be one of POST, PUT, PATCH, DELETE".to_owned());
        Method::POST
    })
}

fn uri(members: &Map<String, Value>, errors: &mut Vec<String>) -> Option<Uri> {
    let path = members.get("path").and_then(Value::as_str).unwrap_or_default();
    let uri = path.parse::<Uri>().ok();
    let uri = uri.filter(|uri| path.starts_with('/') && uri.authority().is_none());
    if uri.is_none() {
        errors.push("path must be a path with an optional query, such as /calendar/events/v1/events".to_owned());
    }
    uri
}

fn headers(members: &Map<String, Value>, errors: &mut Vec<String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in object(members, "headers", errors) {
        let lower = name.to_ascii_lowercase();
        if OF_THE_BATCH.contains(&lower.as_str()) {
            errors.push(format!("headers can't have {name}: that of the batch applies"));
            continue;
        }
        let parsed = lower.parse::<HeaderName>().ok();
        let text = value.as_str().and_then(|value| value.parse::<HeaderValue>().ok());
        match parsed.zip(text) {
            // The body is not the text that the client describes.
            Some((name, _)) if OF_THE_BODY.contains(&name) => {}
            Some((name, value)) => _ = headers.insert(name, value),
            None => errors.push(format!(
                "headers.{name} must be a valid header with a string as its value"
            )),
        }
    }
    headers
}

/// The member, which is an object or absent.
fn object(members: &Map<String, Value>, name: &str, errors: &mut Vec<String>) -> Map<String, Value> {
    match members.get(name) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(members)) => members.clone(),
        Some(_) => {
            errors.push(format!("{name} must be an object"));
            Map::new()
        }
    }
}

/// The kind of the objects at a path, whose namespace ends with the version: `/calendar/events/v1/venues`.
fn kind_of(path: &str) -> Option<Kind> {
    let collection = path.split('/').skip_while(|part| *part != "v1").nth(1)?;
    Kind::ALL.into_iter().find(|kind| kind.plural() == collection)
}

fn request_schema(registry: &mut Registry) -> MetaSchema {
    let text = |description, example: &str| MetaSchema {
        description: Some(description),
        example: Some(example.into()),
        ..MetaSchema::new("string")
    };
    let method = MetaSchema {
        enum_items: METHODS.iter().map(|method| method.as_str().into()).collect(),
        default: Some(METHODS[0].as_str().into()),
        ..text("Method of the request.", "POST")
    };
    let path = text(
        "Path and query of the request, as in the URL of a single one.",
        "/calendar/events/v1/venues",
    );
    let headers = MetaSchema {
        description: Some("Headers of the request, such as `If-Match`. Credentials are those of the batch."),
        example: Some(json!({"If-Match": "*"})),
        additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::new("string"))))),
        ..MetaSchema::new("object")
    };
    let body = MetaSchema {
        description: Some("Body of the request: the fields of the object."),
        example: Some(json!({"venue": "City Hall"})),
        ..JsonObject::schema(registry)
    };
    let members = [("method", method), ("path", path), ("headers", headers), ("body", body)];
    MetaSchema {
        description: Some("A request of a batch."),
        required: vec!["path"],
        properties: members
            .into_iter()
            .map(|(name, schema)| (name, MetaSchemaRef::Inline(Box::new(schema))))
            .collect(),
        ..MetaSchema::new("object")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::InputFormat;

    fn read(value: &Value) -> Result<BatchRequests, FieldError> {
        let format = InputFormat::Json;
        BatchRequests::from_input(InputValue { value, format })
    }

    #[test]
    fn errors_of_all_requests_are_reported() {
        let requests = json!([
            {"path": "/calendar/events/v1/venues"},
            {"method": "GET", "path": "https://example.org/"},
            {"path": "/calendar/events/v1/events", "headers": {"Authorization": "Basic x"}, "body": {"organizer": "$1.id"}},
        ]);
        let error = read(&requests).expect_err("errors").message;
        for expected in [
            "request 2: method must be one of",
            "request 2: path must be",
            "request 3: headers can't have Authorization",
            "request 3: body.organizer must refer to a request to organizers; request 1 has no organizer",
        ] {
            assert!(error.contains(expected), "{expected}: {error}");
        }
        assert!(!error.contains("request 1:"), "{error}");
    }

    #[test]
    fn number_of_requests() {
        let request = json!({"path": "/calendar/events/v1/venues"});
        for (count, valid) in [(0, false), (1, true), (100, true), (101, false)] {
            let requests = Value::from(vec![request.clone(); count]);
            assert_eq!(read(&requests).is_ok(), valid, "{count}");
        }
    }

    #[test]
    fn post_without_a_body_is_the_default() {
        let requests = read(&json!([{"path": "/calendar/events/v1/venues?a=1"}])).expect("a request");
        let expected = BatchRequest {
            method: Method::POST,
            uri: "/calendar/events/v1/venues?a=1".parse().expect("a path"),
            headers: HeaderMap::new(),
            body: Map::new(),
            latest_reference: 0,
        };
        assert_eq!(requests.0, [expected]);
    }
}
