//! An index of trigrams, which finds any substring of three letters or more: FTS5 on SQLite, pg_trgm on
//! PostgreSQL.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use super::trigger::Trigger;

#[derive(DeriveMigrationName)]
pub struct Migration;

/// The tables that are searched, and on SQLite the index of each.
const SEARCHED: [(&str, &str); 3] = [
    ("events", "event_search"),
    ("venues", "venue_search"),
    ("organizers", "organizer_search"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if manager.get_database_backend() == DbBackend::Postgres {
            connection
                .execute_unprepared("CREATE EXTENSION IF NOT EXISTS pg_trgm")
                .await?;
        }
        for (table, index) in SEARCHED {
            build(connection, table, index).await?;
            if manager.get_database_backend() == DbBackend::Sqlite {
                keep(manager, table, index).await?;
            }
        }
        Ok(())
    }
}

/// Makes the index. The texts are folded already, and not stored a second time.
async fn build(connection: &impl ConnectionTrait, table: &str, index: &str) -> Result<(), DbErr> {
    let statement = match connection.get_database_backend() {
        DbBackend::Postgres => {
            format!("CREATE INDEX {index} ON {table} USING gin (search_text gin_trgm_ops)")
        }
        _ => format!(
            "CREATE VIRTUAL TABLE {index} USING fts5(search_text, content='', \
             contentless_delete=1, tokenize='trigram case_sensitive 1')"
        ),
    };
    connection.execute_unprepared(&statement).await?;
    fill(connection, table, index).await
}

/// Indexes the rows that are there, where the database has not done so by itself.
pub async fn fill(connection: &impl ConnectionTrait, table: &str, index: &str) -> Result<(), DbErr> {
    if connection.get_database_backend() == DbBackend::Sqlite {
        let set =
            |option: &str, value: u32| format!("INSERT INTO {index} ({index}, rank) VALUES ('{option}', {value})");
        for statement in [
            // What is gathered in memory before it is written, in bytes, and how many pieces are merged as they come:
            // all are merged at the end.
            set("hashsize", 64 * 1024 * 1024),
            set("automerge", 0),
            format!("INSERT INTO {index} (rowid, search_text) SELECT id, search_text FROM {table}"),
            // Otherwise a write after it would have to merge them, and wait for that.
            format!("INSERT INTO {index} ({index}) VALUES ('optimize')"),
            // As FTS5 has them by itself.
            set("hashsize", 1024 * 1024),
            set("automerge", 4),
        ] {
            connection.execute_unprepared(&statement).await?;
        }
    }
    Ok(())
}

async fn keep(manager: &SchemaManager<'_>, table: &'static str, index: &str) -> Result<(), DbErr> {
    let add = format!("INSERT INTO {index} (rowid, search_text) VALUES (NEW.id, NEW.search_text)");
    let remove = format!("DELETE FROM {index} WHERE rowid = OLD.id");
    for (name, event, body) in [
        ("indexed", "INSERT", vec![add.clone()]),
        ("reindexed", "UPDATE OF search_text", vec![remove.clone(), add]),
        ("unindexed", "DELETE", vec![remove]),
    ] {
        let trigger = Trigger {
            name: format!("{index}_{name}"),
            event: event.to_owned(),
            table,
            body,
        };
        trigger.create(manager).await?;
    }
    Ok(())
}
