//! The filters that only variant B has, and its typed terms.

use std::num::NonZeroU64;

use crate::almanac_client::builder::ListEvents;

pub fn filter(request: ListEvents<'_>) -> ListEvents<'_> {
    request
        .starts_before("2031-05-07 12:00:00")
        .starts_after("2031-05-07 08:00:00")
        .ends_before("2031-05-07 18:00:00")
        .ends_after("2031-05-07 10:00:00")
        .strict_dates(true)
        .ticketed(true)
}

pub fn terms(id: NonZeroU64) -> Vec<NonZeroU64> {
    vec![id]
}
