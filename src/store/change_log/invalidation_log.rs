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
    now: DataVersion,
    /// When something else than texts of events has changed last.
    more: DataVersion,
    /// When the texts of each event have changed last, after that.
    texts: HashMap<i64, DataVersion>,
}

/// Events whose texts are told apart. Where those of more have changed, everything counts as changed.
const TOLD_APART: usize = 65_536;

impl InvalidationLog {
    /// The present state.
    pub fn now(&self) -> DataVersion {
        self.now
    }

    /// Takes in changes that have been committed: each of an event's texts, or of anything.
    pub fn add(&mut self, changes: &[Option<i64>]) {
        if changes.is_empty() {
            return;
        }
        self.now = DataVersion(self.now.0 + 1);
        for change in changes {
            match change {
                Some(event) => _ = self.texts.insert(*event, self.now),
                None => self.more = self.now,
            }
        }
        if self.texts.len() > TOLD_APART {
            self.more = self.now;
        }
        if self.more == self.now {
            self.texts.clear();
        }
    }

    /// Whether what was made of these texts, in that state or later, would be the same now.
    pub fn is_unchanged(&self, since: DataVersion, texts: &EventDependencies) -> bool {
        let is_older = |event| self.texts.get(event).is_none_or(|changed| *changed <= since);
        match texts {
            EventDependencies::All => self.now <= since,
            EventDependencies::Of(events) => self.more <= since && events.iter().all(is_older),
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
        let mut history = InvalidationLog::default();
        let before = history.now();
        history.add(&[Some(1), Some(2)]);
        assert!(history.is_unchanged(before, &EventDependencies::NONE));
        assert!(history.is_unchanged(before, &of(&[3, 4])));
        assert!(!history.is_unchanged(before, &of(&[3, 2])));
        assert!(!history.is_unchanged(before, &EventDependencies::All));
        let after = history.now();
        assert!(history.is_unchanged(after, &of(&[1, 2])));
        assert!(history.is_unchanged(after, &EventDependencies::All));
    }

    #[test]
    fn anything_else_concerns_all() {
        for changes in [&[None][..], &[Some(1), None], &[None, Some(1)]] {
            let mut history = InvalidationLog::default();
            let before = history.now();
            history.add(changes);
            for texts in [EventDependencies::NONE, of(&[1]), of(&[2]), EventDependencies::All] {
                assert!(!history.is_unchanged(before, &texts), "{changes:?} {texts:?}");
                assert!(history.is_unchanged(history.now(), &texts), "{changes:?} {texts:?}");
            }
        }
    }

    #[test]
    fn what_was_told_before_everything_changed_is_not_told_apart_any_more() {
        let mut history = InvalidationLog::default();
        history.add(&[Some(1)]);
        let between = history.now();
        history.add(&[None]);
        assert!(!history.is_unchanged(between, &of(&[1])));
        assert!(history.texts.is_empty());
        let after = history.now();
        history.add(&[Some(1)]);
        assert!(!history.is_unchanged(after, &of(&[1])));
        assert!(history.is_unchanged(after, &of(&[2])));
    }

    #[test]
    fn no_change_makes_no_generation() {
        let mut history = InvalidationLog::default();
        let before = history.now();
        history.add(&[]);
        assert_eq!(history.now(), before);
    }

    #[test]
    fn the_texts_of_very_many_events_are_everything() {
        let mut history = InvalidationLog::default();
        let before = history.now();
        for event in 0..=TOLD_APART as i64 {
            assert!(history.is_unchanged(before, &EventDependencies::NONE));
            history.add(&[Some(event)]);
        }
        assert!(!history.is_unchanged(before, &EventDependencies::NONE));
        assert!(history.texts.is_empty());
    }
}
