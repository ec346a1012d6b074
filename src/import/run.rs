//! A run of an import: it continues where an earlier one has stopped, and reports what has happened.

use std::time::Duration;

use chrono::Utc;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Format, ImportError, WriteOptions,
    page::{Counts, Page},
};
use crate::store::{
    Store,
    entity::{import_note, import_run, import_source},
    imports::{self, Attempt, NewNote},
    sqlstate::is_conflict,
};

/// Attempts at a page.
const ATTEMPTS: u32 = 5;
/// The pause after the first failed attempt. Grows by the same time with each further one.
const PAUSE: Duration = Duration::from_millis(50);

/// Shows what an import is doing, and tells whether it should stop.
pub(crate) trait Progress: Send + Sync {
    /// Begins an activity, such as "importing venues", with its number of objects if that is known.
    fn begin(&self, activity: &str, total: Option<u64>);

    /// The number of objects of the activity that are done.
    fn advance_to(&self, done: u64);

    /// Shows a message, such as that of a pause.
    fn tell(&self, text: &str);

    /// Whether to stop at the next checkpoint.
    fn is_stopped(&self) -> bool;
}

/// Shows nothing.
pub(crate) struct Silent;

impl Progress for Silent {
    fn begin(&self, _activity: &str, _total: Option<u64>) {}

    fn advance_to(&self, _done: u64) {}

    fn tell(&self, _text: &str) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// A run.
pub(crate) struct Run<'a> {
    store: &'a Store,
    pub(super) options: WriteOptions,
    pub(super) progress: &'a dyn Progress,
    row: import_run::Model,
    /// The notes of a dry run, which are not stored.
    notes: Vec<NewNote>,
    is_continued: bool,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The ID of the run; 0 for a dry run.
    pub run: i64,
    pub counts: Counts,
    /// On single objects: kind, key and text.
    pub notes: Vec<(String, String, String)>,
    pub is_continued: bool,
}

impl<'a> Run<'a> {
    /// Finds or creates the source, and continues its last run if that has not come to its end.
    pub(crate) async fn begin(
        store: &'a Store,
        format: Format,
        address: &str,
        source_options: &impl Serialize,
        options: WriteOptions,
        progress: &'a dyn Progress,
    ) -> Result<Self, ImportError> {
        let source_options = serde_json::to_string(source_options).unwrap_or_default();
        let transaction = store.begin().await?;
        let source = imports::save_source(&transaction, format.name(), address, &source_options).await?;
        let unfinished = match options.dry_run {
            true => None,
            false => imports::unfinished_run(&transaction, source.id).await?,
        };
        let is_continued = unfinished
            .as_ref()
            .is_some_and(|row| row.created + row.updated + row.unchanged + row.kept > 0);
        let now = Utc::now().timestamp();
        let row = match unfinished {
            Some(row) => row,
            None => {
                // A server that imports the address for years would fill the database.
                imports::remove_notes(&transaction, source.id).await?;
                imports::insert_run(&transaction, source.id, "{}", now).await?
            }
        };
        if !options.dry_run {
            transaction.commit().await?;
        }
        Ok(Self {
            store,
            options,
            progress,
            row,
            notes: Vec::new(),
            is_continued,
        })
    }

    /// The ID of the source.
    pub(super) fn source(&self) -> i64 {
        self.row.source_id
    }

    /// The database.
    pub(super) fn store(&self) -> &'a Store {
        self.store
    }

    /// How far the run had come when it was stopped. None for a new one.
    pub(super) fn checkpoint<C: DeserializeOwned>(&self) -> Option<C> {
        serde_json::from_str(&self.row.checkpoint).ok()
    }

    /// Begins a page.
    pub(super) async fn page<'b>(&self, options: &'b WriteOptions) -> Result<Page<'b>, ImportError> {
        if self.progress.is_stopped() {
            return Err(match self.options.dry_run {
                true => ImportError::Abandoned,
                false => ImportError::Stopped,
            });
        }
        let transaction = self.store.begin().await?;
        Page::new(transaction, &self.row, options).await
    }

    /// Commits a page together with the checkpoint after it.
    pub(super) async fn commit(&mut self, page: Page<'_>, checkpoint: &impl Serialize) -> Result<(), ImportError> {
        let mut row = self.row.clone();
        row.checkpoint = serde_json::to_string(checkpoint).unwrap_or_default();
        let notes = page.commit(&mut row).await?;
        self.row = row;
        if self.options.dry_run {
            self.notes.extend(notes);
        }
        Ok(())
    }

    /// Waits before the next attempt at a page that PostgreSQL has aborted in favour of another writer. Returns any
    /// other error, and that of the last attempt.
    pub(super) async fn wait_for_retry(&self, error: ImportError, attempt: &mut u32) -> Result<(), ImportError> {
        *attempt += 1;
        let is_conflict = match &error {
            ImportError::Database(cause) => is_conflict(cause),
            ImportError::Write { is_conflict, .. } => *is_conflict,
            _ => false,
        };
        if !is_conflict || *attempt >= ATTEMPTS {
            return Err(error);
        }
        tokio::time::sleep(PAUSE * *attempt).await;
        Ok(())
    }

    /// Ends the run.
    pub(super) async fn finish(mut self) -> Result<Report, ImportError> {
        let import_run::Model {
            created,
            updated,
            unchanged,
            kept,
            ..
        } = self.row;
        let mut report = Report {
            run: 0,
            counts: Counts {
                created,
                updated,
                unchanged,
                kept,
            },
            notes: Vec::new(),
            is_continued: self.is_continued,
        };
        if self.options.dry_run {
            let notes = self.notes.into_iter();
            report.notes = notes
                .map(|NewNote { kind, key, text }| (kind.name().to_owned(), key, text))
                .collect();
            return Ok(report);
        }
        self.row.state = imports::COMPLETE.to_owned();
        self.row.finished_at = Some(Utc::now().timestamp());
        let transaction = self.store.begin().await?;
        imports::update_run(&transaction, &self.row).await?;
        imports::note_attempt(
            &transaction,
            self.row.source_id,
            Attempt::Complete,
            Utc::now().timestamp(),
        )
        .await?;
        transaction.commit().await?;
        let notes = imports::notes(self.store.reader(), self.row.id).await?.into_iter();
        report.run = self.row.id;
        report.notes = notes
            .map(|import_note::Model { kind, key, text, .. }| (kind, key, text))
            .collect();
        Ok(report)
    }
}

/// The format of a source.
pub(crate) fn format_of(source: &import_source::Model) -> Option<Format> {
    source.format.parse().ok()
}
