//! Fills in derived columns of rows that were stored before the columns existed.
//!
//! Each batch is a transaction, so that other writers wait for one batch at most and a killed server resumes where it
//! stopped. Several servers can run it at the same time: a row is written only if it still has no value and has not changed
//! since it was read.

use std::{sync::Arc, time::Duration};

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};
use tokio::{task::spawn_blocking, time::sleep};

use super::{
    Publishable, Store, Transaction, description_texts, event_keys, publishable::PublishableRow,
    read_connection::ReadConnection, write_connection::WriteConnection,
};

/// Rows per transaction, to limit how long other writers wait.
const BATCH: u64 = 100;
/// The pause between two batches, for other writers.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause after an error.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Fills in all missing values and retries after errors.
pub(crate) async fn run(store: Store) {
    loop {
        match fill_all(&store).await {
            Ok(0) => return,
            Ok(rows) => return tracing::info!(rows, "stored derived columns"),
            Err(error) => tracing::warn!(%error, "can't store derived columns yet"),
        }
        sleep(RETRY_DELAY).await;
    }
}

/// Fills in all missing values. Returns the number of rows written.
async fn fill_all(store: &Store) -> Result<u64, DbErr> {
    // Lists need the keys, and reads can do without the texts.
    Ok(event_keys::fill(store).await? + description_texts::fill(store).await?)
}

/// Columns that are derived from other columns of the same row.
pub(super) trait Derivation {
    type Entity: Publishable;
    /// The column that is null until the columns are filled in.
    const MISSING: Column<Self>;

    /// The columns with their values.
    fn derive(row: &Model<Self>) -> Vec<(Column<Self>, Expr)>;
}

type Column<D> = <<D as Derivation>::Entity as EntityTrait>::Column;
type Model<D> = <<D as Derivation>::Entity as EntityTrait>::Model;

/// A row that lacks values.
struct Derived<C> {
    id: i64,
    version: i64,
    values: Vec<(C, Expr)>,
}

/// Fills in the missing values of one derivation. Returns the number of rows written.
pub(super) async fn fill<D: Derivation>(store: &Store) -> Result<u64, DbErr> {
    let mut written = 0;
    let mut last = 0;
    loop {
        let select = D::Entity::find()
            .filter(D::MISSING.is_null())
            .filter(D::Entity::ID.gt(last))
            .order_by_asc(D::Entity::ID)
            .limit(BATCH);
        let rows = store.reader().models(select).await?;
        let derived = spawn_blocking(move || rows.iter().map(derived::<D>).collect::<Vec<_>>());
        let derived = derived.await.map_err(|panic| DbErr::Custom(panic.to_string()))?;
        let Some(row) = derived.last() else {
            return Ok(written);
        };
        last = row.id;
        written += store.write(|transaction| write::<D>(transaction, &derived)).await?;
        sleep(PAUSE).await;
    }
}

fn derived<D: Derivation>(row: &Model<D>) -> Derived<Column<D>> {
    let columns = row.common_columns();
    Derived {
        id: columns.id,
        version: columns.version,
        values: D::derive(row),
    }
}

async fn write<D: Derivation>(transaction: Arc<Transaction>, rows: &[Derived<Column<D>>]) -> Result<u64, DbErr> {
    let mut written = 0;
    for Derived { id, version, values } in rows {
        let update = values
            .iter()
            .fold(D::Entity::update_many(), |update, (column, value)| {
                update.col_expr(*column, value.clone())
            })
            .filter(D::Entity::ID.eq(*id))
            .filter(D::Entity::VERSION.eq(*version))
            .filter(D::MISSING.is_null());
        written += transaction.run(update).await?;
    }
    Ok(written)
}
