//! Sums that are kept: how many events there are of each key.
//!
//! On SQLite, which has one writer, a key is one row. On PostgreSQL writers of one key would queue for its row
//! until each one's commit is on disk, so each adds a row of its own, and now and then one of them folds the
//! rows of a key into one. Readers sum up the rows of a key on both.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use super::integer;

/// A table of sums.
pub struct Tally {
    pub table: &'static str,
    pub keys: &'static [&'static str],
}

/// One in so many writers folds.
const FOLDED: u32 = 32;

impl Tally {
    /// Makes the table from the columns of the keys, with the column `events` for the sums.
    pub async fn create(
        &self,
        manager: &SchemaManager<'_>,
        keys: impl IntoIterator<Item = ColumnDef>,
    ) -> Result<(), DbErr> {
        let mut table = Table::create();
        table.table(self.table);
        for key in keys {
            table.col(key);
        }
        table.col(integer("events"));
        manager.create_table(table).await?;
        let (table, keys) = (self.table, self.keys.join(", "));
        let index = match manager.get_database_backend() {
            DbBackend::Postgres => {
                format!("CREATE INDEX {table}_key ON {table} ({keys}) INCLUDE (events)")
            }
            _ => format!("CREATE UNIQUE INDEX {table}_key ON {table} ({keys})"),
        };
        manager.get_connection().execute_unprepared(&index).await?;
        Ok(())
    }

    /// The statements of a trigger that add `amount` to the sum of the keys with these values, where the
    /// condition is met.
    pub fn add(&self, manager: &SchemaManager<'_>, values: &[String], amount: &str, condition: &str) -> Vec<String> {
        let Self { table, keys } = self;
        let named = keys.join(", ");
        let insert = format!(
            "INSERT INTO {table} ({named}, events) SELECT {}, {amount} WHERE {condition}",
            values.join(", ")
        );
        if manager.get_database_backend() != DbBackend::Postgres {
            return vec![format!(
                "{insert} ON CONFLICT ({named}) DO UPDATE SET events = events + excluded.events"
            )];
        }
        let same: Vec<String> = keys
            .iter()
            .zip(values)
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        let same = same.join(" AND ");
        vec![
            insert,
            format!(
                "IF random() < 1.0 / {FOLDED} THEN \
                 WITH gone AS (DELETE FROM {table} WHERE ctid = ANY(ARRAY(\
                 SELECT ctid FROM {table} WHERE {same} FOR UPDATE SKIP LOCKED\
                 )) RETURNING {named}, events) \
                 INSERT INTO {table} ({named}, events) \
                 SELECT {named}, SUM(events) FROM gone GROUP BY {named}; \
                 END IF"
            ),
        ]
    }
}
