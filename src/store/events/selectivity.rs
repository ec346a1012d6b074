//! Finds the most selective links of a filtered list, from which it is read.

use std::cmp::Reverse;

use sea_orm::{
    DbErr,
    sea_query::{Expr, Func, Order, Query, SelectStatement},
};

use super::{link_filter::LinkFilter, plan::ResolvedQuery};
use crate::store::{count, entity::event::Column, read_connection::ReadConnection};

/// Links are counted up to this number to find the most selective ones.
const SELECTIVITY_LIMIT: u64 = 10_000;

/// Removes and returns the links with the fewest events in the list.
pub(super) async fn take_most_selective(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    links: &mut Vec<LinkFilter>,
) -> Result<Option<LinkFilter>, DbErr> {
    if links.len() <= 1 {
        return Ok(links.pop());
    }
    // Finding the events of an area costs more, so that they are only counted up to the number of others.
    links.sort_by_key(|links| links.area().is_some());
    let first_area = links.partition_point(|links| links.area().is_none());
    let (others, areas) = links.split_at(first_area);
    let mut counts = Query::select();
    for links in others {
        counts.expr(count::subquery(count_links(query, links, SELECTIVITY_LIMIT)));
    }
    let counts: Vec<i64> = match others {
        [] => Vec::new(),
        _ => database.row(&counts).await?.unwrap_or_default(),
    };
    let fewest = counts.iter().zip(0..).min();
    let (mut fewest, mut most_selective) =
        fewest.map_or((SELECTIVITY_LIMIT, 0), |(count, index)| (count.unsigned_abs(), index));
    if others.len() > 1 && fewest == SELECTIVITY_LIMIT {
        most_selective = sparsest(database, query, others).await?;
    }
    for (links, index) in areas.iter().zip(first_area..) {
        let count = count::fetch(database, &count_links(query, links, fewest))
            .await?
            .unsigned_abs();
        if count < fewest {
            (fewest, most_selective) = (count, index);
        }
    }
    Ok(Some(links.swap_remove(most_selective)))
}

/// Returns the index of the links that are most selective although all reach the limit: those that reach it last in the
/// order of starts.
async fn sparsest(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    links: &[LinkFilter],
) -> Result<usize, DbErr> {
    let first = || Expr::val(i64::MIN);
    let mut starts = Query::select();
    for links in links {
        // An index has the links of each target in this order, but not those of several.
        if !links.is_unique_per_event() {
            starts.expr(first());
            continue;
        }
        let start = links.table.column(Column::StartsAt);
        let reaching = links_in_list(query, links)
            .expr(start.clone())
            .order_by_expr(start, Order::Asc)
            .limit(1)
            .offset(SELECTIVITY_LIMIT - 1)
            .to_owned();
        starts.expr(Func::coalesce([count::subquery(reaching), first()]));
    }
    let starts: Vec<i64> = database.row(&starts).await?.unwrap_or_default();
    let latest = starts.into_iter().map(Reverse).zip(0..).min();
    Ok(latest.map_or(0, |(_, index)| index))
}

/// Counts the links in the list, up to a limit.
fn count_links(query: &ResolvedQuery<'_>, links: &LinkFilter, limit: u64) -> SelectStatement {
    let limited = links_in_list(query, links)
        .expr_as(Expr::val(1), "one")
        .limit(limit)
        .to_owned();
    Query::select()
        .expr(count::rows())
        .from_subquery(limited, "limited")
        .to_owned()
}

/// Selects the links whose events are in the list, without columns.
fn links_in_list(query: &ResolvedQuery<'_>, links: &LinkFilter) -> SelectStatement {
    let table = &links.table;
    let condition = links
        .condition(table)
        .add(table.base_condition(query))
        .add(table.in_scope(query.scope));
    table.select(condition)
}
