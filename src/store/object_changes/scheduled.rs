//! Scheduled publications: objects that become visible when their time comes, without a write.

use sea_orm::{DbErr, Statement};

use super::{Change, Cursor, bound};
use crate::{
    calendar::Kind,
    store::{
        read_connection::ReadConnection,
        row::{FromRow, Row},
    },
};

/// The kinds that can be scheduled, in the order of the statement.
const KINDS: [Kind; 3] = [Kind::Event, Kind::Venue, Kind::Organizer];

/// A row with the time, the rank of the kind, and the ID.
struct Due(Change);

impl FromRow for Due {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        let rank = usize::try_from(row.integer(1)?).ok();
        let kind = rank.and_then(|rank| KINDS.get(rank).copied());
        let published_at = row.integer(0)?;
        Ok(Self(Change {
            order: published_at,
            kind: kind.ok_or_else(|| DbErr::Type("a kind without a publication".to_owned()))?,
            id: row.integer(2)?,
            changed_at: published_at,
        }))
    }
}

/// The first objects of these kinds whose publication was due after `since` and not after `until`, after the cursor, in
/// the order of their times.
pub(crate) async fn due(
    database: &impl ReadConnection,
    since: i64,
    until: i64,
    after: Option<Cursor>,
    kinds: &[Kind],
    limit: usize,
) -> Result<Vec<Change>, DbErr> {
    // An index on the status and the time has these rows.
    let of_kind = |(rank, kind): (usize, Kind)| {
        format!(
            "SELECT published_at, CAST({rank} AS bigint), id FROM {} WHERE status = 'publish' \
             AND published_at > $1 AND published_at <= $2 AND (published_at, {rank}, id) > ($3, $4, $5)",
            kind.plural()
        )
    };
    let ranked = KINDS.into_iter().enumerate();
    let parts: Vec<String> = ranked.filter(|(_, kind)| kinds.contains(kind)).map(of_kind).collect();
    if parts.is_empty() || since >= until {
        return Ok(Vec::new());
    }
    let text = format!("{} ORDER BY 1, 2, 3 LIMIT $6", parts.join(" UNION ALL "));
    let cursor = after.and_then(|after| {
        let rank = KINDS.iter().position(|kind| *kind == after.kind)?;
        Some((after.order, i64::try_from(rank).ok()?, after.id))
    });
    let (order, rank, id) = cursor.unwrap_or((i64::MIN, 0, 0));
    let values = [
        since.into(),
        until.into(),
        order.into(),
        rank.into(),
        id.into(),
        bound(limit),
    ];
    let statement = Statement::from_sql_and_values(database.backend(), text, values);
    let rows: Vec<Due> = database.rows_of(statement).await?;
    Ok(rows.into_iter().map(|Due(change)| change).collect())
}
