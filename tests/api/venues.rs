//! Creating, reading, updating and deleting single venues.

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

/// Creates a venue with a name and these fields, and returns its path.
async fn venue_path(client: &Client, fields: Value) -> String {
    let body = merge(json!({"venue": "City Hall"}), fields);
    format!("/venues/{}", client.create_id("/venues", body).await)
}

on_both_databases! {
    async fn create_returns_201_location_and_defaults(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/venues", json!({"venue": "City Hall"})).await.is(201);
        let address = format!("{}/calendar/events/v1/venues/{}", server.address, id(&response.body));
        assert_eq!(response.header("location"), address);
        assert_fields(&response.body, &json!({
            "rest_url": address, "url": format!("{}/venue/city-hall", server.address), "venue": "City Hall",
            "slug": "city-hall", "status": "publish", "author": user_id(&server, "admin").await, "description": "",
            "image": null, "address": "", "city": "", "country": "", "province": "", "state": "", "stateprovince": "",
            "zip": "", "phone": "", "website": "", "geo_lat": null, "geo_lng": null,
        }));
        assert_eq!(admin.get(&address).await.is(200).body, response.body);
    }

    async fn response_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        let names = "id global_id global_id_lineage author status date date_utc published_at modified modified_utc \
            modified_at url rest_url venue description slug image external_source external_id address city country \
            province state stateprovince zip phone website geo_lat geo_lng show_map show_map_link json_ld";
        let read = admin.get(&path).await.is(200).body;
        assert_field_names(&read, names);
        assert_eq!(read["json_ld"]["@type"], "Place");
        let listed = admin.get("/venues").await.is(200).body["venues"][0].clone();
        assert_field_names(&listed, names);
        assert_eq!(listed["json_ld"], Value::Null);
    }

    async fn read_update_delete_by_id_and_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        let by_slug = server.anonymous().get("/venues/by-slug/city-hall").await.is(200).body;
        assert_eq!(server.anonymous().get(&path).await.is(200).body, by_slug);
        assert_update_methods_agree(&admin, &path, "venue").await;
        assert_update_methods_agree(&admin, "/venues/by-slug/city-hall", "venue").await;
        let moved = admin.put("/venues/by-slug/city-hall", json!({"slug": "Old hall"})).await.is(200).body;
        assert_eq!(moved["slug"], "old-hall");
        admin.get("/venues/by-slug/city-hall").await.is_error(404, "venue-not-found");
        assert_eq!(admin.delete("/venues/by-slug/old-hall").await.is(200).body["status"], "trash");
        admin.delete(&path).await.is_error(410, "venue-is-in-trash");
        server.anonymous().get(&path).await.is_error(410, "venue-no-longer-available");
        admin.get("/venues/999999").await.is_error(404, "venue-not-found");
    }

    async fn fields_set_and_cleared(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        assert_fields_set_and_cleared(&admin, &path, &json!({
            "description": "<p>By the north entrance.</p>", "status": "draft", "address": "Lindenstraße 12",
            "city": "Berlin", "country": "Germany", "province": "Brandenburg", "state": "California", "zip": "01069",
            "phone": "+49 30 123456", "website": "https://example.org", "image": "https://example.org/a.jpg",
            "geo_lat": -33.5, "geo_lng": 151.25,
        })).await;
    }

    async fn create_with_all_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        server.user("ann", Role::Author).await;
        let fields = json!({
            "venue": "Filled", "author": user_id(&server, "ann").await, "date": "2026-01-02 03:04:05",
            "description": "<p>Long</p>", "slug": "filled-up", "status": "private", "address": "Main Street 1",
            "city": "Springfield", "country": "United States", "province": "none", "state": "Oregon", "zip": "97477",
            "phone": "555-1234", "website": "https://example.org/", "image": "https://example.org/a.jpg",
            "geo_lat": 44.05, "geo_lng": -123.02, "show_map": false, "show_map_link": true,
        });
        let created = admin.create("/venues", fields.clone()).await;
        assert_fields(&created, &fields);
        assert_fields(&admin.get("/venues/by-slug/filled-up").await.is(200).body, &fields);
    }

    async fn round_trip_changes_nothing(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        for place in [
            json!({"country": "Germany", "stateprovince": "Brandenburg"}), json!({"stateprovince": "Oregon"}),
            json!({"country": "Germany", "state": "Bayern", "province": "Franken"}),
            json!({"country": "USA", "state": "Oregon", "province": "Lane"}),
            json!({"country": "Canada", "state": "Quebec"}), json!({"country": "United States", "province": "Lane"}),
        ] {
            let path = venue_path(&admin, merge(json!({
                "description": "<p>a &amp; b</p>", "address": "1 < 2 & 3", "city": "Zürich", "zip": "01069",
                "phone": "555",
                "website": "https://example.org/?a=b&c=d", "image": "https://example.org/a.jpg", "geo_lat": 47.3769,
                "geo_lng": 8.5417, "show_map": false, "show_map_link": true, "date_utc": "2020-10-25 01:30:00",
            }), place)).await;
            assert_round_trip(&admin, &path).await;
            admin.delete(&path).await.is(200);
            assert_round_trip(&admin, &path).await;
        }
    }

    async fn round_trip_by_author(database) {
        let server = database.server(&[]).await;
        let author = server.user("ann", Role::Author).await;
        let contributor = server.user("ben", Role::Contributor).await;
        assert_round_trip(&author, &venue_path(&author, json!({})).await).await;
        assert_round_trip(&contributor, &venue_path(&contributor, json!({})).await).await;
    }

    async fn name_is_required(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/venues", json!({"city": "Berlin"})).await;
        assert_eq!(response.is_error(400, "rest_missing_callback_param").invalid_params(), ["venue"]);
        let path = venue_path(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "venue", &[
            json!(null), json!(""), json!(" "), json!("<i></i>"), json!("x".repeat(201)), json!(5), json!(["Hall"]),
        ]).await;
        for field in ["date", "date_utc"] {
            assert_update_rejected(&admin, &path, field, &[json!(null), json!(""), json!("soon"), json!(5)]).await;
        }
    }

    async fn text_normalisation(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = admin.create("/venues", json!({
            "venue": " <b>Cafe\u{301}</b> A < B\u{0} ", "city": " Zu\u{308}rich\u{7} ", "zip": "\t01069\n",
            "description": "<p onclick=\"x()\">Hi</p><script>x()</script>",
        })).await;
        assert_fields(&venue, &json!({
            "venue": "Café A < B", "city": "Zürich", "zip": "01069", "description": "<p>Hi</p>", "slug": "cafe-a-b",
        }));
    }

    async fn stateprovince_maps_by_country(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (country, state, province) in [
            ("", "Lower", ""), ("United States", "Lower", ""), ("Germany", "", "Lower"), ("Canada", "", "Lower"),
        ] {
            let body = json!({"venue": "Hall", "country": country, "stateprovince": "Lower"});
            let venue = admin.create("/venues", body).await;
            assert_fields(&venue, &json!({"state": state, "province": province, "stateprovince": "Lower"}));
        }
        let venue = admin.create("/venues", json!({
            "venue": "Hall", "country": "Germany", "province": "Given", "stateprovince": "Ignored",
        })).await;
        assert_fields(&venue, &json!({"state": "", "province": "Given", "stateprovince": "Given"}));
        let body = json!({"venue": "Hall", "state": "Given", "stateprovince": "Ignored"});
        let venue = admin.create("/venues", body).await;
        assert_fields(&venue, &json!({"state": "Given", "province": "", "stateprovince": "Given"}));
    }

    async fn stateprovince_uses_stored_country(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({"country": "Germany"})).await;
        let venue = admin.patch(&path, json!({"stateprovince": "Bayern"})).await.is(200).body;
        assert_fields(&venue, &json!({"state": "", "province": "Bayern", "stateprovince": "Bayern"}));
        let venue = admin.patch(&path, json!({"stateprovince": null})).await.is(200).body;
        assert_fields(&venue, &json!({"state": "", "province": "", "stateprovince": ""}));
    }

    async fn map_flags_accept_strings_and_booleans(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        for field in ["show_map", "show_map_link"] {
            for (written, shown) in [
                (json!("false"), false), (json!("true"), true), (json!(false), false), (json!(true), true),
                (json!("0"), false), (json!("1"), true), (json!(0), false), (json!("yes"), true),
            ] {
                assert_eq!(admin.patch(&path, json!({field: written})).await.is(200).body[field], shown, "{written}");
            }
            assert_update_rejected(&admin, &path, field, &[json!("maybe"), json!(2), json!([true]), json!({})]).await;
        }
    }

    async fn coordinate_ranges(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({"geo_lat": "52.52", "geo_lng": 180})).await;
        assert_fields(&admin.get(&path).await.body, &json!({"geo_lat": 52.52, "geo_lng": 180.0}));
        let place = admin.get(&path).await.body["json_ld"]["geo"].clone();
        assert_fields(&place, &json!({"@type": "GeoCoordinates", "latitude": 52.52, "longitude": 180.0}));
        assert_update_rejected(&admin, &path, "geo_lat", &[
            json!(90.1), json!(-91), json!("north"), json!(true), json!("NaN"),
        ]).await;
        assert_update_rejected(&admin, &path, "geo_lng", &[json!(180.1), json!(-181), json!("inf"), json!([1])]).await;
    }

    async fn wrong_types_reported_by_field(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        for field in [
            "description", "address", "city", "country", "province", "state", "zip", "phone", "stateprovince",
        ] {
            assert_update_rejected(&admin, &path, field, &[json!(5), json!(true), json!(["a"]), json!({"a": 1})]).await;
        }
        assert_update_rejected(&admin, &path, "website", &[
            json!("example.org"), json!("javascript:x()"), json!(5),
        ]).await;
        assert_update_rejected(&admin, &path, "status", &[json!("open"), json!(5)]).await;
        assert_update_rejected(&admin, &path, "image", &[json!("picture"), json!(999), json!(true)]).await;
        assert_update_rejected(&admin, &path, "author", &[json!(999), json!("ann")]).await;
    }

    async fn slugs_are_unique_and_stable(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        let second = admin.create("/venues", json!({"venue": "City Hall"})).await;
        assert_eq!(second["slug"], "city-hall-2");
        assert_eq!(admin.create("/venues", json!({"venue": "X", "slug": "city-hall"})).await["slug"], "city-hall-3");
        admin.patch(&path, json!({"slug": "city-hall-2"})).await.is_error(409, "slug_conflict");
        assert_eq!(admin.patch(&path, json!({"venue": "Other"})).await.is(200).body["slug"], "city-hall");
        let nameless = admin.create("/venues", json!({"venue": "???"})).await;
        assert_eq!(nameless["slug"], format!("venue-{}", id(&nameless)));
    }

    async fn ids_never_reused(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = venue_path(&admin, json!({})).await;
        admin.delete(&path).await.is(200);
        let removed = trash::empty(&server.store, None).await.expect("a purge");
        assert_eq!(removed.venues, 1);
        assert_ne!(venue_path(&admin, json!({})).await, path);
        admin.get(&path).await.is_error(404, "venue-not-found");
    }
}
