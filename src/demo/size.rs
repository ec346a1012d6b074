//! The size of a demo calendar.

/// The number of resources of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of events.
    pub events: u64,
    /// The number of venues.
    pub venues: u64,
    /// The number of organizers.
    pub organizers: u64,
    /// The number of categories.
    pub categories: u64,
    /// The number of tags.
    pub tags: u64,
}

impl Size {
    /// The default of `almanac demo`: the calendar of a city.
    pub const DEFAULT: Size = Size {
        events: 2_000,
        venues: 60,
        organizers: 40,
        categories: 24,
        tags: 40,
    };

    /// Scales the other resources with the number of events: at least as in [`Size::DEFAULT`], and 20,000 venues, 5,000
    /// organizers, 300 categories and 3,000 tags for a million events.
    pub fn for_events(events: u64) -> Size {
        Size {
            events,
            venues: Self::DEFAULT.venues.max(events / 50),
            organizers: Self::DEFAULT.organizers.max(events / 200),
            categories: Self::DEFAULT.categories.max(events / 10_000 * 3),
            tags: Self::DEFAULT.tags.max(events / 1_000 * 3),
        }
    }

    /// The number of events that are festivals.
    pub(super) fn festivals(&self) -> u64 {
        self.events / 200
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_for_events() {
        assert_eq!(Size::for_events(2_000), Size::DEFAULT);
        let small = Size::for_events(10);
        assert_eq!(
            small,
            Size {
                events: 10,
                ..Size::DEFAULT
            }
        );
        let many = Size {
            events: 1_000_000,
            venues: 20_000,
            organizers: 5_000,
            categories: 300,
            tags: 3_000,
        };
        assert_eq!(Size::for_events(1_000_000), many);
    }
}
