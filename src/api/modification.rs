//! Filters of lists by the time of the last change.

use almanac_derive::Parameters;

use crate::{
    auth::Caller,
    calendar::{
        date::{CacheLifetime, DateTimeInput},
        window::Span,
    },
    extract::MaybeUndefined,
};

/// The query parameters for the time of the last change, which all lists share.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct Modification {
    /// Only what was changed after this time, exact to the second; a date without a time means its 00:00. Interpreted
    /// in the site's time zone, unless it has an offset. Formats as in `start_date` of the list of events.
    #[param(example = "2027-01-16 00:00:00")]
    pub modified_after: MaybeUndefined<DateTimeInput>,
    /// Only what was last changed before this time, exact to the second. Formats and time zone as for `modified_after`.
    #[param(example = "2100-01-01 00:00:00")]
    pub modified_before: MaybeUndefined<DateTimeInput>,
}

impl Modification {
    /// The range of the last change in Unix seconds, and how long it is valid.
    pub(crate) fn resolve(self, reader: &Caller) -> (Span, CacheLifetime) {
        let (after, before) = (self.modified_after.take(), self.modified_before.take());
        let site = &reader.almanac.settings.site.zone;
        let second = |date: &DateTimeInput| date.resolve(site, reader.now).instant.timestamp();
        let span = Span {
            from: after.as_ref().map(|after| second(after) + 1),
            before: before.as_ref().map(second),
        };
        let lifetimes = after.iter().chain(&before).map(DateTimeInput::cache_lifetime);
        (span, lifetimes.max().unwrap_or(CacheLifetime::Unlimited))
    }
}
