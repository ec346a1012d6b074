//! Filtered lists: read from the most selective link table or from the events, with the remaining predicates applied.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::{
    Direction, EventIds, IdPage, Scope, Total,
    event_table::EventTable,
    geo::{self, VenueArea},
    link_filter::LinkFilter,
    plan::ResolvedQuery,
    selectivity::take_most_selective,
    sorted, venue_counts,
};
use crate::calendar::search::Search;
use crate::store::{
    PageRequest, Publishable, count,
    entity::event::{Column, Entity},
    pagination,
    read_connection::ReadConnection,
    search::{FoundRows, force_custom_plan, matches, split_search},
    search_index::copied_columns,
};

/// Reads the IDs of a page.
pub(super) async fn page(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    direction: Direction,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = FilteredList::new(database, query).await?;
    match list.is_index_ordered {
        true => list.page_by_index(database, query, direction, request).await,
        false => list.page_with_total(database, direction, request).await,
    }
}

/// Reads the IDs of the first events from either end.
pub(super) async fn first_ids(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    direction: Direction,
    limit: u64,
) -> Result<Vec<i64>, DbErr> {
    let list = FilteredList::new(database, query).await?;
    let table = &list.table;
    let mut ids = table.select_first_ids(direction, list.condition(), limit);
    if !list.is_unique {
        ids.distinct();
    }
    let rows: Vec<[i64; 1]> = database.rows(&ids).await?;
    Ok(rows.into_iter().flatten().collect())
}

/// The condition on the events table that selects the list, for statements that read all of it.
pub(super) async fn condition_on_events(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
) -> Result<Condition, DbErr> {
    let list = FilteredList::new(database, query).await?;
    if list.table.is_events() {
        return Ok(list.condition());
    }
    Ok(Condition::all().add(Column::Id.in_subquery(list.ids())))
}

/// The table that a list is read from, and the conditions on its rows.
pub(super) struct FilteredList {
    table: EventTable,
    /// Conditions on the table itself.
    table_condition: Condition,
    /// Conditions on other links of each event.
    lookups: Condition,
    /// The links to an area, if the list is read from other links, and the IDs of the events of the list without the area.
    in_area: Option<(LinkFilter, SelectStatement)>,
    /// Whether an event has at most one matching row.
    is_unique: bool,
    /// Whether an index has the rows in list order, each event once.
    is_index_ordered: bool,
    /// True if a filter limits `modified_at`. [`EventTable::in_scope_unindexed`] then stops the planner from choosing
    /// the index on `starts_at`, so that it chooses the index on `modified_at`.
    is_by_modification: bool,
    /// True if an indexed condition, such as the parent, matches few events. [`EventTable::in_scope_unindexed`] then
    /// stops the planner from choosing the index on `starts_at`.
    is_selective: bool,
    /// Whether a condition reads the texts of events.
    depends_on_texts: bool,
}

