//! Formatted instants.

use chrono::{DateTime, NaiveDateTime, Utc};
use poem_openapi::Object;
use serde::Serialize;

use crate::calendar::date::{format_local, format_rfc3339};

/// The parts of a date, padded with zeros.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct DateDetails {
    /// Four digits.
    pub year: String,
    /// 01 to 12.
    pub month: String,
    /// 01 to 31.
    pub day: String,
    /// 00 to 23.
    pub hour: String,
    /// 00 to 59.
    pub minutes: String,
    /// 00 to 59.
    pub seconds: String,
}

impl DateDetails {
    /// The parts of a text that [`format_local`] has formatted.
    pub(crate) fn of(text: &str) -> Self {
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
        Self {
            year: part(0..4),
            month: part(5..7),
            day: part(8..10),
            hour: part(11..13),
            minutes: part(14..16),
            seconds: part(17..19),
        }
    }
}

/// An instant in all formats of the interface.
pub(crate) struct FormattedInstant {
    pub local: String,
    pub utc: String,
    pub rfc3339: String,
}

/// Formats the instant in UTC and in the local time `local`.
pub(crate) fn format_instant(instant: DateTime<Utc>, local: NaiveDateTime) -> FormattedInstant {
    FormattedInstant {
        local: format_local(local),
        utc: format_local(instant.naive_utc()),
        rfc3339: format_rfc3339(instant, local),
    }
}
