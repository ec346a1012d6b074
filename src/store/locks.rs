//! The locks of writers on PostgreSQL. All writers take them in the same order, so that they can't deadlock:
//!
//! 1. an idempotency key, then the batch, then an external ID (advisory locks),
//! 2. the category tree (an advisory lock),
//! 3. the rows of series,
//! 4. the rows of events,
//! 5. names, then slugs ([`AdvisoryLock`]),
//! 6. the rows of venues, then those of organizers,
//! 7. the rows of categories and tags.
//!
//! Rows of one table are locked in the order of their IDs. A row that is locked twice is locked in the stronger mode
//! first. SQLite has one writer and needs no locks.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Func, FunctionCall, LockType, Query},
};

use super::{
    Transaction, links::Link, publishable::ExternalId, read_connection::ReadConnection,
    write_connection::WriteConnection,
};
use crate::calendar::Kind;

/// The advisory lock of the category tree, which triggers of `categories` and `event_categories` also take: "tree" in
/// ASCII.
const CATEGORY_TREE: i64 = 0x7472_6565;
/// The advisory lock of re-derivation: "zone" in ASCII.
const REDERIVATION: i64 = 0x7a6f_6e65;
/// The advisory lock of the indexes of searches: "word" in ASCII.
const SEARCH_INDEX: i64 = 0x776f_7264;
/// The advisory lock of batches: "batc" in ASCII.
const BATCH: i64 = 0x6261_7463;

/// The mode in which a row is locked for an update. It allows links to the row, which take FOR KEY SHARE. The triggers of
/// venues need the stronger mode.
pub(crate) fn row_lock(kind: Kind) -> LockType {
    match kind {
        Kind::Venue => LockType::Update,
        _ => LockType::NoKeyUpdate,
    }
}

/// An advisory lock. Writers take several of them in the order of the variants and keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AdvisoryLock {
    /// A key in the header `Idempotency-Key` of a user's request. See [`try_take`].
    IdempotencyKey(i64, String),
    /// The batches with one transaction for all requests, those with a key included, whose locks are in no particular
    /// order: they would deadlock with each other. A conflict with another writer repeats one of the two.
    Batch,
    /// The ID of an object in another system, for requests that create the object unless it exists.
    ExternalId(String),
    /// The category tree, for writers that change it, or the status or location of a venue. The triggers of both update
    /// events in no particular order.
    CategoryTree,
    /// The category tree, for writers that link events to categories, or change columns of events that links copy. They
    /// do not exclude each other.
    CategoryTreeShared,
    /// The re-derivation of instants, so that one server at a time derives a batch.
    Rederivation,
    /// The indexes of searches, so that one server at a time adds words. Its holder locks no other rows.
    SearchIndex,
    /// A name.
    Name(String),
    /// The stem of a slug. Its writer may already have names that others wait for, so that names and slugs must differ.
    Slug(String),
}

impl AdvisoryLock {
    /// The lock of a folded name of objects of this kind.
    pub(crate) fn of_name(kind: Kind, name_key: &str) -> Self {
        Self::Name(format!("{}:{name_key}", kind.name()))
    }

    /// The lock of the ID of an object of this kind in another system.
    pub(crate) fn of_external_id(kind: Kind, ExternalId { source, id }: &ExternalId) -> Self {
        Self::ExternalId(format!("{} external ID:{source}:{id}", kind.name()))
    }

    /// The lock of the stem of a slug of objects of this kind.
    pub(crate) fn of_slug(kind: Kind, stem: &str) -> Self {
        Self::Slug(format!("{} slug:{stem}", kind.name()))
    }

    /// The call of PostgreSQL's function that takes the lock.
    fn call(&self) -> FunctionCall {
        match self {
            Self::CategoryTreeShared => self.call_of("pg_advisory_xact_lock_shared"),
            _ => self.call_of("pg_advisory_xact_lock"),
        }
    }

    /// The call of a function with the number of the lock.
    fn call_of(&self, function: &'static str) -> FunctionCall {
        let function = Func::cust(function);
        let hash = |text: &str| Func::cust("hashtextextended").arg(text).arg(0_i64);
        match self {
            Self::IdempotencyKey(user, key) => function.arg(hash(&format!("{user} key:{key}"))),
            Self::Batch => function.arg(BATCH),
            Self::CategoryTree | Self::CategoryTreeShared => function.arg(CATEGORY_TREE),
            Self::Rederivation => function.arg(REDERIVATION),
            Self::SearchIndex => function.arg(SEARCH_INDEX),
            Self::ExternalId(text) | Self::Name(text) | Self::Slug(text) => function.arg(hash(text)),
        }
    }
}

/// Locks per statement. PostgreSQL allows 1664 expressions in a `SELECT`.
const LOCKS: usize = 1000;

/// Takes advisory locks, up to [`LOCKS`] with one statement. The end of the transaction releases them.
pub(crate) async fn take(
    transaction: &impl WriteConnection,
    locks: impl IntoIterator<Item = AdvisoryLock>,
) -> Result<(), DbErr> {
    let in_order: BTreeSet<AdvisoryLock> = locks.into_iter().collect();
    if is_postgres(transaction) {
        // The server evaluates them in this order.
        let calls: Vec<FunctionCall> = in_order.iter().map(AdvisoryLock::call).collect();
        for calls in calls.chunks(LOCKS) {
            transaction
                .execute(Query::select().exprs(calls.iter().cloned()))
                .await?;
        }
    }
    Ok(())
}

/// Takes an advisory lock unless another transaction has it. Returns whether it was taken. SQLite needs no locks.
pub(crate) async fn try_take(transaction: &impl ReadConnection, lock: &AdvisoryLock) -> Result<bool, DbErr> {
    if !is_postgres(transaction) {
        return Ok(true);
    }
    let call = lock.call_of("pg_try_advisory_xact_lock");
    let taken = transaction.row(Query::select().expr(call)).await?;
    Ok(taken.unwrap_or(false))
}

/// Locks the venues or organizers with these IDs, for a writer that replaces the links of an event: triggers recompute
/// the last event of those that the event no longer links to.
pub(crate) async fn lock_targets<L: Link>(transaction: &Transaction, ids: Vec<i64>) -> Result<(), DbErr> {
    if is_postgres(transaction) && !ids.is_empty() {
        let select = L::Target::find()
            .select_only()
            .column(L::TARGET_KEY)
            .filter(L::TARGET_KEY.is_in(ids))
            .order_by_asc(L::TARGET_KEY)
            .lock(LockType::Update);
        transaction.selected::<i64, _>(select).await?;
    }
    Ok(())
}

/// Whether the database is PostgreSQL, which has concurrent writers.
pub(crate) fn is_postgres(transaction: &impl ReadConnection) -> bool {
    transaction.backend() == DbBackend::Postgres
}
