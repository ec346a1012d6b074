//! Rules of series of events (RRULE, RDATE and EXDATE of RFC 5545, section 3.8.5), and the slots that they generate.
//!
//! Everything is civil time: the slots of a series at 19:00 are at 19:00 local time, on both sides of a change of the
//! clocks. A slot is the local time that a rule gives an occurrence. It identifies the occurrence, even when that is
//! moved, or when its local time falls into a gap of the time zone.
//!
//! `expand.rs` is the only file that knows the library that generates slots.

mod check;
#[cfg(test)]
mod corpora;
mod error;
mod expand;
mod lines;
mod matching;
#[cfg(test)]
mod oracle;
mod parts;
#[cfg(test)]
mod properties;
mod read;
mod read_parts;
mod rule;
mod split;
mod start;
#[cfg(test)]
mod tests;
mod times;
mod words;

use std::{collections::BTreeSet, iter};

use chrono::NaiveDateTime;

pub(crate) use error::RecurrenceErrors;
pub(crate) use matching::{Matching, match_slots};
use rule::{End, Rule};

/// The maximum number of occurrences of a series. Past ones do not count if the rule has no end.
pub(crate) const MAX_OCCURRENCES: usize = 1000;

/// The rule of a series, with its start.
///
/// Reading normalises it: equal rules have the same lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recurrence {
    /// Without a rule, the slots are the start and the additions.
    rule: Option<Rule>,
    start: NaiveDateTime,
    /// The slots are days: their time is 00:00.
    all_day: bool,
    /// RDATE.
    additions: BTreeSet<NaiveDateTime>,
    /// EXDATE.
    exceptions: BTreeSet<NaiveDateTime>,
}

impl Recurrence {
    /// The start of the series, from which its rule is counted. A slot, unless it is excluded.
    pub(crate) fn start(&self) -> NaiveDateTime {
        self.start
    }

    /// Whether the RRULE has neither COUNT nor UNTIL.
    pub(crate) fn is_endless(&self) -> bool {
        self.rule.as_ref().is_some_and(|rule| rule.end == End::Never)
    }

    /// The slots from `from` to before `to`, in order, without those that are excluded.
    ///
    /// Lazy. The search ends with the year 9999, and [400 years](expand::MAX_YEARS) after `from` or the start.
    pub(crate) fn slots(
        &self,
        from: Option<NaiveDateTime>,
        to: Option<NaiveDateTime>,
    ) -> impl Iterator<Item = NaiveDateTime> + Send + use<> {
        let generated = self.rule.as_ref().map(|rule| expand::slots(rule, self.start, from, to));
        let mut generated = generated.into_iter().flatten().peekable();
        let is_within = |slot: &NaiveDateTime| from.is_none_or(|from| *slot >= from) && to.is_none_or(|to| *slot < to);
        let mut added: Vec<_> = self.listed().into_iter().filter(is_within).collect();
        added.reverse();
        let exceptions = self.exceptions.clone();
        iter::from_fn(move || {
            let next = match (generated.peek(), added.last()) {
                (Some(one), Some(other)) => *one.min(other),
                (one, other) => *one.or(other)?,
            };
            generated.next_if_eq(&next);
            added.pop_if(|slot| *slot == next);
            Some(next)
        })
        .filter(move |slot| !exceptions.contains(slot))
    }

    /// The slots that no rule generates.
    fn listed(&self) -> BTreeSet<NaiveDateTime> {
        let mut listed = self.additions.clone();
        if self.rule.is_none() {
            listed.insert(self.start);
        }
        listed
    }

    /// The slots in EXDATE, in order.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = NaiveDateTime> {
        self.exceptions.iter().copied()
    }

    /// Whether EXDATE has the slot.
    pub(crate) fn excludes(&self, slot: NaiveDateTime) -> bool {
        self.exceptions.contains(&slot)
    }

    /// Adds an EXDATE.
    pub(crate) fn exclude(&mut self, slot: NaiveDateTime) {
        self.exceptions.insert(slot);
    }

    /// Removes an EXDATE.
    pub(crate) fn include(&mut self, slot: NaiveDateTime) {
        self.exceptions.remove(&slot);
    }
}
