//! Decides which side wins when an object is imported again.

use super::super::{
    Authority,
    records::{Record, digest},
};

/// What becomes of an object that was imported before.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision<R> {
    /// Nothing.
    Unchanged,
    /// Nothing, although the source has changed.
    Keep,
    /// The values of this record are stored.
    Update(R),
}

/// What is known of an object that was imported before.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemState {
    /// An import moved it to the trash, because it was gone.
    pub is_gone: bool,
    /// The source has changed since the last import.
    pub is_new_at_source: bool,
    /// It has not been changed here since.
    pub is_as_imported: bool,
}

/// Decides which values an object that was imported before gets.
pub(super) fn decide<R: Record>(authority: Authority, state: ItemState, stored: R, record: R) -> Decision<R> {
    if authority == Authority::Fill && !state.is_gone {
        let filled = record.fill(&stored);
        return match digest(&filled) == digest(&stored) {
            true => Decision::Unchanged,
            false => Decision::Update(filled),
        };
    }
    match decide_values(authority, state, digest(&stored) == digest(&record)) {
        Decision::Unchanged => Decision::Unchanged,
        Decision::Keep => Decision::Keep,
        Decision::Update(()) => Decision::Update(record),
    }
}

/// Decides without regard to single values.
pub(super) fn decide_values(authority: Authority, state: ItemState, is_equal: bool) -> Decision<()> {
    let ItemState {
        is_gone,
        is_new_at_source,
        is_as_imported,
    } = state;
    match authority {
        _ if is_gone => Decision::Update(()),
        _ if is_equal => Decision::Unchanged,
        Authority::Once | Authority::Fill => Decision::Unchanged,
        // Slugs and names that other objects have differ from those of the source for ever.
        _ if !is_new_at_source && is_as_imported => Decision::Unchanged,
        Authority::Source => Decision::Update(()),
        Authority::Unedited if !is_new_at_source => Decision::Unchanged,
        Authority::Unedited if is_as_imported => Decision::Update(()),
        Authority::Unedited => Decision::Keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions() {
        for (authority, is_new_at_source, is_as_imported, expected) in [
            (Authority::Unedited, false, true, Decision::Unchanged),
            (Authority::Unedited, true, true, Decision::Update(())),
            (Authority::Unedited, false, false, Decision::Unchanged),
            (Authority::Unedited, true, false, Decision::Keep),
            (Authority::Source, false, true, Decision::Unchanged),
            (Authority::Source, false, false, Decision::Update(())),
            (Authority::Source, true, false, Decision::Update(())),
            (Authority::Once, true, true, Decision::Unchanged),
        ] {
            let state = ItemState {
                is_gone: false,
                is_new_at_source,
                is_as_imported,
            };
            assert_eq!(
                decide_values(authority, state, false),
                expected,
                "{authority:?} {state:?}"
            );
            assert_eq!(decide_values(authority, state, true), Decision::Unchanged);
            let gone = ItemState { is_gone: true, ..state };
            assert_eq!(decide_values(authority, gone, true), Decision::Update(()));
        }
    }
}
