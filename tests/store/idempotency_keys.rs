//! Requests with the header `Idempotency-Key`.

use almanac::testing::{
    auth::Role,
    store::{
        Store,
        entity::idempotency_key::Model,
        idempotency_keys::{LIFETIME, find, insert, remove_expired},
        users,
    },
};
use serde_json::json;

use crate::on_both_databases;

const NOW: i64 = 1_800_000_000;
/// More keys than one transaction deletes.
const MANY: u64 = 450;

fn row(name: &str, created_at: i64) -> Model {
    Model {
        user_id: 1,
        name: name.to_owned(),
        fingerprint: "a".to_owned(),
        status: 201,
        headers: "[]".to_owned(),
        body: b"{}".to_vec(),
        created_at,
    }
}

async fn store_row(store: &Store, row: Model) {
    let transaction = store.begin().await.expect("a transaction");
    insert(&transaction, row).await.expect("a write");
    transaction.commit().await.expect("a commit");
}

async fn found(store: &Store, name: &str) -> Option<Model> {
    find(store.reader(), 1, name, NOW).await.expect("a result")
}

on_both_databases! {
    async fn keys_expire(on) {
        let server = on.server(&[]).await;
        server.user("admin", Role::Administrator).await;
        let store = &server.store;
        store_row(store, row("old", NOW - LIFETIME)).await;
        store_row(store, row("young", NOW - LIFETIME + 1)).await;
        assert_eq!(found(store, "old").await, None);
        assert_eq!(found(store, "young").await, Some(row("young", NOW - LIFETIME + 1)));
        assert_eq!(remove_expired(store, NOW).await.expect("it runs"), 1);
        assert!(found(store, "young").await.is_some());
    }

    async fn many_keys_expire(on) {
        let server = on.server(&[]).await;
        server.user("admin", Role::Administrator).await;
        let store = &server.store;
        let transaction = store.begin().await.expect("a transaction");
        for number in 0..MANY {
            insert(&transaction, row(&number.to_string(), NOW - LIFETIME)).await.expect("a write");
        }
        insert(&transaction, row("young", NOW)).await.expect("a write");
        transaction.commit().await.expect("a commit");
        assert_eq!(remove_expired(store, NOW).await.expect("it runs"), MANY);
        assert!(found(store, "young").await.is_some());
    }

    async fn expired_key_is_used_again(on) {
        let server = on.server(&[]).await;
        server.user("admin", Role::Administrator).await;
        let store = &server.store;
        store_row(store, row("key", NOW - LIFETIME)).await;
        let new = Model { fingerprint: "b".to_owned(), body: vec![0, 255], ..row("key", NOW) };
        store_row(store, new.clone()).await;
        assert_eq!(found(store, "key").await, Some(new));
    }

    async fn keys_of_a_removed_user_are_removed(on) {
        let server = on.server(&[]).await;
        let admin = server.user("admin", Role::Administrator).await;
        let store = &server.store;
        let request = admin.request("POST", "/venues").header("Idempotency-Key", "key");
        request.json(&json!({"venue": "Hall"})).send().await.expect("a response");
        assert!(find(store.reader(), 1, "key", 0).await.expect("a result").is_some());
        let transaction = store.begin().await.expect("a transaction");
        users::remove(&transaction, 1).await.expect("a write");
        transaction.commit().await.expect("a commit");
        assert_eq!(find(store.reader(), 1, "key", 0).await.expect("a result"), None);
    }
}
