//! A page of records: one transaction that writes them, with the checkpoint of the run.

mod decision;
mod excluded;
mod objects;
mod series;
mod terms;

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{Months, Utc};
use sea_orm::EntityTrait;
use serde::{Deserialize, Serialize};

use super::{
    Authority, ImportError,
    records::{Record, stored_record},
};
use crate::{
    calendar::{Kind, zone::Zone},
    store::{
        Transaction,
        entity::{import_item, import_run},
        imports::{self, NewNote},
        locks::{self, AdvisoryLock},
        publishable::{self, Key, PublishableRow},
    },
};
pub(super) use objects::trash;
pub(super) use series::{SeriesSource, series_of, times_at};

/// How records are written.
#[derive(Clone, Debug)]
pub(crate) struct WriteOptions {
    /// Which side wins.
    pub authority: Authority,
    /// Gives new IDs to objects whose IDs other objects have.
    pub renumber: bool,
    /// The author of objects without one.
    pub author: Option<i64>,
    /// The site's zone.
    pub site: Zone,
    /// How far ahead the events of series without an end are created.
    pub horizon: Months,
    /// Writes nothing.
    pub dry_run: bool,
}

/// What has happened to the records of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    /// Those that were changed or deleted here, and were left alone.
    pub kept: i64,
}

/// The identity of an object at its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity<'a> {
    pub key: &'a str,
    /// The ID that the object keeps. None for a new one.
    pub id: Option<i64>,
}

/// A transaction of a run.
pub(super) struct Page<'a> {
    pub(super) transaction: Transaction,
    pub(super) options: &'a WriteOptions,
    pub(super) source: i64,
    pub(super) run: i64,
    pub(super) now: i64,
    pub(super) counts: Counts,
    pub(super) notes: Vec<NewNote>,
    items: HashMap<(Kind, String), import_item::Model>,
    changed: Vec<import_item::Model>,
    /// The objects of this page so far.
    written: HashSet<(Kind, String)>,
    /// The kinds of which objects with given IDs were inserted.
    numbered: HashSet<&'static str>,
}

impl<'a> Page<'a> {
    /// Begins a transaction, which excludes writers of the category tree.
    pub(super) async fn new(
        transaction: Transaction,
        run: &import_run::Model,
        options: &'a WriteOptions,
    ) -> Result<Self, ImportError> {
        locks::take(&transaction, [AdvisoryLock::CategoryTree]).await?;
        Ok(Self {
            transaction,
            options,
            source: run.source_id,
            run: run.id,
            now: Utc::now().timestamp(),
            counts: Counts::default(),
            notes: Vec::new(),
            items: HashMap::new(),
            changed: Vec::new(),
            written: HashSet::new(),
            numbered: HashSet::new(),
        })
    }

    /// Loads what earlier runs have imported of these objects. Must precede the calls that write them.
    pub(super) async fn load(&mut self, kind: Kind, keys: &[String]) -> Result<(), ImportError> {
        let items = imports::items(&self.transaction, self.source, kind, keys).await?;
        self.items
            .extend(items.into_iter().map(|(key, item)| ((kind, key), item)));
        Ok(())
    }

    /// The ID in this calendar of an object of the source, if it was imported and loaded.
    pub(super) fn target(&self, kind: Kind, key: &str) -> Option<i64> {
        self.items.get(&(kind, key.to_owned())).map(|item| item.target_id)
    }

    /// Adds notes on an object.
    pub(super) fn note(&mut self, kind: Kind, key: &str, texts: impl IntoIterator<Item = String>) {
        self.notes.extend(texts.into_iter().map(|text| NewNote {
            kind,
            key: key.to_owned(),
            text,
        }));
    }

    /// Stores the notes and the items, and commits.
    pub(super) async fn commit(self, run: &mut import_run::Model) -> Result<Vec<NewNote>, ImportError> {
        let Counts {
            created,
            updated,
            unchanged,
            kept,
        } = self.counts;
        run.created += created;
        run.updated += updated;
        run.unchanged += unchanged;
        run.kept += kept;
        if self.options.dry_run {
            // Rolls back.
            return Ok(self.notes);
        }
        imports::save_items(&self.transaction, last_of_each(self.changed)).await?;
        imports::insert_notes(&self.transaction, self.run, &self.notes).await?;
        imports::update_run(&self.transaction, run).await?;
        for table in self.numbered {
            imports::continue_ids(&self.transaction, table).await?;
        }
        self.transaction.commit().await?;
        Ok(self.notes)
    }

