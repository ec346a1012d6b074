//! Creating, reading, updating and deleting single organizers.

use almanac::testing::{auth::Role, store::trash};
use serde_json::{Value, json};

use crate::{
    assertions::{
        assert_field_names, assert_fields, assert_fields_set_and_cleared, assert_round_trip,
        assert_update_methods_agree, assert_update_rejected,
    },
    fixtures::{id, merge, user_id},
    on_both_databases,
    support::Client,
};

/// Creates an organizer with a name and these fields, and returns its path.
async fn organizer_path(client: &Client, fields: Value) -> String {
    let body = merge(json!({"organizer": "City Orchestra"}), fields);
    format!("/organizers/{}", client.create_id("/organizers", body).await)
}

on_both_databases! {
    async fn create_returns_201_location_and_defaults(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/organizers", json!({"organizer": "City Orchestra"})).await.is(201);
        let address = format!("{}/calendar/events/v1/organizers/{}", server.address, id(&response.body));
        assert_eq!(response.header("location"), address);
        assert_fields(&response.body, &json!({
            "rest_url": address, "url": format!("{}/organizer/city-orchestra", server.address),
            "organizer": "City Orchestra", "slug": "city-orchestra", "status": "publish",
            "author": user_id(&server, "admin").await, "description": "", "image": null, "phone": "", "website": "",
            "email": "",
        }));
        assert_eq!(admin.get(&address).await.is(200).body, response.body);
    }

    async fn response_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = organizer_path(&admin, json!({})).await;
        let names = "id global_id global_id_lineage author status date date_utc published_at modified modified_utc \
            modified_at url rest_url organizer description slug image external_source external_id phone \
            website email json_ld";
        let read = admin.get(&path).await.is(200).body;
        assert_field_names(&read, names);
        assert!(read["json_ld"]["@type"].is_string());
        let listed = admin.get("/organizers").await.is(200).body["organizers"][0].clone();
        assert_field_names(&listed, names);
        assert_eq!(listed["json_ld"], Value::Null);
    }

    async fn read_update_delete_by_id_and_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = organizer_path(&admin, json!({})).await;
        let by_slug = server.anonymous().get("/organizers/by-slug/city-orchestra").await.is(200).body;
        assert_eq!(server.anonymous().get(&path).await.is(200).body, by_slug);
        assert_update_methods_agree(&admin, &path, "organizer").await;
        assert_update_methods_agree(&admin, "/organizers/by-slug/city-orchestra", "organizer").await;
        let moved = admin.put("/organizers/by-slug/city-orchestra", json!({"slug": "band"})).await.is(200).body;
        assert_eq!(moved["slug"], "band");
        admin.get("/organizers/by-slug/city-orchestra").await.is_error(404, "organizer-not-found");
        assert_eq!(admin.delete("/organizers/by-slug/band").await.is(200).body["status"], "trash");
        admin.delete(&path).await.is_error(410, "organizer-is-in-trash");
        server.anonymous().get(&path).await.is_error(410, "organizer-no-longer-available");
        admin.get("/organizers/999999").await.is_error(404, "organizer-not-found");
    }

    async fn fields_set_and_cleared(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = organizer_path(&admin, json!({})).await;
        assert_fields_set_and_cleared(&admin, &path, &json!({
            "description": "<p>Founded in 1920.</p>", "status": "draft", "phone": "+49 30 123456",
            "website": "https://example.org", "email": "office@example.org", "image": "https://example.org/a.jpg",
        })).await;
    }

    async fn create_with_all_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        server.user("ann", Role::Author).await;
        let fields = json!({
            "organizer": "Filled", "author": user_id(&server, "ann").await, "date": "2026-01-02 03:04:05",
            "description": "<p>Long</p>", "slug": "filled-up", "status": "private", "phone": "555-1234",
            "website": "https://example.org/", "email": "office@example.org", "image": "https://example.org/a.jpg",
        });
        let created = admin.create("/organizers", fields.clone()).await;
        assert_fields(&created, &fields);
        assert_fields(&admin.get("/organizers/by-slug/filled-up").await.is(200).body, &fields);
    }

    async fn round_trip_changes_nothing(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        for client in [&admin, &author] {
            let path = organizer_path(client, json!({
                "organizer": "A < B & C", "description": "<p>a &amp; b</p>", "phone": "555 < 6",
                "website": "https://example.org/?a=b&c=d", "email": "office@example.org",
                "image": "https://example.org/a.jpg", "date_utc": "2020-10-25 01:30:00",
            })).await;
            assert_round_trip(client, &path).await;
            client.delete(&path).await.is(200);
            assert_round_trip(client, &path).await;
        }
    }

    async fn name_is_required(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/organizers", json!({"email": "a@example.org"})).await;
        assert_eq!(response.is_error(400, "rest_missing_callback_param").invalid_params(), ["organizer"]);
        let path = organizer_path(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "organizer", &[
            json!(null), json!(""), json!(" "), json!("<i></i>"), json!("x".repeat(201)), json!(5), json!(["Ann"]),
        ]).await;
        for field in ["date", "date_utc"] {
            assert_update_rejected(&admin, &path, field, &[json!(null), json!(""), json!("soon"), json!(5)]).await;
        }
    }

    async fn text_normalisation(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let organizer = admin.create("/organizers", json!({
            "organizer": " <b>Rene\u{301}</b> A < B\u{0} ", "phone": " 555\u{7} ", "email": " office@example.org\n",
            "description": "<p onclick=\"x()\">Hi</p><script>x()</script>",
        })).await;
        assert_fields(&organizer, &json!({
            "organizer": "René A < B", "phone": "555", "email": "office@example.org", "description": "<p>Hi</p>",
        }));
    }

    async fn invalid_values_reported_by_field(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = organizer_path(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "email", &[
            json!("ann"), json!("ann@"), json!("@example.org"), json!("a b@example.org"),
            json!("ann@example.org, b@c.org"),
            json!(5), json!(["ann@example.org"]),
        ]).await;
        assert_update_rejected(&admin, &path, "website", &[
            json!("example.org"), json!("javascript:x()"), json!(5),
        ]).await;
        for field in ["description", "phone"] {
            assert_update_rejected(&admin, &path, field, &[json!(5), json!(true), json!(["a"]), json!({"a": 1})]).await;
        }
        assert_update_rejected(&admin, &path, "status", &[json!("open"), json!(5)]).await;
        assert_update_rejected(&admin, &path, "image", &[json!("picture"), json!(999)]).await;
        assert_update_rejected(&admin, &path, "author", &[json!(999), json!("ann")]).await;
    }

    async fn slugs_are_unique_and_stable(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = organizer_path(&admin, json!({})).await;
        let second = admin.create("/organizers", json!({"organizer": "City Orchestra"})).await;
        assert_eq!(second["slug"], "city-orchestra-2");
        admin.patch(&path, json!({"slug": "city-orchestra-2"})).await.is_error(409, "slug_conflict");
        assert_eq!(admin.patch(&path, json!({"organizer": "Other"})).await.is(200).body["slug"], "city-orchestra");
        let nameless = admin.create("/organizers", json!({"organizer": "???"})).await;
        assert_eq!(nameless["slug"], format!("organizer-{}", id(&nameless)));
    }

    async fn ids_never_reused(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = organizer_path(&admin, json!({})).await;
        admin.delete(&path).await.is(200);
        let removed = trash::empty(&server.store, None).await.expect("a purge");
        assert_eq!(removed.organizers, 1);
        assert_ne!(organizer_path(&admin, json!({})).await, path);
        admin.get(&path).await.is_error(404, "organizer-not-found");
    }
}
