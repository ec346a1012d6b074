//! The recent changes, which invalidate cached responses.

use std::collections::HashMap;

/// A version of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataVersion {
    /// The number of the last change.
    number: u64,
    list_version: ListVersion,
}

/// A version of all data except the texts of events: the number of the last change of anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListVersion(u64);

#[cfg(test)]
impl ListVersion {
    pub fn numbered(number: u64) -> Self {
        Self(number)
    }
}

impl DataVersion {
    pub fn list_version(self) -> ListVersion {
        self.list_version
    }
}

/// The events on whose texts a response depends. Texts are the columns that do not determine which lists contain an
/// event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventDependencies {
    /// The texts of any event, as for a search.
    All,
    /// The texts of the events with these IDs.
    Of(Vec<i64>),
}

impl EventDependencies {
    pub const NONE: Self = Self::Of(Vec::new());
}

/// The number of the last change of each kind.
#[derive(Debug, Default)]
pub(super) struct InvalidationLog {
    current: u64,
    /// The last change of anything other than texts of events.
    others: u64,
    /// The last change of the texts of each event, if it is later than `others`.
    events: HashMap<i64, u64>,
}

/// The maximum number of events in the log. If the texts of more events have changed, everything counts as changed.
const MAX_EVENTS: usize = 65_536;

impl InvalidationLog {
    /// The current version.
    pub(super) fn current(&self) -> DataVersion {
        DataVersion {
            number: self.current,
            list_version: ListVersion(self.others),
        }
    }

    /// Adds committed changes: of the texts of an event, or of anything else.
    pub(super) fn add(&mut self, changes: &[Option<i64>]) {
        if changes.is_empty() {
            return;
        }
        self.current += 1;
        for change in changes {
            match change {
                Some(event) => _ = self.events.insert(*event, self.current),
                None => self.others = self.current,
            }
        }
        if self.events.len() > MAX_EVENTS {
            self.others = self.current;
        }
        if self.others == self.current {
            self.events.clear();
        }
    }

    /// Whether a response with these dependencies, produced at this version or later, is unchanged.
    pub(super) fn is_unchanged(&self, since: DataVersion, events: &EventDependencies) -> bool {
        let is_older = |event| self.events.get(event).is_none_or(|changed| *changed <= since.number);
        match events {
            EventDependencies::All => self.current <= since.number,
            EventDependencies::Of(events) => self.others <= since.number && events.iter().all(is_older),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(events: &[i64]) -> EventDependencies {
        EventDependencies::Of(events.to_vec())
    }

    #[test]
    fn change_of_a_text_invalidates_its_dependents() {
        let mut log = InvalidationLog::default();
        let before = log.current();
        log.add(&[Some(1), Some(2)]);
        assert!(log.is_unchanged(before, &EventDependencies::NONE));
        assert!(log.is_unchanged(before, &of(&[3, 4])));
        assert!(!log.is_unchanged(before, &of(&[3, 2])));
        assert!(!log.is_unchanged(before, &EventDependencies::All));
        let after = log.current();
        assert!(log.is_unchanged(after, &of(&[1, 2])));
        assert!(log.is_unchanged(after, &EventDependencies::All));
    }

    #[test]
    fn other_change_invalidates_everything() {
        for changes in [&[None][..], &[Some(1), None], &[None, Some(1)]] {
            let mut log = InvalidationLog::default();
            let before = log.current();
            log.add(changes);
            for events in [EventDependencies::NONE, of(&[1]), of(&[2]), EventDependencies::All] {
                assert!(!log.is_unchanged(before, &events), "{changes:?} {events:?}");
                assert!(log.is_unchanged(log.current(), &events), "{changes:?} {events:?}");
            }
        }
    }

    #[test]
    fn texts_keep_the_list_version() {
        let mut log = InvalidationLog::default();
        let before = log.current();
        log.add(&[Some(1)]);
        assert_eq!(log.current().list_version(), before.list_version());
        log.add(&[Some(1), None]);
        assert_ne!(log.current().list_version(), before.list_version());
    }

    #[test]
    fn other_change_clears_the_events() {
        let mut log = InvalidationLog::default();
        log.add(&[Some(1)]);
        let between = log.current();
        log.add(&[None]);
        assert!(!log.is_unchanged(between, &of(&[1])));
        assert!(log.events.is_empty());
        let after = log.current();
        log.add(&[Some(1)]);
        assert!(!log.is_unchanged(after, &of(&[1])));
        assert!(log.is_unchanged(after, &of(&[2])));
    }

    #[test]
    fn empty_changes_keep_the_version() {
        let mut log = InvalidationLog::default();
        let before = log.current();
        log.add(&[]);
        assert_eq!(log.current(), before);
    }

    #[test]
    fn too_many_events_invalidate_everything() {
        let mut log = InvalidationLog::default();
        let before = log.current();
        for event in 0..=MAX_EVENTS as i64 {
            assert!(log.is_unchanged(before, &EventDependencies::NONE));
            log.add(&[Some(event)]);
        }
        assert!(!log.is_unchanged(before, &EventDependencies::NONE));
        assert!(log.events.is_empty());
    }
}
