//! The extractor of request bodies.

use std::{io::ErrorKind, marker::PhantomData, sync::Arc};

use bytes::Bytes;
use poem::{
    Request, RequestBody, Result,
    error::ReadBodyError,
    http::{HeaderMap, header},
};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaMediaType, MetaRequest, Registry},
};
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;
use url::form_urlencoded;

use super::{
    Fields, InputFormat, Selectable, UnknownNames, form,
    parameters::{self, Purpose, required},
    payload::{Payload, body_schema},
    unknown_names, variant_of,
};
use crate::{
    Almanac,
    calendar::Variant,
    error::{Problem, ValidationErrors},
};

/// The maximum length of a body that is parsed on the calling thread, in bytes.
const MAX_SHORT: usize = 16 * 1024;

/// The body of a create.
pub(crate) type Create<P> = Body<P, false>;

/// The body of an update.
pub(crate) type Update<P> = Body<P, true>;

/// A body with the fields of `P`. Unknown fields are ignored, unless the client prefers strict handling
/// ([`UnknownNames`]). So are query parameters, of which most writes have none.
///
/// Errors are reported by `read`, after the handler has checked that the object exists and may be written.
pub(crate) struct Body<P, const IS_UPDATE: bool> {
    fields: Result<Fields, Problem>,
    /// The length of the body in bytes; 0 if it could not be read.
    length: usize,
    /// None if the response does not name what is unknown.
    unknown_names: Option<UnknownNames>,
    variant: Variant,
    payload: PhantomData<fn() -> P>,
}

impl<P: Payload, const IS_UPDATE: bool> Body<P, IS_UPDATE> {
    const PURPOSE: Purpose = match IS_UPDATE {
        true => Purpose::Update,
        false => Purpose::Create,
    };

    /// Parses the fields and collects their validation errors. Call it before the transaction begins, so that other
    /// writers do not wait for it. A long body is parsed on a blocking thread, because sanitising long texts takes
    /// milliseconds.
    pub(crate) async fn read(self) -> Result<(P, ValidationErrors), Problem> {
        let is_long = self.length > MAX_SHORT;
        let mut fields = self.fields?;
        let parse = move || {
            if let Some(unknown_names) = self.unknown_names {
                let own = P::parameters().iter().map(|parameter| parameter.name);
                let own: Vec<&'static str> = own.collect();
                let unknown = unknown_names::fields(fields.values(), P::Representation::members(), &own);
                unknown_names.report(unknown, &mut fields.errors);
            }
            let payload = parameters::read(&mut fields, self.variant, Self::PURPOSE);
            (payload, fields.errors)
        };
        match is_long {
            true => spawn_blocking(parse).await.map_err(Problem::internal),
            false => Ok(parse()),
        }
    }
}

/// The fields of a request that creates an object if it does not exist, and updates it otherwise.
#[derive(Clone)]
pub(crate) struct EitherPayload<P> {
    pub fields: P,
    errors: ValidationErrors,
    /// Required fields that are absent or empty.
    missing: ValidationErrors,
}

impl<P: Payload> Update<P> {
    /// Parses the fields like [`Self::read`].
    pub(crate) async fn read_either(self) -> Result<EitherPayload<P>, Problem> {
        let mut missing = ValidationErrors::default();
        if let Ok(fields) = &self.fields {
            fields.find_missing(&required::<P>(), &mut missing);
        }
        let (fields, errors) = self.read().await?;
        Ok(EitherPayload {
            fields,
            errors,
            missing,
        })
    }
}

impl<P> EitherPayload<P> {
    /// Adds errors that the request has anyway.
    pub(crate) fn with_errors(mut self, errors: &ValidationErrors) -> Self {
        self.errors.extend(errors);
        self
    }

    pub(crate) fn for_update(self) -> (P, ValidationErrors) {
        (self.fields, self.errors)
    }

    pub(crate) fn for_create(self) -> (P, ValidationErrors) {
        let mut errors = self.missing;
        errors.extend(&self.errors);
        (self.fields, errors)
    }
}

