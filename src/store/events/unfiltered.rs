//! Lists of all events in a window, filtered by flags at most.
//!
//! The total is the sum of the time buckets in the window ([`super::time_buckets`]), so its cost does not depend on the
//! number of events. A page at a high offset is located by the same sums. The few events that the buckets miscount are
//! counted by index: those in buckets that a bound of the window divides, those that end after the window, and those
//! scheduled for publication.

use futures_util::future::try_join;
use sea_orm::{
    Condition, DbBackend, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, UnionType},
};

use super::{
    Direction, EventIds, IdPage, Total,
    event_table::{EventTable, in_span},
    plan::ResolvedQuery,
};
use crate::{
    calendar::{
        status::Status,
        window::{Span, Window},
    },
    store::{
        PageRequest, count,
        denormalised::{LONG_EVENT, VERY_LONG_EVENT},
        entity::event::Column,
        read_connection::ReadConnection,
    },
};

/// Higher offsets are located by time buckets.
const SKIP_THRESHOLD: u64 = 1000;

/// Returns an expression for the number of events in the list.
pub(super) fn total(query: &ResolvedQuery<'_>, window: Window) -> Expr {
    let list = UnfilteredList::new(query, window);
    list.ongoing_count().add(list.starting_count())
}

/// Returns an expression for the number of events in the list that have a published venue with coordinates, if no venue
/// is scheduled for publication.
pub(super) fn located_total(query: &ResolvedQuery<'_>, window: Window) -> Expr {
    let mut located = ResolvedQuery::unfiltered(query.visibility, query.scope);
    located.flags.clone_from(&query.flags);
    located.flags.push((Column::Located, true));
    total(&located, window)
}

/// Reads the IDs of a page, in no particular order.
pub(super) async fn page(
    database: &impl ReadConnection,
    query: &ResolvedQuery<'_>,
    window: Window,
    direction: Direction,
    request: PageRequest,
) -> Result<IdPage, DbErr> {
    let list = UnfilteredList::new(query, window);
    let counts = list.counts(database.backend());
    let known = counts.known(database);
    let is_first = direction == Direction::Forward && request.offset() == 0;
    if known.is_none() && is_first && database.backend() == DbBackend::Postgres {
        // The counts take longer than the page, which is therefore read at the same time.
        let ids = list.first_ids(request.per_page);
        return Ok((Total::Unread(Box::new(counts)), EventIds::Subquery(Box::new(ids))));
    }
    let (ongoing, starting) = match known {
        Some(known) => known,
        None => counts.read(database).await?,
    };
    let total = ongoing + starting;
    if request.offset() >= total {
        return Ok((Total::Known(total), EventIds::List(Vec::new())));
    }
    let (offset, limit) = direction.rows_forward(request, total);
    let from_ongoing = std::cmp::min(ongoing.saturating_sub(offset), limit);
    let from_starting = limit - from_ongoing;
    let ids = match (from_ongoing, from_starting) {
        (0, _) => list.starting_ids(database, from_starting, offset - ongoing).await?,
        (_, 0) => list.ongoing_ids(from_ongoing, offset),
        _ => {
            let ongoing = as_subquery(list.ongoing_ids(from_ongoing, offset));
            let starting = as_subquery(list.starting_ids(database, from_starting, 0).await?);
            union_all(ongoing, starting)
        }
    };
    Ok((Total::Known(total), EventIds::Subquery(Box::new(ids))))
}

/// The statements that count an unfiltered list.
pub(super) struct Counts {
    /// The ongoing events, and the stored starting events that do not end too late.
    stored: SelectStatement,
    /// The starting events that are scheduled for publication. On SQLite, `stored` already excludes them. PostgreSQL
    /// counts them at the same time, because that takes about as long as counting all others.
    scheduled: Option<SelectStatement>,
}

impl Counts {
    /// Returns the numbers of ongoing and of starting events if they are known from earlier reads.
    fn known(&self, database: &impl ReadConnection) -> Option<(u64, u64)> {
        let stored = count::known(database, &self.stored)?;
        let scheduled = match &self.scheduled {
            Some(scheduled) => count::known(database, scheduled)?[0],
            None => 0,
        };
        Some(Self::visible(stored, scheduled))
    }

    /// Reads the numbers of ongoing and of starting events.
    pub(super) async fn read(&self, database: &impl ReadConnection) -> Result<(u64, u64), DbErr> {
        let scheduled = async {
            match &self.scheduled {
                Some(scheduled) => count::fetch_one(database, scheduled).await,
                None => Ok(0),
            }
        };
        let (stored, scheduled) = try_join(count::fetch_both(database, &self.stored), scheduled).await?;
        Ok(Self::visible(stored, scheduled))
    }

