//! Compares derived columns that SQL can't compute with the columns that they are derived from, and computes them again.

use std::sync::Arc;

use sea_orm::{
    ActiveModelBehavior, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::LockType,
};
use tokio::task::spawn_blocking;

use super::{Progress, TransferError, derive::derived_term, kinds::Record};
use crate::{
    calendar::html::text_content,
    services,
    store::{
        Snapshot, Store, Transaction,
        entity::{category, event, organizer, tag, venue},
        read_connection::ReadConnection,
        rows,
        write_connection::WriteConnection,
    },
};

/// Rows per statement.
const PAGE: u64 = 500;
/// Rows per transaction of a repair, to limit how long other writers wait.
const BATCH: u64 = 100;

/// A table with derived columns.
trait Derived:
    Record<
        Model: IntoActiveModel<<Self as EntityTrait>::ActiveModel> + PartialEq + Sync,
        ActiveModel: ActiveModelBehavior + Send,
    >
{
    /// Computes the derived columns, except those that a server still has to fill in after an upgrade, and the positions
    /// of venues on the globe, whose last digits may depend on the processor.
    fn derive(row: &mut Self::Model);
    fn id(row: &Self::Model) -> i64;
}

impl Derived for event::Entity {
    fn derive(row: &mut event::Model) {
        let is_filled_in = row.description_text.is_some();
        row.description_text = Some(text_content(&row.description));
        row.derive_search_text();
        row.description_text = row.description_text.take().filter(|_| is_filled_in);
        if row.title_key.is_some() {
            row.derive_keys();
        }
    }

    fn id(row: &event::Model) -> i64 {
        row.id
    }
}

impl Derived for venue::Entity {
    fn derive(row: &mut venue::Model) {
        let globe = [row.globe_x, row.globe_y, row.globe_z];
        let is_filled_in = row.description_text.is_some();
        row.description_text = Some(text_content(&row.description));
        services::venue::derive(row);
        row.description_text = row.description_text.take().filter(|_| is_filled_in);
        if globe.iter().all(Option::is_some) && row.globe_x.is_some() {
            [row.globe_x, row.globe_y, row.globe_z] = globe;
        }
    }

    fn id(row: &venue::Model) -> i64 {
        row.id
    }
}

impl Derived for organizer::Entity {
    fn derive(row: &mut organizer::Model) {
        let is_filled_in = row.description_text.is_some();
        row.description_text = Some(text_content(&row.description));
        services::organizer::derive(row);
        row.description_text = row.description_text.take().filter(|_| is_filled_in);
    }

    fn id(row: &organizer::Model) -> i64 {
        row.id
    }
}

impl Derived for category::Entity {
    fn derive(row: &mut category::Model) {
        *row = derived_term(&*row);
    }

    fn id(row: &category::Model) -> i64 {
        row.id
    }
}

impl Derived for tag::Entity {
    fn derive(row: &mut tag::Model) {
        *row = derived_term(&*row);
    }

    fn id(row: &tag::Model) -> i64 {
        row.id
    }
}

/// Counts the rows of each table whose derived columns are wrong.
pub(crate) async fn differences(
    snapshot: &Snapshot,
    progress: &Progress,
) -> Result<Vec<(&'static str, u64)>, TransferError> {
    let counts = [
        ("categories", count::<category::Entity>(snapshot, progress).await?),
        ("tags", count::<tag::Entity>(snapshot, progress).await?),
        ("venues", count::<venue::Entity>(snapshot, progress).await?),
        ("organizers", count::<organizer::Entity>(snapshot, progress).await?),
        ("events", count::<event::Entity>(snapshot, progress).await?),
    ];
    Ok(counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

async fn count<E: Derived>(snapshot: &Snapshot, progress: &Progress) -> Result<u64, TransferError> {
    let mut wrong = 0;
    let mut last = 0;
    loop {
        progress.check()?;
        let select = E::find().filter(E::ID.gt(last)).order_by_asc(E::ID).limit(PAGE);
        let rows = snapshot.models(select).await?;
        let Some(highest) = rows.last().map(E::id) else {
            return Ok(wrong);
        };
        last = highest;
        progress.add(rows.len() as u64);
        let comparing = spawn_blocking(move || rows.iter().filter(|row| derived::<E>(row) != **row).count());
        wrong += comparing.await.map_err(std::io::Error::other)? as u64;
    }
}

fn derived<E: Derived>(row: &E::Model) -> E::Model {
    let mut derived = row.clone();
    E::derive(&mut derived);
    derived
}

/// Computes the derived columns of all rows again.
pub(crate) async fn repair(store: &Store, progress: &Progress) -> Result<(), TransferError> {
    repair_table::<category::Entity>(store, progress).await?;
    repair_table::<tag::Entity>(store, progress).await?;
    repair_table::<venue::Entity>(store, progress).await?;
    repair_table::<organizer::Entity>(store, progress).await?;
    repair_table::<event::Entity>(store, progress).await
}

async fn repair_table<E: Derived>(store: &Store, progress: &Progress) -> Result<(), TransferError> {
    let mut last = Some(0);
    while let Some(after) = last {
        progress.check()?;
        last = store
            .write(|transaction| async move { repair_batch::<E>(transaction, after).await })
            .await?;
        progress.add(BATCH);
    }
    Ok(())
}

/// Computes the derived columns of the next rows. Returns the highest ID of these, if there are any.
async fn repair_batch<E: Derived>(transaction: Arc<Transaction>, after: i64) -> Result<Option<i64>, DbErr> {
    let select = E::find()
        .filter(E::ID.gt(after))
        .order_by_asc(E::ID)
        .limit(BATCH)
        .lock(LockType::Update);
    let rows = transaction.models(select).await?;
    let last = rows.last().map(E::id);
    for row in rows {
        let derived = derived::<E>(&row);
        if derived != row {
            transaction
                .update_row(rows::difference(row.into_active_model(), derived.into_active_model()))
                .await?;
        }
    }
    Ok(last)
}
