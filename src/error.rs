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

use crate::store::failure::{StorageFailure, is_contention};

mod objects;
mod requests;
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

    /// 503: too many different streams of changes are open.
    pub fn too_many_streams() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "rest_unavailable",
            "Too many streams of changes with different types or hosts are open; use /changes, or try again later.",
        )
        .with_header(header::RETRY_AFTER, 60.into())
    }

    /// 507: the disk is full.
    pub fn insufficient_storage() -> Self {
        Self::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "rest_insufficient_storage",
            "The server's disk is full, and nothing was stored. Try again once there is space.",
        )
    }

    /// 507 for a write to a full disk, where retries are pointless; 503 for other storage failures, and for a read that
    /// needs temporary files on a full disk.
    fn storage(failure: StorageFailure, cause: &DbErr) -> Self {
        let mut problem = match (failure, cause) {
            (StorageFailure::DiskFull, DbErr::Exec(_)) => Self::insufficient_storage(),
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
            return Self::storage(failure, &error);
        }
        match &error {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Self::unavailable(error),
            _ if is_contention(&error) => Self::unavailable(error),
            _ => Self::internal(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sea_orm::RuntimeErr;

    use super::*;

    #[test]
    fn full_disk_is_507_for_writes_only() {
        let cause = || RuntimeErr::SqlxError(Arc::new(StorageFailure::DiskFull.into()));
        for (error, expected) in [
            (DbErr::Exec(cause()), StatusCode::INSUFFICIENT_STORAGE),
            (DbErr::Query(cause()), StatusCode::SERVICE_UNAVAILABLE),
            (DbErr::Conn(cause()), StatusCode::SERVICE_UNAVAILABLE),
        ] {
            let problem = Problem::from(error);
            assert_eq!(problem.status(), expected);
            assert_eq!(problem.0.storage_failure, Some(StorageFailure::DiskFull));
        }
    }
}
