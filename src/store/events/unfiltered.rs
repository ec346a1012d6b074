//! Lists of the whole calendar, narrowed to dates and traits alone.
//!
//! However many events lie in the window, its total is a sum over time buckets ([`super::time_buckets`]), and a page far
//! behind is found by the same sums. What the buckets can't tell is counted by index, and is little: the events of the
//! buckets that the window cuts, those that go on beyond its end, and those whose publication is still to come.

use sea_orm::{
    Condition, ConnectionTrait, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, UnionType},
};

use super::{Found, Ids, event_table::Source, plan::ResolvedQuery};
use crate::{
    calendar::{
        status::Status,
        window::{Span, Window},
    },
    store::{PageRequest, count, denormalised::LONG_EVENT, entity::event::Column},
};

/// Up to so many events are passed over one by one.
const PASSED_OVER: u64 = 1000;

/// How many events the list has.
pub fn total(query: &ResolvedQuery<'_>, window: Window) -> Expr {
    let calendar = Calendar::new(query, window);
    calendar.early_total().add(calendar.main_total())
}

/// The page of the list.
pub async fn page(
    database: &impl ConnectionTrait,
    query: &ResolvedQuery<'_>,
    window: Window,
    request: PageRequest,
) -> Result<Found, DbErr> {
    let calendar = Calendar::new(query, window);
    let (early, main) = count::ask_both(database, calendar.early_total(), calendar.main_total()).await?;
    let offset = request.offset();
    let total = early + main;
    if offset >= total {
        return Ok((total, Ids::Of(Vec::new())));
    }
    let from_early = std::cmp::min(early.saturating_sub(offset), request.per_page);
    let from_main = request.per_page - from_early;
    let ids = match (from_early, from_main) {
        (0, _) => calendar.main_ids(database, from_main, offset - early).await?,
        (_, 0) => calendar.early_ids(from_early, offset),
        _ => {
            let early = nested(calendar.early_ids(from_early, offset));
            let main = nested(calendar.main_ids(database, from_main, 0).await?);
            both(early, main)
        }
    };
    Ok((total, Ids::SelectedBy(Box::new(ids))))
}

/// The events of a window, in two parts that follow each other: those that have started before the first instant
/// at which they may end, and the others, of which none can end too early.
pub(super) struct Calendar<'query> {
    source: Source,
    pub(super) query: &'query ResolvedQuery<'query>,
    window: Window,
    /// The first instant at which events may end, and the starts of those that have started before it, if there
    /// may be any.
    early: Option<(i64, Span)>,
    /// Starts of the second part.
    pub(super) main: Span,
}

impl<'query> Calendar<'query> {
    fn new(query: &'query ResolvedQuery<'query>, window: Window) -> Self {
        let Window { starts, ends } = window;
        let first = ends.from.filter(|first| starts.from.is_none_or(|from| from < *first));
        let before = |before: Option<i64>| Span { from: None, before };
        Self {
            source: Source::events(),
            query,
            window,
            early: first.map(|first| {
                let starts = starts.intersect(before(ends.before)).intersect(before(Some(first)));
                (first, starts)
            }),
            main: starts.intersect(ends),
        }
    }

    fn visible(&self) -> Condition {
        self.source.shown(self.query)
    }

    fn started_in(&self, span: Span) -> Condition {
        self.source.in_span(Column::StartsAt, span)
    }

    /// The same, where the index of starts must not be chosen: it finds far more than the one that serves.
    fn started_somewhere_in(&self, span: Span) -> Condition {
        let starts_at = self.source.column(Column::StartsAt).add(0);
        Condition::all()
            .add_option(span.from.map(|from| starts_at.clone().gte(from)))
            .add_option(span.before.map(|before| starts_at.lt(before)))
    }

    fn early_total(&self) -> Expr {
        self.early_parts()
            .into_iter()
            .map(|part| count::of(self.source.count(part)))
            .fold(count::zero(), ExprTrait::add)
    }

    fn early_ids(&self, limit: u64, offset: u64) -> SelectStatement {
        // Each part on its own stays on its index.
        let parts = self.early_parts().into_iter().map(|part| {
            self.source
                .rows(part)
                .expr(self.source.id())
                .expr(self.source.column(Column::StartsAt))
                .to_owned()
        });
        let Some(together) = parts.reduce(both) else {
            return self.source.ids(Condition::any().add(Expr::val(false)), 0, 0);
        };
        Query::select()
            .column("id")
            .from_subquery(together, "parts")
            .order_by("starts_at", Order::Asc)
            .order_by("id", Order::Asc)
            .limit(limit)
            .offset(offset)
            .to_owned()
    }

