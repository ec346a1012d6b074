//! What has changed since, as far as answers that are kept need to know.

use std::collections::HashMap;

/// A state of the data. Earlier ones of the same [`InvalidationLog`] are less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataVersion(u64);

/// The events whose texts something was made of: what they tell but do not decide which lists they are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventDependencies {
    /// Perhaps those of any event, as where they were searched.
    All,
    /// Those of the events with these IDs.
    Of(Vec<i64>),
}

impl EventDependencies {
    pub const NONE: Self = Self::Of(Vec::new());
}

/// When what has changed.
#[derive(Debug, Default)]
pub struct InvalidationLog {
    current: DataVersion,
    /// When something else than texts of events has changed last.
    others: DataVersion,
    /// When the texts of each event have changed last, after that.
    events: HashMap<i64, DataVersion>,
}

/// Events whose texts are told apart. Where those of more have changed, everything counts as changed.
const MAX_EVENTS: usize = 65_536;

impl InvalidationLog {
    /// The present state.
    pub fn current(&self) -> DataVersion {
        self.current
    }

    /// Takes in changes that have been committed: each of an event's texts, or of anything.
    pub fn add(&mut self, changes: &[Option<i64>]) {
        if changes.is_empty() {
            return;
        }
        self.current = DataVersion(self.current.0 + 1);
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

    /// Whether what was made of these texts, in that state or later, would be the same now.
    pub fn is_unchanged(&self, since: DataVersion, events: &EventDependencies) -> bool {
        let is_older = |event| self.events.get(event).is_none_or(|changed| *changed <= since);
        match events {
            EventDependencies::All => self.current <= since,
            EventDependencies::Of(events) => self.others <= since && events.iter().all(is_older),
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
    fn texts_of_an_event_concern_those_who_tell_them() {
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
    fn anything_else_concerns_all() {
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
    fn what_was_told_before_everything_changed_is_not_told_apart_any_more() {
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
    fn no_change_makes_no_generation() {
        let mut log = InvalidationLog::default();
        let before = log.current();
        log.add(&[]);
        assert_eq!(log.current(), before);
    }

    #[test]
    fn the_texts_of_very_many_events_are_everything() {
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
