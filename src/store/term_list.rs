//! Lists of terms with their event counts.

use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, Iterable, ModelTrait, Order, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select, Value,
    sea_query::{CaseStatement, Expr, ExprTrait, Query, SelectStatement},
};

use super::{
    Page, PageRequest, Term, count,
    events::in_span,
    id_lists::padded,
    links::Link,
    pagination,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    search::matches,
    statement_texts::StatementTexts,
    term::parents,
};
use crate::calendar::{Kind, search::Search, window::Span};

/// The sort key of a list of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members have the names of the parameter's values")]
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

/// The filters and the order of a list of terms. Filters combine with AND.
#[derive(Clone, Debug)]
pub struct TermFilter {
    /// Substrings that name and slug must and must not contain.
    pub search: Search,
    /// IDs.
    pub include: Option<Vec<i64>>,
    /// IDs.
    pub exclude: Option<Vec<i64>>,
    /// The exact slug.
    pub slug: Option<String>,
    /// The ID of the parent; 0 for terms without one.
    pub parent: Option<i64>,
    /// IDs of events, one of which has the term.
    pub events: Option<Vec<i64>>,
    /// Omits terms without published, listed events, unless a descendant has some.
    pub hide_empty: bool,
    /// The range of the last write.
    pub modified: Span,
    /// The sort key; ties are broken by ID.
    pub order_by: TermOrder,
    /// Whether the order is reversed.
    pub descending: bool,
    /// Seconds since 1970 UTC.
    pub now: i64,
}

/// A term with the number of its published, listed events, not counting those of its descendants.
#[derive(Clone, Debug)]
pub struct Counted<M> {
    pub row: M,
    pub events: i64,
}

/// Reads one page of terms.
pub async fn list<E: Term>(
    database: &impl ReadConnection,
    filter: &TermFilter,
    request: PageRequest,
) -> Result<Page<Counted<E::Model>>, DbErr> {
    // Destructured, so that a new filter can't be forgotten here.
    let TermFilter {
        search,
        include,
        exclude,
        slug,
        parent,
        events,
        hide_empty,
        modified,
        order_by,
        descending,
        now,
    } = filter;
    let mut condition = Condition::all()
        .add(matches(&E::SEARCH_TEXT.into_expr(), search))
        .add_option(include.as_ref().map(|ids| E::ID.is_in(ids.iter().copied())))
        .add_option(exclude.as_ref().map(|ids| E::ID.is_not_in(ids.iter().copied())))
        .add_option(slug.as_ref().map(|slug| E::SLUG.eq(slug)))
        .add(in_span(E::MODIFIED_AT.into_expr(), *modified))
        .add_option(events.as_ref().map(|events| E::ID.in_subquery(linked_to::<E>(events))));
    if let (Some(column), Some(parent)) = (E::PARENT, parent) {
        condition = condition.add(column.eq(*parent));
    }
    if *hide_empty {
        condition = condition.add(is_used::<E>(database, *now).await?);
    }
    let direction = if *descending { Order::Desc } else { Order::Asc };
    // Without a sort key, the ID alone determines the order.
    let by = match order_by {
        TermOrder::Name => Some(E::NAME_KEY.into_expr()),
        TermOrder::Id => Some(E::ID.into_expr()),
        TermOrder::Slug => Some(E::SLUG.into_expr()),
        TermOrder::Description => Some(E::DESCRIPTION.into_expr()),
        TermOrder::Count => Some(event_count::<E>(*now)),
        TermOrder::Include => position_in::<E>(include.as_deref().unwrap_or_default()),
        TermOrder::Parent => E::PARENT.map(ColumnTrait::into_expr),
    };
    let order = |select: Select<E>| {
        match by {
            Some(by) => select.order_by(by, direction),
            None => select,
        }
        .order_by_asc(E::ID)
    };
    let matching = E::find().filter(condition);
    let total = pagination::count(database, matching.clone()).await?;
    let rows = match request.offset() < total {
        true => {
            database
                .rows(&with_count::<E>(request.limit(order(matching)), *now))
                .await?
        }
        false => Vec::new(),
    };
    Ok(Page { rows, total, request })
}

