//! Creating, reading, updating and deleting single categories.

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
        let response = admin.post("/categories", json!({"name": "Music"})).await.is(201);
        let collection = format!("{}/calendar/events/v1/categories", server.address);
        let address = format!("{collection}/{}", id(&response.body));
        assert_eq!(response.header("location"), address);
        assert_field_names(&response.body, "id name slug description taxonomy parent count url urls");
        assert_fields(&response.body, &json!({
            "name": "Music", "slug": "music", "description": "", "taxonomy": "event_category", "parent": 0, "count": 0,
            "url": format!("{}/events/category/music", server.address),
            "urls": {"self": address, "collection": collection},
        }));
        assert_eq!(server.anonymous().get(&address).await.is(200).body, response.body);
        let child = admin.create("/categories", json!({"name": "Jazz", "parent": id(&response.body)})).await;
        assert_eq!(child["parent"], id(&response.body));
        assert_eq!(child["urls"]["up"], address);
    }

    async fn read_update_delete(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/categories/{}", admin.create_id("/categories", json!({"name": "Music"})).await);
        assert_update_methods_agree(&admin, &path, "name").await;
        let before = admin.get(&path).await.is(200).body;
        assert_eq!(admin.delete(&path).await.is(200).body, before);
        admin.get(&path).await.is_error(404, "category-not-found");
        admin.delete(&path).await.is_error(404, "category-not-found");
        admin.put(&path, json!({"name": "Back"})).await.is_error(404, "category-not-found");
        admin.get("/categories/music").await.is_error(404, "rest_no_route");
    }

    async fn fields_set_and_cleared(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let parent = admin.create_id("/categories", json!({"name": "Art"})).await;
        let fields = json!({"name": "Music", "slug": "tunes", "description": "<p>Loud.</p>", "parent": parent});
        assert_fields(&admin.create("/categories", fields.clone()).await, &fields);
        let path = format!("/categories/{}", admin.create_id("/categories", json!({"name": "Dance"})).await);
        let fields = json!({"description": "<p>With <b>shoes</b>.</p>", "parent": parent});
        assert_fields_set_and_cleared(&admin, &path, &fields).await;
    }

    async fn round_trip_changes_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let parent = admin.create_id("/categories", json!({"name": "Art"})).await;
        for fields in [
            json!({"name": "A < B & C", "slug": "tunes", "description": "<p>a &amp; b</p>", "parent": parent}),
            json!({"name": "???"}),
        ] {
            let path = format!("/categories/{}", admin.create_id("/categories", fields).await);
            assert_round_trip(&admin, &path).await;
        }
    }

    async fn invalid_values_reported_by_field(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/categories", json!({"description": "x"})).await;
        assert_eq!(response.is_error(400, "rest_missing_callback_param").invalid_params(), ["name"]);
        let path = format!("/categories/{}", admin.create_id("/categories", json!({"name": "Music"})).await);
        assert_update_rejected(&admin, &path, "name", &[
            json!(null), json!(""), json!(" "), json!("<i></i>"), json!("x".repeat(201)), json!(5), json!(true),
            json!(["a"]),
        ]).await;
        assert_update_rejected(&admin, &path, "description", &[json!(5), json!(["a"])]).await;
        assert_update_rejected(&admin, &path, "slug", &[json!(5), json!("???")]).await;
        assert_update_rejected(&admin, &path, "parent", &[
            json!(999), json!(-1), json!("Art"), json!(true), json!(1.5),
        ]).await;
    }

    async fn slugs_are_unique_and_stable(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let music = admin.create_id("/categories", json!({"name": "Music"})).await;
        // The same name is allowed under another parent.
        let child = admin.create("/categories", json!({"name": "Music", "parent": music})).await;
        assert_eq!(child["slug"], "music-2");
        let path = format!("/categories/{}", id(&child));
        let response = admin.patch(&path, json!({"slug": "music"})).await;
        assert_eq!(response.is_error(409, "slug_conflict").invalid_params(), ["slug"]);
        assert_eq!(admin.patch(&path, json!({"name": "Jazz"})).await.is(200).body["slug"], "music-2");
        let nameless = admin.create("/categories", json!({"name": "!!!"})).await;
        assert_eq!(nameless["slug"], format!("category-{}", id(&nameless)));
    }

    async fn ids_never_reused(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create_id("/categories", json!({"name": "Music"})).await;
        admin.delete(&format!("/categories/{first}")).await.is(200);
        assert!(admin.create_id("/categories", json!({"name": "Music"})).await > first);
    }
}
