//! The sums that are kept of the calendar: how many events start in each stretch of time
//! ([`crate::migrations::derived::EVENT_SLOTS`]).

use sea_orm::{
    Condition, ConnectionTrait, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};

use super::unfiltered::Calendar;
use crate::{calendar::window::Span, migrations::derived::EVENT_SLOTS, store::count};

/// Stretches are numbered by the upper bits of their seconds.
const SLOT_BITS: u32 = 16;

/// The first stretch that lies in the span as a whole, and the one after the last of them.
fn inside(span: Span) -> (Option<i64>, Option<i64>) {
    let first = span.from.map(|from| -(-from >> SLOT_BITS));
    let after = span.before.map(|before| before >> SLOT_BITS);
    (first, after)
}

impl Calendar<'_> {
    /// How many events are stored that start in the second part: the sums of whole stretches, and what the window
    /// has beside them.
    pub(super) fn stored_in_main(&self) -> Expr {
        let (first, after) = inside(self.main);
        if let (Some(first), Some(after)) = (first, after)
            && first >= after
        {
            return self.stored_in(self.main);
        }
        let time_buckets = count::of(self.time_buckets(first, after).expr(count::events()).to_owned());
        let total = time_buckets.add(self.stored_before(first));
        match after {
            Some(after) => total.add(self.stored_in(Span {
                from: Some(after << SLOT_BITS),
                before: self.main.before,
            })),
            None => total,
        }
    }

    /// Those of the stretch that the start of the second part cuts, if it has one.
    fn stored_before(&self, first: Option<i64>) -> Expr {
        match first {
            Some(first) => self.stored_in(Span {
                from: self.main.from,
                before: Some(first << SLOT_BITS),
            }),
            None => count::zero(),
        }
    }

    /// The sums of the stretches from `first` to the one before `after`.
    fn time_buckets(&self, first: Option<i64>, after: Option<i64>) -> SelectStatement {
        let flags = self.filter.flags;
        let is = |name: &'static str, wanted: Option<bool>| wanted.map(|wanted| Expr::col(name).eq(wanted));
        let condition = Condition::all()
            .add(Expr::col("status").is_in(self.statuses()))
            .add(Expr::col("hide_from_listings").eq(false))
            .add_option(first.map(|first| Expr::col("slot").gte(first)))
            .add_option(after.map(|after| Expr::col("slot").lt(after)))
            .add_option(is("featured", flags.featured))
            .add_option(is("ticketed", flags.ticketed))
            .add_option(is("located", flags.located));
        Query::select().from(EVENT_SLOTS.table).cond_where(condition).to_owned()
    }

    /// The start of the last stretch that begins within the first `offset` events of the second part, and how many
    /// of them lie before it.
    pub(super) async fn leap(&self, database: &impl ConnectionTrait, offset: u64) -> Result<(Option<i64>, u64), DbErr> {
        let from = self.main.from;
        let (first, after) = inside(self.main);
        let running = self
            .time_buckets(first, after)
            .expr_as(Expr::col("slot"), "slot")
            .expr_as(
                Expr::cust("SUM(SUM(events)) OVER (ORDER BY slot) - SUM(events)"),
                "earlier",
            )
            .group_by_col("slot")
            .to_owned();
        let earlier = Expr::cust("CAST(earlier AS bigint)").add(self.stored_before(first));
        // Those that are not seen are counted too: with them, no more than `offset` may lie before it.
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        let found = Query::select()
            .column("slot")
            .expr(earlier.clone())
            .from_subquery(running, "running")
            .and_where(earlier.lte(offset))
            .order_by("slot", Order::Desc)
            .limit(1)
            .to_owned();
        let Some(row) = database.query_one(&found).await? else {
            return Ok((from, 0));
        };
        let start = row.try_get_by_index::<i64>(0)? << SLOT_BITS;
        let stored = Expr::val(row.try_get_by_index::<i64>(1)?);
        let passed = Span {
            from,
            before: Some(start),
        };
        let seen = Query::select().expr(self.without_unseen(stored, passed)).to_owned();
        let passed = count::ask(database, &seen).await?;
        Ok((Some(start), passed.unsigned_abs()))
    }
}
