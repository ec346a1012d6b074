//! Publication status.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use thiserror::Error;

/// The publication status of an event, venue or organizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// Public.
    Publish,
    /// Being written.
    #[default]
    Draft,
    /// Awaiting review by an editor.
    Pending,
    /// Published, but visible to its author and editors only.
    Private,
    /// Scheduled: becomes [`Status::Publish`] at its publication date.
    Future,
    /// Deleted, but restorable.
    Trash,
}

/// The error of a text that is not the name of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected one of publish, draft, pending, private, future, trash")]
pub struct UnknownStatus;

impl Status {
    /// All statuses, in the order of error messages.
    pub const ALL: [Status; 6] = [
        Status::Publish,
        Status::Draft,
        Status::Pending,
        Status::Private,
        Status::Future,
        Status::Trash,
    ];

    /// The name in requests, responses and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Publish => "publish",
            Status::Draft => "draft",
            Status::Pending => "pending",
            Status::Private => "private",
            Status::Future => "future",
            Status::Trash => "trash",
        }
    }

    /// The name in the database, where [`Status::Future`] is stored as published.
    pub fn stored(self) -> &'static str {
        match self {
            Status::Future => Status::Publish.as_str(),
            other => other.as_str(),
        }
    }
}

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Status, UnknownStatus> {
        Status::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(UnknownStatus)
    }
}

/// The status at `now`.
///
/// Derived from the publication date on each read, so that no job has to publish scheduled resources.
pub(crate) fn effective(stored: Status, published_at: DateTime<Utc>, now: DateTime<Utc>) -> Status {
    match stored {
        Status::Publish | Status::Future if published_at > now => Status::Future,
        Status::Publish | Status::Future => Status::Publish,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    #[test]
    fn parse_known_status() {
        for status in Status::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
    }

    #[test]
    fn unknown_status_error_lists_names() {
        for text in ["", "Publish", "any", "published", " draft"] {
            assert_eq!(text.parse::<Status>(), Err(UnknownStatus), "{text}");
        }
        for status in Status::ALL {
            assert!(UnknownStatus.to_string().contains(status.as_str()));
        }
    }

    #[test]
    fn publish_and_future_depend_on_clock() {
        let now = DateTime::UNIX_EPOCH;
        let (before, after) = (now - TimeDelta::seconds(1), now + TimeDelta::seconds(1));
        for (stored, published_at, expected) in [
            (Status::Publish, before, Status::Publish),
            (Status::Publish, now, Status::Publish),
            (Status::Publish, after, Status::Future),
            (Status::Future, before, Status::Publish),
            (Status::Future, now, Status::Publish),
            (Status::Future, after, Status::Future),
        ] {
            assert_eq!(
                effective(stored, published_at, now),
                expected,
                "{stored:?} {published_at}"
            );
        }
    }

    #[test]
    fn other_statuses_ignore_clock() {
        let now = DateTime::UNIX_EPOCH;
        for status in [Status::Draft, Status::Pending, Status::Private, Status::Trash] {
            for published_at in [now - TimeDelta::days(1), now + TimeDelta::days(1)] {
                assert_eq!(effective(status, published_at, now), status);
            }
        }
    }
}
