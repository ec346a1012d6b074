//! Errors of requests for objects: permissions, unknown objects, conflicts, the trash.

use poem::http::StatusCode;

use super::{FieldError, Problem, ValidationErrors};
use crate::calendar::Kind;

impl Problem {
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
}