impl FilteredList {
    pub(super) async fn new(database: &impl ReadConnection, query: &ResolvedQuery<'_>) -> Result<Self, DbErr> {
        if let Some(search) = query.searches.first() {
            force_custom_plan(database, search).await?;
        }
        let mut searches = Vec::with_capacity(query.searches.len());
        for search in &query.searches {
            searches.push(split_search::<Entity>(database, search).await?);
        }
        let mut links = query.links.clone();
        let is_listed = matches!(query.scope, Scope::Listed(_));
        // Links do not carry the status of unpublished events, and events with given IDs are read by primary key.
        let is_public_list = query.visibility.is_public() && is_listed;
        let driving_links = match is_public_list {
            true => take_most_selective(database, query, &mut links).await?,
            false => None,
        };
        let table = match &driving_links {
            Some(links) => links.table.clone(),
            None if is_public_list => take_found_events(database.backend(), query, &mut searches)
                .map_or_else(EventTable::events, EventTable::rows),
            None => EventTable::events(),
        };
        let mut table_condition = table
            .base_condition(query)
            .add_option(driving_links.as_ref().map(|links| links.condition(&table)));
        for search in searches {
            table_condition = table_condition.add(search_condition(database, &table, search));
        }
        // The index of the last write has few of the events in the window, or many of them in another order.
        let is_by_modification = query.by_modification && table.is_events();
        let is_selective = !query.selective.is_empty() && table.is_events();
        let in_scope = match is_by_modification || is_selective {
            true => table.in_scope_unindexed(query.scope),
            false => table.in_scope(query.scope),
        };
        let mut table_condition = table_condition
            .add(event_condition(&table, query.selective.clone()))
            .add(in_scope);
        let mut lookups = located_condition(&table, query);
        if table.is_events() {
            table_condition = table_condition.add(query.event.clone());
        } else if !query.event.is_empty() {
            lookups = lookups.add(event_test(
                &table,
                EventTable::events().id_in_index(database.backend()),
                query.event.clone(),
            ));
        }
        if let Some(excluded) = &query.excluded {
            lookups = lookups.add(geo::has_venue(&table, &excluded.inside()).not());
        }
        let (areas, others): (Vec<_>, Vec<_>) = links.into_iter().partition(|links| links.area().is_some());
        for other in others {
            lookups = lookups.add(other.exists_for(&table));
        }
        let in_area = match &areas[..] {
            [area] if driving_links.is_some() => {
                let mut events = table.select(table_condition.clone().add(lookups.clone()));
                Some((area.clone(), events.expr(table.id()).to_owned()))
            }
            _ => None,
        };
        for area in areas {
            lookups = lookups.add(area.exists_for(&table));
        }
        let is_unique = driving_links.is_none_or(|links| links.is_unique_per_event());
        Ok(Self {
            table,
            table_condition,
            lookups,
            in_area,
            is_unique,
            is_index_ordered: is_listed && query.searches.is_empty() && is_unique,
            is_by_modification,
            is_selective,
            depends_on_texts: query.depends_on_texts,
        })
    }

    fn condition(&self) -> Condition {
        self.table_condition.clone().add(self.lookups.clone())
    }

    /// Selects the IDs of all events of the list. An event may occur several times.
    pub(super) fn ids(&self) -> SelectStatement {
        self.table.select(self.condition()).expr(self.table.id()).to_owned()
    }

    /// Returns the area, and a statement that selects, without columns, the links of the list's events to venues in this
    /// area and others. None if the list is not read from other links, or depends on texts of events.
    pub(super) fn links_to_venues(&self) -> Option<(VenueArea, SelectStatement)> {
        let (links, events) = self.in_area.as_ref().filter(|_| !self.depends_on_texts)?;
        Some((links.area()?, links.of_events(events.clone())))
    }

    /// Counts the events of the list.
    pub(super) async fn total(&self, database: &impl ReadConnection) -> Result<u64, DbErr> {
        let table = &self.table;
        if let Some((area, links)) = self.links_to_venues()
            && let Some(total) = venue_counts::total(database, &links, area).await?
        {
            return Ok(total);
        }
        // On the events table, lookups are `IN` subqueries that the database can start from. Sorting would prevent that.
        let total = match &self.in_area {
            // SQLite then selects the venues of the area once. PostgreSQL would choose a slower join.
            Some((links, events)) if database.backend() == DbBackend::Sqlite => links.count_events(events.clone()),
            _ if !self.is_unique => table
                .select(self.condition())
                .expr(table.id().count_distinct())
                .to_owned(),
            _ if table.is_events() || self.lookups.is_empty() => table.count(self.condition()),
            _ => table.count_by_lookup(self.table_condition.clone(), self.lookups.clone()),
        };
        let total = match self.depends_on_texts {
            true => count::fetch(database, &total).await?,
            false => count::fetch_one(database, &total).await?,
        };
        Ok(total.unsigned_abs())
    }

