//! Rows of tables that only backups contain, and that have no kind of record. The database converts them to JSON and
//! back, so that such a table needs nothing but its line in [`super::tables`].
//!
//! Bytes, which JSON lacks, are texts as PostgreSQL writes them: `\x` and hexadecimal digits.

use std::collections::HashMap;

use sea_orm::{DbBackend, DbErr, Statement, Value};
use serde_json::value::RawValue;

use super::{
    Contents, TransferError,
    errors::LineErrors,
    tables::{IMPORT_ITEMS, PLAIN_TABLES, PlainTable},
};
use crate::store::{
    Transaction,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    write_connection::WriteConnection,
};

/// Rows per statement. Some have a whole response.
const PAGE: usize = 100;

/// A row of a table.
#[derive(Debug)]
pub(super) struct PlainRow {
    pub table: &'static PlainTable,
    /// The names of its columns, sorted.
    pub columns: Vec<String>,
    /// A JSON object with the columns.
    pub values: Box<RawValue>,
}

/// A column of a table.
#[derive(Debug)]
pub(super) struct Column {
    name: String,
    is_bytes: bool,
}

impl FromRow for Column {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            name: row.text_ref(0)?.into_owned(),
            is_bytes: row.integer(1)? != 0,
        })
    }
}

/// A text.
struct Text(String);

impl FromRow for Text {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        row.text_ref(0).map(|text| Self(text.into_owned()))
    }
}

/// The columns of a table, sorted by name.
pub(super) async fn columns(database: &impl ReadConnection, table: &str) -> Result<Vec<Column>, DbErr> {
    let backend = database.backend();
    let select = match backend {
        DbBackend::Postgres => format!(
            "SELECT column_name::text, CASE data_type WHEN 'bytea' THEN 1::bigint ELSE 0 END \
             FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '{table}'"
        ),
        _ => format!("SELECT name, upper(type) = 'BLOB' FROM pragma_table_info('{table}')"),
    };
    let mut columns: Vec<Column> = database.rows_of(Statement::from_string(backend, select)).await?;
    columns.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(columns)
}

/// Reads the first rows after the one with this key, or the first ones of all without a key, as JSON objects.
pub(super) async fn read_page(
    database: &impl ReadConnection,
    table: &PlainTable,
    columns: &[Column],
    after: Vec<Value>,
) -> Result<Vec<String>, DbErr> {
    let PlainTable { name, key } = table;
    let backend = database.backend();
    let selected: Vec<String> = columns.iter().map(|column| selected(backend, column)).collect();
    let parameters: Vec<String> = (1..=after.len()).map(|number| format!("${number}")).collect();
    let condition = match after.is_empty() {
        true => String::new(),
        false => format!("WHERE ({key}) > ({}) ", parameters.join(", ")),
    };
    let page = format!(
        "SELECT {} FROM {name} {condition}ORDER BY {key} LIMIT {PAGE}",
        selected.join(", ")
    );
    let select = match backend {
        DbBackend::Postgres => format!("SELECT row_to_json(page)::text FROM ({page}) AS page"),
        _ => {
            let members: Vec<String> = columns
                .iter()
                .map(|Column { name, .. }| format!("'{name}', \"{name}\""))
                .collect();
            format!("SELECT json_object({}) FROM ({page})", members.join(", "))
        }
    };
    let select = Statement::from_sql_and_values(backend, select, after);
    let rows: Vec<Text> = database.rows_of(select).await?;
    Ok(rows.into_iter().map(|Text(row)| row).collect())
}

/// The value of a column as JSON can have it.
fn selected(backend: DbBackend, Column { name, is_bytes }: &Column) -> String {
    match (is_bytes, backend) {
        (false, _) => format!("\"{name}\""),
        (true, DbBackend::Postgres) => format!(r#"'\x' || encode("{name}", 'hex') AS "{name}""#),
        (true, _) => format!(r#"'\x' || lower(hex("{name}")) AS "{name}""#),
    }
}

/// The key of a row that was read as a JSON object.
pub(super) fn key(table: &PlainTable, row: &str) -> Result<Vec<Value>, TransferError> {
    let members: HashMap<&str, &RawValue> = serde_json::from_str(row)?;
    let value = |column: &str| -> Result<Value, TransferError> {
        let value = members.get(column).map_or("null", |value| value.get());
        Ok(match serde_json::from_str::<i64>(value) {
            Ok(number) => number.into(),
            Err(_) => serde_json::from_str::<String>(value)?.into(),
        })
    };
    table.key.split(", ").map(value).collect()
}

/// Whether a file with these contents can be loaded without mixing its rows with those of the database.
pub(super) async fn are_empty(database: &impl ReadConnection, contents: Contents) -> Result<bool, DbErr> {
    for table in &PLAIN_TABLES {
        // Whatever is loaded, items would refer to objects of the file.
        if contents == Contents::Backup || table.name == IMPORT_ITEMS {
            let select = format!("SELECT 1 FROM {} LIMIT 1", table.name);
            let select = Statement::from_string(database.backend(), select);
            if !database.rows_of::<()>(select).await?.is_empty() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Inserts rows. Columns that they lack get their defaults.
pub(super) async fn insert(transaction: &Transaction, rows: &[PlainRow]) -> Result<(), TransferError> {
    let is_alike = |one: &PlainRow, other: &PlainRow| one.table == other.table && one.columns == other.columns;
    for rows in rows.chunk_by(is_alike) {
        let Some(PlainRow { table, columns, .. }) = rows.first() else {
            continue;
        };
        let columns = known_columns(transaction, table.name, columns).await?;
        let (table, names) = (table.name, quoted(&columns));
        let list: Vec<&str> = rows.iter().map(|row| row.values.get()).collect();
        let list = format!("[{}]", list.join(","));
        let backend = transaction.backend();
        let insert = match backend {
            DbBackend::Postgres => format!(
                "INSERT INTO {table} ({names}) SELECT {names} \
                 FROM json_populate_recordset(NULL::{table}, CAST($1 AS text)::json)"
            ),
            _ => {
                let values: Vec<String> = columns.iter().map(member).collect();
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

/// The value of a column from a JSON object, on SQLite.
fn member(Column { name, is_bytes }: &Column) -> String {
    match is_bytes {
        false => format!("value ->> '{name}'"),
        true => format!("unhex(substr(value ->> '{name}', 3))"),
    }
}

/// The columns with these names, which come from a file.
async fn known_columns(transaction: &Transaction, table: &str, names: &[String]) -> Result<Vec<Column>, TransferError> {
    let mut known = columns(transaction, table).await?;
    if let Some(name) = names
        .iter()
        .find(|name| known.iter().all(|column| column.name != **name))
    {
        let mut errors = LineErrors::default();
        errors.add_general(&format!("the table {table} has no column {name:?}"));
        return Err(TransferError::Lines(errors));
    }
    known.retain(|column| names.contains(&column.name));
    Ok(known)
}

fn quoted(columns: &[Column]) -> String {
    let names: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_rows() {
        let table = PlainTable {
            name: "import_items",
            key: "source_id, kind, key",
        };
        let row = r#"{"digest":"a","key":"5\"","kind":"event","source_id":7}"#;
        let expected: [Value; 3] = [7_i64.into(), "event".into(), "5\"".into()];
        assert_eq!(key(&table, row).unwrap(), expected);
        assert!(key(&table, r#"{"source_id":7}"#).is_err());
    }
}
