//! The locks that writers take on PostgreSQL. Writers that take them in one order can't wait for each other in a circle:
//!
//! 1. the tree of categories,
//! 2. the rows of events,
//! 3. names and slugs ([`super::slugs::lock_name`]),
//! 4. the rows of venues, then those of organizers,
//! 5. the rows of categories and tags.
//!
//! Of one table, the row with the lowest ID comes first. What is locked twice is locked in its stronger mode first.
//! SQLite has one writer anyway.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
    sea_query::LockType,
};

use super::{Transaction, links::Link};
use crate::calendar::Kind;

/// The advisory lock that the triggers of `m0013_turns_at_the_tree` take.
const CATEGORY_TREE: i64 = 0x7472_6565;

/// The mode in which a row is locked that is to be updated. Links to it may come and go (they take FOR KEY SHARE).
/// A venue's own triggers need the stronger one.
pub fn row_lock(kind: Kind) -> LockType {
    match kind {
        Kind::Venue => LockType::Update,
        _ => LockType::NoKeyUpdate,
    }
}

/// Exclusive, for writers that change the tree of categories, or the status or location of a venue. The triggers of both
/// update the events concerned in no particular order.
pub async fn lock_category_tree(transaction: &impl ConnectionTrait) -> Result<(), DbErr> {
    take_category_tree_lock(transaction, "pg_advisory_xact_lock").await
}

/// For writers that file events under categories, or change what lists of categories know of events: together, while
/// nobody changes the tree.
pub async fn lock_category_tree_shared(transaction: &impl ConnectionTrait) -> Result<(), DbErr> {
    take_category_tree_lock(transaction, "pg_advisory_xact_lock_shared").await
}

async fn take_category_tree_lock(transaction: &impl ConnectionTrait, function: &str) -> Result<(), DbErr> {
    if is_postgres(transaction) {
        let lock = format!("SELECT {function}({CATEGORY_TREE})");
        let lock = Statement::from_string(DbBackend::Postgres, lock);
        transaction.execute_raw(lock).await?;
    }
    Ok(())
}

/// The venues or organizers with these IDs, for a writer that replaces the links of an event: those it leaves look for
/// their last event anew.
pub async fn lock_targets<L: Link>(transaction: &Transaction, ids: Vec<i64>) -> Result<(), DbErr> {
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

/// Whether there are other writers to wait for.
pub fn is_postgres(transaction: &impl ConnectionTrait) -> bool {
    transaction.get_database_backend() == DbBackend::Postgres
}
