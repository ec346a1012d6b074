//! The record of a series of events.

use std::collections::HashMap;

use sea_orm::DbErr;
use serde::Serialize;

use super::{EventRecord, Record, StoredContext};
use crate::{
    calendar::zone::Zone,
    store::{
        entity::{event, image},
        images,
        links::{self, LinkedIds},
        read_connection::ReadConnection,
        series::{Series, overriding_events},
    },
};

/// A series of events.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::import) struct SeriesRecord {
    /// The values that the events share, with the times at the start of the rule.
    pub shared: EventRecord,
    /// The lines of the rule.
    pub recurrence: Vec<String>,
    /// The events that differ, with their places in the rule, in order.
    pub overrides: Vec<(i64, EventRecord)>,
}

/// A stored series, with its events that override fields, and what they are represented with.
pub(in crate::import) struct StoredSeries<'a> {
    series: &'a Series,
    events: Vec<event::Model>,
    links: LinkedIds,
    images: HashMap<i64, image::Model>,
}

impl<'a> StoredSeries<'a> {
    /// Reads what belongs to a series.
    pub(in crate::import) async fn read(database: &impl ReadConnection, series: &'a Series) -> Result<Self, DbErr> {
        let events = overriding_events(database, series.row.id).await?;
        let ids: Vec<i64> = events.iter().map(|event| event.id).collect();
        let links = links::of_events(database, &ids).await?;
        let image_ids = events
            .iter()
            .map(|event| event.image_id)
            .chain([series.fields.image_id]);
        let images = images::find_all(database, &image_ids.flatten().collect::<Vec<_>>()).await?;
        Ok(Self {
            series,
            events,
            links,
            images,
        })
    }

    /// The record. What `source` leaves to this program is left out of it.
    pub(in crate::import) fn record(&self, site: Zone, source: Option<&SeriesRecord>) -> SeriesRecord {
        let Self {
            series,
            events,
            links,
            images,
        } = self;
        let record = |event: &event::Model, links: &LinkedIds, source: Option<&EventRecord>| {
            EventRecord::stored(event, &StoredContext { images, links, site }, source)
        };
        let shared_links = series.template_links();
        let shared = EventRecord {
            uid: series.row.uid.clone(),
            ..record(&series.template(), &shared_links, source.map(|source| &source.shared))
        };
        let overrides = events.iter().filter_map(|event| {
            let slot = event.recurrence_id?;
            let same = source.and_then(|source| source.overrides.iter().find(|(place, _)| *place == slot));
            Some((slot, record(event, links, same.map(|(_, record)| record))))
        });
        SeriesRecord {
            shared,
            recurrence: series.shape.rule.lines(),
            overrides: overrides.collect(),
        }
    }
}
