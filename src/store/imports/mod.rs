//! Imports: their sources, their runs, and the objects that they have created.
//!
//! The rows of a run are written in the transactions that write its objects, so that a run that was killed continues
//! where it has stopped.

mod existing;
mod items;
mod runs;
mod sources;

pub(crate) use existing::{
    continue_ids, event_of_series_with_uid, event_with_uid, has_others, same_event, same_name, series_with_uid,
};
pub(crate) use items::{created_items, items, missing_items, random_items, remove_items, save_items, targets};
pub(crate) use runs::{
    COMPLETE, NewNote, UNDONE, insert_notes, insert_run, notes, remove_notes, run, unfinished_run, update_run,
};
pub(crate) use sources::{
    Attempt, claim, due, note_attempt, remove_intervals, remove_source, save_source, set_interval, source, sources,
};

/// Rows per statement: below the limits of both databases on parameters.
const ROWS: usize = 500;
