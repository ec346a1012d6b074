//! Writes series of events. An object of the source with a rule is one item, whose target is an event of the series.

use std::collections::{BTreeSet, HashSet};

use chrono::{NaiveDateTime, TimeDelta};

use super::{
    Identity, Page,
    decision::{Decision, ItemState, decide_values},
};
use crate::{
    calendar::{Kind, date::instant_at, slug::slugify},
    error::Problem,
    import::{
        Authority, ImportError,
        records::{EventRecord, Record, SeriesRecord, StoredSeries, Times, digest},
    },
    services::series::{self as services, ImportedSeries, SeriesWrite},
    store::{
        Transaction,
        entity::{event, import_item},
        imports,
        links::{self, TargetIds},
        publishable::{self, Key, PublishableRow},
        series::{self, Series, Shape, events_for_update, local_at, local_seconds},
    },
};

/// A series as the source has it.
pub(in crate::import) struct SeriesSource<'a> {
    /// The identifier.
    pub key: &'a str,
    /// The values that the events share.
    pub shared: EventRecord,
    pub shape: Shape,
    /// The places in the rule of events that differ.
    pub overrides: BTreeSet<NaiveDateTime>,
    /// Sets the values that the source has for the event at a place in the rule.
    pub set_values: &'a (dyn Fn(NaiveDateTime, &mut EventRecord) + Sync),
}

impl SeriesSource<'_> {
    fn record(&self) -> SeriesRecord {
        let overrides = self.overrides.iter().map(|slot| {
            let mut record = self.shared.clone();
            (self.set_values)(*slot, &mut record);
            (local_seconds(*slot), record)
        });
        SeriesRecord {
            shared: self.shared.clone(),
            recurrence: self.shape.rule.lines(),
            overrides: overrides.collect(),
        }
    }

    /// The series to store. `values` is an event with the shared values.
    fn imported(&self, values: event::Model, excluded: HashSet<i64>) -> ImportedSeries {
        ImportedSeries {
            values,
            links: targets(&self.shared),
            shape: self.shape.clone(),
            uid: self.key.to_owned(),
            // The events that differ exist even beyond the horizon.
            least: self.overrides.last().map(|slot| *slot + TimeDelta::seconds(1)),
            excluded,
        }
    }
}

/// The times of the event at a place in the rule.
pub(in crate::import) fn times_at(shape: &Shape, slot: NaiveDateTime) -> Times {
    Times::of_event(&shape.times(slot), shape.all_day)
}

fn targets(record: &EventRecord) -> TargetIds {
    TargetIds {
        venues: record.venues.clone(),
        organizers: record.organizers.clone(),
        categories: record.categories.clone(),
        tags: record.tags.clone(),
    }
}

