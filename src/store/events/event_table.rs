//! The tables that lists of events are read from: the events, and the link tables and PostgreSQL's search index with their
//! denormalised columns. Events and links have covering indexes in list order.

use sea_orm::{
    Condition, DbBackend, EntityName,
    sea_query::{DynIden, Expr, ExprTrait, IntoIden, Order, Query, SelectStatement},
};

use super::{Direction, Scope, plan::ResolvedQuery};
use crate::{
    calendar::window::{Span, Window},
    store::{
        count,
        entity::{
            event::{Column, Entity},
            event_category_closure,
        },
        links::Link,
    },
};

/// A table that a list of events can be read from.
#[derive(Clone)]
pub(super) struct EventTable {
    source: Source,
    /// The alias in a statement.
    name: DynIden,
    /// The column of the event ID.
    id: DynIden,
    is_events: bool,
}

#[derive(Clone)]
enum Source {
    Table(DynIden),
    /// The rows of a statement. The database applies conditions on them to the tables of the statement.
    Rows(Box<SelectStatement>),
}

impl EventTable {
    pub(super) fn events() -> Self {
        Self {
            is_events: true,
            ..Self::new(Entity.table_name(), Column::Id.into_iden())
        }
    }

    pub(super) fn links<L: Link>() -> Self {
        Self::new(L::default().table_name(), L::EVENT_ID.into_iden())
    }

    /// The categories of events with all their ancestors.
    pub(super) fn category_closure() -> Self {
        Self::new(
            event_category_closure::Entity.table_name(),
            event_category_closure::Column::EventId.into_iden(),
        )
    }

    /// The rows of a statement that selects `id`, once per event, and the columns of links that visibility and windows
    /// depend on.
    pub(super) fn rows(statement: SelectStatement) -> Self {
        Self {
            source: Source::Rows(Box::new(statement)),
            ..Self::new("found", "id".into_iden())
        }
    }

    fn new(table: &str, id: DynIden) -> Self {
        let table = table.to_owned().into_iden();
        Self {
            name: table.clone(),
            source: Source::Table(table),
            id,
            is_events: false,
        }
    }

    /// The same table with an alias.
    pub(super) fn aliased(&self, name: &'static str) -> Self {
        Self {
            name: name.into_iden(),
            ..self.clone()
        }
    }

    pub(super) fn is_events(&self) -> bool {
        self.is_events
    }

    pub(super) fn column(&self, column: impl IntoIden) -> Expr {
        Expr::col((self.name.clone(), column.into_iden()))
    }

    /// The ID of the event.
    pub(super) fn id(&self) -> Expr {
        Expr::col((self.name.clone(), self.id.clone()))
    }

    /// The ID of the event, for lookups by ID in the index `events_by_id` instead of the much wider events.
    pub(super) fn id_in_index(&self, backend: DbBackend) -> Expr {
        match backend {
            // SQLite would read the events for the plain ID, which is their row ID.
            DbBackend::Sqlite if self.is_events => self.id().cast_as("integer"),
            _ => self.id(),
        }
    }

    /// Selects the rows that meet the condition, without any column.
    pub(super) fn select(&self, condition: Condition) -> SelectStatement {
        let mut select = Query::select();
        match &self.source {
            Source::Table(table) => select.from_as(table.clone(), self.name.clone()),
            Source::Rows(statement) => select.from_subquery(SelectStatement::clone(statement), self.name.clone()),
        };
        select.cond_where(condition).to_owned()
    }

    /// Counts the rows that meet the condition.
    pub(super) fn count(&self, condition: Condition) -> SelectStatement {
        self.select(condition).expr(count::rows()).to_owned()
    }

    /// Counts the rows that meet both conditions. `lookups` looks each event up in other tables, so the rows are sorted by
    /// event ID to make successive lookups hit the same pages.
    pub(super) fn count_by_lookup(&self, condition: Condition, lookups: Condition) -> SelectStatement {
        let in_order = self
            .select(condition)
            .expr(self.id())
            .order_by_expr(self.id(), Order::Asc)
            // Without a limit, the database may drop the order of a subquery.
            .limit(i64::MAX.unsigned_abs())
            .to_owned();
        Query::select()
            .expr(count::rows())
            .from_subquery(in_order, self.name.clone())
            .cond_where(lookups)
            .to_owned()
    }

