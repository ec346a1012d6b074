//! Deletes objects in the trash permanently.

use std::{fmt, sync::Arc};

use sea_orm::{
    ColumnTrait, Condition, DbErr, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Func, LockType},
};

use super::{
    Publishable, Store, Transaction,
    entity::{event, organizer, venue},
    locks::{self, AdvisoryLock},
    read_connection::ReadConnection,
    series,
    write_connection::WriteConnection,
};
use crate::calendar::{Kind, status::Status};

/// Objects per transaction, to limit how long other writers wait.
const BATCH: usize = 200;

/// The number of deleted objects of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of events.
    pub events: u64,
    /// The number of venues.
    pub venues: u64,
    /// The number of organizers.
    pub organizers: u64,
}

impl fmt::Display for Removed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            events,
            venues,
            organizers,
        } = self;
        write!(formatter, "{events} events, {venues} venues, {organizers} organizers")
    }
}

/// Deletes the objects that were moved to the trash at `until` or earlier, in seconds since 1970 UTC, or all objects in the
/// trash. Several servers can run it at the same time.
pub async fn empty(store: &Store, until: Option<i64>) -> Result<Removed, DbErr> {
    let events = remove_all::<event::Entity>(store, until).await?;
    // Series whose last events were deleted.
    store
        .write(|transaction| async move { series::delete_empty(&*transaction).await })
        .await?;
    Ok(Removed {
        events,
        venues: remove_all::<venue::Entity>(store, until).await?,
        organizers: remove_all::<organizer::Entity>(store, until).await?,
    })
}

async fn remove_all<E: Publishable>(store: &Store, until: Option<i64>) -> Result<u64, DbErr> {
    let ids = find::<E>(store, until).await?;
    let mut removed = 0;
    for batch in ids.chunks(BATCH) {
        removed += remove::<E>(store, batch, until).await?;
    }
    Ok(removed)
}

/// Finds the IDs of the objects that may be deleted.
pub async fn find<E: Publishable>(store: &Store, until: Option<i64>) -> Result<Vec<i64>, DbErr> {
    let select = E::find()
        .select_only()
        .column(E::ID)
        .filter(is_removable::<E>(until))
        .order_by_asc(E::ID);
    store.reader().selected(select).await
}

/// Deletes those of the objects that may still be deleted: they may have been restored in the meantime.
pub async fn remove<E: Publishable>(store: &Store, ids: &[i64], until: Option<i64>) -> Result<u64, DbErr> {
    let delete = |transaction| delete::<E>(transaction, ids, until);
    store.write(delete).await
}

async fn delete<E: Publishable>(transaction: Arc<Transaction>, ids: &[i64], until: Option<i64>) -> Result<u64, DbErr> {
    if E::KIND == Kind::Event {
        // The links of events to categories are deleted with them, and a trigger takes this lock for that.
        locks::take(&*transaction, [AdvisoryLock::CategoryTreeShared]).await?;
    }
    // Rows are locked in the order of their IDs.
    let select = E::find()
        .select_only()
        .column(E::ID)
        .filter(E::ID.is_in(ids.iter().copied()))
        .filter(is_removable::<E>(until))
        .order_by_asc(E::ID)
        .lock(LockType::Update);
    let ids: Vec<i64> = transaction.selected(select).await?;
    transaction.run(E::delete_many().filter(E::ID.is_in(ids))).await
}

fn is_removable<E: Publishable>(until: Option<i64>) -> Condition {
    let is_trash = Condition::all().add(E::STATUS.eq(Status::Trash.as_str()));
    match until {
        // Servers of older releases set `modified_at` but not `trashed_at`.
        Some(until) => {
            let trashed_at = Func::coalesce(["trashed_at", "modified_at"].map(Expr::col));
            is_trash.add(Expr::from(trashed_at).lte(until))
        }
        None => is_trash,
    }
}
