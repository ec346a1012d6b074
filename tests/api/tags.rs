//! Creating, reading, updating and deleting single tags.

use serde_json::json;

use crate::{
    assertions::{
        assert_field_names, assert_fields, assert_fields_set_and_cleared, assert_round_trip,
        assert_update_methods_agree, assert_update_rejected,
    },
    fixtures::id,
    on_both_databases,
};

on_both_databases! {
    async fn create_returns_201_location_and_defaults(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/tags", json!({"name": "Open air"})).await.is(201);
        let collection = format!("{}/calendar/events/v1/tags", server.address);
        let address = format!("{collection}/{}", id(&response.body));
        assert_eq!(response.header("location"), address);
        assert_field_names(&response.body, "id name slug description taxonomy count url urls");
        assert_fields(&response.body, &json!({
            "name": "Open air", "slug": "open-air", "description": "", "taxonomy": "event_tag", "count": 0,
            "url": format!("{}/events/tag/open-air", server.address),
            "urls": {"self": address, "collection": collection},
        }));
        assert_eq!(server.anonymous().get(&address).await.is(200).body, response.body);
    }

    async fn read_update_delete(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/tags/{}", admin.create_id("/tags", json!({"name": "Open air"})).await);
        assert_update_methods_agree(&admin, &path, "name").await;
        let before = admin.get(&path).await.is(200).body;
        assert_eq!(admin.delete(&path).await.is(200).body, before);
        admin.get(&path).await.is_error(404, "tag-not-found");
        admin.delete(&path).await.is_error(404, "tag-not-found");
        admin.put(&path, json!({"name": "Back"})).await.is_error(404, "tag-not-found");
        admin.get("/tags/open-air").await.is_error(404, "rest_no_route");
    }

    async fn fields_set_and_cleared(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"name": "Open air", "slug": "outside", "description": "<p>Bring a blanket.</p>"});
        let created = admin.create("/tags", fields.clone()).await;
        assert_fields(&created, &fields);
        let path = format!("/tags/{}", admin.create_id("/tags", json!({"name": "Indoors"})).await);
        let description = json!({"description": "<p>Roof <b>above</b>.</p>"});
        assert_fields_set_and_cleared(&admin, &path, &description).await;
    }

    async fn round_trip_changes_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for fields in [
            json!({"name": "A < B & C", "slug": "outside", "description": "<p>a &amp; b</p>"}), json!({"name": "???"}),
        ] {
            let path = format!("/tags/{}", admin.create_id("/tags", fields).await);
            assert_round_trip(&admin, &path).await;
        }
    }

    async fn invalid_values_reported_by_field(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/tags", json!({"slug": "x"})).await;
        assert_eq!(response.is_error(400, "rest_missing_callback_param").invalid_params(), ["name"]);
        let path = format!("/tags/{}", admin.create_id("/tags", json!({"name": "Open air"})).await);
        assert_update_rejected(&admin, &path, "name", &[
            json!(null), json!(""), json!(" "), json!("<i></i>"), json!("x".repeat(201)), json!(5), json!(true),
            json!(["a"]),
        ]).await;
        assert_update_rejected(&admin, &path, "description", &[json!(5), json!(["a"])]).await;
        assert_update_rejected(&admin, &path, "slug", &[json!(5), json!("???")]).await;
        let cleaned = admin.patch(&path, json!({"name": " <b>Cafe\u{301}</b>\u{0} "})).await.is(200).body;
        assert_eq!(cleaned["name"], "Café");
    }

    async fn slugs_are_unique_and_stable(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/tags", json!({"name": "Open air"})).await;
        let other = admin.create("/tags", json!({"name": "Outside", "slug": "open-air"})).await;
        assert_eq!(other["slug"], "open-air-2");
        let path = format!("/tags/{}", id(&other));
        let response = admin.patch(&path, json!({"slug": "open-air"})).await;
        assert_eq!(response.is_error(409, "slug_conflict").invalid_params(), ["slug"]);
        assert_eq!(admin.patch(&path, json!({"name": "Other"})).await.is(200).body["slug"], "open-air-2");
        let nameless = admin.create("/tags", json!({"name": "!!!"})).await;
        assert_eq!(nameless["slug"], format!("tag-{}", id(&nameless)));
    }

    async fn ids_never_reused(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create_id("/tags", json!({"name": "Open air"})).await;
        admin.delete(&format!("/tags/{first}")).await.is(200);
        assert!(admin.create_id("/tags", json!({"name": "Open air"})).await > first);
    }
}
