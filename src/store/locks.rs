//! The locks of writers on PostgreSQL. All writers take them in the same order, so that they can't deadlock:
//!
//! 1. the category tree (an advisory lock),
//! 2. the rows of events,
//! 3. names and slugs ([`super::slugs::lock_name`]),
//! 4. the rows of venues, then those of organizers,
//! 5. the rows of categories and tags.
//!
//! Rows of one table are locked in the order of their IDs. A row that is locked twice is locked in the stronger mode
//! first. SQLite has one writer and needs no locks.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Func, LockType, Query},
};

use super::{Transaction, links::Link};
use crate::calendar::Kind;

/// The advisory lock of the category tree, which triggers of `categories` and `event_categories` also take: "tree" in
/// ASCII.
const CATEGORY_TREE: i64 = 0x7472_6565;
/// The advisory lock of re-derivation: "zone" in ASCII.
const REDERIVATION: i64 = 0x7a6f_6e65;

/// The mode in which a row is locked for an update. It allows links to the row, which take FOR KEY SHARE. The triggers of
/// venues need the stronger mode.
pub(crate) fn row_lock(kind: Kind) -> LockType {
    match kind {
        Kind::Venue => LockType::Update,
        _ => LockType::NoKeyUpdate,
    }
}

/// Locks the category tree exclusively, for writers that change the tree, or the status or location of a venue. The
/// triggers of both update events in no particular order.
pub(crate) async fn lock_category_tree(transaction: &impl ConnectionTrait) -> Result<(), DbErr> {
    take_advisory_lock(transaction, "pg_advisory_xact_lock", CATEGORY_TREE).await
}

/// Locks the category tree for writers that link events to categories, or change columns of events that links copy.
/// They do not exclude each other.
pub(crate) async fn lock_category_tree_shared(transaction: &impl ConnectionTrait) -> Result<(), DbErr> {
    take_advisory_lock(transaction, "pg_advisory_xact_lock_shared", CATEGORY_TREE).await
}

/// Locks the re-derivation of instants, so that one server at a time derives a batch.
pub(crate) async fn lock_rederivation(transaction: &impl ConnectionTrait) -> Result<(), DbErr> {
    take_advisory_lock(transaction, "pg_advisory_xact_lock", REDERIVATION).await
}

/// Takes an advisory lock with this function of PostgreSQL. The end of the transaction releases it.
async fn take_advisory_lock(transaction: &impl ConnectionTrait, function: &'static str, key: i64) -> Result<(), DbErr> {
    if is_postgres(transaction) {
        let lock = Query::select().expr(Func::cust(function).arg(key)).to_owned();
        transaction.execute(&lock).await?;
    }
    Ok(())
}

/// Locks the venues or organizers with these IDs, for a writer that replaces the links of an event: triggers recompute
/// the last event of those that the event no longer links to.
pub(crate) async fn lock_targets<L: Link>(transaction: &Transaction, ids: Vec<i64>) -> Result<(), DbErr> {
    if is_postgres(transaction) && !ids.is_empty() {
        L::Target::find()
            .select_only()
            .column(L::TARGET_KEY)
            .filter(L::TARGET_KEY.is_in(ids))
            .order_by_asc(L::TARGET_KEY)
            .lock(LockType::Update)
            .into_tuple::<i64>()
            .all(transaction)
            .await?;
    }
    Ok(())
}

/// Whether the database is PostgreSQL, which has concurrent writers.
pub(crate) fn is_postgres(transaction: &impl ConnectionTrait) -> bool {
    transaction.get_database_backend() == DbBackend::Postgres
}
