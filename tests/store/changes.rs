//! The change log, which invalidates cached responses.

use almanac::testing::store::{
    Store,
    entity::{change_log, event},
    events::invalidates_all_lists,
    write_connection::WriteConnection,
};
use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, Iden, Iterable, QueryOrder, Statement};
use serde_json::json;

use crate::on_both_databases;

/// Columns of events whose changes need no log entry: they change only together with `status`, `description` or
/// `version`.
const CHANGED_WITH_OTHERS: [&str; 8] = [
    "trashed_status",
    "trashed_at",
    "description_text",
    "starts_local",
    "ends_local",
    "starts_offset",
    "ends_offset",
    "tz_release",
];

/// The number of the last change in the log, and the event if it changed only that event's texts.
async fn last_change(store: &Store) -> (i64, Option<i64>) {
    let changes = change_log::Entity::find().order_by_desc(change_log::Column::Number);
    let last = changes.one(store.reader()).await.expect("the change log");
    let last = last.expect("it is never empty");
    (last.number, last.event_id)
}

on_both_databases! {
    async fn transaction_is_logged_once_per_second(on) {
        let server = on.server(&[]).await;
        // SQLite appends a row for each change.
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let tag = |name: &str| {
            format!("INSERT INTO tags (version, modified_at, name, name_key, slug, description, search_text) \
                VALUES (1, 0, '{name}', '{name}', '{name}', '', '{name}')")
        };
        let sql = str::to_owned;
        for (statements, seconds) in [
            (vec![tag("a"), tag("b"), tag("c")], 1),
            (vec![tag("d"), sql("SELECT pg_sleep(1.1)"), tag("e")], 2),
            (vec![sql("SAVEPOINT part"), tag("f"), sql("ROLLBACK TO SAVEPOINT part"), tag("g")], 1),
        ] {
            let (first, _) = last_change(&server.store).await;
            let transaction = server.store.begin().await.expect("a transaction");
            for statement in &statements {
                transaction.execute_unprepared(statement).await.expect("a statement");
            }
            transaction.commit().await.expect("a commit");
            let counts = format!("SELECT count(*), count(DISTINCT changed_at) FROM change_log WHERE number > {first}");
            let counts = Statement::from_string(DbBackend::Postgres, counts);
            let row = server.store.reader().query_one_raw(counts).await.expect("counts").expect("a row");
            let count = |index| row.try_get_by_index::<i64>(index).expect("a count");
            assert_eq!(count(0), count(1), "{statements:?}");
            assert!(count(0) >= seconds, "{statements:?}");
        }
    }

    async fn write_to_any_event_column_is_logged(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        admin.create_id("/events", json!({
            "title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
        })).await;
        let columns = event::Column::iter().filter(|column| column.to_string() != "id");
        let mut unlogged = Vec::new();
        for column in columns {
            let name = column.to_string();
            let (before, _) = last_change(&server.store).await;
            let transaction = server.store.begin().await.expect("a transaction");
            let write = format!("UPDATE events SET {name} = {name}");
            transaction.execute_unprepared(&write).await.expect("a write");
            transaction.commit().await.expect("a commit");
            let (number, event) = last_change(&server.store).await;
            if number == before {
                unlogged.push(name);
            } else {
                assert_eq!(event.is_none(), invalidates_all_lists(column), "{name}");
            }
        }
        assert_eq!(unlogged, CHANGED_WITH_OTHERS);
    }
}
