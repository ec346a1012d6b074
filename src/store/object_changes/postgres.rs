//! The order of changes on PostgreSQL: their transactions, and snapshots that say which of them were committed.
//!
//! A transaction may be committed after others with higher IDs. Therefore a position is a whole snapshot, and the
//! changes since then are those of transactions that it does not see. No commit is missed, however late, and none is
//! read twice.

use sea_orm::{DbBackend, DbErr, Statement};

use super::{Change, Cursor, Head, Position, Range, bound, list};
use crate::{calendar::Kind, store::read_connection::ReadConnection};

/// The maximum number of transactions in progress that a position names. With more of them, the position is that before
/// the first one: later changes are read when fewer are in progress.
const MAX_IN_PROGRESS: usize = 64;

/// The row of the history is inserted again when a dump is restored, by another transaction (`xmin`). After a failover
/// or a recovery to a point in time, the server writes another timeline, the first eight digits of the name of the log
/// file.
const EPOCH: &str = "uuid || '-' || xmin::text || '-' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)";

pub(super) async fn head(database: &impl ReadConnection) -> Result<Head, DbErr> {
    let (snapshot, epoch) = current(database).await?;
    Ok(Head {
        position: Position(snapshot.limited().to_string()),
        epoch,
    })
}

async fn current(database: &impl ReadConnection) -> Result<(Snapshot, String), DbErr> {
    let text = format!("SELECT pg_current_snapshot()::text, {EPOCH} FROM change_epochs ORDER BY id DESC LIMIT 1");
    let statement = Statement::from_string(DbBackend::Postgres, text);
    let row = database.rows_of(statement).await?.pop();
    let [snapshot, epoch]: [String; 2] =
        row.ok_or_else(|| DbErr::RecordNotFound("the table change_epochs is empty".to_owned()))?;
    let snapshot = Snapshot::parse(&snapshot).ok_or_else(|| DbErr::Type(format!("not a snapshot: {snapshot}")))?;
    Ok((snapshot, epoch))
}

/// A snapshot that is ahead of the current one is from a state that was lost.
pub(super) async fn is_known(database: &impl ReadConnection, head: &Head) -> Result<bool, DbErr> {
    let Some(snapshot) = Snapshot::parse(&head.position.0) else {
        return Ok(false);
    };
    let (current, epoch) = current(database).await?;
    Ok(head.epoch == epoch && snapshot.end <= current.end)
}

pub(super) async fn changes(
    database: &impl ReadConnection,
    Range { since, until }: Range<'_>,
    after: Option<Cursor>,
    kinds: &[Kind],
    limit: usize,
) -> Result<Vec<Change>, DbErr> {
    // The empty text keeps the planner from looking up each kind in the index, which would lose its order.
    let text = format!(
        "SELECT transaction_id::text::bigint AS number, kind, object_id, changed_at FROM object_changes \
         WHERE transaction_id >= pg_snapshot_xmin($1::text::pg_snapshot) \
         AND transaction_id < pg_snapshot_xmax($2::text::pg_snapshot) \
         AND NOT pg_visible_in_snapshot(transaction_id, $1::text::pg_snapshot) \
         AND pg_visible_in_snapshot(transaction_id, $2::text::pg_snapshot) \
         AND (transaction_id, kind, object_id) > ($3::text::xid8, $4::text, $5::bigint) \
         AND kind || '' IN ({}) ORDER BY object_changes.transaction_id, kind, object_id LIMIT $6",
        list(kinds)
    );
    let (order, kind, id) = after.map_or((0, "", 0), |after| (after.order, after.kind.name(), after.id));
    let values = [
        since.0.as_str().into(),
        until.0.as_str().into(),
        order.to_string().into(),
        kind.into(),
        id.into(),
        bound(limit),
    ];
    database
        .rows_of(Statement::from_sql_and_values(DbBackend::Postgres, text, values))
        .await
}

/// A snapshot, whose text is `first:end:in,progress`.
#[derive(Debug, PartialEq, Eq)]
struct Snapshot {
    /// All transactions before this one have ended.
    first: u64,
    /// No transaction from this one on has ended.
    end: u64,
    /// Those between the two that have not ended, in ascending order.
    in_progress: Vec<u64>,
}

impl Snapshot {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (first, end, list) = (parts.next()?, parts.next()?, parts.next()?);
        let in_progress: Result<Vec<u64>, _> = list.split_terminator(',').map(str::parse).collect();
        let snapshot = Self {
            first: first.parse().ok()?,
            end: end.parse().ok()?,
            in_progress: in_progress.ok()?,
        };
        let is_between = |id: &u64| (snapshot.first..snapshot.end).contains(id);
        let is_valid = (1..=snapshot.end).contains(&snapshot.first)
            && i64::try_from(snapshot.end).is_ok()
            && snapshot.in_progress.iter().all(is_between)
            && snapshot.in_progress.is_sorted_by(|one, next| one < next)
            && parts.next().is_none();
        is_valid.then_some(snapshot)
    }

    /// The same snapshot, or an earlier one that is short.
    fn limited(self) -> Self {
        match self.in_progress.len() {
            ..=MAX_IN_PROGRESS => self,
            _ => Self {
                end: self.first,
                in_progress: Vec::new(),
                ..self
            },
        }
    }
}

impl std::fmt::Display for Snapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let in_progress: Vec<String> = self.in_progress.iter().map(u64::to_string).collect();
        write!(formatter, "{}:{}:{}", self.first, self.end, in_progress.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_parsed_strictly() {
        for text in ["5:5:", "5:9:6,8", "700:700:"] {
            let snapshot = Snapshot::parse(text).expect("a snapshot");
            assert_eq!(snapshot.to_string(), text);
        }
        for text in [
            "", "5", "5:5", "5:4:", "0:4:", "5:9:4", "5:9:9", "5:9:8,6", "5:9:6,6", "5:5::", "a:5:", "+5:6:x", "-1:5:",
        ] {
            assert_eq!(Snapshot::parse(text), None, "{text}");
        }
    }

    #[test]
    fn long_snapshots_become_earlier_ones() {
        let snapshot = |count: u64| Snapshot {
            first: 1,
            end: 1_000,
            in_progress: (1..=count).collect(),
        };
        assert_eq!(snapshot(64).limited(), snapshot(64));
        assert_eq!(snapshot(65).limited().to_string(), "1:1:");
    }
}