impl<'a, P: Payload, const IS_UPDATE: bool> ApiExtractor<'a> for Body<P, IS_UPDATE> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        body_schema::<P>(registry, Self::PURPOSE);
    }

    fn request_meta() -> Option<MetaRequest> {
        Some(MetaRequest {
            description: None,
            // Forms are accepted too, but declaring them would break client generators.
            content: vec![MetaMediaType {
                content_type: "application/json",
                schema: body_schema::<P>(&mut Registry::new(), Self::PURPOSE),
            }],
            required: true,
        })
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let (length, mut fields) = match read_body(request, body).await {
            Ok(bytes) => (bytes.len(), fields(request.headers(), &bytes).await),
            Err(problem) => (0, Err(problem)),
        };
        let unknown_names = request.data::<UnknownNames>().cloned();
        let has_parameters = IS_UPDATE && P::UPDATES_HAVE_PARAMETERS;
        if let Some(unknown_names) = unknown_names.as_ref().filter(|_| !has_parameters) {
            let query = form::query(request.uri().query().unwrap_or_default());
            let mut errors = ValidationErrors::default();
            unknown_names.report(unknown_names::parameters(query.values().keys(), &[]), &mut errors);
            if let Ok(fields) = &mut fields {
                fields.errors = errors;
            }
        }
        Ok(Self {
            fields,
            length,
            unknown_names,
            variant: variant_of(request)?,
            payload: PhantomData,
        })
    }
}

/// Reads the complete body, which must not be compressed.
async fn read_body(request: &Request, body: &mut RequestBody) -> Result<Bytes, Problem> {
    if let Some(coding) = request.headers().get(header::CONTENT_ENCODING)
        && coding != "identity"
    {
        return Err(Problem::unsupported_content_encoding());
    }
    let limit = request
        .data::<Arc<Almanac>>()
        .map_or(0, |almanac| almanac.settings.body_limit);
    let body = body.take().map_err(|_| Problem::internal("the body was taken twice"))?;
    read_whole(request.headers(), body, limit).await
}

/// Parses JSON or a form (URL-encoded or multipart).
async fn fields(headers: &HeaderMap, bytes: &[u8]) -> Result<Fields, Problem> {
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let looks_like_json = bytes.trim_ascii_start().starts_with(b"{");
    match essence.as_str() {
        _ if bytes.is_empty() => Ok(Fields::new(Map::new(), InputFormat::Json)),
        "application/json" => json(bytes),
        "" | "application/x-www-form-urlencoded" if looks_like_json => json(bytes),
        "" | "application/x-www-form-urlencoded" => urlencoded(bytes),
        "multipart/form-data" => multipart(media_type, bytes).await,
        other if other.starts_with("application/") && other.ends_with("+json") => json(bytes),
        other => Err(Problem::unsupported_media_type(other)),
    }
}

/// Reads a complete body. A `Content-Length` over the limit is rejected before reading, so that a client that sends
/// `Expect: 100-continue` does not transfer the body.
pub(crate) async fn read_whole(headers: &HeaderMap, body: poem::Body, limit: usize) -> Result<Bytes, Problem> {
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(Problem::payload_too_large(limit));
    }
    body.into_bytes_limit(limit).await.map_err(|error| match error {
        ReadBodyError::PayloadTooLarge => Problem::payload_too_large(limit),
        ReadBodyError::Io(error) if error.kind() == ErrorKind::TimedOut => Problem::request_timeout(),
        _ => Problem::bad_request("rest_invalid_json", "The body could not be read completely."),
    })
}

fn json(bytes: &[u8]) -> Result<Fields, Problem> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(values)) => Ok(Fields::new(values, InputFormat::Json)),
        Ok(_) => Err(Problem::bad_request(
            "rest_invalid_json",
            "The body must be a JSON object.",
        )),
        Err(error) => Err(Problem::bad_request(
            "rest_invalid_json",
            format!("The body is not valid JSON: {error}."),
        )),
    }
}

fn urlencoded(bytes: &[u8]) -> Result<Fields, Problem> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Problem::bad_request("rest_invalid_param", "The body is not valid UTF-8."))?;
    form::parse(text)
}

/// Parses a `multipart/form-data` form.
pub(crate) async fn multipart(media_type: &str, bytes: &[u8]) -> Result<Fields, Problem> {
    let malformed = |reason: &dyn std::fmt::Display| {
        Problem::bad_request(
            "rest_invalid_param",
            format!("The body is not valid multipart/form-data: {reason}."),
        )
    };
    let request = Request::builder()
        .header(header::CONTENT_TYPE, media_type)
        .body(bytes.to_vec());
    let (request, mut body) = request.split();
    let mut parts = <poem::web::Multipart as poem::FromRequest>::from_request(&request, &mut body)
        .await
        .map_err(|error| malformed(&error))?;
    let mut pairs = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(|error| malformed(&error))? {
        let name = part.name().unwrap_or_default().to_owned();
        if part.file_name().is_some() {
            let mut errors = ValidationErrors::default();
            errors.add(&name, crate::error::FieldError::invalid("must not be a file"));
            errors.into_result()?;
        }
        let value = part.text().await.map_err(|error| malformed(&error))?;
        pairs.push((name, value));
    }
    let mut text = form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(pairs);
    form::parse(&text.finish())
}
