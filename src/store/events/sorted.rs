//! Lists that are not sorted by start, but by other columns of events.
//!
//! If a list has a large share of all events, its page is read from the index of the order, which soon finds enough of
//! them. Otherwise all events of the list are found and sorted.

use sea_orm::{
    Condition, DbErr, IdenStatic,
    sea_query::{ExprTrait, Order, Query, SelectStatement},
};

use super::{
    Direction, EventIds, IdPage, Scope, Total,
    event_table::EventTable,
    filtered::{FilteredList, located_condition},
    geo_list,
    plan::{Plan, ResolvedQuery, are_countable_by_buckets},
    unfiltered,
};
use crate::{
    calendar::window::Window,
    store::{PageRequest, count, entity::event::Column, pagination, read_connection::ReadConnection},
};

/// The columns of an order. An index of events has them after the status and `hide_from_listings`.
type SortColumns = &'static [Column];

pub(super) const BY_TITLE: SortColumns = &[Column::TitleKey, Column::StartsAt, Column::Id];
pub(super) const BY_MODIFICATION: SortColumns = &[Column::ModifiedAt, Column::Id];

/// Finding and sorting an event costs about as much as testing this many in the order of an index.
const TESTS_PER_SORTED: u64 = 2;

/// Reads the IDs of a page.
pub(super) async fn page(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    columns: SortColumns,
    direction: Direction,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = FilteredList::new(database, query).await?;
    if !is_counted(query) {
        let mut rows = events_of(&list);
        rows.columns(columns.iter().copied());
        let order: Vec<_> = columns
            .iter()
            .map(|column| (column.as_str(), direction.order()))
            .collect();
        let (total, ids) = pagination::page_with_total(database, rows, &order, request).await?;
        return Ok((Total::Known(total), EventIds::List(ids)));
    }
    let total = total(database, query, &list).await?;
    if request.offset() >= total {
        return Ok((Total::Known(total), EventIds::List(Vec::new())));
    }
    let mut ids = match is_dense(database, query, Window::default(), total, request).await? {
        true => {
            let events = EventTable::events();
            events.select(tests(&events, query)).expr(events.id()).to_owned()
        }
        false => events_of(&list).column(Column::Id).to_owned(),
    };
    order_by(&mut ids, columns, direction.order());
    ids.limit(request.per_page).offset(request.offset());
    let ids: Vec<[i64; 1]> = database.rows(&ids).await?;
    Ok((Total::Known(total), EventIds::List(ids.into_iter().flatten().collect())))
}

/// Whether the events of a list can be counted for less than the cost of finding them all.
pub(super) fn is_counted(query: &ResolvedQuery<'_>) -> bool {
    matches!(query.scope, Scope::Listed(_)) && query.searches.is_empty()
}

/// Counts the events of a list, in the same way as for its pages by start.
pub(super) async fn total(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    list: &FilteredList,
) -> Result<u64, DbErr> {
    match query.plan() {
        Plan::Unfiltered(window) => {
            let total = Query::select().expr(unfiltered::total(query, window)).to_owned();
            Ok(count::fetch_one(database, &total).await?.unsigned_abs())
        }
        Plan::GeoList(window, area) => geo_list::total(database, query, window, area).await,
        Plan::Filtered => list.total(database).await,
    }
}

/// Selects the events of a list from the events table, without any column.
pub(super) fn events_of(list: &FilteredList) -> SelectStatement {
    let events = EventTable::events();
    events.select(Condition::all().add(events.id().in_subquery(list.ids())))
}

/// Returns true if scanning the index until the page is complete costs less than sorting all matches, which is the case
/// if a large share of the events of the window match.
pub(super) async fn is_dense(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    window: Window,
    total: u64,
    request: PageRequest,
) -> Result<bool, DbErr> {
    if !are_countable_by_buckets(query.visibility) {
        return Ok(false);
    }
    let scope = Scope::Listed(window);
    let all = ResolvedQuery::unfiltered(query.visibility, &scope);
    let all = Query::select().expr(unfiltered::total(&all, window)).to_owned();
    let all = count::fetch_one(database, &all).await?.unsigned_abs();
    // The number of events until the page is complete, if those of the list are spread evenly.
    let end = request.offset().saturating_add(request.per_page);
    let tests = end.saturating_mul(all) / total;
    Ok(tests <= total.saturating_mul(TESTS_PER_SORTED))
}

/// The condition on the events of a list, evaluated per event.
fn tests(events: &EventTable, query: &ResolvedQuery<'_>) -> Condition {
    let links = query.links.iter().map(|links| links.exists_for_each(events));
    let condition = events
        .base_condition(query)
        .add(query.selective.clone())
        .add(query.event.clone())
        .add(events.in_scope_unindexed(query.scope))
        .add(located_condition(events, query));
    links.fold(condition, Condition::add)
}

fn order_by(events: &mut SelectStatement, columns: SortColumns, order: Order) {
    for column in columns {
        events.order_by(*column, order.clone());
    }
}