/// Reads the terms with these IDs, in no particular order.
pub async fn with_counts<E: Term>(
    database: &impl ReadConnection,
    ids: &[i64],
    now: i64,
) -> Result<Vec<Counted<E::Model>>, DbErr> {
    static TEXTS: StatementTexts<(Kind, usize)> = StatementTexts::new();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = padded(ids);
    let mut values = vec![now.into(), false.into()];
    values.extend(ids.iter().map(|id| Value::from(*id)));
    let select = || with_count(E::find().filter(E::ID.is_in(ids.iter().copied())), now);
    let statement = TEXTS.statement(database.backend(), (E::KIND, ids.len()), values, select);
    database.rows_of(statement).await
}

/// Counts the published, listed events of the term with this ID, not counting those of its descendants.
pub(crate) async fn count<E: Term>(database: &impl ReadConnection, id: i64, now: i64) -> Result<i64, DbErr> {
    let term = E::find().select_only().expr(event_count::<E>(now)).filter(E::ID.eq(id));
    count::fetch(database, &term.into_query()).await
}

/// Selects the columns of [`Counted`].
fn with_count<E: Term>(terms: Select<E>, now: i64) -> SelectStatement {
    terms.expr(event_count::<E>(now)).into_query()
}

impl<M: ModelTrait + Default> FromRow for Counted<M> {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let columns = <M::Entity as EntityTrait>::Column::iter();
        Ok(Self {
            events: row.integer(columns.clone().count())?,
            row: row.model(0, columns)?,
        })
    }
}

fn linked_to<E: Term>(events: &[i64]) -> SelectStatement {
    E::Links::find()
        .select_only()
        .column(E::Links::TARGET_ID)
        .filter(E::Links::EVENT_ID.is_in(events.iter().copied()))
        .into_query()
}

/// The position of the row's ID in the list, unless the list is empty.
fn position_in<E: Term>(ids: &[i64]) -> Option<Expr> {
    let positions = (0_i64..).zip(ids);
    let cases = positions.fold(CaseStatement::new(), |cases, (position, id)| {
        // Must be a literal: SQLite accepts at most 32,766 bound values, and each ID already takes two.
        cases.case(E::ID.eq(*id), Expr::cust(position.to_string()))
    });
    (!ids.is_empty()).then(|| cases.into())
}

/// The number of published, listed events of the outer statement's row: the denormalised count, minus the events that are
/// scheduled for publication.
fn event_count<E: Term>(now: i64) -> Expr {
    let row = E::ID.into_expr();
    let stored = Query::select()
        .expr(count::sum_of_events())
        .from(E::EventCounts::default())
        .and_where(Expr::col((E::EventCounts::default(), "target_id")).eq(row.clone()))
        .to_owned();
    // The upper bound lets PostgreSQL keep a generic plan, in which it estimates few rows for a range with two bounds. With
    // one bound, it plans the statement again for most writes, which takes as long as running it.
    let upper_bound = Expr::cust(i64::MAX.to_string());
    let scheduled = Query::select()
        .expr(count::rows())
        .from(E::Links::default())
        .and_where(E::Links::TARGET_ID.into_expr().eq(row))
        .and_where(Expr::col("published_at").gt(now))
        .and_where(Expr::col("published_at").lte(upper_bound))
        .and_where(Expr::col("hide_from_listings").eq(false))
        .to_owned();
    count::subquery(stored).sub(count::subquery(scheduled))
}

/// Whether a term or one of its descendants has published, listed events.
async fn is_used<E: Term>(database: &impl ReadConnection, now: i64) -> Result<Condition, DbErr> {
    let has_events = Condition::all().add(event_count::<E>(now).gt(0));
    if E::PARENT.is_none() {
        return Ok(has_events);
    }
    let with_events = E::find().select_only().column(E::ID).filter(has_events);
    let with_events: Vec<[i64; 1]> = database.rows(&with_events.into_query()).await?;
    let parents = parents::<E>(database).await?;
    let mut used: Vec<i64> = Vec::new();
    for [id] in with_events {
        let mut term = id;
        while term != 0 && !used.contains(&term) {
            used.push(term);
            term = parents.get(&term).copied().unwrap_or(0);
        }
    }
    Ok(Condition::all().add(E::ID.is_in(used)))
}
