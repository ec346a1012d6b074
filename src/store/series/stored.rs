//! A series in memory.

use chrono::NaiveDateTime;
use sea_orm::DbErr;

use super::{NewTargets, Overridden, Shape, SharedField, SharedFields, local_at, local_seconds};
use crate::{
    calendar::{html::text_content, recurrence::Recurrence, slug, status::Status, zone::Zone},
    store::{
        entity::{event, series},
        links::{LinkedIds, TargetIds},
        publishable::{CommonColumns, stored_status},
    },
};

/// The ID of an event that has the values that the events of a series share, and is not stored.
pub(crate) const TEMPLATE: i64 = -1;

/// A series with its rule and the fields that its events share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// Its columns `recurrence` and `fields`, and those of the times, are outdated after a change: see
    /// [`Self::into_row`].
    pub row: series::Model,
    pub fields: SharedFields,
    pub shape: Shape,
}

impl Series {
    /// Reads the columns of a stored series.
    pub(crate) fn of(row: series::Model) -> Result<Self, DbErr> {
        let invalid = |reason: &dyn std::fmt::Display| DbErr::Custom(format!("series {}: {reason}", row.id));
        let zone = Zone::parse(&row.timezone).map_err(|error| invalid(&error))?;
        let fields = serde_json::from_str(&row.fields).map_err(|error| invalid(&error))?;
        let rule = Self::rule(&row)?;
        let shape = Shape {
            rule,
            zone,
            duration: row.duration,
            all_day: row.all_day,
        };
        Ok(Self { row, fields, shape })
    }

    /// The rule of a stored series.
    pub(crate) fn rule(row: &series::Model) -> Result<Recurrence, DbErr> {
        let rule = Recurrence::from_stored(&row.recurrence, local_at(row.starts_local), row.all_day);
        rule.map_err(|errors| DbErr::Custom(format!("series {}: {errors}", row.id)))
    }

    /// A series that is not stored yet, whose events share the fields of an event.
    pub(crate) fn of_event(event: &event::Model, links: TargetIds, slug: String, shape: Shape) -> Self {
        let row = series::Model {
            version: 1,
            status: event.status.clone(),
            published_at: event.published_at,
            modified_at: event.modified_at,
            author_id: event.author_id,
            ..series::Model::default()
        };
        let fields = SharedFields {
            slug,
            links,
            ..SharedFields::default()
        };
        let mut series = Self { row, fields, shape };
        series.set_fields(event);
        series
    }

    /// Shares the fields of an event, except its times, links and slug.
    pub(crate) fn set_fields(&mut self, event: &event::Model) {
        let Self { row, fields, .. } = self;
        match row.trashed_at {
            Some(_) => row.trashed_status = Some(event.status.clone()),
            None => row.status.clone_from(&event.status),
        }
        row.published_at = event.published_at;
        row.author_id = event.author_id;
        *fields = SharedFields {
            slug: std::mem::take(&mut fields.slug),
            title: event.title.clone(),
            description: event.description.clone(),
            excerpt: event.excerpt.clone(),
            image_id: event.image_id,
            cost: event.cost.clone(),
            website: event.website.clone(),
            custom_fields: event.custom_fields.clone(),
            event_status: event.event_status.clone(),
            post_parent: event.post_parent,
            show_map: event.show_map,
            show_map_link: event.show_map_link,
            hide_from_listings: event.hide_from_listings,
            sticky: event.sticky,
            featured: event.featured,
            ticketed: event.ticketed,
            links: std::mem::take(&mut fields.links),
        };
    }

    /// The row to store.
    pub(crate) fn into_row(self) -> Result<series::Model, DbErr> {
        let Self { row, fields, shape } = self;
        let Shape {
            rule,
            zone,
            duration,
            all_day,
        } = shape;
        Ok(series::Model {
            timezone: zone.name(),
            starts_local: local_seconds(rule.start()),
            duration,
            all_day,
            recurrence: rule.lines().join("\n"),
            fields: serde_json::to_string(&fields).map_err(|error| DbErr::Custom(error.to_string()))?,
            ..row
        })
    }

    /// The status, outside the trash.
    pub(crate) fn live_status(&self) -> Status {
        self.common_columns().status_before_trash()
    }

    /// The columns that determine who may read and change the series, and those of its fields.
    pub(crate) fn common_columns(&self) -> CommonColumns {
        let Self { row, fields, .. } = self;
        CommonColumns {
            slug: fields.slug.clone(),
            title: fields.title.clone(),
            description: fields.description.clone(),
            image_id: fields.image_id,
            ..Self::columns_of(row)
        }
    }

    /// The columns that determine who may read and change a stored series, whose rule and fields need not be read.
    pub(crate) fn columns_of(row: &series::Model) -> CommonColumns {
        CommonColumns {
            id: row.id,
            version: row.version,
            status: stored_status(&row.status),
            trashed_status: row.trashed_status.as_deref().map(stored_status),
            trashed_at: row.trashed_at,
            published_at: row.published_at,
            modified_at: row.modified_at,
            author_id: row.author_id,
            ..CommonColumns::default()
        }
    }

    /// An event with the values that the events share, and the times of the first occurrence. It is not stored.
    pub(crate) fn template(&self) -> event::Model {
        let Self { row, fields, shape } = self;
        let fields = fields.clone();
        let mut event = event::Model {
            id: TEMPLATE,
            version: 1,
            status: self.live_status().as_str().to_owned(),
            slug: fields.slug,
            published_at: row.published_at,
            modified_at: row.modified_at,
            description_text: Some(text_content(&fields.description)),
            title: fields.title,
            description: fields.description,
            author_id: row.author_id,
            image_id: fields.image_id,
            excerpt: fields.excerpt,
            cost: fields.cost,
            website: fields.website,
            custom_fields: fields.custom_fields,
            event_status: fields.event_status,
            post_parent: fields.post_parent,
            all_day: shape.all_day,
            show_map: fields.show_map,
            show_map_link: fields.show_map_link,
            hide_from_listings: fields.hide_from_listings,
            sticky: fields.sticky,
            featured: fields.featured,
            ticketed: fields.ticketed,
            series_id: Some(row.id),
            ..event::Model::default()
        };
        event.derive_search_text();
        event.derive_keys();
        event.set_times(&shape.times(shape.rule.start()));
        event
    }

    /// The links of the template.
    pub(crate) fn template_links(&self) -> LinkedIds {
        LinkedIds::from_targets(TEMPLATE, &self.fields.links)
    }

    /// The fields in which an event with these links differs from what the series gives to its place in the rule.
    pub(crate) fn overridden_by(&self, event: &event::Model, links: TargetIds) -> Overridden {
        let mut shared = self.template();
        if let Some(slot) = event.recurrence_id {
            shared.set_times(&self.shape.times(local_at(slot)));
        }
        let mut overridden = Overridden::default();
        overridden.add(SharedField::differences(&shared, event));
        overridden.add(NewTargets::changed(&self.fields.links, links).fields());
        overridden
    }

    /// The event at a place in the rule, to be inserted.
    pub(crate) fn occurrence(&self, template: &event::Model, slot: NaiveDateTime) -> event::Model {
        let mut event = event::Model {
            slug: slug::with_date(&self.fields.slug, slot.date()),
            recurrence_id: Some(local_seconds(slot)),
            ..template.clone()
        };
        event.set_times(&self.shape.times(slot));
        event
    }
}
