//! Inserts many rows with few statements, and builds indexes and derived tables once from all rows.

mod deferred_schema;
mod link_buffers;

use std::ops::Range;

use sea_orm::{
    ActiveModelTrait, DbBackend, DbErr, EntityTrait, IdenStatic, IntoActiveModel, Iterable, PrimaryKeyToColumn,
    PrimaryKeyTrait, Statement, Value,
};

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
    let is_key = |column: &E::Column| E::PrimaryKey::from_column(*column).is_some();
    let columns: Vec<E::Column> = E::Column::iter().filter(|column| !is_key(column)).collect();
    let names: Vec<&str> = columns.iter().map(IdenStatic::as_str).collect();
    let mut rows = rows.into_iter().peekable();
    let mut ids = 0..0;
    while rows.peek().is_some() {
        let chunk = rows.by_ref().take(MAX_PARAMETERS / columns.len());
        let values = chunk.flat_map(|row| {
            let mut row = row.into_active_model();
            let columns = columns.iter();
            columns.filter_map(move |column| row.take(*column).into_value())
        });
        let values: Vec<Value> = values.collect();
        let count = (values.len() / columns.len()) as i64;
        let table = E::default();
        let table = table.table_name();
        let into = format!("INSERT INTO {table} ({})", names.join(", "));
        insert_values(transaction, &into, columns.len(), values).await?;
        let last = last_id(transaction, table).await?;
        if ids.is_empty() {
            ids.start = last + 1 - count;
        }
        ids.end = last + 1;
    }
    Ok(ids)
}

/// Inserts the rows with their IDs.
pub(crate) async fn insert_with_ids<E>(transaction: &Transaction, rows: Vec<E::Model>) -> Result<(), DbErr>
where
    E: EntityTrait<Model: IntoActiveModel<E::ActiveModel>, ActiveModel: ActiveModelTrait<Entity = E>>,
{
    let columns: Vec<E::Column> = E::Column::iter().collect();
    let names: Vec<&str> = columns.iter().map(IdenStatic::as_str).collect();
    let table = E::default();
    let into = format!("INSERT INTO {} ({})", table.table_name(), names.join(", "));
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let chunk = rows.by_ref().take(MAX_PARAMETERS / columns.len());
        let values = chunk.flat_map(|row| {
            let mut row = row.into_active_model();
            let columns = columns.iter();
            columns.filter_map(move |column| row.take(*column).into_value())
        });
        let values = values.collect();
        insert_values(transaction, &into, columns.len(), values).await?;
    }
    Ok(())
}

/// Inserts the values of rows with this number of columns. `into` is the statement up to the word `VALUES`.
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
