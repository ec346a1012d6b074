//! Creates that arrive at the same time, which share transactions.

use std::time::Duration;

use almanac::testing::{auth::Role, store::write_connection::WriteConnection};
use futures_util::future::join_all;
use sea_orm::DbBackend;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    on_both_databases,
    support::{Client, Response, Server},
};

/// Number of concurrent creates.
const CREATES: usize = 24;
/// How long a lock blocks the creates, so that all of them arrive.
const ARRIVAL: Duration = Duration::from_millis(500);

on_both_databases! {
    async fn each_response_has_its_own_event(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let created = create_together(&server, (0..CREATES).map(|number| (&admin, event(number)))).await;
        for (number, response) in created.into_iter().enumerate() {
            let created = response.is(201).body;
            assert_eq!(created["title"], format!("Event {number}"));
            let stored = admin.get(&format!("/events/{}", created["id"])).await.is(200).body;
            assert_eq!(stored["title"], created["title"]);
        }
    }

    async fn creates_of_a_user_share_statements(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let before = server.store.statement_count();
        admin.post("/events", event(CREATES)).await.is(201);
        let single = server.store.statement_count() - before;
        let before = server.store.statement_count();
        for response in create_together(&server, (0..CREATES).map(|number| (&admin, event(number)))).await {
            response.is(201);
        }
        let together = server.store.statement_count() - before;
        assert!(together < single * 8, "{together} statements, {single} for one event");
    }

    async fn failed_create_does_not_affect_others(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let is_invalid = |number: usize| number.is_multiple_of(5);
        let events = (0..CREATES).map(|number| {
            let mut event = event(number);
            if is_invalid(number) {
                event["venue"] = json!(999);
            }
            (&admin, event)
        });
        for (number, response) in create_together(&server, events).await.into_iter().enumerate() {
            match is_invalid(number) {
                true => assert_eq!(response.is(400).body["data"]["params"]["venue"], json!("must exist; unknown: 999")),
                false => assert_eq!(response.is(201).body["title"], format!("Event {number}")),
            }
        }
    }

    async fn events_have_the_authors_that_created_them(database) {
        let server = database.server(&[]).await;
        let users = [server.user("ann", Role::Editor).await, server.user("ben", Role::Author).await];
        let author = async |user: &Client| user.get("/me").await.is(200).body["id"].clone();
        let authors = [author(&users[0]).await, author(&users[1]).await];
        let events = (0..CREATES).map(|number| (&users[number % 2], event(number)));
        for (number, response) in create_together(&server, events).await.into_iter().enumerate() {
            assert_eq!(response.is(201).body["author"], authors[number % 2]);
        }
    }
}

fn event(number: usize) -> Value {
    json!({
        "title": format!("Event {number}"), "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
        "venue": {"venue": format!("Hall {number}")},
    })
}

/// Creates the events. No transaction can insert any before all of them have arrived.
async fn create_together<'a>(server: &Server, events: impl Iterator<Item = (&'a Client, Value)>) -> Vec<Response> {
    let other = server.store.begin().await.expect("a transaction");
    if server.store.reader().get_database_backend() == DbBackend::Postgres {
        let lock = other.execute_unprepared("LOCK TABLE events IN SHARE MODE").await;
        lock.expect("a lock");
    }
    let release = async {
        sleep(ARRIVAL).await;
        drop(other);
    };
    let created = join_all(events.map(|(client, event)| client.post("/events", event)));
    let (created, ()) = futures_util::join!(created, release);
    created
}