impl Page<'_> {
    /// Writes a series, and its events.
    pub(in crate::import) async fn series(&mut self, source: SeriesSource<'_>) -> Result<(), ImportError> {
        let source_record = source.record();
        let source_digest = digest(&source_record);
        let Some(mut item) = self.items.get(&(Kind::Event, source.key.to_owned())).cloned() else {
            return self.insert_series(&source, source_digest).await;
        };
        let is_new_at_source = item.digest != source_digest;
        item.seen_by = self.run;
        let Some(series) = self.series_of(&item).await? else {
            return self.convert(item, source, source_digest).await;
        };
        if series.row.trashed_at.is_some() && !item.is_gone {
            self.keep_deleted(item, Kind::Event);
            return Ok(());
        }
        let all_stored = StoredSeries::read(&self.transaction, &series).await?;
        let stored = all_stored.record(self.options.site, None);
        let is_equal = digest(&all_stored.record(self.options.site, Some(&source_record))) == source_digest;
        let is_filled = self.options.authority == Authority::Fill && !item.is_gone;
        let shared = match is_filled {
            true => source.shared.clone().fill(&stored.shared),
            false => source.shared.clone(),
        };
        let state = ItemState {
            is_gone: item.is_gone,
            is_new_at_source,
            is_as_imported: digest(&stored) == item.stored,
        };
        let decision = match is_filled {
            true if digest(&shared) == digest(&stored.shared) => Decision::Unchanged,
            true => Decision::Update(()),
            false => decide_values(self.options.authority, state, is_equal),
        };
        item.digest = source_digest;
        match decision {
            Decision::Unchanged => self.keep_unchanged(item, Kind::Event),
            Decision::Keep => self.keep_changed(item, Kind::Event),
            Decision::Update(()) => {
                // Filling in leaves the rule as it is here.
                let shape = if is_filled {
                    series.shape.clone()
                } else {
                    source.shape.clone()
                };
                let source = SeriesSource {
                    shared,
                    shape,
                    ..source
                };
                self.update_series(item, series, &source, is_filled).await?;
            }
        }
        Ok(())
    }

    async fn insert_series(&mut self, source: &SeriesSource<'_>, source_digest: String) -> Result<(), ImportError> {
        self.counts.created += 1;
        if self.options.dry_run {
            // What the links refer to may not be stored.
            return Ok(());
        }
        let mut values = self.new_row(&source.shared).await?;
        values.slug = slugify(&source.shared.common.title);
        let imported = services::import(&self.series_write(), source.imported(values, HashSet::new())).await;
        let (series, first) = self.written(imported)?;
        self.write_overrides(&series, source).await?;
        let item = self.new_item(Kind::Event, source.key, first.id, source_digest, String::new());
        self.finish_series(item, &series).await
    }

    /// Turns the single event that an object of the source was until now into a series.
    async fn convert(
        &mut self,
        mut item: import_item::Model,
        source: SeriesSource<'_>,
        source_digest: String,
    ) -> Result<(), ImportError> {
        let keeps_stored = matches!(self.options.authority, Authority::Fill | Authority::Once);
        if keeps_stored && !item.is_gone {
            let identity = Identity {
                key: source.key,
                id: None,
            };
            self.event(identity, source.shared).await?;
            return Ok(());
        }
        let key = Key::Id(item.target_id);
        let found = publishable::find_for_update::<event::Entity>(&self.transaction, &key).await?;
        let Some(before) = found.filter(|row| item.is_gone || !row.is_in_trash()) else {
            self.keep_deleted(item, Kind::Event);
            return Ok(());
        };
        item.digest = source_digest;
        if self.options.dry_run {
            self.counts.updated += 1;
            self.save_item(item, Kind::Event);
            return Ok(());
        }
        let before_links = links::of_events(&self.transaction, &[before.id]).await?;
        let row = self.store_update(source.key, before, &source.shared).await?;
        let row = self.save_links(row, &before_links, &source.shared).await?;
        let converted =
            services::convert(&self.series_write(), source.imported(row.clone(), HashSet::new()), &row).await;
        let series = self.written(converted)?;
        self.write_overrides(&series, &source).await?;
        self.finish_series(item, &series).await
    }

    async fn update_series(
        &mut self,
        item: import_item::Model,
        series: Series,
        source: &SeriesSource<'_>,
        is_filled: bool,
    ) -> Result<(), ImportError> {
        self.counts.updated += 1;
        if self.options.dry_run {
            self.save_item(item, Kind::Event);
            return Ok(());
        }
        let series = self.outside_trash(series).await?;
        let mut values = series.template();
        self.set_values(&mut values, &source.shared).await?;
        let before = events_for_update(&self.transaction, series.row.id).await?;
        let excluded = self.excluded(source.key, &before).await?;
        let reimported = services::reimport(&self.series_write(), series, source.imported(values, excluded)).await;
        let series = self.written(reimported)?;
        let after = events_for_update(&self.transaction, series.row.id).await?;
        self.note_excluded(source.key, &before, &after).await?;
        if !is_filled {
            self.write_overrides(&series, source).await?;
        }
        self.finish_series(item, &series).await
    }

    /// Gives the events that differ from the series the values of the source: those that differ there, and those that
    /// do so here.
    async fn write_overrides(&mut self, series: &Series, source: &SeriesSource<'_>) -> Result<(), ImportError> {
        let events = events_for_update(&self.transaction, series.row.id).await?;
        for event in events {
            let Some(slot) = event.recurrence_id.map(local_at) else {
                continue;
            };
            let differs = !event.overridden.is_empty() || source.overrides.contains(&slot);
            if event.is_in_trash() || !differs {
                continue;
            }
            // What the source does not have stays as it is here.
            let mut record = self.stored::<EventRecord>(&event, None).await?;
            (source.set_values)(slot, &mut record);
            self.write_occurrence(series, event, &record).await?;
        }
        Ok(())
    }

    async fn write_occurrence(
        &mut self,
        series: &Series,
        before: event::Model,
        record: &EventRecord,
    ) -> Result<(), ImportError> {
        let links = links::of_events(&self.transaction, &[before.id]).await?;
        let mut after = before.clone();
        self.set_values(&mut after, record).await?;
        after.overridden = series.overridden_by(&after, targets(record)).to_string();
        let row = match after == before {
            true => before,
            false => {
                let modified_at = record.common.modified_at.unwrap_or(self.now);
                publishable::update::<event::Entity>(&self.transaction, &before, after, modified_at).await?
            }
        };
        self.save_links(row, &links, record).await?;
        Ok(())
    }

    async fn finish_series(&mut self, mut item: import_item::Model, series: &Series) -> Result<(), ImportError> {
        let stored = StoredSeries::read(&self.transaction, series).await?;
        item.stored = digest(&stored.record(self.options.site, None));
        item.is_gone = false;
        self.save_item(item, Kind::Event);
        Ok(())
    }

    /// Prepares that an object of the source is written as a single event, which may have been a series until now.
    /// `start` is its local start. Returns false if it stays a series.
    pub(in crate::import) async fn make_single(
        &mut self,
        key: &str,
        start: NaiveDateTime,
    ) -> Result<bool, ImportError> {
        let Some(mut item) = self.items.get(&(Kind::Event, key.to_owned())).cloned() else {
            return Ok(true);
        };
        let Some(series) = self.series_of(&item).await? else {
            return Ok(true);
        };
        item.seen_by = self.run;
        let keeps_stored = matches!(self.options.authority, Authority::Fill | Authority::Once);
        if series.row.trashed_at.is_some() && !item.is_gone {
            self.keep_deleted(item, Kind::Event);
            return Ok(false);
        }
        if keeps_stored && !item.is_gone {
            self.keep_unchanged(item, Kind::Event);
            return Ok(false);
        }
        if self.options.dry_run {
            self.counts.updated += 1;
            self.save_item(item, Kind::Event);
            return Ok(false);
        }
        let series = self.outside_trash(series).await?;
        let dissolved = services::dissolve(&self.series_write(), &series, start).await;
        let Some(remaining) = self.written(dissolved)? else {
            self.keep_deleted(item, Kind::Event);
            return Ok(false);
        };
        item.target_id = remaining.id;
        self.items.insert((Kind::Event, key.to_owned()), item);
        Ok(true)
    }

    /// The values that the events of a series share, if an object of the source has become a series.
    pub(in crate::import) async fn existing_shared(&self, key: &str) -> Result<Option<EventRecord>, ImportError> {
        let Some(item) = self.items.get(&(Kind::Event, key.to_owned())) else {
            return Ok(None);
        };
        match self.series_of(item).await? {
            Some(series) => {
                let stored = StoredSeries::read(&self.transaction, &series).await?;
                Ok(Some(stored.record(self.options.site, None).shared))
            }
            None => self.existing(item.target_id).await,
        }
    }

    /// The series that an item has become, which is locked. None if it is a single event.
    pub(super) async fn series_of(&self, item: &import_item::Model) -> Result<Option<Series>, ImportError> {
        series_of(&self.transaction, item).await
    }

    /// Moves the upcoming events of a series to the trash. Returns whether there were any.
    pub(super) async fn trash_series(&self, series: &Series) -> Result<bool, ImportError> {
        let trashed = services::trash_upcoming(&self.series_write(), series).await;
        self.written(trashed)
    }

    /// The series, restored if it is in the trash.
    async fn outside_trash(&self, series: Series) -> Result<Series, ImportError> {
        match series.row.trashed_at {
            Some(_) => self.written(services::restore(&self.series_write(), &series).await),
            None => Ok(series),
        }
    }

    /// The number of events that a series with this rule has. The error tells why it can't have it.
    pub(in crate::import) fn size_of(&self, shape: &Shape) -> Result<usize, String> {
        services::size(&self.series_write(), shape)
    }

    fn series_write(&self) -> SeriesWrite<'_> {
        let now = instant_at(self.now);
        SeriesWrite::of_import(&self.transaction, now, self.options.site, self.options.horizon)
    }

    /// The result of a write of a series.
    fn written<T>(&self, result: Result<T, Problem>) -> Result<T, ImportError> {
        let is_conflict = self.transaction.may_be_retried();
        result.map_err(|problem| ImportError::Write { problem, is_conflict })
    }
}

/// The series that an item of an import has become, which is locked. None if it is a single event.
pub(in crate::import) async fn series_of(
    transaction: &Transaction,
    item: &import_item::Model,
) -> Result<Option<Series>, ImportError> {
    let event = publishable::find::<event::Entity>(transaction, &Key::Id(item.target_id)).await?;
    let is_trashed = event.as_ref().is_none_or(PublishableRow::is_in_trash);
    let id = match event.and_then(|event| event.series_id) {
        Some(id) => Some(id),
        // The event was deleted for good, or has left the series in the trash.
        None if is_trashed => imports::series_with_uid(transaction, &item.key).await?,
        None => None,
    };
    let row = match id {
        Some(id) => series::find_for_update(transaction, id).await?,
        None => None,
    };
    Ok(row.map(Series::of).transpose()?)
}
