//! Tables with a row for each event that a list may hold: the events themselves, and the links, which carry what
//! decides about lists. Each has an index in the order of lists that holds all that is looked at here.

use sea_orm::{
    Condition, EntityName,
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

/// One of these tables.
#[derive(Clone)]
pub struct EventTable {
    table: DynIden,
    /// The name that it has in a statement.
    name: DynIden,
    /// The column with the ID of the event.
    id: DynIden,
    is_events: bool,
}

impl EventTable {
    pub fn events() -> Self {
        Self {
            is_events: true,
            ..Self::new(Entity.table_name(), Column::Id.into_iden())
        }
    }

    pub fn links<L: Link>() -> Self {
        Self::new(L::default().table_name(), L::EVENT_ID.into_iden())
    }

    /// The categories of events with all their ancestors.
    pub fn category_closure() -> Self {
        Self::new(
            event_category_closure::Entity.table_name(),
            event_category_closure::Column::EventId.into_iden(),
        )
    }

    fn new(table: &str, id: DynIden) -> Self {
        let table = table.to_owned().into_iden();
        Self {
            name: table.clone(),
            table,
            id,
            is_events: false,
        }
    }

    /// The same table under another name.
    pub fn aliased(&self, name: &'static str) -> Self {
        Self {
            name: name.into_iden(),
            ..self.clone()
        }
    }

    pub fn is_events(&self) -> bool {
        self.is_events
    }

    pub fn column(&self, column: impl IntoIden) -> Expr {
        Expr::col((self.name.clone(), column.into_iden()))
    }

    /// The ID of the event.
    pub fn id(&self) -> Expr {
        Expr::col((self.name.clone(), self.id.clone()))
    }

    /// The rows that meet the condition, without columns yet.
    pub fn select(&self, condition: Condition) -> SelectStatement {
        Query::select()
            .from_as(self.table.clone(), self.name.clone())
            .cond_where(condition)
            .to_owned()
    }

    /// How many rows meet the condition.
    pub fn count(&self, condition: Condition) -> SelectStatement {
        self.select(condition).expr(count::rows()).to_owned()
    }

    /// How many rows meet both conditions, the second of which looks each event up in another table: in the order of
    /// their IDs, where it was for the one before.
    pub fn count_by_lookup(&self, condition: Condition, elsewhere: Condition) -> SelectStatement {
        let in_order = self
            .select(condition)
            .expr(self.id())
            .order_by_expr(self.id(), Order::Asc)
            // Without a limit, the order would be none that matters.
            .limit(i64::MAX.unsigned_abs())
            .to_owned();
        Query::select()
            .expr(count::rows())
            .from_subquery(in_order, self.name.clone())
            .cond_where(elsewhere)
            .to_owned()
    }

    /// The IDs of the events of some of the rows that meet the condition, in the order of lists.
    pub fn select_ids(&self, condition: Condition, limit: u64, offset: u64) -> SelectStatement {
        self.select(condition)
            .expr(self.id())
            .order_by_expr(self.column(Column::StartsAt), Order::Asc)
            .order_by_expr(self.id(), Order::Asc)
            .limit(limit)
            .offset(offset)
            .to_owned()
    }

    /// The IDs of the first events from either end, with their starts beside them.
    pub fn select_first_ids(&self, direction: Direction, condition: Condition, limit: u64) -> SelectStatement {
        let order = direction.order();
        self.select(condition)
            .expr(self.id())
            .expr(self.column(Column::StartsAt))
            .order_by_expr(self.column(Column::StartsAt), order.clone())
            .order_by_expr(self.id(), order)
            .limit(limit)
            .to_owned()
    }

    /// What the list shows at all: statuses, what is listed, and traits. On links only what is public can be told.
    pub fn base_condition(&self, query: &ResolvedQuery<'_>) -> Condition {
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

    /// Whether the columns have these values.
    pub fn has_flags(&self, flags: &[(Column, bool)]) -> Condition {
        let is_expected = |(column, expected): &(Column, bool)| self.column(*column).eq(*expected);
        flags.iter().map(is_expected).fold(Condition::all(), Condition::add)
    }

    /// Whether the event is in the scope, listed or not.
    pub fn in_scope(&self, scope: &Scope) -> Condition {
        match scope {
            Scope::Listed(window) => self.in_window(*window),
            Scope::Ids(ids) => Condition::all().add(self.id().is_in(ids.iter().copied())),
        }
    }

    /// Starts and ends in the window. No event ends before it starts, which bounds the starts on both sides.
    fn in_window(&self, window: Window) -> Condition {
        let Window { starts, ends } = window;
        let starts = starts.intersect(Span { from: None, ..ends });
        Condition::all()
            .add(self.in_span(Column::StartsAt, starts))
            .add(self.in_span(Column::EndsAt, ends))
    }

    pub fn in_span(&self, column: Column, span: Span) -> Condition {
        Condition::all()
            .add_option(span.from.map(|from| self.column(column).gte(from)))
            .add_option(span.before.map(|before| self.column(column).lt(before)))
    }
}
