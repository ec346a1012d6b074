//! The next changes over time that were read last.

use super::{super::upcoming::Upcoming, DataVersion};

/// The next changes over time of one data version, as of one second.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownUpcoming {
    pub data_version: DataVersion,
    /// A Unix timestamp.
    pub read_at: i64,
    pub upcoming: Upcoming,
}

impl KnownUpcoming {
    /// Returns true if no change lies between the read and `now`. A read later than `now` may have missed some.
    pub(super) fn is_valid_at(&self, now: i64) -> bool {
        let Upcoming { publication, end } = self.upcoming;
        self.read_at <= now && publication.is_none_or(|next| now < next) && end.is_none_or(|last| now <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upcoming_changes_are_read_again_after_the_next_one() {
        const NOW: i64 = 1_000;
        let upcoming = KnownUpcoming {
            data_version: DataVersion::default(),
            read_at: NOW,
            upcoming: Upcoming {
                publication: Some(NOW + 10),
                end: Some(NOW + 5),
            },
        };
        assert!(upcoming.is_valid_at(NOW) && upcoming.is_valid_at(NOW + 5));
        assert!(!upcoming.is_valid_at(NOW - 1), "an earlier change may be missing");
        assert!(!upcoming.is_valid_at(NOW + 6), "an event has ended");
        assert!(!upcoming.is_valid_at(NOW + 10), "an object has been published");
    }
}