    fn early_parts(&self) -> Vec<Condition> {
        let Some((first, starts)) = self.early else {
            return Vec::new();
        };
        let ends = self.window.ends;
        self.going_on_at(first, starts)
            .map(|part| part.add(self.source.in_span(Column::EndsAt, ends)))
            .into()
    }

    /// The visible events that start in the span and end at the instant or later: those that may have started
    /// shortly before it, and the few long ones.
    fn going_on_at(&self, instant: i64, starts: Span) -> [Condition; 2] {
        let recent = starts.intersect(Span {
            from: Some(instant - LONG_EVENT),
            before: None,
        });
        let until = self.source.column(Column::EndsAt).gte(instant);
        let lasts = |length: &str| Expr::cust(format!("ends_at - starts_at {length} {LONG_EVENT}"));
        [
            self.visible()
                .add(self.started_in(recent))
                .add(until.clone())
                .add(lasts("<=")),
            self.visible()
                .add(self.started_somewhere_in(starts))
                .add(until)
                .add(lasts(">")),
        ]
    }

    fn main_total(&self) -> Expr {
        match (self.main.from, self.main.before) {
            (Some(from), Some(before)) if from >= before => count::zero(),
            _ => self.without_unseen(self.stored_in_main(), self.main),
        }
    }

    pub(super) fn stored_in(&self, span: Span) -> Expr {
        let stored = self.stored().add(self.started_in(span));
        count::of(self.source.count(stored))
    }

    /// Without those that go on beyond the end of the window, and those that are not public yet.
    pub(super) fn without_unseen(&self, total: Expr, span: Span) -> Expr {
        self.unseen(span)
            .into_iter()
            .map(|part| count::of(self.source.count(part)))
            .fold(total, ExprTrait::sub)
    }

    fn unseen(&self, span: Span) -> Vec<Condition> {
        let mut parts = Vec::new();
        if let Some(end) = self.window.ends.before {
            parts.extend(self.going_on_at(end, span));
        }
        if self.hides_planned() {
            let now = self.query.visibility.now;
            parts.push(
                self.stored()
                    .add(self.started_somewhere_in(span))
                    .add(self.source.column(Column::PublishedAt).gt(now)),
            );
        }
        parts
    }

    fn hides_planned(&self) -> bool {
        let statuses = &self.query.visibility.statuses;
        statuses.contains(&Status::Publish) && !statuses.contains(&Status::Future)
    }

    /// What is stored with the statuses asked for, public already or not.
    fn stored(&self) -> Condition {
        Condition::all()
            .add(self.source.column(Column::Status).is_in(self.statuses()))
            .add(self.source.column(Column::HideFromListings).eq(false))
            .add(self.source.has(&self.query.flags))
    }

    pub(super) fn statuses(&self) -> Vec<&'static str> {
        let statuses = &self.query.visibility.statuses;
        let mut stored: Vec<&str> = statuses.iter().map(|status| status.stored()).collect();
        stored.sort_unstable();
        stored.dedup();
        stored
    }

    async fn main_ids(
        &self,
        database: &impl ConnectionTrait,
        limit: u64,
        offset: u64,
    ) -> Result<SelectStatement, DbErr> {
        let (from, passed) = match offset > PASSED_OVER {
            true => self.leap(database, offset).await?,
            false => (self.main.from, 0),
        };
        let span = Span { from, ..self.main };
        let ended = Span {
            from: None,
            ..self.window.ends
        };
        let condition = self
            .visible()
            .add(self.started_in(span))
            .add(self.source.in_span(Column::EndsAt, ended));
        Ok(self.source.ids(condition, limit, offset - passed))
    }
}

fn both(mut one: SelectStatement, other: SelectStatement) -> SelectStatement {
    one.union(UnionType::All, other).to_owned()
}

/// The same IDs, where a limit of their own does not limit what comes beside them.
fn nested(ids: SelectStatement) -> SelectStatement {
    Query::select().column("id").from_subquery(ids, "page").to_owned()
}
