//! `almanac import undo`: moves what a run has created, and nobody has changed since, to the trash. A later import of
//! the same source restores it.

use chrono::{Months, Utc};

use super::{
    ImportError,
    page::{series_of, trash},
    records::{EventRecord, OrganizerRecord, Record, StoredSeries, VenueRecord, digest, stored_record},
};
use crate::{
    calendar::{Kind, date::instant_at, zone::Zone},
    services::{self, series::SeriesWrite},
    store::{
        Publishable, Store, Transaction,
        entity::import_item,
        imports,
        locks::{self, AdvisoryLock},
        publishable::{self, Key, PublishableRow},
        series::Series,
    },
};

/// Objects per transaction, to limit how long other writers wait.
const BATCH: usize = 200;

/// What an undo has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Undone {
    pub events: u64,
    pub venues: u64,
    pub organizers: u64,
    /// Objects that were changed since, and stay.
    pub changed: u64,
    /// Categories and tags, for which there is no trash.
    pub terms: u64,
    /// Servers imported the source again and again, and no longer do.
    pub ends_interval: bool,
}

/// Undoes a run. Can be repeated after an interruption.
pub(crate) async fn undo(store: &Store, run: i64, site: Zone, dry_run: bool) -> Result<Undone, ImportError> {
    let Some(mut row) = imports::run(store.reader(), run).await? else {
        return Err(ImportError::Source(format!(
            "there is no run {run}; each import prints the number of its run at its end"
        )));
    };
    let mut undone = Undone::default();
    undone.events = undo_kind::<EventRecord>(store, run, site, dry_run, &mut undone.changed).await?;
    undone.venues = undo_kind::<VenueRecord>(store, run, site, dry_run, &mut undone.changed).await?;
    undone.organizers = undo_kind::<OrganizerRecord>(store, run, site, dry_run, &mut undone.changed).await?;
    for kind in [Kind::Category, Kind::Tag] {
        undone.terms += imports::created_items(store.reader(), run, kind).await?.len() as u64;
    }
    if !dry_run {
        row.state = imports::UNDONE.to_owned();
        row.finished_at = Some(Utc::now().timestamp());
        let transaction = store.begin().await?;
        imports::update_run(&transaction, &row).await?;
        let source = imports::source(&transaction, row.source_id).await?;
        undone.ends_interval = source.is_some_and(|source| source.every_seconds.is_some());
        if undone.ends_interval {
            imports::set_interval(&transaction, row.source_id, None, None).await?;
        }
        transaction.commit().await?;
    }
    Ok(undone)
}

/// Undoes the objects of one kind. Returns their number.
async fn undo_kind<R: Record>(
    store: &Store,
    run: i64,
    site: Zone,
    dry_run: bool,
    changed: &mut u64,
) -> Result<u64, ImportError> {
    let items = imports::created_items(store.reader(), run, R::Entity::KIND).await?;
    let mut trashed = 0;
    for items in items.chunks(BATCH) {
        let transaction = store.begin().await?;
        locks::take(&transaction, [AdvisoryLock::CategoryTree]).await?;
        let mut gone = Vec::new();
        for item in items {
            let series = match R::Entity::KIND {
                Kind::Event => series_of(&transaction, item).await?,
                _ => None,
            };
            let is_undone = match series {
                Some(series) => undo_series(&transaction, item, &series, site).await?,
                None => undo_item::<R>(&transaction, item, site).await?,
            };
            match is_undone {
                Some(true) => gone.push(import_item::Model {
                    is_gone: true,
                    ..item.clone()
                }),
                Some(false) => *changed += 1,
                None => {}
            }
        }
        trashed += gone.len() as u64;
        if !dry_run {
            imports::save_items(&transaction, gone).await?;
            transaction.commit().await?;
        }
    }
    Ok(trashed)
}

/// Whether the series was moved to the trash; otherwise it, or one of its events, was changed since. None if it is not
/// there any more.
async fn undo_series(
    transaction: &Transaction,
    item: &import_item::Model,
    series: &Series,
    site: Zone,
) -> Result<Option<bool>, ImportError> {
    if series.row.trashed_at.is_some() {
        return Ok(None);
    }
    let stored = StoredSeries::read(transaction, series).await?;
    if digest(&stored.record(site, None)) != item.stored {
        return Ok(Some(false));
    }
    // Creates no events.
    let horizon = Months::new(0);
    let write = SeriesWrite::of_import(transaction, instant_at(Utc::now().timestamp()), site, horizon);
    let trashed = services::series::trash_all(&write, series).await;
    trashed.map_err(|problem| ImportError::Write {
        problem,
        is_conflict: false,
    })?;
    Ok(Some(true))
}

/// Whether the target was moved to the trash; otherwise it was changed since. None if it is not there any more.
async fn undo_item<R: Record>(
    transaction: &Transaction,
    item: &import_item::Model,
    site: Zone,
) -> Result<Option<bool>, ImportError> {
    let found = publishable::find_for_update::<R::Entity>(transaction, &Key::Id(item.target_id)).await?;
    let Some(row) = found.filter(|row| !row.is_in_trash()) else {
        return Ok(None);
    };
    if digest(&stored_record::<R>(transaction, &row, site, None).await?) == item.stored {
        trash::<R::Entity>(transaction, &row, Utc::now().timestamp()).await?;
        return Ok(Some(true));
    }
    Ok(Some(false))
}
