//! Counts of events by time bucket ([`crate::store::entity::event_time_bucket`]).

use sea_orm::{
    Condition, DbErr,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement},
};

use super::unfiltered::UnfilteredList;
use crate::{
    calendar::window::Span,
    store::{
        count,
        entity::event_time_bucket::{BITS, Column, Entity},
        read_connection::ReadConnection,
    },
};

/// The range of the buckets that are entirely in the span: the first one, and the one after the last.
fn whole_buckets(span: Span) -> (Option<i64>, Option<i64>) {
    let first = span.from.map(|from| -(-from >> BITS));
    let after = span.before.map(|before| before >> BITS);
    (first, after)
}

/// The number of events in earlier buckets, for a row of a query that is grouped by bucket.
fn events_before_bucket() -> Expr {
    Expr::cust("SUM(SUM(event_count)) OVER (ORDER BY time_bucket) - SUM(event_count)")
}

impl UnfilteredList<'_> {
    /// Counts the stored starting events: whole buckets by their counts, and the events of divided buckets by index.
    pub(super) fn stored_starting_count(&self) -> Expr {
        let (first, after) = whole_buckets(self.starting);
        if let (Some(first), Some(after)) = (first, after)
            && first >= after
        {
            return self.stored_count(self.starting);
        }
        let time_buckets = count::subquery(self.bucket_rows(first, after).expr(count::sum_of_events()).to_owned());
        let total = time_buckets.add(self.stored_count_before(first));
        match after {
            Some(after) => total.add(self.stored_count(Span {
                from: Some(after << BITS),
                before: self.starting.before,
            })),
            None => total,
        }
    }

    /// Counts the stored starting events before the first whole bucket.
    fn stored_count_before(&self, first: Option<i64>) -> Expr {
        match first {
            Some(first) => self.stored_count(Span {
                from: self.starting.from,
                before: Some(first << BITS),
            }),
            None => count::zero(),
        }
    }

    /// Selects the rows of the buckets from `first` to the one before `after`.
    fn bucket_rows(&self, first: Option<i64>, after: Option<i64>) -> SelectStatement {
        let condition = Condition::all()
            .add(Expr::col(Column::Status).is_in(self.statuses()))
            .add(Expr::col(Column::HideFromListings).eq(false))
            .add_option(first.map(|first| Expr::col(Column::TimeBucket).gte(first)))
            .add_option(after.map(|after| Expr::col(Column::TimeBucket).lt(after)));
        let flags = self.query.flags.iter();
        let condition = flags
            .map(|(column, expected)| Expr::col(*column).eq(*expected))
            .fold(condition, Condition::add);
        Query::select().from(Entity).cond_where(condition).to_owned()
    }

    /// Finds the last bucket with at most `offset` stored starting events before it. Returns its start and the number of
    /// visible starting events before it.
    pub(super) async fn skip_to_bucket(
        &self,
        database: &impl ReadConnection,
        offset: u64,
    ) -> Result<(Option<i64>, u64), DbErr> {
        let from = self.starting.from;
        let (first, after) = whole_buckets(self.starting);
        let running_totals = self
            .bucket_rows(first, after)
            .expr_as(Expr::col(Column::TimeBucket), "time_bucket")
            .expr_as(events_before_bucket(), "earlier")
            .group_by_col(Column::TimeBucket)
            .to_owned();
        let earlier = Expr::col("earlier")
            .cast_as("bigint")
            .add(self.stored_count_before(first));
        // Stored events include the excluded ones, so at most `offset` visible ones precede the bucket.
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        let last_bucket = Query::select()
            .column("time_bucket")
            .expr(earlier.clone())
            .from_subquery(running_totals, "running_totals")
            .and_where(earlier.lte(offset))
            .order_by("time_bucket", Order::Desc)
            .limit(1)
            .to_owned();
        let last_bucket: Option<[i64; 2]> = database.row(&last_bucket).await?;
        let Some([bucket, stored]) = last_bucket else {
            return Ok((from, 0));
        };
        let start = bucket << BITS;
        let stored = Expr::val(stored);
        let skipped = Span {
            from,
            before: Some(start),
        };
        let visible = Query::select().expr(self.without_excluded(stored, skipped)).to_owned();
        let skipped = count::fetch(database, &visible).await?;
        Ok((Some(start), skipped.unsigned_abs()))
    }
}