    /// The target of an item was deleted by hand, which an import does not revert.
    fn keep_deleted(&mut self, item: import_item::Model, kind: Kind) {
        self.counts.kept += 1;
        let note = "was deleted here, and is not imported again";
        self.note(kind, &item.key, [note.to_owned()]);
        self.save_item(item, kind);
    }

    /// The target of an item was changed by hand, which wins.
    fn keep_changed(&mut self, item: import_item::Model, kind: Kind) {
        self.counts.kept += 1;
        let note = "was changed here since it was imported, and is kept; --overwrite replaces it";
        self.note(kind, &item.key, [note.to_owned()]);
        self.save_item(item, kind);
    }

    /// The target of an item stays as it is.
    fn keep_unchanged(&mut self, item: import_item::Model, kind: Kind) {
        self.counts.unchanged += 1;
        self.save_item(item, kind);
    }

    /// Records what an object of the source is here.
    fn save_item(&mut self, item: import_item::Model, kind: Kind) {
        self.items.insert((kind, item.key.clone()), item.clone());
        self.written.insert((kind, item.key.clone()));
        self.changed.push(item);
    }

    fn new_item(
        &self,
        kind: Kind,
        key: &str,
        target_id: i64,
        source_digest: String,
        stored: String,
    ) -> import_item::Model {
        import_item::Model {
            source_id: self.source,
            kind: kind.name().to_owned(),
            key: key.to_owned(),
            target_id,
            created_by: Some(self.run),
            seen_by: self.run,
            digest: source_digest,
            stored,
            is_gone: false,
        }
    }

    /// Makes an existing object the target of an object of the source, which has not been imported yet.
    pub(super) fn adopt(&mut self, kind: Kind, key: &str, target_id: i64) {
        let item = import_item::Model {
            created_by: None,
            // Differ from all digests.
            ..self.new_item(kind, key, target_id, String::new(), String::new())
        };
        self.items.insert((kind, key.to_owned()), item);
    }

    /// Whether the object was written before on this page.
    pub(super) fn is_written(&self, kind: Kind, key: &str) -> bool {
        self.written.contains(&(kind, key.to_owned()))
    }

    /// Lets an object of the source be created again.
    pub(super) fn forget(&mut self, kind: Kind, key: &str) {
        self.items.remove(&(kind, key.to_owned()));
    }

    /// The record of an existing object. None if there is none, or if it is in the trash.
    pub(super) async fn existing<R: Record>(&self, id: i64) -> Result<Option<R>, ImportError> {
        let found = publishable::find::<R::Entity>(&self.transaction, &Key::Id(id)).await?;
        match found.filter(|row| !row.is_in_trash()) {
            Some(row) => Ok(Some(self.stored(&row, None).await?)),
            None => Ok(None),
        }
    }

    /// The record of a stored row, with the values that the source has.
    async fn stored<R: Record>(
        &self,
        row: &<R::Entity as EntityTrait>::Model,
        source: Option<&R>,
    ) -> Result<R, ImportError> {
        Ok(stored_record(&self.transaction, row, self.options.site, source).await?)
    }
}

/// The last of the items with the same key, which one statement can't write twice.
fn last_of_each(items: Vec<import_item::Model>) -> Vec<import_item::Model> {
    let mut last = BTreeMap::new();
    for item in items {
        last.insert((item.kind.clone(), item.key.clone()), item);
    }
    last.into_values().collect()
}

/// The message for IDs that other objects have.
pub(super) fn taken_id(kind: Kind, ids: &[i64]) -> String {
    let shown: Vec<String> = ids.iter().take(10).map(i64::to_string).collect();
    let more = if ids.len() > shown.len() { ", …" } else { "" };
    format!(
        "{} of this calendar already have the IDs {}{more}; import into an empty calendar, or pass --renumber to give \
         new IDs to the imported ones (links and clients that use the old IDs will then not find them)",
        kind.plural(),
        shown.join(", ")
    )
}