    /// Reads a page in index order: the count reads the index only, and the page stops after its last row.
    async fn page_by_index(
        self,
        database: &impl ReadConnection,
        query: &ResolvedQuery<'_>,
        direction: Direction,
        request: PageRequest,
    ) -> Result<IdPage, DbErr> {
        let total = self.total(database).await?;
        if request.offset() >= total {
            return Ok((Total::Known(total), EventIds::List(Vec::new())));
        }
        let (table, condition) = (&self.table, self.condition());
        let mut ids = match (self.is_by_modification, query.scope) {
            _ if self.is_selective => table.select_sorted_ids(direction, condition),
            (true, Scope::Listed(window)) => match sorted::is_dense(database, query, *window, total, request).await? {
                true => table.select_ids(direction, condition.add(table.in_scope(query.scope))),
                false => table.select_sorted_ids(direction, condition),
            },
            _ => table.select_ids(direction, condition),
        };
        ids.limit(request.per_page).offset(request.offset());
        Ok((Total::Known(total), EventIds::Subquery(Box::new(ids))))
    }

    /// Reads a page of a list whose events must all be found and sorted, together with the total.
    async fn page_with_total(
        self,
        database: &impl ReadConnection,
        direction: Direction,
        request: PageRequest,
    ) -> Result<IdPage, DbErr> {
        let table = &self.table;
        let mut events = table
            .select(self.condition())
            .expr_as(table.id(), "id")
            .expr_as(table.column(Column::StartsAt), "starts_at")
            .to_owned();
        if !self.is_unique {
            events.distinct();
        }
        let order = ["starts_at", "id"].map(|column| (column, direction.order()));
        let (total, ids) = pagination::page_with_total(database, events, &order, request).await?;
        Ok((Total::Known(total), EventIds::List(ids)))
    }
}

/// A search, as far as the index can find its terms, and the remaining search.
type SplitSearch = (Option<FoundRows>, Search);

/// Takes the rows of the first search of a public list whose terms the index can find. Returns a statement that selects
/// these events, with all columns that the list needs. None if there is no such search, or the index does not have these
/// columns.
fn take_found_events(
    backend: DbBackend,
    query: &ResolvedQuery<'_>,
    searches: &mut [SplitSearch],
) -> Option<SelectStatement> {
    let copies = copied_columns(backend, Entity::SEARCH_INDEX);
    let has_only_searches =
        query.links.is_empty() && query.flags.is_empty() && query.selective.is_empty() && query.event.is_empty();
    if copies.is_empty() || !has_only_searches {
        return None;
    }
    let found = searches.iter_mut().find_map(|(found, _)| found.take())?;
    Some(found.into_events(copies))
}

/// The condition that the text of a row's event matches the search: by the index as far as it can find the terms.
fn search_condition(database: &impl ReadConnection, table: &EventTable, search: SplitSearch) -> Condition {
    let (found, remaining) = search;
    let events = EventTable::events();
    let text = matches(&events.column(Column::SearchText), &remaining);
    let text = match table.is_events() || text.is_empty() {
        true => text,
        false => event_test(table, events.id(), text),
    };
    let id = table.id_in_index(database.backend());
    Condition::all()
        .add_option(found.map(|rows| id.in_subquery(rows.into_ids())))
        .add(text)
}

/// Whether the event of a row meets a condition on the events table.
fn event_condition(table: &EventTable, condition: Condition) -> Condition {
    if table.is_events() || condition.is_empty() {
        return condition;
    }
    let events = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(condition)
        .into_query();
    Condition::all().add(table.id().in_subquery(events))
}

/// The condition that the event of a row of another table meets a condition that many events meet. It is evaluated per row,
/// instead of finding all events that meet it. `id` is the ID of the event in the index by which it is looked up.
fn event_test(table: &EventTable, id: Expr, condition: Condition) -> Condition {
    let same = condition.add(id.eq(table.id()));
    let event = EventTable::events().select(same).expr(Expr::val(1)).to_owned();
    Condition::all().add(geo::exists_unjoined(event))
}

/// The condition that events have a published venue with coordinates, or none, if the flag is not reliable.
pub(super) fn located_condition(table: &EventTable, query: &ResolvedQuery<'_>) -> Condition {
    let mapped = geo::mapped_venues(query.visibility.now);
    let is_expected = |expected: &bool| match geo::has_venue(table, &mapped) {
        has_mapped_venue if *expected => has_mapped_venue,
        has_mapped_venue => has_mapped_venue.not(),
    };
    query
        .located
        .iter()
        .map(is_expected)
        .fold(Condition::all(), Condition::add)
}
