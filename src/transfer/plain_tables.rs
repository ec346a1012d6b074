//! Rows of tables that only backups contain, and that have no kind of record. The database converts them to JSON and
//! back, so that such a table needs nothing but its line in [`super::tables`].

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};
use serde_json::value::RawValue;

use super::{TransferError, errors::LineErrors, tables::PlainTable};
use crate::store::{
    Transaction,
    read_connection::ReadConnection,
    row::{FromRow, Row},
};

/// Rows per statement.
const PAGE: usize = 500;

/// A row of a table.
#[derive(Debug)]
pub(super) struct PlainRow {
    pub table: &'static PlainTable,
    /// The names of its columns, sorted.
    pub columns: Vec<String>,
    /// A JSON object with the columns.
    pub values: Box<RawValue>,
}

/// A text.
struct Text(String);

impl FromRow for Text {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        row.text_ref(0).map(|text| Self(text.into_owned()))
    }
}

/// The names of the columns of a table, sorted.
pub(super) async fn columns(database: &impl ReadConnection, table: &str) -> Result<Vec<String>, DbErr> {
    let backend = database.get_database_backend();
    let select = match backend {
        DbBackend::Postgres => format!(
            "SELECT column_name::text FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{table}'"
        ),
        _ => format!("SELECT name FROM pragma_table_info('{table}')"),
    };
    let rows: Vec<Text> = database.rows_of(Statement::from_string(backend, select)).await?;
    let mut names: Vec<String> = rows.into_iter().map(|Text(name)| name).collect();
    names.sort_unstable();
    Ok(names)
}

/// Reads the rows that follow the first `skipped` ones, as JSON objects. None are left if there are none.
pub(super) async fn read_page(
    database: &impl ReadConnection,
    table: &PlainTable,
    columns: &[String],
    skipped: usize,
) -> Result<Vec<String>, DbErr> {
    let PlainTable { name, key } = table;
    let backend = database.get_database_backend();
    let names = quoted(columns);
    let page = format!("SELECT {names} FROM {name} ORDER BY {key} LIMIT {PAGE} OFFSET {skipped}");
    let select = match backend {
        DbBackend::Postgres => format!("SELECT row_to_json(page)::text FROM ({page}) AS page"),
        _ => {
            let members: Vec<String> = columns
                .iter()
                .map(|column| format!("'{column}', \"{column}\""))
                .collect();
            format!("SELECT json_object({}) FROM ({page})", members.join(", "))
        }
    };
    let rows: Vec<Text> = database.rows_of(Statement::from_string(backend, select)).await?;
    Ok(rows.into_iter().map(|Text(row)| row).collect())
}

/// Inserts rows. Columns that they lack get their defaults.
pub(super) async fn insert(transaction: &Transaction, rows: &[PlainRow]) -> Result<(), TransferError> {
    let is_alike = |one: &PlainRow, other: &PlainRow| one.table == other.table && one.columns == other.columns;
    for rows in rows.chunk_by(is_alike) {
        let Some(PlainRow { table, columns, .. }) = rows.first() else {
            continue;
        };
        check_columns(transaction, table.name, columns).await?;
        let (table, names) = (table.name, quoted(columns));
        let list: Vec<&str> = rows.iter().map(|row| row.values.get()).collect();
        let list = format!("[{}]", list.join(","));
        let backend = transaction.get_database_backend();
        let insert = match backend {
            DbBackend::Postgres => format!(
                "INSERT INTO {table} ({names}) SELECT {names} \
                 FROM json_populate_recordset(NULL::{table}, CAST($1 AS text)::json)"
            ),
            _ => {
                let values: Vec<String> = columns.iter().map(|column| format!("value ->> '{column}'")).collect();
                format!(
                    "INSERT INTO {table} ({names}) SELECT {} FROM json_each(?)",
                    values.join(", ")
                )
            }
        };
        let statement = Statement::from_sql_and_values(backend, insert, [list.into()]);
        transaction.execute_raw(statement).await?;
    }
    Ok(())
}

/// The names of columns come from a file.
async fn check_columns(transaction: &Transaction, table: &str, columns: &[String]) -> Result<(), TransferError> {
    let known = self::columns(transaction, table).await?;
    match columns.iter().find(|column| !known.contains(column)) {
        None => Ok(()),
        Some(column) => {
            let mut errors = LineErrors::default();
            errors.add_general(&format!("the table {table} has no column {column:?}"));
            Err(TransferError::Lines(errors))
        }
    }
}

fn quoted(columns: &[String]) -> String {
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    names.join(", ")
}
