//! The rows of a file, between the thread that reads it and the transaction that stores them.

use std::collections::BTreeMap;

use super::{header::Counts, kinds::RecordKind, plain_tables::PlainRow};
use crate::{
    calendar::Kind,
    store::{
        bulk_load::LoadedLinks,
        entity::{category, event, image, organizer, series, tag, user, venue},
    },
};

/// Rows of a file, in the order of their kinds.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub users: Vec<user::Model>,
    pub images: Vec<image::Model>,
    /// Parents come before their children.
    pub categories: Vec<category::Model>,
    pub tags: Vec<tag::Model>,
    pub venues: Vec<Line<venue::Model>>,
    pub organizers: Vec<Line<organizer::Model>>,
    pub series: Vec<Line<series::Model>>,
    pub events: Vec<Line<(event::Model, LoadedLinks)>>,
    pub former_slugs: Vec<FormerSlug>,
    pub plain_rows: Vec<PlainRow>,
    /// The number of lines.
    pub lines: u64,
    /// The length of the lines.
    pub bytes: usize,
}

/// A row, and the number of its line.
#[derive(Debug)]
pub(super) struct Line<R> {
    pub number: u64,
    pub row: R,
}

/// A slug that an object had before.
#[derive(Debug)]
pub(super) struct FormerSlug {
    pub kind: Kind,
    pub slug: String,
    pub target_id: i64,
}

/// A venue or organizer that follows the publication of an event.
#[derive(Debug)]
pub(super) struct Follower {
    pub kind: RecordKind,
    pub id: i64,
    pub event_id: i64,
    pub line: u64,
}

/// What is known only at the end of a file.
#[derive(Debug)]
pub(super) struct Summary {
    pub uuid: String,
    pub last_ids: BTreeMap<String, i64>,
    pub counts: Counts,
    pub followers: Vec<Follower>,
}
