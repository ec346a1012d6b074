//! Matches the occurrences of a series to the slots of a changed rule, so that they keep their IDs and links.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveDate, NaiveDateTime};

/// Which slots of a changed rule existing occurrences have. The numbers are indices into the slots that were matched,
/// each of which is in one list, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matching {
    /// An existing slot, and the slot that replaces it, which may be the same.
    pub kept: Vec<(usize, usize)>,
    /// Existing slots that the rule does not have any more.
    pub removed: Vec<usize>,
    /// New slots without an occurrence.
    pub added: Vec<usize>,
}

/// Matches existing slots to new ones: first those that are equal, then the others by their local dates, in order of
/// time. Slots of one list are distinct.
pub(crate) fn match_slots(existing: &[NaiveDateTime], new: &[NaiveDateTime]) -> Matching {
    let new_index: BTreeMap<NaiveDateTime, usize> =
        new.iter().enumerate().map(|(index, slot)| (*slot, index)).collect();
    let equal = existing
        .iter()
        .enumerate()
        .filter_map(|(index, slot)| Some((index, *new_index.get(slot)?)));
    let mut kept: Vec<(usize, usize)> = equal.collect();

    let used: BTreeSet<usize> = kept.iter().map(|(index, _)| *index).collect();
    let used_new: BTreeSet<usize> = kept.iter().map(|(_, index)| *index).collect();
    let by_date = days(existing, &used);
    let mut new_by_date = days(new, &used_new);
    for (date, indices) in by_date {
        let new_indices = new_by_date.remove(&date).unwrap_or_default();
        kept.extend(indices.into_iter().zip(new_indices));
    }
    kept.sort_unstable();

    let used: BTreeSet<usize> = kept.iter().map(|(index, _)| *index).collect();
    let used_new: BTreeSet<usize> = kept.iter().map(|(_, index)| *index).collect();
    let unused = |length: usize, used: &BTreeSet<usize>| (0..length).filter(|index| !used.contains(index)).collect();
    Matching {
        removed: unused(existing.len(), &used),
        added: unused(new.len(), &used_new),
        kept,
    }
}

/// The indices of the slots of each date that are not used, in order of time.
fn days(slots: &[NaiveDateTime], used: &BTreeSet<usize>) -> BTreeMap<NaiveDate, Vec<usize>> {
    let mut ordered: Vec<usize> = (0..slots.len()).filter(|index| !used.contains(index)).collect();
    ordered.sort_by_key(|index| slots[*index]);
    let mut days: BTreeMap<NaiveDate, Vec<usize>> = BTreeMap::new();
    for index in ordered {
        days.entry(slots[index].date()).or_default().push(index);
    }
    days
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::recurrence::tests::local;

    /// Which slots of January 2027 are kept, removed and added. A slot is written as day and hour.
    fn matched(existing: &[&str], new: &[&str]) -> String {
        let slots = |texts: &[&str]| -> Vec<NaiveDateTime> {
            texts.iter().map(|text| local(&format!("2027-01-{text}:00"))).collect()
        };
        let Matching { kept, removed, added } = match_slots(&slots(existing), &slots(new));
        let kept = kept
            .iter()
            .map(|(index, new_index)| format!("{}>{}", existing[*index], new[*new_index]));
        let removed = removed.iter().map(|index| format!("-{}", existing[*index]));
        let added = added.iter().map(|index| format!("+{}", new[*index]));
        kept.chain(removed).chain(added).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn table() {
        for (existing, new, expected) in [
            (
                &["05 19", "12 19"][..],
                &["05 19", "12 19"][..],
                "05 19>05 19, 12 19>12 19",
            ),
            // The time moves.
            (&["05 19", "12 19"], &["05 20", "12 20"], "05 19>05 20, 12 19>12 20"),
            // The day moves.
            (
                &["05 19", "12 19"],
                &["06 19", "13 19"],
                "-05 19, -12 19, +06 19, +13 19",
            ),
            // The interval is doubled.
            (
                &["05 19", "12 19", "19 19"],
                &["05 19", "19 19"],
                "05 19>05 19, 19 19>19 19, -12 19",
            ),
            // COUNT is shortened, and lengthened.
            (&["05 19", "12 19"], &["05 19"], "05 19>05 19, -12 19"),
            (&["05 19"], &["05 19", "12 19"], "05 19>05 19, +12 19"),
            // Two on a day: both move, one stays, one is left.
            (&["05 10", "05 15"], &["05 11", "05 16"], "05 10>05 11, 05 15>05 16"),
            (&["05 15", "05 10"], &["05 11", "05 16"], "05 15>05 16, 05 10>05 11"),
            (&["05 10", "05 15"], &["05 15", "05 20"], "05 10>05 20, 05 15>05 15"),
            (&["05 10", "05 15"], &["05 12"], "05 10>05 12, -05 15"),
            (&["05 10"], &["05 12", "05 18"], "05 10>05 12, +05 18"),
            // Nothing on one side.
            (&[], &["05 19"], "+05 19"),
            (&["05 19"], &[], "-05 19"),
        ] {
            assert_eq!(matched(existing, new), expected, "{existing:?} to {new:?}");
        }
    }

    proptest! {
        #[test]
        fn each_slot_is_used_once(
            existing in prop::collection::btree_set(0_u32..200, 0..20),
            new in prop::collection::btree_set(0_u32..200, 0..20),
        ) {
            let slots = |hours: &BTreeSet<u32>| -> Vec<NaiveDateTime> {
                let slot = |hour: &u32| local(&format!("2027-01-{:02} {:02}:00", 1 + hour / 24, hour % 24));
                hours.iter().map(slot).collect()
            };
            let (existing, new) = (slots(&existing), slots(&new));
            let Matching { kept, removed, added } = match_slots(&existing, &new);
            let mut used: Vec<usize> = kept.iter().map(|(index, _)| *index).chain(removed).collect();
            let mut used_new: Vec<usize> = kept.iter().map(|(_, index)| *index).chain(added.clone()).collect();
            used.sort_unstable();
            used_new.sort_unstable();
            prop_assert_eq!(used, (0..existing.len()).collect::<Vec<_>>());
            prop_assert_eq!(used_new, (0..new.len()).collect::<Vec<_>>());
            for (index, slot) in existing.iter().enumerate() {
                let replacement = kept.iter().find(|(kept, _)| *kept == index).map(|(_, new_index)| new[*new_index]);
                match replacement {
                    Some(replacement) if new.contains(slot) => prop_assert_eq!(replacement, *slot),
                    Some(replacement) => prop_assert_eq!(replacement.date(), slot.date()),
                    // Nothing of its date is left.
                    None => prop_assert!(added.iter().all(|added| new[*added].date() != slot.date())),
                }
            }
        }
    }
}
