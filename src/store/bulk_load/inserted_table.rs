//! Statements that insert many rows into a table.

use sea_orm::{ColumnTrait, DbBackend, EntityTrait, IdenStatic, Statement, Value};

/// A table, and the columns that values are inserted into.
pub(super) struct InsertedTable {
    name: &'static str,
    columns: Vec<Column>,
}

struct Column {
    name: &'static str,
    is_nullable: bool,
}

impl InsertedTable {
    pub(super) fn of<E: EntityTrait>(columns: impl IntoIterator<Item = E::Column>) -> Self {
        let columns = columns.into_iter().map(|column| Column {
            name: column.as_str(),
            is_nullable: column.def().is_null(),
        });
        Self {
            name: E::default().table_name(),
            columns: columns.collect(),
        }
    }

    /// The maximum number of rows per statement. On SQLite, their values and the program of the statement fit into the
    /// processor cache. On PostgreSQL, inserting so many values takes milliseconds, much longer than a round trip.
    pub(super) fn max_rows(&self, backend: DbBackend) -> usize {
        let max_values = match backend {
            DbBackend::Postgres => 5_000,
            _ => 2_000,
        };
        max_values / self.width()
    }

    /// The number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// The statement that inserts rows, at least one. `values` has the values of one row after the other.
    ///
    /// sea-query would take as long to build it as the database takes to run it.
    pub(super) fn insertion(&self, backend: DbBackend, values: Vec<Value>) -> Statement {
        let (rows, parameters) = match backend {
            DbBackend::Postgres => self.arrays(values),
            _ => (placeholders(self.width(), values.len() / self.width()), values),
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let sql = format!("INSERT INTO {} ({}) {rows}", self.name, names.join(", "));
        Statement::from_sql_and_values(backend, sql, parameters)
    }

    /// Rows with an array per column, which PostgreSQL receives faster than a parameter per value. SeaORM's arrays have no
    /// nulls, so that a nullable column has a second one: whether it has a value.
    fn arrays(&self, values: Vec<Value>) -> (String, Vec<Value>) {
        let mut arrays = vec![Vec::new(); self.width()];
        for (index, value) in values.into_iter().enumerate() {
            arrays[index % self.width()].push(value);
        }
        let mut parameters = Vec::new();
        let mut element = |array: Vec<Value>| {
            parameters.push(Value::Array(array[0].array_type(), Some(Box::new(array))));
            format!("element_{}", parameters.len())
        };
        let mut selected = Vec::new();
        for (column, mut array) in self.columns.iter().zip(arrays) {
            if column.is_nullable {
                let has_value = element(array.iter_mut().map(replace_null).collect());
                selected.push(format!("CASE WHEN {has_value} THEN {} END", element(array)));
            } else {
                selected.push(element(array));
            }
        }
        let elements = (1..=parameters.len()).map(|number| format!("unnest(${number}) AS element_{number}"));
        let rows = format!(
            "SELECT {} FROM (SELECT {}) AS arrays",
            selected.join(", "),
            elements.collect::<Vec<_>>().join(", ")
        );
        (rows, parameters)
    }
}

/// Replaces a null by any value of its type. Returns whether there was a value.
fn replace_null(value: &mut Value) -> Value {
    let is_null = *value == value.as_null();
    if is_null {
        *value = value.dummy_value();
    }
    (!is_null).into()
}

/// Rows with a parameter per value, such as `VALUES (?, ?), (?, ?)`.
fn placeholders(columns: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(", "));
    format!("VALUES {}", vec![row; rows].join(", "))
}

#[cfg(test)]
mod tests {
    use sea_orm::Values;

    use super::*;
    use crate::store::entity::event_tag::{Column, Entity};

    #[test]
    fn rows_of_each_database() {
        let table = InsertedTable::of::<Entity>([Column::EventId, Column::PublishedAt]);
        let values = || [Some(1_i64), Some(5), Some(2), None].map(Value::from).to_vec();
        let insertion = |backend| {
            let Statement { sql, values, .. } = table.insertion(backend, values());
            (sql, values.map(|Values(values)| values))
        };

        let sql = "INSERT INTO event_tags (event_id, published_at) VALUES (?, ?), (?, ?)";
        assert_eq!(insertion(DbBackend::Sqlite), (sql.to_owned(), Some(values())));

        let sql = "INSERT INTO event_tags (event_id, published_at) SELECT element_1, \
                   CASE WHEN element_2 THEN element_3 END FROM (SELECT unnest($1) AS element_1, \
                   unnest($2) AS element_2, unnest($3) AS element_3) AS arrays";
        let arrays: Vec<Value> = vec![vec![1_i64, 2].into(), vec![true, false].into(), vec![5_i64, 0].into()];
        assert_eq!(insertion(DbBackend::Postgres), (sql.to_owned(), Some(arrays)));
    }
}
