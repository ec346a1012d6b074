//! Conversion between the local times of chrono, which the calendar uses, and of jiff.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use jiff::civil;

/// Drops fractions of a second. `None` outside the years that jiff supports, -9999 to 9999.
pub(super) fn to_jiff(time: NaiveDateTime) -> Option<civil::DateTime> {
    civil::DateTime::new(
        time.year().try_into().ok()?,
        time.month().try_into().ok()?,
        time.day().try_into().ok()?,
        time.hour().try_into().ok()?,
        time.minute().try_into().ok()?,
        time.second().try_into().ok()?,
        0,
    )
    .ok()
}

/// Drops fractions of a second.
pub(super) fn from_jiff(time: civil::DateTime) -> Option<NaiveDateTime> {
    NaiveDate::from_ymd_opt(
        time.year().into(),
        time.month().try_into().ok()?,
        time.day().try_into().ok()?,
    )?
    .and_hms_opt(
        time.hour().try_into().ok()?,
        time.minute().try_into().ok()?,
        time.second().try_into().ok()?,
    )
}