    fn visible([ongoing, stored]: [i64; 2], scheduled: i64) -> (u64, u64) {
        (ongoing.unsigned_abs(), (stored - scheduled).unsigned_abs())
    }
}

/// The events of a window in two consecutive parts: the ongoing ones, which start before the earliest permitted end, and
/// the starting ones, which start later and therefore never end too early.
pub(super) struct UnfilteredList<'query> {
    table: EventTable,
    pub(super) query: &'query ResolvedQuery<'query>,
    window: Window,
    /// The earliest permitted end, and the range of the starts of ongoing events, if there can be any.
    ongoing: Option<(i64, Span)>,
    /// The range of the starts of starting events.
    pub(super) starting: Span,
}

impl<'query> UnfilteredList<'query> {
    fn new(query: &'query ResolvedQuery<'query>, window: Window) -> Self {
        let Window { starts, ends } = window;
        let first = ends.from.filter(|first| starts.from.is_none_or(|from| from < *first));
        let before = |before: Option<i64>| Span { from: None, before };
        Self {
            table: EventTable::events(),
            query,
            window,
            ongoing: first.map(|first| {
                let starts = starts.intersect(before(ends.before)).intersect(before(Some(first)));
                (first, starts)
            }),
            starting: starts.intersect(ends),
        }
    }

    fn visible(&self) -> Condition {
        self.table.base_condition(self.query)
    }

    fn starts_in(&self, span: Span) -> Condition {
        self.table.in_span(Column::StartsAt, span)
    }

    fn starts_in_unindexed(&self, span: Span) -> Condition {
        in_span(self.table.unindexed_start(), span)
    }

    fn ongoing_count(&self) -> Expr {
        self.sum_of_counts(self.ongoing_parts())
    }

    fn ongoing_ids(&self, limit: u64, offset: u64) -> SelectStatement {
        match self.ongoing_starts().reduce(union_all) {
            Some(union) => ids_by_start(union, limit, offset),
            None => {
                let none = Condition::any().add(Expr::val(false));
                self.table.select_ids(Direction::Forward, none)
            }
        }
    }

    /// Selects the IDs of the first events, without the counts.
    fn first_ids(&self, limit: u64) -> SelectStatement {
        let starting = self
            .table
            .select_first_ids(Direction::Forward, self.visible_starting(self.starting), limit);
        let starting = Query::select()
            .columns(["id", "starts_at"])
            .from_subquery(starting, "starting")
            .to_owned();
        ids_by_start(self.ongoing_starts().fold(starting, union_all), limit, 0)
    }

    /// Selects the IDs and the starts of the ongoing events. Each part is served by an index of its own.
    fn ongoing_starts(&self) -> impl Iterator<Item = SelectStatement> {
        self.ongoing_parts().into_iter().map(|part| {
            self.table
                .select(part)
                .expr(self.table.id())
                .expr(self.table.column(Column::StartsAt))
                .to_owned()
        })
    }

    fn ongoing_parts(&self) -> Vec<Condition> {
        let Some((first, starts)) = self.ongoing else {
            return Vec::new();
        };
        let ends = self.window.ends;
        self.ongoing_at(first, starts)
            .map(|part| part.add(self.table.in_span(Column::EndsAt, ends)))
            .into()
    }

    /// Conditions for the visible events that start in the span and end at the instant or later, by their length: the short
    /// ones started recently, the long ones end soon, and the very long ones are few.
    fn ongoing_at(&self, instant: i64, starts: Span) -> [Condition; 3] {
        let recent = starts.intersect(Span {
            from: Some(instant - LONG_EVENT),
            before: None,
        });
        let soon = Span {
            from: Some(instant),
            before: starts.before.map(|before| before + VERY_LONG_EVENT),
        };
        let until = self.table.column(Column::EndsAt).gte(instant);
        let has_length = |length: &str, limit: i64| Expr::cust(format!("ends_at - starts_at {length} {limit}"));
        [
            self.visible()
                .add(self.starts_in(recent))
                .add(until.clone())
                .add(has_length("<=", LONG_EVENT)),
            self.visible()
                .add(self.starts_in_unindexed(starts))
                .add(self.table.in_span(Column::EndsAt, soon))
                .add(has_length(">", LONG_EVENT))
                .add(has_length("<=", VERY_LONG_EVENT)),
            self.visible()
                .add(self.starts_in_unindexed(starts))
                .add(until)
                .add(has_length(">", VERY_LONG_EVENT)),
        ]
    }

