//! Which events have which places in a changed rule.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDateTime;

use super::{SeriesWrite, expand};
use crate::{
    calendar::recurrence::{Matching, match_slots},
    error::ValidationErrors,
    store::{
        entity::event,
        publishable::PublishableRow,
        series::{Expansion, Series, Shape, local_at},
    },
};

/// What a changed rule does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It has this place in the rule.
    Kept(NaiveDateTime),
    /// It goes to the trash: the rule has no place for it.
    Removed,
    /// It leaves the trash: the rule has its place again.
    Restored(NaiveDateTime),
    /// It stays in the trash, and its place is excluded from the rule.
    Excluded(NaiveDateTime),
    /// It stays in the trash, and leaves the series: another event has its place.
    Detached,
}

/// The events of a series with a changed rule.
#[derive(Debug, Default)]
pub(super) struct Plan {
    places: HashMap<i64, Place>,
    /// The places for which events are missing.
    pub added: Vec<NaiveDateTime>,
    /// The local time up to which these are all; None if the rule has an end.
    pub until: Option<NaiveDateTime>,
}

impl Plan {
    /// Matches the places of the rule before and after the change: by local time, then by date. Errors are added to
    /// `errors`.
    pub(super) fn new(
        write: &SeriesWrite<'_>,
        errors: &mut ValidationErrors,
        before: &Series,
        after: &Shape,
        least: Option<NaiveDateTime>,
        events: &[event::Model],
    ) -> Self {
        let until = before.row.expanded_until.map(local_at);
        let old: Vec<NaiveDateTime> = before.shape.rule.slots(None, until).collect();
        let Expansion { slots: new, until } = expand(write, errors, after, std::cmp::max(until, least));
        Self::of(&before.shape, after, &old, &new, until, events)
    }

    fn of(
        before: &Shape,
        after: &Shape,
        old: &[NaiveDateTime],
        new: &[NaiveDateTime],
        until: Option<NaiveDateTime>,
        events: &[event::Model],
    ) -> Self {
        let slot_of = |event: &event::Model| event.recurrence_id.map(local_at);
        let by_slot = |is_trashed: bool| -> HashMap<NaiveDateTime, i64> {
            let selected = events.iter().filter(|event| event.is_in_trash() == is_trashed);
            selected.filter_map(|event| Some((slot_of(event)?, event.id))).collect()
        };
        let (live, trashed) = (by_slot(false), by_slot(true));
        let Matching { kept, removed, added } = match_slots(old, new);
        let mut plan = Self {
            until,
            ..Self::default()
        };
        // A place without an event stays without one: the event was deleted permanently.
        for (from, to) in kept {
            if let Some(id) = live.get(&old[from]) {
                plan.places.insert(*id, Place::Kept(new[to]));
            }
        }
        for from in removed {
            if let Some(id) = live.get(&old[from]) {
                plan.places.insert(*id, Place::Removed);
            }
        }
        for to in added {
            match trashed.get(&new[to]) {
                Some(id) => _ = plan.places.insert(*id, Place::Restored(new[to])),
                None => plan.added.push(new[to]),
            }
        }
        plan.place_trashed(before, after, events);
        plan
    }

    /// Places the other events in the trash, whose places must differ from those of all others.
    fn place_trashed(&mut self, before: &Shape, after: &Shape, events: &[event::Model]) {
        let mut taken: HashSet<NaiveDateTime> = self.added.iter().copied().collect();
        taken.extend(self.places.values().filter_map(|place| match place {
            Place::Kept(slot) | Place::Restored(slot) => Some(*slot),
            _ => None,
        }));
        taken.extend(events.iter().filter_map(|event| event.recurrence_id.map(local_at)));
        let new_places: HashSet<NaiveDateTime> = self
            .places
            .values()
            .filter_map(|place| match place {
                Place::Kept(slot) => Some(*slot),
                _ => None,
            })
            .chain(self.added.iter().copied())
            .collect();
        let delta = after.rule.start() - before.rule.start();
        for event in events.iter().filter(|event| event.is_in_trash()) {
            let Some(slot) = event.recurrence_id.map(local_at) else {
                continue;
            };
            if self.places.contains_key(&event.id) {
                continue;
            }
            if new_places.contains(&slot) {
                self.places.insert(event.id, Place::Detached);
                continue;
            }
            let moved = [
                slot.checked_add_signed(delta),
                Some(slot.date().and_time(after.rule.start().time())),
            ];
            let place = moved
                .into_iter()
                .flatten()
                .find(|moved| after.rule.excludes(*moved) && !taken.contains(moved));
            if let Some(place) = place.filter(|_| !after.rule.excludes(slot)) {
                taken.insert(place);
                self.places.insert(event.id, Place::Excluded(place));
            }
        }
    }

    pub(super) fn place(&self, event: i64) -> Option<Place> {
        self.places.get(&event).copied()
    }
}
