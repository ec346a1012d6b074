//! The log of changes, by which kept answers are known to be right still.

use almanac::store::{Store, entity::event};
use sea_orm::{ConnectionTrait, Iden, Iterable, Statement};
use serde_json::json;

use crate::on_both;

/// Columns of events that need no log of their own: they change only together with `status`, with `description`, or with
/// `version` where that is shown.
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

async fn logged(store: &Store) -> i64 {
    let database = store.reader();
    let last = Statement::from_string(
        database.get_database_backend(),
        "SELECT MAX(number) AS last FROM changes",
    );
    let row = database.query_one_raw(last).await.expect("an answer");
    let row = row.expect("a row");
    row.try_get("", "last").expect("a number")
}

on_both! {
    async fn a_write_to_any_column_of_an_event_is_logged(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        admin.create_id("/events", json!({
            "title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
        })).await;
        let columns = event::Column::iter().map(|column| column.to_string());
        let mut silent = Vec::new();
        for column in columns.filter(|column| column != "id") {
            let before = logged(&server.store).await;
            let transaction = server.store.begin().await.expect("a transaction");
            let write = format!("UPDATE events SET {column} = {column}");
            transaction.execute_unprepared(&write).await.expect("a write");
            transaction.commit().await.expect("a commit");
            if logged(&server.store).await == before {
                silent.push(column);
            }
        }
        assert_eq!(silent, CHANGED_WITH_OTHERS);
    }
}
