//! `almanac import csv`: tables of events, venues or organizers with the columns of The Events Calendar's importer.

mod events;
mod linked_resources;
mod table;
mod values;

use clap::ValueEnum;

use super::{
    ImportError, WHOLE,
    page::Page,
    run::{Report, Run},
};
use crate::calendar::Kind;
use table::{Row, Table};
pub(crate) use values::DateOrder;

/// What a table contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableKind {
    /// One event per line
    Events,
    /// One venue per line
    Venues,
    /// One organizer per line
    Organizers,
}

impl TableKind {
    /// The name of the source of all tables of this kind.
    pub(crate) fn address(self) -> &'static str {
        self.kind().plural()
    }

    fn kind(self) -> Kind {
        match self {
            Self::Events => Kind::Event,
            Self::Venues => Kind::Venue,
            Self::Organizers => Kind::Organizer,
        }
    }

    fn columns(self) -> &'static [table::Column] {
        match self {
            Self::Events => table::EVENTS,
            Self::Venues => table::VENUES,
            Self::Organizers => table::ORGANIZERS,
        }
    }
}

/// How a table is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CsvOptions {
    pub kind: TableKind,
    pub date_order: Option<DateOrder>,
    /// Creates venues and organizers that do not exist.
    pub create_missing: bool,
    /// Leaves out lines with errors. Otherwise an error leaves out the whole table.
    pub skip_faulty: bool,
}

/// Imports a table, in one transaction.
pub(crate) async fn import(mut run: Run<'_>, content: &[u8], options: CsvOptions) -> Result<Report, ImportError> {
    let Table { rows } = table::read(content, options.kind.columns())?;
    run.progress.begin(
        &format!("importing {}", options.kind.address()),
        Some(rows.len() as u64),
    );
    let write = run.options.clone();
    let mut page = run.page(&write).await?;
    let mut errors = Vec::new();
    for (done, row) in (1..).zip(&rows) {
        if run.progress.is_stopped() {
            return Err(ImportError::Abandoned);
        }
        let written = match options.kind {
            TableKind::Events => events::import(&mut page, row, options).await?,
            TableKind::Venues => linked_resources::import_venue(&mut page, row).await?,
            TableKind::Organizers => linked_resources::import_organizer(&mut page, row).await?,
        };
        errors.extend(written.err().into_iter().flatten());
        run.progress.advance_to(done);
    }
    if !errors.is_empty() {
        if !options.skip_faulty {
            errors.push("nothing was imported; --skip-faulty imports the other lines".to_owned());
            return Err(ImportError::Invalid(errors));
        }
        page.note(
            options.kind.kind(),
            WHOLE,
            errors.into_iter().map(|error| format!("left out: {error}")),
        );
    }
    note_ignored_columns(&mut page, options.kind.kind(), &rows);
    run.commit(page, &serde_json::json!({})).await?;
    run.finish().await
}

/// The columns that this program has no fields for.
fn note_ignored_columns(page: &mut Page<'_>, kind: Kind, rows: &[Row]) {
    for (column, label) in [
        ("event_comment_status", "Event Allow Comments"),
        ("event_ping_status", "Event Allow Trackbacks and Pingbacks"),
    ] {
        if rows.iter().any(|row| row.filled(column).is_some()) {
            page.note(
                kind,
                WHOLE,
                [format!(
                    "the column \"{label}\" is ignored: events have no comments here"
                )],
            );
        }
    }
}

/// A value of a row, or all errors of the row.
type RowResult<T> = Result<T, Vec<String>>;

/// The image of a row. Numbers are IDs of The Events Calendar, which mean nothing here.
fn image(row: &Row, fit: &mut super::fit::Fit) -> Option<super::records::ImageRecord> {
    let address = row.filled("featured_image")?;
    if address.bytes().all(|byte| byte.is_ascii_digit()) {
        fit.note(format!(
            "the featured image {address} is an ID of another site; only addresses are imported"
        ));
        return None;
    }
    let url = fit.url("featured image", address);
    (!url.is_empty()).then_some(super::records::ImageRecord {
        url,
        id: None,
        size: None,
    })
}

/// An address of a website. As in The Events Calendar, the scheme may be missing.
fn website(text: &str) -> String {
    match text.is_empty() || text.contains("://") {
        true => text.to_owned(),
        false => format!("http://{text}"),
    }
}
