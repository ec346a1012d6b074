//! Lists of events that are narrowed to what they link to, to words, to a parent or to IDs.

use sea_orm::{
    Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::{
    Direction, EventIds, IdPage, Scope, event_table::EventTable, geo, link_filter::LinkFilter, plan::ResolvedQuery,
};
use crate::calendar::search::Search;
use crate::store::{
    PageRequest, count,
    entity::event::{Column, Entity},
    pagination,
    search::{EVENT_INDEX, force_custom_plan, matches, search_index},
};

/// Which of two filters leaves fewer events is not told apart beyond so many.
const SELECTIVITY_LIMIT: u64 = 10_000;

/// The page of the list.
pub async fn page(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = FilteredList::new(database, query).await?;
    match list.is_index_ordered {
        true => list.page_by_index(database, request).await,
        false => list.page_with_total(database, request).await,
    }
}

/// The IDs of the first events of the list from either end.
pub async fn first_ids(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    direction: Direction,
    limit: u64,
) -> Result<Vec<i64>, DbErr> {
    let list = FilteredList::new(database, query).await?;
    let table = &list.table;
    let mut ids = table.select_first_ids(direction, list.condition(), limit);
    if !list.is_index_ordered {
        // An event may have several of the links.
        ids.distinct();
    }
    let rows = database.query_all(&ids).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Where a list is read from, and by which condition.
struct FilteredList {
    table: EventTable,
    /// What the table tells by itself, for the most part.
    table_condition: Condition,
    /// What the events link to beside it.
    lookups: Condition,
    /// Whether the index has the rows in the order of the list, each event once.
    is_index_ordered: bool,
}

impl FilteredList {
    async fn new(database: &impl ConnectionTrait, query: &ResolvedQuery<'_>) -> Result<Self, DbErr> {
        if let Some(search) = query.searches.first() {
            force_custom_plan(database, search).await?;
        }
        let mut links = query.links.clone();
        let is_listed = matches!(query.scope, Scope::Listed(_));
        // Links know of the public what is listed, and nothing else.
        let driving_links = match query.visibility.is_public() && is_listed {
            true => take_most_selective(database, query, &mut links).await?,
            false => None,
        };
        let table = driving_links
            .as_ref()
            .map_or_else(EventTable::events, |links| links.table.clone());
        let mut table_condition = table
            .base_condition(query)
            .add_option(driving_links.as_ref().map(|links| links.condition(&table)));
        for search in &query.searches {
            table_condition = table_condition.add(search_condition(database, &table, search));
        }
        let table_condition = table_condition
            .add(event_condition(&table, query.event.clone()))
            .add(table.in_scope(query.scope));
        let mut lookups = Condition::all();
        for expected in &query.located {
            let mapped = LinkFilter::by_venues(geo::mapped_venues(query.visibility.now));
            let has_mapped_venue = mapped.exists_for(&table);
            lookups = lookups.add(if *expected {
                has_mapped_venue
            } else {
                has_mapped_venue.not()
            });
        }
        for other in links {
            lookups = lookups.add(other.exists_for(&table));
        }
        let is_index_ordered =
            is_listed && query.searches.is_empty() && driving_links.is_none_or(|links| links.is_unique_per_event());
        Ok(Self {
            table,
            table_condition,
            lookups,
            is_index_ordered,
        })
    }

    fn condition(&self) -> Condition {
        self.table_condition.clone().add(self.lookups.clone())
    }

    /// The page where the index has the rows in the order of the list: the count reads no more than the index, and the
    /// page no more than is passed over.
    async fn page_by_index(self, database: &impl ConnectionTrait, request: PageRequest) -> Result<IdPage, DbErr> {
        let table = &self.table;
        // Of the events themselves, all would be looked up; by what they link to, some are found.
        let total = match table.is_events() || self.lookups.is_empty() {
            true => table.count(self.condition()),
            false => table.count_by_lookup(self.table_condition.clone(), self.lookups.clone()),
        };
        let total = count::fetch(database, &total).await?.unsigned_abs();
        let ids = match request.offset() < total {
            true => {
                let ids = table.select_ids(self.condition(), request.per_page, request.offset());
                EventIds::Subquery(Box::new(ids))
            }
            false => EventIds::List(Vec::new()),
        };
        Ok((total, ids))
    }

    /// The page where the events have to be found and sorted anyway, and those with several of the links told once: by
    /// one look at them.
    async fn page_with_total(self, database: &impl ConnectionTrait, request: PageRequest) -> Result<IdPage, DbErr> {
        let table = &self.table;
        let events = table
            .select(self.condition())
            .distinct()
            .expr_as(table.id(), "id")
            .expr_as(table.column(Column::StartsAt), "starts_at")
            .to_owned();
        let order = [("starts_at", Order::Asc), ("id", Order::Asc)];
        let (total, ids) = pagination::page_with_total(database, events, &order, request).await?;
        Ok((total, EventIds::List(ids)))
    }
}

/// Takes out those of the links that lead to the fewest events.
async fn take_most_selective(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    links: &mut Vec<LinkFilter>,
) -> Result<Option<LinkFilter>, DbErr> {
    if links.len() <= 1 {
        return Ok(links.pop());
    }
    let mut counts = Query::select();
    for links in links.iter() {
        let LinkFilter { table, .. } = links;
        let condition = links
            .condition(table)
            .add(table.base_condition(query))
            .add(table.in_scope(query.scope));
        let limited = table
            .select(condition)
            .expr_as(Expr::val(1), "one")
            .limit(SELECTIVITY_LIMIT)
            .to_owned();
        let count = Query::select()
            .expr(count::rows())
            .from_subquery(limited, "limited")
            .to_owned();
        counts.expr(count::subquery(count));
    }
    let Some(row) = database.query_one(&counts).await? else {
        return Ok(links.pop());
    };
    let mut most_selective = (0, i64::MAX);
    for index in 0..links.len() {
        let count = row.try_get_by_index(index)?;
        if count < most_selective.1 {
            most_selective = (index, count);
        }
    }
    Ok(Some(links.swap_remove(most_selective.0)))
}

fn search_condition(database: &impl ConnectionTrait, table: &EventTable, search: &Search) -> Condition {
    let (matching_ids, remaining) = search_index(database.get_database_backend(), EVENT_INDEX, search);
    Condition::all()
        .add_option(matching_ids.map(|ids| table.id().in_subquery(ids)))
        .add(event_condition(table, matches(Column::SearchText, &remaining)))
}

/// Whether the event of a row meets the condition, which only the events themselves can tell.
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
