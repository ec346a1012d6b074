//! What went wrong, in one shape everywhere.

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

pub mod validation;

pub use validation::{FieldError, ValidationErrors};

/// An answer that is an error. Boxed, since every function that may fail returns room for one.
#[derive(Clone, Debug)]
pub struct Problem(Box<ProblemDetails>);

#[derive(Clone, Debug)]
struct ProblemDetails {
    status: StatusCode,
    code: Cow<'static, str>,
    message: String,
    errors: BTreeMap<String, FieldErrorBody>,
    term_id: Option<i64>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// For the log alone.
    cause: Option<String>,
    /// For the metrics alone.
    storage_failure: Option<StorageFailure>,
}

/// The error body.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Problem")]
pub struct ProblemBody {
    /// A code for programs, such as `event-not-found`.
    pub code: String,
    /// What went wrong and what would be right, for people.
    pub message: String,
    /// The HTTP status, and what is wrong with each value.
    pub data: ProblemData,
}

/// Particulars of an error.
#[derive(Clone, Debug, Object, Serialize)]
pub struct ProblemData {
    /// The HTTP status.
    pub status: u16,
    /// What is wrong with each parameter or field, by its name.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, String>>,
    /// The same with a code each.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<BTreeMap<String, FieldErrorBody>>,
    /// The term that has the name already, with `term_exists`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term_id: Option<i64>,
}

