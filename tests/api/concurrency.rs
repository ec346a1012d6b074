//! Concurrent writes.

use std::collections::BTreeSet;

use almanac::testing::store::{
    Store, read_connection::ReadConnection, rederive::rederive, trash, write_connection::WriteConnection,
};
use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;
use tokio::sync::watch;

use crate::{
    on_both_databases,
    support::{Response, wait::wait_until},
};

/// Number of concurrent writers.
const WRITERS: usize = 12;

on_both_databases! {
    async fn same_title_creates_get_distinct_slugs(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = json!({"title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        let created = join_all((0..WRITERS).map(|_| admin.post("/events", event.clone()))).await;
        let slugs: BTreeSet<String> = created
            .into_iter()
            .map(|response| response.is(201).body["slug"].as_str().expect("a slug").to_owned())
            .collect();
        let expected = (2..=WRITERS).map(|number| format!("choir-{number}"));
        let expected: BTreeSet<String> = expected.chain(["choir".to_owned()]).collect();
        assert_eq!(slugs, expected);
    }

    async fn same_nested_venue_created_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = |number: usize| json!({
            "title": format!("Event {number}"), "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
            "venue": {"venue": "Hall", "city": "Kiel"}, "tags": "new",
        });
        let created = join_all((0..WRITERS).map(|number| admin.post("/events", event(number)))).await;
        for response in created {
            response.is(201);
        }
        assert_eq!(admin.get("/venues").await.is(200).body["total"], 1);
        assert_eq!(admin.get("/tags").await.is(200).body["total"], 1);
    }

    async fn one_conditional_update_wins(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let path = format!("/venues/{id}");
        let tag = admin.get(&path).await.is(200).header("etag").to_owned();
        let updates = (0..WRITERS).map(|number| {
            let request = admin.request("PATCH", &path).header("If-Match", &tag);
            Response::fetch(request.json(&json!({"city": format!("City {number}")})))
        });
        let responses = join_all(updates).await;
        let won = responses.iter().filter(|response| response.status == 200).count();
        let lost = responses.iter().filter(|response| response.status == 412).count();
        assert_eq!((won, lost), (1, WRITERS - 1));
    }

    async fn webhook_is_deleted_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/webhooks", json!({"url": "https://example.com/hook"})).await;
        let path = format!("/webhooks/{id}");
        let responses = join_all((0..WRITERS).map(|_| admin.delete(&path))).await;
        let won = responses.iter().filter(|response| response.status == 200).count();
        let lost = responses.iter().filter(|response| response.status == 404).count();
        assert_eq!((won, lost), (1, WRITERS - 1));
    }

    async fn deadlock_is_retried(database) {
        let server = database.server(&[]).await;
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let admin = server.administrator().await;
        let body = json!({
            "title": "Choir", "start_date": "2027-03-01 09:00", "end_date": "2027-03-01 12:00",
            "venue": {"venue": "Hall"},
        });
        let event = admin.create_id("/events", body).await;
        let start = async |statement: &str| {
            let transaction = server.store.begin().await.expect("a transaction");
            transaction.execute_unprepared(statement).await.expect("a statement");
            transaction
        };
        let gate = start("SELECT 1 FROM events FOR UPDATE").await;
        // PostgreSQL aborts the transaction that detects the deadlock first: that of the request, due to this timeout.
        let other = start("SET LOCAL deadlock_timeout = '1min'; SELECT 1 FROM venues FOR UPDATE").await;
        let update = tokio::spawn({
            let admin = admin.clone();
            async move {
                let body = json!({"end_date": "2027-03-01 11:00"});
                admin.patch(&format!("/events/{event}"), body).await
            }
        });
        wait_for_blocked_statements(&server.store, 1).await;
        let other = tokio::spawn(async move {
            let locked = other.execute_unprepared("SELECT 1 FROM events FOR UPDATE").await;
            locked.expect("the event is locked once the request is aborted");
        });
        // Both wait for the event. The request is the first to get it, and then waits for the venue.
        wait_for_blocked_statements(&server.store, 2).await;
        drop(gate);
        other.await.expect("the other transaction ends");
        update.await.expect("a response").is(200);
    }

    async fn purge_locks_the_category_tree_first(database) {
        let server = database.server(&[]).await;
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let admin = server.administrator().await;
        let event = json!({
            "title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am", "categories": "Music",
        });
        let id = admin.create_id("/events", event).await;
        admin.delete(&format!("/events/{id}")).await.is(200);
        let other = server.store.begin().await.expect("a transaction");
        other.execute_unprepared("SELECT pg_advisory_xact_lock(1953654117)").await.expect("the lock of the tree");
        let rows_are_free = async {
            wait_for_blocked_statements(&server.store, 1).await;
            other.execute_unprepared("SELECT 1 FROM events FOR UPDATE NOWAIT").await.expect("a row without a lock");
            other.commit().await.expect("a commit");
        };
        let (removed, ()) = tokio::join!(trash::empty(&server.store, None), rows_are_free);
        assert_eq!(removed.expect("it is emptied").events, 1);
    }

    async fn events_are_rederived_in_the_order_of_their_ids(database) {
        let server = database.server(&[]).await;
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let admin = server.administrator().await;
        let event = json!({"title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        let first = admin.create_id("/events", event.clone()).await;
        let last = admin.create_id("/events", event).await;
        let older = server.store.begin().await.expect("a transaction");
        let releases = format!("UPDATE events SET tz_release = CASE id WHEN {first} THEN '2025b' ELSE '2025a' END");
        older.execute_unprepared(&releases).await.expect("a write");
        older.commit().await.expect("a commit");
        let other = server.store.begin().await.expect("a transaction");
        let lock = format!("SELECT 1 FROM events WHERE id = {first} FOR UPDATE");
        other.execute_unprepared(&lock).await.expect("a lock");
        let last_is_free = async {
            wait_for_blocked_statements(&server.store, 1).await;
            let lock = format!("SELECT 1 FROM events WHERE id = {last} FOR UPDATE NOWAIT");
            other.execute_unprepared(&lock).await.expect("a row without a lock");
            other.commit().await.expect("a commit");
        };
        let (_running, while_running) = watch::channel(());
        let (derived, ()) = tokio::join!(rederive(&server.store, &while_running), last_is_free);
        assert_eq!(derived.expect("the instants are derived").events, 2);
    }

    /// The slug is free when the service reads it, and taken before the event is stored.
    async fn restoration_races_with_new_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = |title: &str| json!({"title": title, "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        let restored = admin.create_id("/events", event("Choir")).await;
        admin.delete(&format!("/events/{restored}")).await.is(200);
        let other = admin.create_id("/events", event("Concert")).await;
        let transaction = server.store.begin().await.expect("a transaction");
        let rename = format!("UPDATE events SET slug = 'choir' WHERE id = {other}");
        transaction.execute_unprepared(&rename).await.expect("a write");
        let renamed = async {
            match transaction.backend() {
                DbBackend::Postgres => wait_for_blocked_statements(&server.store, 1).await,
                _ => tokio::task::yield_now().await,
            }
            transaction.commit().await.expect("a commit");
        };
        let path = format!("/events/{restored}");
        let (response, ()) = tokio::join!(admin.patch(&path, json!({"status": "publish"})), renamed);
        assert_eq!(response.is(200).body["slug"], "choir-2");
    }

    async fn same_category_name_created_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let category = json!({"name": "Music"});
        let responses = join_all((0..WRITERS).map(|_| admin.post("/categories", category.clone()))).await;
        let won = responses.iter().filter(|response| response.status == 201).count();
        let lost = responses.iter().filter(|response| response.body["code"] == "term_exists").count();
        assert_eq!((won, lost), (1, WRITERS - 1));
    }
}

/// Waits until this number of statements in this database are blocked by locks.
async fn wait_for_blocked_statements(store: &Store, number: i64) {
    let blocked = "SELECT count(*) AS number FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let blocked = Statement::from_string(DbBackend::Postgres, blocked);
    wait_until("statements are blocked", async || {
        let row = store.reader().query_one_raw(blocked.clone()).await.expect("a result");
        row.expect("a row").try_get::<i64>("", "number").expect("a number") >= number
    })
    .await;
}
