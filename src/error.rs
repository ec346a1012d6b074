//! The error type of all handlers and services.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use poem::{
    Response,
    error::ResponseError,
    http::{HeaderName, HeaderValue, StatusCode, header},
};
use poem_openapi::Object;
use sea_orm::DbErr;
use serde::Serialize;

use crate::{calendar::Kind, store::failure::StorageFailure};

pub(crate) mod validation;

pub(crate) use validation::{FieldError, ValidationErrors};

/// An error response. Boxed to keep `Result` types small.
#[derive(Clone, Debug)]
pub struct Problem(Box<ProblemDetails>);

#[derive(Clone, Debug)]
struct ProblemDetails {
    status: StatusCode,
    code: Cow<'static, str>,
    message: String,
    errors: BTreeMap<String, FieldErrorBody>,
    term_id: Option<i64>,
    restart_url: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Logged, never sent.
    cause: Option<String>,
    /// Counted in the metrics, never sent.
    storage_failure: Option<StorageFailure>,
}

/// An error.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Problem")]
pub struct ProblemBody {
    /// Machine-readable code, such as `event-not-found`.
    pub code: String,
    /// Human-readable message: what is wrong and how to correct it.
    pub message: String,
    /// The HTTP status and the validation errors.
    pub data: ProblemData,
}

/// Details of an error.
#[derive(Clone, Debug, Object, Serialize)]
pub struct ProblemData {
    /// The HTTP status.
    pub status: u16,
    /// Messages of the validation errors, by parameter or field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, String>>,
    /// Codes and messages of the validation errors, by parameter or field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<BTreeMap<String, FieldErrorBody>>,
    /// With `term_exists`, ID of the term that has the name.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term_id: Option<i64>,
    /// With `sync_token_expired`, the URL to restart from.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_url: Option<String>,
}

/// The validation error of one parameter or field.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Fault")]
pub struct FieldErrorBody {
    /// Machine-readable code.
    pub code: String,
    /// Human-readable message: what is wrong and how to correct it.
    pub message: String,
}