/// What is wrong with one parameter or field.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Fault")]
pub struct FieldErrorBody {
    /// A code for programs.
    pub code: String,
    /// What is wrong and what would be right, for people.
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
            "This needs credentials: HTTP Basic with an application password, or a Bearer token.",
        )
    }

    /// 401. The header tells clients which schemes there are (RFC 9110, section 11.6.1).
    pub fn unauthorized(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, message).with_header(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static(r#"Basic realm="Almanac", charset="UTF-8", Bearer"#),
        )
    }

    /// 403: the right to the operation is missing.
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

    /// 403: the right to a value is missing.
    pub fn forbidden_value(name: &str, message: &str) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add(
            name,
            FieldError {
                code: "rest_forbidden",
                message: message.to_owned(),
            },
        );
        Self::forbidden(format!("You may not do this: {name} {message}")).with_faults(&errors)
    }

    /// 403: a list is requested with statuses that the reader may not see.
    pub fn only_published() -> Self {
        Self::forbidden_value("status", "may be publish only, for those who can't write")
    }

    /// 403: the object exists and may not be read.
    pub fn not_accessible(kind: Kind) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            format!("{}-not-accessible", kind.name()),
            format!("This {} is not published, and you may not read it.", kind.name()),
        )
    }

    /// 404: no such object.
    pub fn not_found(kind: Kind) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("{}-not-found", kind.name()),
            format!("There is no {} with this ID or slug.", kind.name()),
        )
    }

    /// 404: a page past the last one.
    pub fn page_not_found(kind: Kind, pages: u64) -> Self {
        let last = pages.max(1);
        let message = format!("There is no such page: the last one is {last}.");
        Self::new(StatusCode::NOT_FOUND, kind.page_not_found(), message)
    }

    /// 404: a path that nobody knows.
    pub fn no_route() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "rest_no_route",
            "There is nothing at this address. The index and the interface description at /doc name what there is.",
        )
    }

    /// 400: another tag has the name, or another category under the same parent.
    pub fn term_exists(kind: Kind, name: &str, id: i64) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add(
            "name",
            FieldError {
                code: "term_exists",
                message: format!("belongs to another {} already", kind.name()),
            },
        );
        let place = match kind {
            Kind::Category => " under the same parent",
            _ => "",
        };
        let message = format!("A {} with the name {name} already exists{place}.", kind.name());
        let mut problem = Self::bad_request("term_exists", message).with_faults(&errors);
        problem.0.term_id = Some(id);
        problem
    }

    /// 409: an update asks for a slug that another object has.
    pub fn slug_conflict(kind: Kind, slug: &str) -> Self {
        let mut errors = ValidationErrors::default();
        errors.add(
            "slug",
            FieldError {
                code: "slug_conflict",
                message: format!("{slug} belongs to another {}", kind.name()),
            },
        );
        Self::new(
            StatusCode::CONFLICT,
            "slug_conflict",
            format!("The slug {slug} belongs to another {}.", kind.name()),
        )
        .with_faults(&errors)
    }

    /// 410: a trashed object, for those who can't restore it.
    pub fn no_longer_available(kind: Kind) -> Self {
        Self::new(
            StatusCode::GONE,
            format!("{}-no-longer-available", kind.name()),
            format!("This {} has been deleted.", kind.name()),
        )
    }

    /// 410: a second DELETE.
    pub fn is_in_trash(kind: Kind) -> Self {
        Self::new(
            StatusCode::GONE,
            format!("{}-is-in-trash", kind.name()),
            format!("This {} is in the trash already.", kind.name()),
        )
    }

    /// 412: `If-Match` names another version.
    pub fn precondition_failed() -> Self {
        Self::new(
            StatusCode::PRECONDITION_FAILED,
            "rest_precondition_failed",
            "If-Match names another version than the present one: read it again.",
        )
    }

    /// 408: the body takes too long.
    pub fn request_timeout() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "rest_request_timeout",
            "The body arrives too slowly: it may take 10 seconds, and one more for each 16 KiB.",
        )
    }

    pub fn payload_too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "rest_payload_too_large",
            format!("The body must have at most {limit} bytes."),
        )
    }

    pub fn unsupported_media_type(media_type: &str) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "rest_unsupported_media_type",
            format!("The body is {media_type}; application/json is accepted, and forms are."),
        )
    }

    pub fn not_acceptable() -> Self {
        Self::new(
            StatusCode::NOT_ACCEPTABLE,
            "rest_not_acceptable",
            "Answers are application/json, which the Accept header excludes.",
        )
    }

    pub fn method_not_allowed(allowed: &str) -> Self {
        let problem = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "rest_method_not_allowed",
            format!("This address takes {allowed}."),
        );
        match HeaderValue::from_str(allowed) {
            Ok(value) => problem.with_header(header::ALLOW, value),
            Err(_) => problem,
        }
    }

    /// 429, to be tried again after so many seconds.
    pub fn too_many_requests(seconds: u64) -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rest_too_many_requests",
            format!("Too many requests; try again in {seconds} s."),
        )
        .with_header(header::RETRY_AFTER, seconds.into())
    }

    /// 503: the database can't be reached at the moment.
    pub fn unavailable(cause: impl fmt::Display) -> Self {
        let mut problem = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "rest_unavailable",
            "The service can't answer at the moment; try again.",
        )
        .with_header(header::RETRY_AFTER, 1.into());
        problem.0.cause = Some(cause.to_string());
        problem
    }

    /// 507 for a full disk, which retries don't help against; 503 for other failures of the storage.
    pub fn storage(failure: StorageFailure, cause: impl fmt::Display) -> Self {
        let mut problem = match failure {
            StorageFailure::DiskFull => Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "rest_insufficient_storage",
                "The disk of the server is full: nothing of this request was stored. Send it again once there is space.",
            ),
            _ => Self::unavailable(""),
        };
        problem.0.cause = Some(cause.to_string());
        problem.0.storage_failure = Some(failure);
        problem
    }

    /// 500: a bug. The cause goes to the log only.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let mut problem = Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "rest_internal_error",
            "Something went wrong here; the log has it under the request's X-Request-Id.",
        );
        problem.0.cause = Some(cause.to_string());
        problem
    }

    #[must_use]
    pub fn with_faults(mut self, errors: &ValidationErrors) -> Self {
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

    /// The body that clients see.
    pub fn body(&self) -> ProblemBody {
        let known = (!self.0.errors.is_empty()).then_some(&self.0.errors);
        ProblemBody {
            code: self.0.code.to_string(),
            message: self.0.message.clone(),
            data: ProblemData {
                status: self.0.status.as_u16(),
                params: known.map(|errors| {
                    errors
                        .iter()
                        .map(|(name, error)| (name.clone(), error.message.clone()))
                        .collect()
                }),
                details: known.cloned(),
                term_id: self.0.term_id,
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

    /// The answer, and a line in the log where it is a bug or an outage.
    fn as_response(&self) -> Response {
        if self.0.status.is_server_error() {
            tracing::error!(code = %self.0.code, cause = self.0.cause, "failed");
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

/// Whether trying again may help: a busy SQLite file; a deadlock, serialisation failure, a statement that takes too
/// long, or a server that is going down, on PostgreSQL.
fn is_contention(error: &DbErr) -> bool {
    use sea_orm::{RuntimeErr, sqlx};
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) = error else {
        return false;
    };
    match error.as_ref() {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            matches!(
                code.as_ref(),
                "5" | "6" | "517" | "40P01" | "40001" | "55P03" | "57014" | "57P01" | "57P02" | "57P03"
            )
        }),
        _ => false,
    }
}
