//! Errors of requests that do not depend on an object: preconditions, limits, idempotency keys, media types, methods.

use poem::http::{HeaderValue, StatusCode, header};

use super::{FieldError, Problem, ValidationErrors};

impl Problem {
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
}