impl Problem {
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(Box::new(ProblemDetails {
            status,
            code: code.into(),
            message: message.into(),
            errors: BTreeMap::new(),
            term_id: None,
            restart_url: None,
            headers: Vec::new(),
            cause: None,
            storage_failure: None,
        }))
    }

    pub fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// 401 for a write without credentials.
    pub fn not_logged_in() -> Self {
        Self::unauthorized(
            "rest_not_logged_in",
            "This request requires credentials: HTTP Basic with an application password, or a Bearer token.",
        )
    }

    /// 401. The header lists the supported schemes (RFC 9110, section 11.6.1).
    pub fn unauthorized(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, message).with_header(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static(r#"Basic realm="Almanac", charset="UTF-8", Bearer"#),
        )
    }

    /// 403: the caller lacks the permission for the operation.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "rest_forbidden", message)
    }

    /// 403: the caller's role lacks the permission.
    pub fn role_may_not(verb: &str, what: &str) -> Self {
        Self::forbidden(format!("Your role may not {verb} {what}."))
    }

    /// 403: the caller's role may not write categories or tags.
    pub fn role_may_not_write_terms(kind: Kind) -> Self {
        let plural = kind.plural();
        Self::forbidden(format!("Only editors and administrators may write {plural}."))
    }

    /// 403: the caller lacks the permission for the value of a field or parameter.
    pub fn forbidden_value(name: &str, message: &str) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add(
            name,
            FieldError {
                code: "rest_forbidden",
                message: message.to_owned(),
            },
        );
        Self::forbidden(format!("Permission denied: {name} {message}")).with_errors(&errors)
    }

    /// 403: the list's `status` filter requires credentials.
    pub fn only_published() -> Self {
        Self::forbidden_value("status", "must be publish for users without write permission")
    }

    /// 403: the object exists, but the caller may not read it.
    pub fn not_accessible(kind: Kind) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            format!("{}-not-accessible", kind.name()),
            format!(
                "This {} is not published, and you do not have permission to read it.",
                kind.name()
            ),
        )
    }

    /// 404: the object does not exist.
    pub fn not_found(kind: Kind) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("{}-not-found", kind.name()),
            format!("No {} with this ID or slug was found.", kind.name()),
        )
    }

    /// 404: the series does not exist.
    pub fn series_not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "series-not-found",
            "No series with this ID was found.",
        )
    }

    /// 403: the series exists, but the caller may not read it.
    pub fn series_not_accessible() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "series-not-accessible",
            "This series is not published, and you do not have permission to read it.",
        )
    }

    /// 410: the series is in the trash, and the caller can't restore it.
    pub fn series_no_longer_available() -> Self {
        Self::new(
            StatusCode::GONE,
            "series-no-longer-available",
            "This series has been deleted.",
        )
    }

    /// 410: a DELETE of a series in the trash.
    pub fn series_is_in_trash() -> Self {
        Self::new(
            StatusCode::GONE,
            "series-is-in-trash",
            "This series is already in the trash.",
        )
    }

    /// 403: the operation is reserved for administrators.
    pub fn only_administrators() -> Self {
        Self::forbidden("Only administrators may read and write webhooks.")
    }

    /// 404: the webhook does not exist.
    pub fn webhook_not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "webhook-not-found",
            "No webhook with this ID was found.",
        )
    }

    /// 404: the attempt to send a message is not known.
    pub fn delivery_not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "delivery-not-found",
            "No delivery with this ID was found. Only the latest ones are kept.",
        )
    }

    /// 404: a page after the last one.
    pub fn page_not_found(kind: Kind, pages: u64) -> Self {
        let last = pages.max(1);
        let message = format!("Page not found: the last page is {last}.");
        Self::new(StatusCode::NOT_FOUND, kind.page_not_found(), message)
    }

    /// 404: an unknown path.
    pub fn no_route() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "rest_no_route",
            "No route matches this URL. The index and the interface description at /doc list all routes.",
        )
    }

    /// 400: another tag has the name, or another category under the same parent.
    pub fn term_exists(kind: Kind, name: &str, id: i64) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add(
            "name",
            FieldError {
                code: "term_exists",
                message: format!("is already used by another {}", kind.name()),
            },
        );
        let scope = match kind {
            Kind::Category => " under the same parent",
            _ => "",
        };
        let message = format!("A {} with the name {name} already exists{scope}.", kind.name());
        let mut problem = Self::bad_request("term_exists", message).with_errors(&errors);
        problem.0.term_id = Some(id);
        problem
    }

    /// 409: another object has the slug.
    pub fn slug_conflict(kind: Kind, slug: &str) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add(
            "slug",
            FieldError {
                code: "slug_conflict",
                message: format!("{slug} is already used by another {}", kind.name()),
            },
        );
        Self::new(
            StatusCode::CONFLICT,
            "slug_conflict",
            format!("The slug {slug} is already used by another {}.", kind.name()),
        )
        .with_errors(&errors)
    }

    /// 409: another object has the ID in another system.
    pub fn external_id_conflict(kind: Kind, source: &str, id: &str) -> Self {
        let mut errors = ValidationErrors::default();
        let name = kind.name();
        errors.add(
            "external_id",
            FieldError {
                code: "external_id_conflict",
                message: format!("{id} of {source} is already used by another {name}, perhaps in the trash"),
            },
        );
        let message = format!("The external ID {id} of {source} is already used by another {name}.");
        Self::new(StatusCode::CONFLICT, "external_id_conflict", message).with_errors(&errors)
    }

    /// 410: the object is in the trash, and the request does not restore it.
    pub fn must_be_restored(kind: Kind) -> Self {
        let name = kind.name();
        Self::new(
            StatusCode::GONE,
            format!("{name}-no-longer-available"),
            format!("This {name} is in the trash; a status such as publish restores it."),
        )
    }

    /// 410: the object is in the trash, and the caller can't restore it.
    pub fn no_longer_available(kind: Kind) -> Self {
        Self::new(
            StatusCode::GONE,
            format!("{}-no-longer-available", kind.name()),
            format!("This {} has been deleted.", kind.name()),
        )
    }

    /// 410: a DELETE of an object in the trash.
    pub fn is_in_trash(kind: Kind) -> Self {
        Self::new(
            StatusCode::GONE,
            format!("{}-is-in-trash", kind.name()),
            format!("This {} is already in the trash.", kind.name()),
        )
    }

    /// 410: the reader has to read everything again.
    pub fn sync_token_expired(restart_url: String) -> Self {
        let message = format!(
            "The token has expired, or belongs to another user, role or state of the calendar. Read everything again \
             from {restart_url}"
        );
        let mut problem = Self::new(StatusCode::GONE, "sync_token_expired", message);
        problem.0.restart_url = Some(restart_url);
        problem
    }

    /// 412: `If-Match` does not match.
    pub fn precondition_failed() -> Self {
        Self::new(
            StatusCode::PRECONDITION_FAILED,
            "rest_precondition_failed",
            "If-Match does not match the current version: read the object again.",
        )
    }

    /// 408: the client sends the body too slowly.
    pub fn request_timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "rest_request_timeout",
            "Timeout while reading the body: the limit is 10 seconds, plus one second per 16 KiB.",
        )
    }

    pub fn payload_too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "rest_payload_too_large",
            format!("The body must have at most {limit} bytes."),
        )
    }

    /// 413: a batch has more requests than `--rate-limit` allows at once.
    pub fn batch_exceeds_rate_limit(most: u32) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "rest_payload_too_large",
            format!("A batch may have at most {most} requests: the server does not allow more at a time."),
        )
    }

    /// 413: a batch takes too long in one transaction.
    pub fn batch_takes_too_long(seconds: u64) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "rest_payload_too_large",
            format!(
                "The requests take longer than {seconds} s in one transaction, and nothing was stored; send fewer."
            ),
        )
    }

    /// 422: another request was sent with the key.
    pub fn idempotency_key_reused() -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency_key_reused",
            "This Idempotency-Key belongs to another request; send a new key with each new request.",
        )
    }

    /// 409: the first request with the key is not finished.
    pub fn idempotency_key_in_use() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "idempotency_key_in_use",
            "The first request with this Idempotency-Key is still in progress; try again in 1 s.",
        )
        .with_header(header::RETRY_AFTER, 1.into())
    }

    /// 400: the header `Idempotency-Key` is invalid, or the operation does not accept it.
    pub fn invalid_idempotency_key(message: &str) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add("Idempotency-Key", FieldError::invalid(message));
        Self::bad_request("rest_invalid_param", "Invalid parameter(s): Idempotency-Key").with_errors(&errors)
    }

    pub fn unsupported_media_type(media_type: &str) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "rest_unsupported_media_type",
            format!("Unsupported media type {media_type}; send application/json or a form."),
        )
    }

    /// 415: the body has a `Content-Encoding`.
    pub fn unsupported_content_encoding() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "rest_unsupported_media_type",
            "Compressed bodies are not supported; send the body without Content-Encoding.",
        )
    }

    pub fn not_acceptable() -> Self {
        Self::new(
            StatusCode::NOT_ACCEPTABLE,
            "rest_not_acceptable",
            "Responses are application/json, which the Accept header excludes.",
        )
    }

    pub fn method_not_allowed(allowed: &str) -> Self {
        let problem = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "rest_method_not_allowed",
            format!("Method not allowed; this URL supports {allowed}."),
        );
        match HeaderValue::from_str(allowed) {
            Ok(value) => problem.with_header(header::ALLOW, value),
            Err(_) => problem,
        }
    }

    /// 429 with `Retry-After`.
    pub fn too_many_requests(seconds: u64) -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rest_too_many_requests",
            format!("Too many requests; try again in {seconds} s."),
        )
        .with_header(header::RETRY_AFTER, seconds.into())
    }

    /// 503: the database is unavailable.
    pub fn unavailable(cause: impl fmt::Display) -> Self {
        let mut problem = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "rest_unavailable",
            "The service is temporarily unavailable; try again.",
        )
        .with_header(header::RETRY_AFTER, 1.into());
        problem.0.cause = Some(cause.to_string());
        problem
    }

    /// 507: the disk is full.
    pub fn insufficient_storage() -> Self {
        Self::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "rest_insufficient_storage",
            "The server's disk is full, and nothing was stored. Try again once there is space.",
        )
    }

    /// 507 for a full disk, where retries are pointless; 503 for other storage failures.
    pub fn storage(failure: StorageFailure, cause: impl fmt::Display) -> Self {
        let mut problem = match failure {
            StorageFailure::DiskFull => Self::insufficient_storage(),
            _ => Self::unavailable(""),
        };
        problem.0.cause = Some(cause.to_string());
        problem.0.storage_failure = Some(failure);
        problem
    }

    /// 500: a bug. The cause is only logged.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let mut problem = Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "rest_internal_error",
            "Internal server error; see the server's log for the request's X-Request-Id.",
        );
        problem.0.cause = Some(cause.to_string());
        problem
    }

    #[must_use]
    pub fn with_errors(mut self, errors: &ValidationErrors) -> Self {
        self.0.errors = errors
            .iter()
            .map(|(name, error)| {
                let body = FieldErrorBody {
                    code: error.code.to_owned(),
                    message: error.message.clone(),
                };
                (name.to_owned(), body)
            })
            .collect();
        self
    }

    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// The body of the response.
    pub fn body(&self) -> ProblemBody {
        let errors = (!self.0.errors.is_empty()).then_some(&self.0.errors);
        ProblemBody {
            code: self.0.code.to_string(),
            message: self.0.message.clone(),
            data: ProblemData {
                status: self.0.status.as_u16(),
                params: errors.map(|errors| {
                    errors
                        .iter()
                        .map(|(name, error)| (name.clone(), error.message.clone()))
                        .collect()
                }),
                details: errors.cloned(),
                term_id: self.0.term_id,
                restart_url: self.0.restart_url.clone(),
            },
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.0.code, self.0.message)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Logs server errors.
    fn as_response(&self) -> Response {
        if self.0.status.is_server_error() {
            tracing::error!(code = %self.0.code, cause = self.0.cause, "request failed");
        }
        if let Some(failure) = self.0.storage_failure {
            failure.count();
        }
        let mut response = Response::builder()
            .status(self.0.status)
            .content_type("application/json")
            .body(serde_json::json!(self.body()).to_string());
        response.headers_mut().extend(self.0.headers.iter().cloned());
        response
    }
}

impl From<DbErr> for Problem {
    fn from(error: DbErr) -> Self {
        if let Some(failure) = StorageFailure::of(&error) {
            return Self::storage(failure, error);
        }
        match &error {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Self::unavailable(error),
            _ if is_contention(&error) => Self::unavailable(error),
            _ => Self::internal(error),
        }
    }
}

/// Whether a retry may succeed: a busy SQLite file; on PostgreSQL, a deadlock, a serialisation failure, a statement
/// timeout or a server that shuts down.
fn is_contention(error: &DbErr) -> bool {
    use sea_orm::{RuntimeErr, sqlx};
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) = error else {
        return false;
    };
    match error.as_ref() {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => true,
        // Several requests have created an object with the same ID in another system, again and again.
        sqlx::Error::Database(error) if error.constraint().is_some_and(|name| name.ends_with("_external")) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            matches!(
                code.as_ref(),
                "5" | "6" | "517" | "40P01" | "40001" | "55P03" | "57014" | "57P01" | "57P02" | "57P03"
            )
        }),
        _ => false,
    }
}
