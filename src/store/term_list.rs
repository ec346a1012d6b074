//! Lists of terms, and how many events each has.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
    sea_query::{CaseStatement, Expr, ExprTrait, Query, SelectStatement, SimpleExpr},
};

use super::{
    Page, PageRequest, Term, entity::event, links::Link, page, search::contains_words,
    term::parents, visibility::Visibility,
};

/// By what a list of terms is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermOrder {
    Name,
    Id,
    Slug,
    Count,
    Description,
    /// The order of the IDs in `include`.
    Include,
    Parent,
}

/// What a list of terms is narrowed to, and its order.
#[derive(Clone, Debug)]
pub struct TermFilter {
    /// Folded words, all of which name or slug must contain.
    pub words: Vec<String>,
    pub include: Option<Vec<i64>>,
    pub exclude: Option<Vec<i64>>,
    pub slug: Option<String>,
    pub parent: Option<i64>,
    /// Assigned to the event with this ID.
    pub event: Option<i64>,
    /// Leaves out what no published, listed event has; a parent of a term that stays, stays.
    pub hide_empty: bool,
    pub order_by: TermOrder,
    pub descending: bool,
    /// Seconds since 1970 UTC.
    pub now: i64,
}

/// One page of terms.
pub async fn list<E: Term>(
    database: &impl ConnectionTrait,
    filter: &TermFilter,
    request: PageRequest,
) -> Result<Page<E::Model>, DbErr> {
    // Taken apart, so that no filter can be forgotten here.
    let TermFilter {
        words,
        include,
        exclude,
        slug,
        parent,
        event,
        hide_empty,
        order_by,
        descending,
        now,
    } = filter;
    let mut condition = Condition::all()
        .add(contains_words(E::SEARCH_TEXT, words))
        .add_option(include.as_ref().map(|ids| E::ID.is_in(ids.iter().copied())))
        .add_option(
            exclude
                .as_ref()
                .map(|ids| E::ID.is_not_in(ids.iter().copied())),
        )
        .add_option(slug.as_ref().map(|slug| E::SLUG.eq(slug)))
        .add_option(event.map(|event| E::ID.in_subquery(terms_of::<E>(event))));
    if let (Some(column), Some(parent)) = (E::PARENT, parent) {
        condition = condition.add(column.eq(*parent));
    }
    if *hide_empty {
        condition = condition.add(is_not_empty::<E>(database, *now).await?);
    }
    let direction = if *descending { Order::Desc } else { Order::Asc };
    // Where there is nothing to go by, all are equal.
    let by = match order_by {
        TermOrder::Name => Some(column(E::NAME_KEY)),
        TermOrder::Id => Some(column(E::ID)),
        TermOrder::Slug => Some(column(E::SLUG)),
        TermOrder::Description => Some(column(E::DESCRIPTION)),
        TermOrder::Count => Some(count_of_row::<E>(*now)),
        TermOrder::Include => place_in::<E>(include.as_deref().unwrap_or_default()),
        TermOrder::Parent => E::PARENT.map(column),
    };
    let order = |select: Select<E>| {
        match by {
            Some(by) => select.order_by(by, direction),
            None => select,
        }
        .order_by_asc(E::ID)
    };
    page::fetch(database, E::find().filter(condition), order, request).await
}

fn column<C: ColumnTrait>(column: C) -> SimpleExpr {
    Expr::col(column.as_column_ref())
}

fn terms_of<E: Term>(event: i64) -> SelectStatement {
    E::Links::find()
        .select_only()
        .column(E::Links::TARGET_ID)
        .filter(E::Links::EVENT_ID.eq(event))
        .into_query()
}

/// A number that grows with the place of the row's ID in the list, if that has any.
fn place_in<E: Term>(ids: &[i64]) -> Option<SimpleExpr> {
    let places = (0_i64..).zip(ids);
    let cases = places.fold(CaseStatement::new(), |cases, (place, id)| {
        // Written out: SQLite takes 32,766 bound values at most, and each ID is two already.
        cases.case(E::ID.eq(*id), Expr::cust(place.to_string()))
    });
    (!ids.is_empty()).then(|| cases.into())
}

/// Selects the published, listed events, of which `count` counts one row's.
fn counted_events(now: i64) -> Condition {
    Condition::all()
        .add(Visibility::published(now).condition::<event::Entity>())
        .add(event::Column::HideFromListings.eq(false))
}

/// The links of the row of the query around to published, listed events.
fn links_of_row<E: Term>(now: i64) -> SelectStatement {
    Query::select()
        .from(E::Links::default())
        .inner_join(
            event::Entity,
            Expr::col(event::Column::Id.as_column_ref()).equals(E::Links::EVENT_ID.as_column_ref()),
        )
        .and_where(Expr::col(E::Links::TARGET_ID.as_column_ref()).equals(E::ID.as_column_ref()))
        .cond_where(counted_events(now))
        .to_owned()
}

fn count_of_row<E: Term>(now: i64) -> SimpleExpr {
    let count = links_of_row::<E>(now)
        .expr(Expr::cust("COUNT(*)"))
        .to_owned();
    SimpleExpr::SubQuery(None, Box::new(count.into()))
}

async fn is_not_empty<E: Term>(
    database: &impl ConnectionTrait,
    now: i64,
) -> Result<Condition, DbErr> {
    let has_events = Condition::all().add(Expr::exists(
        links_of_row::<E>(now).expr(Expr::val(1)).to_owned(),
    ));
    let Some(parent) = E::PARENT else {
        return Ok(has_events);
    };
    let with_events: Vec<(i64, i64)> = E::find()
        .select_only()
        .column(E::ID)
        .column(parent)
        .filter(has_events)
        .into_tuple()
        .all(database)
        .await?;
    let parents = parents::<E>(database).await?;
    let mut kept: Vec<i64> = Vec::new();
    for (id, _) in with_events {
        let mut term = id;
        while term != 0 && !kept.contains(&term) {
            kept.push(term);
            term = parents.get(&term).copied().unwrap_or(0);
        }
    }
    Ok(Condition::all().add(E::ID.is_in(kept)))
}

/// How many published, listed events each of these terms has itself.
pub async fn counts<E: Term>(
    database: &impl ConnectionTrait,
    ids: Vec<i64>,
    now: i64,
) -> Result<HashMap<i64, i64>, DbErr> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(i64, i64)> = E::find()
        .select_only()
        .column(E::ID)
        .expr(count_of_row::<E>(now))
        .filter(E::ID.is_in(ids))
        .into_tuple()
        .all(database)
        .await?;
    Ok(rows.into_iter().collect())
}
