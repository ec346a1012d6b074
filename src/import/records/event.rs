//! The record of an event.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Common, Record, StoredContext, Times, filled};
use crate::{
    calendar::event_status::EventStatus,
    store::{
        entity::{event, event_category, event_organizer, event_tag, event_venue},
        publishable::PublishableRow,
        series::{Overridden, SharedField},
    },
};

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::import) struct EventRecord {
    #[serde(flatten)]
    pub common: Common,
    pub uid: Option<String>,
    pub times: Times,
    pub excerpt: String,
    pub cost: String,
    pub website: String,
    pub custom_fields: Map<String, Value>,
    /// None if the source does not have it.
    pub event_status: Option<&'static str>,
    pub show_map: bool,
    pub show_map_link: bool,
    pub hide_from_listings: bool,
    pub sticky: bool,
    pub featured: bool,
    /// IDs in this calendar, in the order of the source.
    pub venues: Vec<i64>,
    pub organizers: Vec<i64>,
    /// IDs in this calendar, sorted.
    pub categories: Vec<i64>,
    pub tags: Vec<i64>,
}

impl EventRecord {
    /// An event with these times and this status, and nothing else.
    pub(in crate::import) fn new(times: Times, status: &str) -> Self {
        Self {
            common: Common {
                status: status.to_owned(),
                ..Common::default()
            },
            uid: None,
            times,
            excerpt: String::new(),
            cost: String::new(),
            website: String::new(),
            custom_fields: Map::new(),
            event_status: None,
            show_map: true,
            show_map_link: true,
            hide_from_listings: false,
            sticky: false,
            featured: false,
            venues: Vec::new(),
            organizers: Vec::new(),
            categories: Vec::new(),
            tags: Vec::new(),
        }
    }
}

impl Record for EventRecord {
    type Entity = event::Entity;

    fn common(&self) -> &Common {
        &self.common
    }

    fn store(&self, row: &mut event::Model, now: i64) {
        // Destructured so that the compiler reports unused fields.
        let Self {
            common,
            uid,
            times,
            excerpt,
            cost,
            website,
            custom_fields,
            event_status,
            show_map,
            show_map_link,
            hide_from_listings,
            sticky,
            featured,
            venues: _,
            organizers: _,
            categories: _,
            tags: _,
        } = self;
        let of_series = row.series_id.is_some().then(|| row.clone());
        let mut columns = row.common_columns();
        common.store(&mut columns, now);
        row.set_common_columns(columns);
        if uid.is_some() {
            row.uid.clone_from(uid);
        }
        row.all_day = times.all_day;
        let times = times.event_times();
        // Instants that newer rules have derived are kept.
        if row.timezone != times.zone.name() || row.times(&times.zone) != times {
            row.set_times(&times);
        }
        row.excerpt.clone_from(excerpt);
        row.cost.clone_from(cost);
        row.website.clone_from(website);
        row.custom_fields = Value::Object(custom_fields.clone()).to_string();
        match event_status {
            Some(status) => row.event_status = (*status).to_owned(),
            None if row.event_status.is_empty() => row.event_status = EventStatus::default().as_str().to_owned(),
            None => {}
        }
        row.show_map = *show_map;
        row.show_map_link = *show_map_link;
        row.hide_from_listings = *hide_from_listings;
        row.sticky = *sticky;
        row.featured = *featured;
        row.derive_search_text();
        row.derive_keys();
        if let Some(before) = of_series {
            let mut overridden = Overridden::of(&before);
            overridden.add(SharedField::differences(&before, row));
            row.overridden = overridden.to_string();
        }
    }

    fn stored(row: &event::Model, context: &StoredContext<'_>, source: Option<&Self>) -> Self {
        let sorted = |mut ids: Vec<i64>| {
            ids.sort_unstable();
            ids
        };
        let has_status = source.is_none_or(|source| source.event_status.is_some());
        Self {
            common: Common::stored(row, context, source.map(|source| &source.common)),
            uid: match source {
                Some(source) if source.uid.is_none() => None,
                _ => row.uid.clone(),
            },
            times: Times::of_event(&row.times(&context.site), row.all_day),
            excerpt: row.excerpt.clone(),
            cost: row.cost.clone(),
            website: row.website.clone(),
            custom_fields: serde_json::from_str(&row.custom_fields).unwrap_or_default(),
            event_status: has_status.then(|| EventStatus::stored(&row.event_status).as_str()),
            show_map: row.show_map,
            show_map_link: row.show_map_link,
            hide_from_listings: row.hide_from_listings,
            sticky: row.sticky,
            featured: row.featured,
            venues: context.links.of_event::<event_venue::Entity>(row.id),
            organizers: context.links.of_event::<event_organizer::Entity>(row.id),
            categories: sorted(context.links.of_event::<event_category::Entity>(row.id)),
            tags: sorted(context.links.of_event::<event_tag::Entity>(row.id)),
        }
    }

    fn fill(self, stored: &Self) -> Self {
        let either = |stored: &[i64], source: Vec<i64>| match stored.is_empty() {
            true => source,
            false => stored.to_vec(),
        };
        Self {
            common: self.common.fill(&stored.common),
            uid: stored.uid.clone().or(self.uid),
            excerpt: filled(&stored.excerpt, self.excerpt),
            cost: filled(&stored.cost, self.cost),
            website: filled(&stored.website, self.website),
            venues: either(&stored.venues, self.venues),
            organizers: either(&stored.organizers, self.organizers),
            categories: either(&stored.categories, self.categories),
            tags: either(&stored.tags, self.tags),
            ..stored.clone()
        }
    }
}
