//! Inserts many rows with few statements, and builds indexes and derived tables once from all rows.

mod deferred_schema;
mod inserted_table;
mod link_buffers;

use std::{iter, ops::Range};

use futures_util::future;
use sea_orm::{
    ActiveModelTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel, Iterable, PrimaryKeyToColumn, PrimaryKeyTrait,
    Statement, Value,
};
use tokio::task::yield_now;

use self::inserted_table::InsertedTable;
pub(crate) use self::{
    deferred_schema::DeferredSchema,
    link_buffers::{LinkBuffers, ListingValues, LoadedLinks, listing_values},
};
use super::{
    Store, Transaction,
    entity::{category, event, organizer, series, tag, venue},
    locks::{self, AdvisoryLock},
    read_connection::ReadConnection,
    write_connection::WriteConnection,
};

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
    let backend = transaction.backend();
    let table = InsertedTable::of::<E>(columns.iter().copied());
    let mut rows = rows.into_iter();
    let statements = iter::from_fn(|| {
        let chunk = rows.by_ref().take(table.max_rows(backend));
        let values = chunk.flat_map(|row| {
            let mut row = row.into_active_model();
            let columns = columns.iter();
            columns.filter_map(move |column| row.take(*column).into_value())
        });
        let values: Vec<Value> = values.collect();
        (!values.is_empty()).then(|| table.insertion(backend, values))
    });
    run_statements(transaction, statements).await
}

/// Runs the statements. Prepares the next one while PostgreSQL runs one.
async fn run_statements(
    transaction: &Transaction,
    mut statements: impl Iterator<Item = Statement> + Send,
) -> Result<(), DbErr> {
    let mut next = statements.next();
    while let Some(statement) = next {
        let execution = transaction.execute_raw(statement);
        // The first one is polled first, which sends the statement.
        let (executed, following) = future::join(execution, async { statements.next() }).await;
        executed?;
        next = following;
    }
    // Statements on SQLite occupy the thread. Other work of the same task, such as waiting for signals, goes on now.
    yield_now().await;
    Ok(())
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
