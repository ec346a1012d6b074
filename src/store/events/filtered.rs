//! Lists of events that are narrowed to what they link to, to words, to a parent or to IDs.

use sea_orm::{
    Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::{Direction, Found, Ids, Scope, event_table::Source, geo, links::Links, plan::ResolvedQuery};
use crate::calendar::search::Search;
use crate::store::{
    PageRequest, count,
    entity::event::{Column, Entity},
    pagination,
    search::{EVENT_INDEX, by_index, matches, plan_for},
};

/// Which of two filters leaves fewer events is not told apart beyond so many.
const MANY: u64 = 10_000;

/// The page of the list.
pub async fn page(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    request: PageRequest,
) -> Result<Found, DbErr> {
    let narrowed = narrow(database, query).await?;
    match narrowed.is_in_order {
        true => narrowed.in_order(database, request).await,
        false => narrowed.page_with_total(database, request).await,
    }
}

/// The IDs of the first events of the list from either end.
pub async fn first_ids(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    direction: Direction,
    limit: u64,
) -> Result<Vec<i64>, DbErr> {
    let narrowed = narrow(database, query).await?;
    let source = &narrowed.source;
    let mut ids = source.ids_from(direction, narrowed.condition(), limit);
    if !narrowed.is_in_order {
        // An event may have several of the links.
        ids.distinct();
    }
    let rows = database.query_all(&ids).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Where a list is read from, and by which condition.
struct FilteredList {
    source: Source,
    /// What the source tells by itself, for the most part.
    own: Condition,
    /// What the events link to beside it.
    elsewhere: Condition,
    /// Whether the index has the rows in the order of the list, each event once.
    is_in_order: bool,
}

async fn narrow(database: &impl ConnectionTrait, query: &ResolvedQuery<'_>) -> Result<FilteredList, DbErr> {
    if let Some(search) = query.searches.first() {
        plan_for(database, search).await?;
    }
    let mut links = query.links.clone();
    let is_listed = matches!(query.scope, Scope::Listed(_));
    // Links know of the public what is listed, and nothing else.
    let start = match query.visibility.is_public() && is_listed {
        true => narrowest(database, query, &mut links).await?,
        false => None,
    };
    let source = start.as_ref().map_or_else(Source::events, |links| links.source.clone());
    let mut own = source
        .shown(query)
        .add_option(start.as_ref().map(|links| links.lead_to(&source)));
    for search in &query.searches {
        own = own.add(is_found(database, &source, search));
    }
    let own = own
        .add(is_event_with(&source, query.event.clone()))
        .add(source.in_scope(query.scope));
    let mut elsewhere = Condition::all();
    for expected in &query.located {
        let mapped = Links::to_venues(geo::on_the_map(query.visibility.now));
        let has_one = mapped.exist_for(&source);
        elsewhere = elsewhere.add(if *expected { has_one } else { has_one.not() });
    }
    for other in links {
        elsewhere = elsewhere.add(other.exist_for(&source));
    }
    let is_in_order = is_listed && query.searches.is_empty() && start.is_none_or(|links| links.is_single());
    Ok(FilteredList {
        source,
        own,
        elsewhere,
        is_in_order,
    })
}

impl FilteredList {
    fn condition(&self) -> Condition {
        self.own.clone().add(self.elsewhere.clone())
    }

    /// The page where the index has the rows in the order of the list: the count reads no more than the index, and the
    /// page no more than is passed over.
    async fn in_order(self, database: &impl ConnectionTrait, request: PageRequest) -> Result<Found, DbErr> {
        let source = &self.source;
        // Of the events themselves, all would be looked up; by what they link to, some are found.
        let total = match source.is_events() || self.elsewhere.is_empty() {
            true => source.count(self.condition()),
            false => source.count_looking_up(self.own.clone(), self.elsewhere.clone()),
        };
        let total = count::ask(database, &total).await?.unsigned_abs();
        let ids = match request.offset() < total {
            true => {
                let ids = source.ids(self.condition(), request.per_page, request.offset());
                Ids::SelectedBy(Box::new(ids))
            }
            false => Ids::Of(Vec::new()),
        };
        Ok((total, ids))
    }

    /// The page where the events have to be found and sorted anyway, and those with several of the links told once: by
    /// one look at them.
    async fn page_with_total(self, database: &impl ConnectionTrait, request: PageRequest) -> Result<Found, DbErr> {
        let source = &self.source;
        let found = source
            .rows(self.condition())
            .distinct()
            .expr_as(source.id(), "id")
            .expr_as(source.column(Column::StartsAt), "starts_at")
            .to_owned();
        let order = [("starts_at", Order::Asc), ("id", Order::Asc)];
        let (total, ids) = pagination::page_with_total(database, found, &order, request).await?;
        Ok((total, Ids::Of(ids)))
    }
}

/// Takes out those of the links that lead to the fewest events.
async fn narrowest(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    links: &mut Vec<Links>,
) -> Result<Option<Links>, DbErr> {
    if links.len() <= 1 {
        return Ok(links.pop());
    }
    let mut counts = Query::select();
    for links in links.iter() {
        let Links { source, .. } = links;
        let condition = links
            .lead_to(source)
            .add(source.shown(query))
            .add(source.in_scope(query.scope));
        let some = source
            .rows(condition)
            .expr_as(Expr::val(1), "one")
            .limit(MANY)
            .to_owned();
        let count = Query::select()
            .expr(count::rows())
            .from_subquery(some, "some_of_them")
            .to_owned();
        counts.expr(count::of(count));
    }
    let Some(row) = database.query_one(&counts).await? else {
        return Ok(links.pop());
    };
    let mut fewest = (0, i64::MAX);
    for place in 0..links.len() {
        let count = row.try_get_by_index(place)?;
        if count < fewest.1 {
            fewest = (place, count);
        }
    }
    Ok(Some(links.swap_remove(fewest.0)))
}

fn is_found(database: &impl ConnectionTrait, source: &Source, search: &Search) -> Condition {
    let (keys, left) = by_index(database.get_database_backend(), EVENT_INDEX, search);
    Condition::all()
        .add_option(keys.map(|keys| source.id().in_subquery(keys)))
        .add(is_event_with(source, matches(Column::SearchText, &left)))
}

/// Whether the event of a row meets the condition, which only the events themselves can tell.
fn is_event_with(source: &Source, condition: Condition) -> Condition {
    if source.is_events() || condition.is_empty() {
        return condition;
    }
    let events = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(condition)
        .into_query();
    Condition::all().add(source.id().in_subquery(events))
}
