//! Inserts many rows with few statements, and builds indexes and derived tables once from all rows.

mod deferred_schema;
mod link_buffers;

use std::{iter, ops::Range};

use futures_util::future;
use sea_orm::{
    ActiveModelTrait, DbBackend, DbErr, EntityTrait, IdenStatic, IntoActiveModel, Iterable, PrimaryKeyToColumn,
    PrimaryKeyTrait, Statement, Value,
};
use tokio::task::yield_now;

pub(crate) use self::{
    deferred_schema::DeferredSchema,
    link_buffers::{EventLinks, LinkBuffers, ListingValues, listing_values},
};
use super::{
    Store, Transaction,
    entity::{category, event, organizer, series, tag, venue},
    locks::{self, AdvisoryLock},
    read_connection::ReadConnection,
    write_connection::WriteConnection,
};

/// The maximum number of parameters per statement. Their values and the program of the statement fit into the processor
/// cache.
const MAX_PARAMETERS: usize = 2_000;

/// Whether the database has no event, venue, organizer, category, tag or series, including the trash.
pub(crate) async fn is_empty(database: &impl ReadConnection) -> Result<bool, DbErr> {
    Ok(database.model(event::Entity::find()).await?.is_none()
        && database.model(venue::Entity::find()).await?.is_none()
        && database.model(organizer::Entity::find()).await?.is_none()
        && database.model(category::Entity::find()).await?.is_none()
        && database.model(tag::Entity::find()).await?.is_none()
        && database.model(series::Entity::find()).await?.is_none())
}

/// Begins a transaction that prevents concurrent inserts, so that the IDs of inserted rows are consecutive. SQLite has
/// only one writer anyway.
pub(crate) async fn begin(store: &Store) -> Result<Transaction, DbErr> {
    let transaction = store.begin().await?;
    if transaction.backend() == DbBackend::Postgres {
        transaction
            .execute_unprepared(
                // A concurrent load may hold the locks for long.
                "SET LOCAL lock_timeout = 0; \
                 LOCK TABLE images, categories, tags, venues, organizers, series, events \
                 IN SHARE ROW EXCLUSIVE MODE",
            )
            .await?;
    }
    // Its holder reads the tables, which the load will lock against readers.
    locks::take(&transaction, [AdvisoryLock::SearchIndex]).await?;
    Ok(transaction)
}

/// Inserts the rows and returns their IDs, in the order of the rows. The transaction must be from [`begin`].
pub(crate) async fn insert<E>(transaction: &Transaction, rows: Vec<E::Model>) -> Result<Range<i64>, DbErr>
where
    E: EntityTrait<
            PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
            Model: IntoActiveModel<E::ActiveModel>,
            ActiveModel: ActiveModelTrait<Entity = E>,
        >,
{
    if rows.is_empty() {
        return Ok(0..0);
    }
    let count = rows.len() as i64;
    let is_key = |column: &E::Column| E::PrimaryKey::from_column(*column).is_some();
    let columns = E::Column::iter().filter(|column| !is_key(column));
    insert_columns::<E>(transaction, columns.collect(), rows).await?;
    let end = last_id(transaction, E::default().table_name()).await? + 1;
    Ok(end - count..end)
}

/// Inserts the rows with their IDs.
pub(crate) async fn insert_with_ids<E>(transaction: &Transaction, rows: Vec<E::Model>) -> Result<(), DbErr>
where
    E: EntityTrait<Model: IntoActiveModel<E::ActiveModel>, ActiveModel: ActiveModelTrait<Entity = E>>,
{
    insert_columns::<E>(transaction, E::Column::iter().collect(), rows).await
}

/// Inserts these columns of the rows.
async fn insert_columns<E>(transaction: &Transaction, columns: Vec<E::Column>, rows: Vec<E::Model>) -> Result<(), DbErr>
where
    E: EntityTrait<Model: IntoActiveModel<E::ActiveModel>, ActiveModel: ActiveModelTrait<Entity = E>>,
{
    let names: Vec<&str> = columns.iter().map(IdenStatic::as_str).collect();
    let into = format!("INSERT INTO {} ({})", E::default().table_name(), names.join(", "));
    let mut rows = rows.into_iter();
    let chunks = iter::from_fn(|| {
        let chunk = rows.by_ref().take(MAX_PARAMETERS / columns.len());
        let values = chunk.flat_map(|row| {
            let mut row = row.into_active_model();
            let columns = columns.iter();
            columns.filter_map(move |column| row.take(*column).into_value())
        });
        Some(values.collect()).filter(|values: &Vec<Value>| !values.is_empty())
    });
    insert_chunks(transaction, &into, columns.len(), chunks).await
}

/// Inserts rows with this number of columns, a chunk of their values with each statement. Collects the next chunk while
/// PostgreSQL inserts one. `into` is the statement up to the word `VALUES`.
async fn insert_chunks(
    transaction: &Transaction,
    into: &str,
    columns: usize,
    mut chunks: impl Iterator<Item = Vec<Value>> + Send,
) -> Result<(), DbErr> {
    let mut next = chunks.next();
    while let Some(values) = next {
        let insertion = insert_values(transaction, into, columns, values);
        // The first one is polled first, which sends the statement.
        let (inserted, following) = future::join(insertion, async { chunks.next() }).await;
        inserted?;
        next = following;
    }
    // Statements on SQLite occupy the thread. Other work of the same task, such as waiting for signals, goes on now.
    yield_now().await;
    Ok(())
}

/// Inserts the values of rows with this number of columns.
///
/// sea-query would take as long to build such a statement as the database takes to run it.
async fn insert_values(transaction: &Transaction, into: &str, columns: usize, values: Vec<Value>) -> Result<(), DbErr> {
    let backend = transaction.backend();
    let placeholders = placeholders(backend, columns, values.len() / columns);
    let sql = format!("{into} VALUES {placeholders}");
    let statement = Statement::from_sql_and_values(backend, sql, values);
    transaction.execute_raw(statement).await?;
    Ok(())
}

/// Placeholders of rows, such as `(?, ?), (?, ?)`.
fn placeholders(backend: DbBackend, columns: usize, rows: usize) -> String {
    let mut text = String::new();
    for number in 0..columns * rows {
        text.push_str(match (number, number % columns) {
            (0, _) => "(",
            (_, 0) => "), (",
            _ => ", ",
        });
        match backend {
            DbBackend::Postgres => text += &format!("${}", number + 1),
            _ => text.push('?'),
        }
    }
    text + ")"
}

/// The ID of the row that was inserted last. Triggers may have inserted rows into other tables.
async fn last_id(transaction: &Transaction, table: &str) -> Result<i64, DbErr> {
    let backend = transaction.backend();
    let select = match backend {
        DbBackend::Postgres => format!("SELECT currval(pg_get_serial_sequence('{table}', 'id'))"),
        _ => "SELECT last_insert_rowid()".to_owned(),
    };
    let ids = transaction.rows_of(Statement::from_string(backend, select)).await?;
    ids.into_iter().next().ok_or(DbErr::RecordNotInserted)
}