    /// Selects event IDs of the rows that meet the condition, by start and ID.
    pub(super) fn select_ids(&self, direction: Direction, condition: Condition) -> SelectStatement {
        self.select_ids_by(self.column(Column::StartsAt), direction, condition)
    }

    /// The same by finding and sorting all rows, for few of them.
    pub(super) fn select_sorted_ids(&self, direction: Direction, condition: Condition) -> SelectStatement {
        self.select_ids_by(self.unindexed_start(), direction, condition)
    }

    fn select_ids_by(&self, start: Expr, direction: Direction, condition: Condition) -> SelectStatement {
        let order = direction.order();
        self.select(condition)
            .expr(self.id())
            .order_by_expr(start, order.clone())
            .order_by_expr(self.id(), order)
            .to_owned()
    }

    /// Selects the IDs and the starts of the first events from either end.
    pub(super) fn select_first_ids(&self, direction: Direction, condition: Condition, limit: u64) -> SelectStatement {
        self.select_ids(direction, condition)
            .expr(self.column(Column::StartsAt))
            .limit(limit)
            .to_owned()
    }

    /// The visibility, the flags and, for a window, that the event is listed. Links identify published events only.
    pub(super) fn base_condition(&self, query: &ResolvedQuery<'_>) -> Condition {
        let now = query.visibility.now;
        let visible = match self.is_events {
            true => query.visibility.condition::<Entity>(),
            false => Condition::all().add(self.column(Column::PublishedAt).lte(now)),
        };
        let listed = match query.scope {
            Scope::Listed(_) => Some(self.column(Column::HideFromListings).eq(false)),
            Scope::Ids(_) => None,
        };
        Condition::all()
            .add(visible)
            .add_option(listed)
            .add(self.has_flags(&query.flags))
    }

    pub(super) fn has_flags(&self, flags: &[(Column, bool)]) -> Condition {
        let is_expected = |(column, expected): &(Column, bool)| self.column(*column).eq(*expected);
        flags.iter().map(is_expected).fold(Condition::all(), Condition::add)
    }

    /// Whether the window or the IDs of the scope include the event. [`Self::base_condition`] checks that it is listed.
    pub(super) fn in_scope(&self, scope: &Scope) -> Condition {
        self.in_scope_by_start(scope, self.column(Column::StartsAt))
    }

    /// The same condition, for lists that are read from an index without the start as its first column.
    pub(super) fn in_scope_unindexed(&self, scope: &Scope) -> Condition {
        self.in_scope_by_start(scope, self.unindexed_start())
    }

    fn in_scope_by_start(&self, scope: &Scope, start: Expr) -> Condition {
        match scope {
            Scope::Listed(window) => self.in_window(*window, start),
            Scope::Ids(ids) => Condition::all().add(self.id().is_in(ids.iter().copied())),
        }
    }

    /// Starts and ends in the window. No event ends before it starts, so the end of the window also bounds the start.
    fn in_window(&self, window: Window, start: Expr) -> Condition {
        let Window { starts, ends } = window;
        let starts = starts.intersect(Span { from: None, ..ends });
        Condition::all()
            .add(in_span(start, starts))
            .add(self.in_span(Column::EndsAt, ends))
    }

    pub(super) fn in_span(&self, column: Column, span: Span) -> Condition {
        in_span(self.column(column), span)
    }

    /// The start as an expression, so that the database does not use the index on the start, which is less selective.
    pub(super) fn unindexed_start(&self) -> Expr {
        self.column(Column::StartsAt).add(0)
    }
}

/// The condition that the value is in the span.
pub(in crate::store) fn in_span(value: Expr, span: Span) -> Condition {
    Condition::all()
        .add_option(span.from.map(|from| value.clone().gte(from)))
        .add_option(span.before.map(|before| value.lt(before)))
}
