//! Local times of chrono, in which all of the calendar counts, as jiff has them.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use jiff::civil;

/// None outside of the years that jiff knows, -9999 to 9999. Fractions of a second are dropped.
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

/// The same time, without fractions of a second.
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
