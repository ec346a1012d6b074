//! Slugs: derivation, uniqueness and numbering.

use serde_json::{Value, json};

use crate::{
    assertions::assert_fields,
    fixtures::{event_path, event_with, id, minimal_event, post_concurrently},
    on_both_databases,
};

on_both_databases! {
    async fn taken_slug_is_numbered_on_create(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for slug in ["spring-concert", "spring-concert-2", "spring-concert-3"] {
            assert_eq!(admin.create("/events", minimal_event()).await["slug"], slug);
        }
        let explicit = admin.create("/events", event_with(json!({"title": "Other", "slug": "spring-concert"}))).await;
        assert_eq!(explicit["slug"], "spring-concert-4");
        let draft = admin.create("/events", event_with(json!({"status": "draft"}))).await;
        assert_eq!(draft["slug"], "spring-concert-5");
        let venue = admin.create("/venues", json!({"venue": "Spring concert"})).await;
        assert_eq!(venue["slug"], "spring-concert");
    }

    async fn concurrent_creates_get_distinct_slugs(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let responses = post_concurrently(&admin, "/events", &minimal_event()).await;
        let slugs: Vec<Value> = responses.into_iter().map(|response| response.is(201).body["slug"].clone()).collect();
        for number in 1..=8 {
            let slug = if number == 1 { "spring-concert".to_owned() } else { format!("spring-concert-{number}") };
            assert!(slugs.contains(&json!(slug)), "{slug} of {slugs:?}");
        }
    }

    async fn numbered_slugs_stay_unique(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for letter in "abcdefgh".chars() {
            let title = |suffix: &str| event_with(json!({"title": format!("Show {letter}{suffix}")}));
            admin.create("/events", title("")).await;
            let (one, other) = tokio::join!(admin.post("/events", title("")), admin.post("/events", title(" 2")));
            let slugs = [one.is(201).body["slug"].clone(), other.is(201).body["slug"].clone()];
            assert!(slugs.contains(&json!(format!("show-{letter}-2"))), "{slugs:?}");
            assert_ne!(slugs[0], slugs[1]);
        }
    }

    async fn taken_slug_on_update_is_409(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        event_path(&admin, json!({})).await;
        let path = event_path(&admin, json!({"title": "Other"})).await;
        let response = admin.patch(&path, json!({"slug": "spring-concert", "title": "New"})).await;
        assert_eq!(response.is_error(409, "slug_conflict").invalid_params(), ["slug"]);
        assert_fields(&admin.get(&path).await.body, &json!({"slug": "other", "title": "Other"}));
        assert_eq!(admin.patch(&path, json!({"slug": "other"})).await.is(200).body["slug"], "other");
    }

    async fn slug_transliteration_and_length(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (title, slug) in [
            ("Été à Köln!", "ete-a-koln"), ("A & B", "a-b"), ("Концерт", "kontsert"), ("  100% Jazz ", "100-jazz"),
        ] {
            assert_eq!(admin.create("/events", event_with(json!({"title": title}))).await["slug"], slug);
        }
        let long = admin.create("/events", event_with(json!({"title": "щ".repeat(200)}))).await;
        let slug = long["slug"].as_str().expect("a string").to_owned();
        assert!((100..=200).contains(&slug.len()), "{slug}");
        let again = admin.create("/events", event_with(json!({"title": "щ".repeat(200)}))).await;
        assert!(again["slug"].as_str().is_some_and(|again| again.len() <= 200 && again != slug));
        let path = event_path(&admin, json!({"slug": "My Own Slug"})).await;
        assert_eq!(admin.get(&path).await.body["slug"], "my-own-slug");
    }

    async fn slug_falls_back_to_kind_and_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        event_path(&admin, json!({})).await;
        for title in ["!!!", "…"] {
            let event = admin.create("/events", event_with(json!({"title": title}))).await;
            assert_eq!(event["slug"], format!("event-{}", id(&event)));
            admin.get(&format!("/events/by-slug/event-{}", id(&event))).await.is(200);
        }
    }

    async fn title_change_keeps_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        assert_eq!(admin.patch(&path, json!({"title": "Other"})).await.is(200).body["slug"], "spring-concert");
    }
}
