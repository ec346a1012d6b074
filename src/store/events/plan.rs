//! Chooses how to read a list of events.

use sea_orm::{Condition, DbErr};

use super::{
    EventQuery, GeoCircle, Scope,
    filter::Predicate,
    geo::{self, GeoArea, VenueArea},
    link_filter::LinkFilter,
};
use crate::{
    calendar::{search::Search, status::Status, window::Window},
    store::{entity::event::Column, read_connection::ReadConnection, visibility::Visibility},
};

/// A query whose filters are resolved to predicates, grouped by how they are evaluated.
#[derive(Clone)]
pub(super) struct ResolvedQuery<'query> {
    pub visibility: &'query Visibility,
    pub scope: &'query Scope,
    /// Columns that the events, all links and the time buckets have, with the expected values.
    pub flags: Vec<(Column, bool)>,
    /// Required links. The list can be read from them.
    pub links: Vec<LinkFilter>,
    /// Searches that are not empty.
    pub searches: Vec<Search>,
    /// The condition on columns of the events table that few events have in common. An index finds these events.
    pub selective: Condition,
    /// The condition on other columns that only the events table has.
    pub event: Condition,
    /// Whether the range of the last write is restricted. An index has the events in this order.
    pub by_modification: bool,
    /// Whether the event has a published venue with coordinates, if the flag `located` is not reliable.
    pub located: Vec<bool>,
    /// The event has no venue in this area.
    pub excluded: Option<VenueArea>,
    /// Whether a filter reads the texts of events.
    pub depends_on_texts: bool,
}

/// How a list is read.
pub(super) enum Plan {
    /// Listed events, filtered by flags at most: counted by the time buckets.
    Unfiltered(Window),
    /// Listed events at venues in an area, filtered by flags at most: read from the links of venues, or from the events.
    GeoList(Window, VenueArea),
    /// Any other list: read from the most selective links, or from the events, applying the remaining predicates.
    Filtered,
}

impl<'query> ResolvedQuery<'query> {
    /// Resolves the filters.
    pub(super) async fn new(database: &impl ReadConnection, query: &'query EventQuery) -> Result<Self, DbErr> {
        let now = query.visibility.now;
        let mut resolved = Self::unfiltered(&query.visibility, &query.scope);
        for filter in &query.filters {
            let predicate = filter.predicate(now);
            resolved.depends_on_texts |= predicate.depends_on_texts();
            match predicate {
                Predicate::Flag(column, expected) => resolved.flags.push((column, expected)),
                // The flag ignores publication dates of venues.
                Predicate::Located(expected) => match geo::has_scheduled_venues(database, now).await? {
                    true => resolved.located.push(expected),
                    false => resolved.flags.push((Column::Located, expected)),
                },
                Predicate::Search(search) if search.is_empty() => {}
                Predicate::Search(search) => resolved.searches.push(search),
                Predicate::Event(
                    Column::PostParent | Column::TitleKey | Column::SeriesId | Column::ExternalId,
                    condition,
                ) => {
                    resolved.selective = resolved.selective.add(condition);
                }
                Predicate::Event(column, condition) => {
                    resolved.by_modification |= matches!(column, Column::ModifiedAt);
                    resolved.event = resolved.event.add(condition);
                }
                Predicate::Linked(links) => resolved.links.push(links),
            }
        }
        Ok(resolved)
    }

    /// A query without filters.
    pub(super) fn unfiltered(visibility: &'query Visibility, scope: &'query Scope) -> Self {
        Self {
            visibility,
            scope,
            flags: Vec::new(),
            links: Vec::new(),
            searches: Vec::new(),
            selective: Condition::all(),
            event: Condition::all(),
            by_modification: false,
            located: Vec::new(),
            excluded: None,
            depends_on_texts: false,
        }
    }

    /// The same query, restricted to the events whose nearest venue is at most this far from the centre of the circle.
    pub(super) fn within(&self, circle: GeoCircle, radius_in_km: f64) -> Self {
        self.narrowed(circle, GeoArea::Circle(GeoCircle { radius_in_km, ..circle }))
    }

    /// The same query, restricted to the events whose nearest venue is farther from the centre of the circle.
    pub(super) fn beyond(&self, circle: GeoCircle, radius_in_km: f64) -> Self {
        let inner = GeoArea::Circle(GeoCircle { radius_in_km, ..circle });
        Self {
            excluded: Some(VenueArea::new(inner, self.visibility.now)),
            ..self.narrowed(circle, GeoArea::Ring(circle, radius_in_km))
        }
    }

    fn narrowed(&self, circle: GeoCircle, part: GeoArea) -> Self {
        let mut narrowed = self.clone();
        for links in &mut narrowed.links {
            links.narrow(circle, part);
        }
        narrowed
    }

    /// Chooses how to read a page of the list.
    pub(super) fn plan(&self) -> Plan {
        // Destructured, so that a new group of predicates can't be forgotten here.
        let Self {
            visibility,
            scope,
            flags: _,
            links,
            searches,
            selective,
            event,
            by_modification: _,
            located,
            excluded,
            depends_on_texts: _,
        } = self;
        let Scope::Listed(window) = scope else {
            return Plan::Filtered;
        };
        if !(searches.is_empty()
            && selective.is_empty()
            && event.is_empty()
            && located.is_empty()
            && excluded.is_none())
        {
            return Plan::Filtered;
        }
        match &links[..] {
            [] if are_countable_by_buckets(visibility) => Plan::Unfiltered(*window),
            [links] if visibility.is_public() => match links.area() {
                Some(area) => Plan::GeoList(*window, area),
                None => Plan::Filtered,
            },
            _ => Plan::Filtered,
        }
    }
}

/// Whether the time buckets can count the visible events. They do not record authors, and count published and scheduled
/// events together.
pub(super) fn are_countable_by_buckets(visibility: &Visibility) -> bool {
    let has = |status| visibility.statuses.contains(&status);
    let of_all_authors = visibility.unpublished_of.is_none() || visibility.is_public();
    of_all_authors && (has(Status::Publish) || !has(Status::Future))
}
