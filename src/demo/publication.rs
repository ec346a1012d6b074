//! Generates publication statuses and dates.

use super::random::Random;
use crate::calendar::status::Status;

/// Without clock changes.
const DAY_SECONDS: i64 = 86_400;

/// Every 17th venue and organizer is a draft.
const DRAFT_INTERVAL: u64 = 17;

/// The status and the dates of a resource, in Unix seconds.
pub(super) struct Publication {
    pub status: Status,
    pub published_at: i64,
    pub modified_at: i64,
}

impl Publication {
    /// For an event that starts at `starts_at`. 5 % are not public, and some events in the far future are scheduled.
    /// `today` is the first second of the current day.
    pub(super) fn for_event(random: &mut Random, today: i64, starts_at: i64) -> Self {
        let status = match random.between(0..=999) {
            0..25 => Status::Draft,
            25..40 => Status::Pending,
            40..50 => Status::Private,
            _ => Status::Publish,
        };
        let written_at = today.min(starts_at) - random.between(DAY_SECONDS..=90 * DAY_SECONDS);
        let is_scheduled = status == Status::Publish && starts_at > today + 40 * DAY_SECONDS;
        let published_at = if is_scheduled && random.per_mille(20) {
            today + random.between(2..=30) * DAY_SECONDS
        } else {
            written_at
        };
        Self {
            status,
            published_at,
            modified_at: random.between(written_at..=today),
        }
    }

    /// For the venue or organizer with this index. The first ones, which are the most popular, are never drafts.
    pub(super) fn for_linked_resource(random: &mut Random, today: i64, number: u64) -> Self {
        let is_draft = number % DRAFT_INTERVAL == DRAFT_INTERVAL - 1;
        let published_at = today - random.between(200 * DAY_SECONDS..=900 * DAY_SECONDS);
        Self {
            status: if is_draft { Status::Draft } else { Status::Publish },
            published_at,
            modified_at: random.between(published_at..=today),
        }
    }
}