    fn counts(&self, backend: DbBackend) -> Counts {
        let (starting, scheduled) = match backend {
            DbBackend::Postgres if !self.starting.is_empty() => {
                let starting = self.stored_starting_count().sub(self.too_late_count(self.starting));
                (starting, self.scheduled_count(self.starting))
            }
            _ => (self.starting_count(), None),
        };
        Counts {
            stored: count::both(self.ongoing_count(), starting),
            scheduled: scheduled.map(|scheduled| Query::select().expr(scheduled).to_owned()),
        }
    }

    fn starting_count(&self) -> Expr {
        match self.starting.is_empty() {
            true => count::zero(),
            false => self.without_excluded(self.stored_starting_count(), self.starting),
        }
    }

    /// Counts the stored events that start in the span.
    pub(super) fn stored_count(&self, span: Span) -> Expr {
        let stored = self.stored().add(self.starts_in(span));
        count::subquery(self.table.count(stored))
    }

    /// Subtracts the stored events that start in the span but end after the window or are scheduled for publication.
    pub(super) fn without_excluded(&self, total: Expr, span: Span) -> Expr {
        let total = total.sub(self.too_late_count(span));
        match self.scheduled_count(span) {
            Some(scheduled) => total.sub(scheduled),
            None => total,
        }
    }

    /// Counts the visible events that start in the span but end after the window.
    fn too_late_count(&self, span: Span) -> Expr {
        let end = self.window.ends.before;
        self.sum_of_counts(end.into_iter().flat_map(|end| self.ongoing_at(end, span)))
    }

    /// Counts the stored events that start in the span and are scheduled for publication, if they are not in the list.
    fn scheduled_count(&self, span: Span) -> Option<Expr> {
        self.excludes_scheduled().then(|| {
            let now = self.query.visibility.now;
            let scheduled = self
                .stored()
                .add(self.starts_in_unindexed(span))
                .add(self.table.column(Column::PublishedAt).gt(now));
            count::subquery(self.table.count(scheduled))
        })
    }

    fn sum_of_counts(&self, parts: impl IntoIterator<Item = Condition>) -> Expr {
        let counts = parts.into_iter().map(|part| count::subquery(self.table.count(part)));
        counts.fold(count::zero(), ExprTrait::add)
    }

    fn excludes_scheduled(&self) -> bool {
        let statuses = &self.query.visibility.statuses;
        statuses.contains(&Status::Publish) && !statuses.contains(&Status::Future)
    }

    /// Listed events with the stored statuses, including those scheduled for publication.
    fn stored(&self) -> Condition {
        Condition::all()
            .add(self.table.column(Column::Status).is_in(self.statuses()))
            .add(self.table.column(Column::HideFromListings).eq(false))
            .add(self.table.has_flags(&self.query.flags))
    }

    pub(super) fn statuses(&self) -> Vec<&'static str> {
        let statuses = &self.query.visibility.statuses;
        let mut stored: Vec<&str> = statuses.iter().map(|status| status.stored()).collect();
        stored.sort_unstable();
        stored.dedup();
        stored
    }

    /// The events of the list that start in the span, which begins after the ongoing events.
    fn visible_starting(&self, span: Span) -> Condition {
        let ends = Span {
            from: None,
            ..self.window.ends
        };
        self.visible()
            .add(self.starts_in(span))
            .add(self.table.in_span(Column::EndsAt, ends))
    }

    async fn starting_ids(
        &self,
        database: &impl ReadConnection,
        limit: u64,
        offset: u64,
    ) -> Result<SelectStatement, DbErr> {
        let (from, skipped) = match offset > SKIP_THRESHOLD {
            true => self.skip_to_bucket(database, offset).await?,
            false => (self.starting.from, 0),
        };
        let condition = self.visible_starting(Span { from, ..self.starting });
        Ok(self
            .table
            .select_ids(Direction::Forward, condition)
            .limit(limit)
            .offset(offset - skipped)
            .to_owned())
    }
}

/// Selects IDs from a statement that selects IDs and starts.
fn ids_by_start(events: SelectStatement, limit: u64, offset: u64) -> SelectStatement {
    Query::select()
        .column("id")
        .from_subquery(events, "parts")
        .order_by("starts_at", Order::Asc)
        .order_by("id", Order::Asc)
        .limit(limit)
        .offset(offset)
        .to_owned()
}

fn union_all(mut one: SelectStatement, other: SelectStatement) -> SelectStatement {
    one.union(UnionType::All, other).to_owned()
}

/// Wraps the statement, so that its limit does not apply to the whole union.
fn as_subquery(ids: SelectStatement) -> SelectStatement {
    Query::select().column("id").from_subquery(ids, "page").to_owned()
}
