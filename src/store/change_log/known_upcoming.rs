//! The next changes over time that were read last.

use super::{super::upcoming::Upcoming, DataVersion};

/// The next changes over time of one data version, as of one second.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownUpcoming {
    pub data_version: DataVersion,
    /// A Unix timestamp.
    pub read_at: i64,
    /// A Unix timestamp. No scheduled object was published between this second and `read_at`.
    pub same_publications_since: i64,
    pub upcoming: Upcoming,
}

impl KnownUpcoming {
    /// Returns true if no change lies between the read and `now`. A read later than `now` may have missed some.
    pub(super) fn is_valid_at(&self, now: i64) -> bool {
        self.has_no_publication_until(now) && self.upcoming.end.is_none_or(|last| now <= last)
    }

    /// Returns true if no publication lies between the read and `now`.
    pub(super) fn has_no_publication_until(&self, now: i64) -> bool {
        self.read_at <= now && self.upcoming.publication.is_none_or(|next| now < next)
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
            same_publications_since: NOW,
            upcoming: Upcoming {
                publication: Some(NOW + 10),
                end: Some(NOW + 5),
            },
        };
        assert!(upcoming.is_valid_at(NOW) && upcoming.is_valid_at(NOW + 5));
        assert!(!upcoming.is_valid_at(NOW - 1), "an earlier change may be missing");
        assert!(!upcoming.is_valid_at(NOW + 6), "an event has ended");
        assert!(!upcoming.is_valid_at(NOW + 10), "an object has been published");
        assert!(upcoming.has_no_publication_until(NOW + 9));
        assert!(
            !upcoming.has_no_publication_until(NOW + 10),
            "an object has been published"
        );
    }
}
