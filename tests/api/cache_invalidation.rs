//! Cache invalidation: a write invalidates the responses that it changes, and no others.

use almanac::testing::store::write_connection::WriteConnection;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use sea_orm::DbBackend;
use serde_json::{Value, json};

use crate::{
    fixtures::create_event,
    on_both_databases,
    support::{Client, Server},
};

/// Number of random writes. All responses are compared after each.
const WRITES: usize = 40;

/// A random write to one of the objects, or to an object that is linked to it.
fn random_write(dice: &mut StdRng, number: usize) -> (String, Value) {
    let event = format!("/events/{}", dice.random_range(1..=4));
    let hour = dice.random_range(6..=9);
    match dice.random_range(0..14) {
        0..=3 => (event, json!({"title": format!("Title {number}")})),
        4 => (
            event,
            json!({"description": format!("Text {number}"), "cost": number.to_string()}),
        ),
        5 => (
            event,
            json!({"start_date": format!("tomorrow {hour}am"), "end_date": "tomorrow 10am"}),
        ),
        6 => (event, json!({"featured": dice.random_bool(0.5)})),
        7 => (
            event,
            json!({"status": if dice.random_bool(0.5) { "draft" } else { "publish" }}),
        ),
        8 => (event, json!({"categories": [dice.random_range(1..=2)], "venue": 1})),
        9 => (event, json!({"categories": [], "venue": []})),
        10 => ("/venues/1".to_owned(), json!({"city": format!("City {number}")})),
        11 => (
            "/categories/1".to_owned(),
            json!({"name": format!("Category {number}")}),
        ),
        12 => ("/categories/2".to_owned(), json!({"parent": dice.random_range(0..=1)})),
        _ => (
            "/events".to_owned(),
            json!({
                "title": format!("Number {number}"), "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
            }),
        ),
    }
}

/// Creates four events, a venue and two categories.
async fn create_objects(admin: &Client) {
    for name in ["Music", "Jazz"] {
        admin.create_id("/categories", json!({"name": name})).await;
    }
    for title in ["Choir", "Concert", "Market", "Reading"] {
        create_event(admin, title, json!({"venue": {"venue": "Hall"}, "categories": [1]})).await;
    }
}

on_both_databases! {
    async fn cached_responses_match_uncached_server(database) {
        let url = database.url().await;
        let flags = ["--base-url", "https://calendar.example"];
        let caching = Server::start(&url, &flags).await;
        let uncached = Server::start(&url, &[&flags[..], &["--cache-size", "0"]].concat()).await;
        let admin = caching.administrator().await;
        create_objects(&admin).await;
        let mut paths: Vec<String> = [
            "/events", "/events?per_page=2", "/events?categories=1", "/events?featured=true",
            "/events?search=title", "/venues", "/venues?has_events=true", "/categories",
            "/events/by-slug/choir", "~/", "~/event/concert", "~/venue/hall",
        ].map(str::to_owned).to_vec();
        paths.extend((1..=4).map(|id| format!("/events/{id}")));
        let (caching, uncached) = (caching.anonymous(), uncached.anonymous());
        let dice = &mut StdRng::seed_from_u64(7);
        for number in 0..WRITES {
            let (path, body) = random_write(dice, number);
            let status = admin.post(&path, body.clone()).await.status;
            assert!(status.is_success(), "{path} {body}: {status}");
            for path in &paths {
                let (cached, current) = (caching.get(path).await, uncached.get(path).await);
                assert_eq!(cached.status, current.status, "{path} after {body}");
                assert!(cached.text == current.text, "{path} after {body}: {} {}", cached.text, current.text);
            }
        }
    }

    async fn text_change_keeps_unrelated_responses(database) {
        let url = database.url().await;
        let (one, other) = (Server::start(&url, &[]).await, Server::start(&url, &[]).await);
        let admin = one.administrator().await;
        create_objects(&admin).await;
        let kept = ["/events/2", "/events/by-slug/concert", "/events?include=2,3", "/venues", "/categories"];
        let invalidated = ["/events/1", "/events/by-slug/choir", "/events", "/events?search=choir"];
        let reader = other.anonymous();
        for path in kept.iter().chain(&invalidated) {
            reader.get(path).await.is(200);
        }
        admin.patch("/events/1", json!({"title": "Orchestra", "excerpt": "New"})).await.is(200);
        other.store.close_readers().await.expect("the pools close");
        for path in kept {
            reader.get(path).await.is(200);
        }
        for path in invalidated {
            assert!(reader.get(path).await.status.is_server_error(), "{path} is still cached");
        }
    }

    async fn date_change_invalidates_all_responses(database) {
        let url = database.url().await;
        let (one, other) = (Server::start(&url, &[]).await, Server::start(&url, &[]).await);
        let admin = one.administrator().await;
        create_objects(&admin).await;
        let paths = ["/events/2", "/events?include=2,3", "/venues", "/categories"];
        let reader = other.anonymous();
        for path in paths {
            reader.get(path).await.is(200);
        }
        admin.patch("/events/1", json!({"start_date": "tomorrow 8am"})).await.is(200);
        other.store.close_readers().await.expect("the pools close");
        for path in paths {
            assert!(reader.get(path).await.status.is_server_error(), "{path} is still cached");
        }
    }

    async fn foreign_transaction_id_keeps_responses(database) {
        let server = database.server(&[]).await;
        if server.store.reader().get_database_backend() != DbBackend::Postgres {
            return;
        }
        let write = async |statement: &str| {
            let transaction = server.store.begin().await.expect("a transaction");
            transaction.execute_unprepared(statement).await.expect("a statement");
            transaction.commit().await.expect("a commit");
        };
        write("INSERT INTO change_log (event_id, transaction_id) VALUES (NULL, '1000000000000')").await;
        let reader = server.anonymous();
        reader.get("/venues").await.is(200);
        // Assigns a transaction ID without writing anything.
        write("SELECT pg_current_xact_id()").await;
        server.store.close_readers().await.expect("the pools close");
        reader.get("/venues").await.is(200);
    }
}
