//! Creating, reading, updating and deleting single events.

use almanac::testing::{auth::Role, store::trash};
use serde_json::{Value, json};

use crate::{
    assertions::{
        assert_field_names, assert_fields, assert_fields_set_and_cleared, assert_round_trip,
        assert_update_methods_agree,
    },
    fixtures::{event_path, id, ids, local_time, minimal_event, user_id},
    on_both_databases,
};

on_both_databases! {
    async fn create_returns_201_location_and_defaults(database) {
        let server = database.server(&["--timezone", "Europe/Madrid"]).await;
        let admin = server.administrator().await;
        let response = admin.post("/events", minimal_event()).await.is(201);
        let address = format!("{}/calendar/events/v1/events/{}", server.address, id(&response.body));
        assert_eq!(response.header("location"), address);
        assert_eq!(response.body["rest_url"], address);
        assert_eq!(response.body["url"], format!("{}/event/spring-concert", server.address));
        assert_fields(&response.body, &json!({
            "title": "Spring concert", "slug": "spring-concert", "status": "publish", "description": "", "excerpt": "",
            "author": user_id(&server, "admin").await, "image": null, "all_day": false, "timezone": "Europe/Madrid",
            "start_date": "2027-05-07 19:30:00", "end_date": "2027-05-07 22:00:00", "cost": "", "website": "",
            "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
            "hide_from_listings": false, "sticky": false, "featured": false, "ticketed": false, "post_parent": null,
            "categories": [], "tags": [], "venue": [], "organizer": [], "custom_fields": {},
            "event_status": "scheduled",
        }));
        assert_eq!(admin.get(&address).await.is(200).body, response.body);
    }

    async fn response_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let names = "id global_id global_id_lineage author status date date_utc published_at modified modified_utc \
            modified_at url rest_url title description excerpt slug image all_day start_date start_date_details \
            end_date end_date_details utc_start_date utc_start_date_details utc_end_date utc_end_date_details \
            starts_at ends_at timezone timezone_abbr cost cost_details website show_map show_map_link \
            hide_from_listings sticky featured ticketed post_parent categories tags venue organizer custom_fields \
            event_status uid series external_source external_id json_ld";
        let read = admin.get(&path).await.is(200).body;
        assert_field_names(&read, names);
        assert_eq!(read["json_ld"]["@type"], "Event");
        let listed = admin.get("/events?start_date=2000-01-01").await.is(200).body["events"][0].clone();
        assert_field_names(&listed, names);
        assert_eq!(listed["json_ld"], Value::Null);
        let host = server.address.trim_start_matches("http://");
        let global_id = format!("{host}?event={}", read["id"]);
        assert_fields(&read, &json!({"global_id": global_id, "global_id_lineage": [global_id]}));
    }

    async fn uid_is_that_of_feeds(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let uid = admin.get(&path).await.is(200).body["uid"].clone();
        let feed = server.anonymous().get("~/events.ics?start_date=1900-01-01").await.is(200).text;
        let line = format!("UID:{}", uid.as_str().expect("a text"));
        assert!(feed.lines().any(|found| found == line), "{line}: {feed}");
        let sent = admin.patch(&path, json!({"uid": "other", "title": "New"})).await.is(200);
        assert_eq!((&sent.body["uid"], sent.header("x-ignored")), (&uid, ""));
        assert_eq!(admin.get(&format!("{path}?fields=uid")).await.is(200).body, json!({"uid": uid}));
    }

    async fn read_by_id_and_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let reader = server.anonymous();
        let by_id = reader.get(&path).await.is(200);
        let by_slug = reader.get("/events/by-slug/spring-concert").await.is(200);
        assert_eq!(by_slug.body, by_id.body);
        assert_eq!(by_slug.header("etag"), by_id.header("etag"));
        reader.get("/events/by-slug/nothing").await.is_error(404, "event-not-found");
        reader.get("/events/999999").await.is_error(404, "event-not-found");
        reader.get("/events/99999999999999999999999").await.is_error(404, "event-not-found");
        reader.get("/events/abc").await.is_error(404, "rest_no_route");
    }

    async fn update_methods_are_equivalent(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"description": "<p>Bring a chair.</p>", "website": "https://example.org"});
        let path = event_path(&admin, fields).await;
        assert_update_methods_agree(&admin, &path, "title").await;
        assert_update_methods_agree(&admin, "/events/by-slug/spring-concert", "title").await;
    }

    async fn update_by_slug_changes_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        event_path(&admin, json!({})).await;
        let moved = admin.put("/events/by-slug/spring-concert", json!({"slug": "autumn-concert"})).await.is(200).body;
        assert_eq!(moved["slug"], "autumn-concert");
        admin.get("/events/by-slug/spring-concert").await.is_error(404, "event-not-found");
        assert_eq!(admin.get("/events/by-slug/autumn-concert").await.is(200).body, moved);
    }

    async fn path_id_overrides_body_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let other = event_path(&admin, json!({"title": "Other"})).await;
        let path = event_path(&admin, json!({})).await;
        let other_id = id(&admin.get(&other).await.body);
        let changed = admin.put(&path, json!({"id": other_id, "title": "Changed"})).await.is(200).body;
        assert_ne!(id(&changed), other_id);
        assert_eq!(admin.get(&other).await.body["title"], "Other");
    }

    async fn delete_by_id_and_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        event_path(&admin, json!({"title": "Second"})).await;
        assert_eq!(admin.delete(&path).await.is(200).body["status"], "trash");
        assert_eq!(admin.delete("/events/by-slug/second").await.is(200).body["status"], "trash");
        admin.delete("/events/by-slug/second").await.is_error(404, "event-not-found");
        admin.delete("/events/999999").await.is_error(404, "event-not-found");
    }

    async fn fields_set_and_cleared(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let organizer = admin.create_id("/organizers", json!({"organizer": "Ann"})).await;
        let category = admin.create_id("/categories", json!({"name": "Music"})).await;
        let tag = admin.create_id("/tags", json!({"name": "Open air"})).await;
        let path = event_path(&admin, json!({})).await;
        assert_fields_set_and_cleared(&admin, &path, &json!({
            "description": "<p>Doors at <b>seven</b>.</p>", "excerpt": "<p>Two hours.</p>", "status": "draft",
            "timezone": "Europe/Berlin", "all_day": true, "image": "https://example.org/a.jpg", "cost": "10 €",
            "website": "https://example.org/concert", "hide_from_listings": true, "sticky": true, "featured": true,
            "ticketed": true, "post_parent": 7, "custom_fields": {"dress": {"code": ["casual", 1, null]}},
            "event_status": "canceled", "categories": [category], "tags": [tag], "venue": [venue], "organizer": [organizer],
        })).await;
        for field in ["show_map", "show_map_link"] {
            for value in [true, false] {
                assert_eq!(admin.patch(&path, json!({field: value})).await.is(200).body[field], value);
            }
        }
    }

    async fn create_with_all_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        server.user("ann", Role::Author).await;
        let venue = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let fields = json!({
            "title": "Filled", "start_date": "2027-05-07 19:30:00", "end_date": "2027-05-08 01:00:00",
            "author": user_id(&server, "ann").await, "date": "2026-01-02 03:04:05", "description": "<p>Long</p>",
            "slug": "filled-up", "excerpt": "<p>Short</p>", "status": "private", "timezone": "Europe/Berlin",
            "all_day": false, "image": "https://example.org/a.jpg", "cost": "Free", "website": "https://example.org/",
            "show_map": true, "show_map_link": true, "hide_from_listings": true, "sticky": true, "featured": true,
            "ticketed": true, "post_parent": 3, "custom_fields": {"b": 1, "a": 2}, "venue": [venue],
            "event_status": "postponed",
        });
        let created = admin.create("/events", fields.clone()).await;
        assert_fields(&created, &fields);
        assert_fields(&admin.get("/events/by-slug/filled-up").await.is(200).body, &fields);
    }

    async fn round_trip_changes_nothing(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({
            "title": "A < B & C",
            "description": "<p>Long &amp; <a href=\"https://example.org\">linked</a></p>\n<pre>\n\na</pre>",
            "excerpt": "<p>Short</p>", "timezone": "America/New_York", "image": "https://example.org/a.jpg",
            "cost": ["£10", "£20"], "website": "https://example.org/a?b=c&d=e", "show_map": true, "show_map_link": true,
            "sticky": true, "featured": true, "ticketed": true, "hide_from_listings": true, "post_parent": 3,
            "custom_fields": {"z": 1.5, "a": {"deep": [null, true, "é"]}}, "event_status": "moved_online",
            "categories": ["Music", "Dance"], "tags": ["Open air", "12th night"],
            "venue": [{"venue": "Hall", "image": "https://example.org/h.jpg"}, {"venue": "Annex"}],
            "organizer": [{"organizer": "Zoe"}, {"organizer": "Ann", "email": "ann@example.org"}],
        })).await;
        assert_round_trip(&admin, &path).await;
        for status in ["draft", "pending", "private", "trash"] {
            admin.patch(&path, json!({"status": status})).await.is(200);
            assert_round_trip(&admin, &path).await;
        }
        admin.patch(&path, json!({"status": "publish", "date_utc": "2990-01-01 00:00"})).await.is(200);
        assert_eq!(admin.get(&path).await.body["status"], "future");
        assert_round_trip(&admin, &path).await;
    }

    async fn all_day_round_trip(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        // Clocks go back in Berlin on this day.
        let path = event_path(&admin, json!({
            "timezone": "Europe/Berlin", "all_day": true, "start_date": "2027-10-31", "end_date": "2027-10-31",
        })).await;
        assert_eq!(admin.get(&path).await.body["utc_end_date"], "2027-10-31 22:59:59");
        assert_round_trip(&admin, &path).await;
    }

    async fn ambiguous_local_time_round_trip(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({
            "timezone": "Europe/Berlin", "date_utc": "2020-10-25 01:30:00",
            "start_date": "2027-10-31T02:30:00+01:00", "end_date": "2027-10-31T02:45:00+01:00",
        })).await;
        assert_fields(&admin.get(&path).await.body, &json!({
            "start_date": "2027-10-31 02:30:00", "utc_start_date": "2027-10-31 01:30:00",
            "date": "2020-10-25 02:30:00", "date_utc": "2020-10-25 01:30:00",
        }));
        assert_round_trip(&admin, &path).await;
    }

    async fn round_trip_keeps_hidden_links(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let hidden = admin.create_id("/venues", json!({"venue": "Secret", "status": "draft"})).await;
        let shown = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let hidden_organizer = admin.create_id("/organizers", json!({"organizer": "Secret", "status": "draft"})).await;
        let path = event_path(&author, json!({})).await;
        admin.patch(&path, json!({"venue": [hidden, shown], "organizer": [hidden_organizer]})).await.is(200);
        let seen = author.get(&path).await.is(200).body;
        assert_eq!((ids(&seen["venue"]), ids(&seen["organizer"])), (vec![shown], vec![]));
        let before = admin.get(&path).await.is(200);
        assert_round_trip(&author, &path).await;
        let after = admin.get(&path).await.is(200);
        assert_eq!(after.body, before.body);
        assert_eq!(after.header("etag"), before.header("etag"));
    }

    async fn ids_never_reused(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create_id("/events", minimal_event()).await;
        admin.delete(&format!("/events/{first}")).await.is(200);
        let removed = trash::empty(&server.store, None).await.expect("a purge");
        assert_eq!(removed.events, 1);
        assert!(admin.create_id("/events", minimal_event()).await > first);
        admin.get(&format!("/events/{first}")).await.is_error(404, "event-not-found");
    }

    async fn empty_update_keeps_modified(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        let before = admin.get(&path).await;
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        let same = admin.patch(&path, json!({})).await.is(200);
        assert_eq!(same.body, before.body);
        let changed = admin.patch(&path, json!({"featured": true})).await.is(200);
        assert!(local_time(&changed.body, "modified_utc") > local_time(&before.body, "modified_utc"));
        assert_eq!(changed.body["date"], before.body["date"]);
    }
}
