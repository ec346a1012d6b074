//! Single events: what is written is what is read.

use almanac::{auth::Role, store::trash};
use chrono::{Datelike, Duration, NaiveDateTime, Utc, Weekday};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    assertions::{
        assert_field_names, assert_fields, assert_fields_set_and_cleared, assert_invalid, assert_round_trip,
        assert_update_methods_agree, assert_update_rejected,
    },
    fixtures::{event_with, id, ids, minimal_event, post_concurrently, user_id},
    on_both,
    support::{Answer, Client},
};

/// Creates an event from the least one and these members, and returns its path.
async fn path_of(client: &Client, members: Value) -> String {
    format!("/events/{}", client.create_id("/events", event_with(members)).await)
}

fn local(body: &Value, member: &str) -> NaiveDateTime {
    let text = body[member].as_str().expect("a text");
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").expect("a date")
}

fn amounts(body: &Value) -> Vec<f64> {
    let values = body["cost_details"]["values"].as_array().expect("a list");
    values
        .iter()
        .map(|value| value.as_str().expect("a text").parse().expect("a number"))
        .collect()
}

on_both! {
    async fn create_returns_201_location_and_defaults(on) {
        let server = on.server(&["--timezone", "Europe/Madrid"]).await;
        let admin = server.administrator().await;
        let answer = admin.post("/events", minimal_event()).await.is(201);
        let address = format!("{}/calendar/events/v1/events/{}", server.address, id(&answer.body));
        assert_eq!(answer.header("location"), address);
        assert_eq!(answer.body["rest_url"], address);
        assert_eq!(answer.body["url"], format!("{}/event/spring-concert", server.address));
        assert_fields(&answer.body, &json!({
            "title": "Spring concert", "slug": "spring-concert", "status": "publish", "description": "", "excerpt": "",
            "author": user_id(&server, "admin").await, "image": null, "all_day": false, "timezone": "Europe/Madrid",
            "start_date": "2027-05-07 19:30:00", "end_date": "2027-05-07 22:00:00", "cost": "", "website": "",
            "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
            "hide_from_listings": false, "sticky": false, "featured": false, "ticketed": false, "post_parent": null,
            "categories": [], "tags": [], "venue": [], "organizer": [], "custom_fields": {},
        }));
        assert_eq!(admin.get(&address).await.is(200).body, answer.body);
    }

    async fn response_fields(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        let names = "id global_id global_id_lineage author status date date_utc published_at modified modified_utc \
            modified_at url rest_url title description excerpt slug image all_day start_date start_date_details end_date \
            end_date_details utc_start_date utc_start_date_details utc_end_date utc_end_date_details starts_at ends_at \
            timezone timezone_abbr cost cost_details website show_map show_map_link hide_from_listings sticky featured \
            ticketed post_parent categories tags venue organizer custom_fields json_ld";
        let read = admin.get(&path).await.is(200).body;
        assert_field_names(&read, names);
        assert_eq!(read["json_ld"]["@type"], "Event");
        let listed = admin.get("/events").await.is(200).body["events"][0].clone();
        assert_field_names(&listed, names);
        assert_eq!(listed["json_ld"], Value::Null);
        let host = server.address.trim_start_matches("http://");
        let global_id = format!("{host}?event={}", read["id"]);
        assert_fields(&read, &json!({"global_id": global_id, "global_id_lineage": [global_id]}));
    }

    async fn dates_in_event_site_and_utc_zones(on) {
        let server = on.server(&["--timezone", "America/New_York"]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", json!({
            "title": "Told", "timezone": "Europe/Berlin", "start_date": "2027-07-01 19:30:05",
            "end_date": "2027-12-01 09:00", "date": "2026-01-15 09:00:00",
        })).await;
        assert_fields(&event, &json!({
            "start_date": "2027-07-01 19:30:05", "utc_start_date": "2027-07-01 17:30:05",
            "starts_at": "2027-07-01T19:30:05+02:00", "ends_at": "2027-12-01T09:00:00+01:00",
            "end_date": "2027-12-01 09:00:00", "utc_end_date": "2027-12-01 08:00:00",
            "start_date_details":
                {"year": "2027", "month": "07", "day": "01", "hour": "19", "minutes": "30", "seconds": "05"},
            "utc_start_date_details":
                {"year": "2027", "month": "07", "day": "01", "hour": "17", "minutes": "30", "seconds": "05"},
            "timezone": "Europe/Berlin", "timezone_abbr": "CEST",
            "date": "2026-01-15 09:00:00", "date_utc": "2026-01-15 14:00:00", "published_at": "2026-01-15T09:00:00-05:00",
        }));
        let (modified, modified_utc) = (local(&event, "modified"), local(&event, "modified_utc"));
        let apart = (modified_utc - modified).num_hours();
        assert!(apart == 4 || apart == 5, "{apart} hours");
        assert!((Utc::now().naive_utc() - modified_utc).num_seconds().abs() < 60);
    }

    async fn read_by_id_and_slug(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
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

    async fn update_methods_are_equivalent(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"description": "<p>Bring a chair.</p>", "website": "https://example.org"})).await;
        assert_update_methods_agree(&admin, &path, "title").await;
        assert_update_methods_agree(&admin, "/events/by-slug/spring-concert", "title").await;
    }

    async fn update_by_slug_changes_slug(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        path_of(&admin, json!({})).await;
        let moved = admin.put("/events/by-slug/spring-concert", json!({"slug": "autumn-concert"})).await.is(200).body;
        assert_eq!(moved["slug"], "autumn-concert");
        admin.get("/events/by-slug/spring-concert").await.is_error(404, "event-not-found");
        assert_eq!(admin.get("/events/by-slug/autumn-concert").await.is(200).body, moved);
    }

    async fn path_id_overrides_body_id(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let other = path_of(&admin, json!({"title": "Other"})).await;
        let path = path_of(&admin, json!({})).await;
        let other_id = id(&admin.get(&other).await.body);
        let changed = admin.put(&path, json!({"id": other_id, "title": "Changed"})).await.is(200).body;
        assert_ne!(id(&changed), other_id);
        assert_eq!(admin.get(&other).await.body["title"], "Other");
    }

    async fn delete_by_id_and_slug(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        path_of(&admin, json!({"title": "Second"})).await;
        assert_eq!(admin.delete(&path).await.is(200).body["status"], "trash");
        assert_eq!(admin.delete("/events/by-slug/second").await.is(200).body["status"], "trash");
        admin.delete("/events/by-slug/second").await.is_error(404, "event-not-found");
        admin.delete("/events/999999").await.is_error(404, "event-not-found");
    }

    async fn fields_set_and_cleared(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let venue = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let organizer = admin.create_id("/organizers", json!({"organizer": "Ann"})).await;
        let category = admin.create_id("/categories", json!({"name": "Music"})).await;
        let tag = admin.create_id("/tags", json!({"name": "Open air"})).await;
        let path = path_of(&admin, json!({})).await;
        assert_fields_set_and_cleared(&admin, &path, &json!({
            "description": "<p>Doors at <b>seven</b>.</p>", "excerpt": "<p>Two hours.</p>", "status": "draft",
            "timezone": "Europe/Berlin", "all_day": true, "image": "https://example.org/a.jpg", "cost": "10 €",
            "website": "https://example.org/concert", "hide_from_listings": true, "sticky": true, "featured": true,
            "ticketed": true, "post_parent": 7, "custom_fields": {"dress": {"code": ["casual", 1, null]}},
            "categories": [category], "tags": [tag], "venue": [venue], "organizer": [organizer],
        })).await;
        for field in ["show_map", "show_map_link"] {
            for value in [true, false] {
                assert_eq!(admin.patch(&path, json!({field: value})).await.is(200).body[field], value);
            }
        }
    }

    async fn create_with_all_fields(on) {
        let server = on.server(&[]).await;
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
        });
        let created = admin.create("/events", fields.clone()).await;
        assert_fields(&created, &fields);
        assert_fields(&admin.get("/events/by-slug/filled-up").await.is(200).body, &fields);
    }

    async fn round_trip_changes_nothing(on) {
        let server = on.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({
            "title": "A < B & C", "description": "<p>Long &amp; <a href=\"https://example.org\">linked</a></p>\n<pre>\n\na</pre>",
            "excerpt": "<p>Short</p>", "timezone": "America/New_York", "image": "https://example.org/a.jpg",
            "cost": ["£10", "£20"], "website": "https://example.org/a?b=c&d=e", "show_map": true, "show_map_link": true,
            "sticky": true, "featured": true, "ticketed": true, "hide_from_listings": true, "post_parent": 3,
            "custom_fields": {"z": 1.5, "a": {"deep": [null, true, "é"]}},
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

    async fn all_day_round_trip(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        // Clocks go back in Berlin on this day.
        let path = path_of(&admin, json!({
            "timezone": "Europe/Berlin", "all_day": true, "start_date": "2027-10-31", "end_date": "2027-10-31",
        })).await;
        assert_eq!(admin.get(&path).await.body["utc_end_date"], "2027-10-31 22:59:59");
        assert_round_trip(&admin, &path).await;
    }

    async fn ambiguous_local_time_round_trip(on) {
        let server = on.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({
            "timezone": "Europe/Berlin", "date_utc": "2020-10-25 01:30:00",
            "start_date": "2027-10-31T02:30:00+01:00", "end_date": "2027-10-31T02:45:00+01:00",
        })).await;
        assert_fields(&admin.get(&path).await.body, &json!({
            "start_date": "2027-10-31 02:30:00", "utc_start_date": "2027-10-31 01:30:00",
            "date": "2020-10-25 02:30:00", "date_utc": "2020-10-25 01:30:00",
        }));
        assert_round_trip(&admin, &path).await;
    }

    async fn round_trip_keeps_hidden_links(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let hidden = admin.create_id("/venues", json!({"venue": "Secret", "status": "draft"})).await;
        let shown = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let hidden_organizer = admin.create_id("/organizers", json!({"organizer": "Secret", "status": "draft"})).await;
        let path = path_of(&author, json!({})).await;
        admin.patch(&path, json!({"venue": [hidden, shown], "organizer": [hidden_organizer]})).await.is(200);
        let seen = author.get(&path).await.is(200).body;
        assert_eq!((ids(&seen["venue"]), ids(&seen["organizer"])), (vec![shown], vec![]));
        let before = admin.get(&path).await.is(200);
        assert_round_trip(&author, &path).await;
        let after = admin.get(&path).await.is(200);
        assert_eq!(after.body, before.body);
        assert_eq!(after.header("etag"), before.header("etag"));
    }

    async fn title_and_dates_cannot_be_cleared(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        for field in ["title", "start_date", "end_date", "date", "date_utc"] {
            assert_update_rejected(&admin, &path, field, &[json!(null), json!(""), json!("  ")]).await;
        }
    }

    async fn missing_fields_reported(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let answer = admin.post("/events", json!({})).await.is_error(400, "rest_missing_callback_param");
        assert_eq!(answer.blamed(), ["end_date", "start_date", "title"]);
    }

    async fn text_normalisation(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({
            "title": "  Cafe\u{301}\u{0}\u{7} Noir \r\n", "description": " a\u{7}\nb\tc\u{0} ", "excerpt": "\u{1b}x\ny",
        }))).await;
        assert_fields(&event, &json!({"title": "Café Noir", "description": "a\nb\tc", "excerpt": "x\ny"}));
    }

    async fn markup_stripped_from_titles(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        for (title, shown) in [
            ("<b>Jazz</b> Night", "Jazz Night"), ("Jazz<script>alert(1)</script>", "Jazz"), ("A < B", "A < B"),
            ("AT&T", "AT&T"), ("5 > 3", "5 > 3"), ("<img src=x onerror=alert(1)>Boo", "Boo"), ("\"Q\" 'q'", "\"Q\" 'q'"),
        ] {
            assert_eq!(admin.patch(&path, json!({"title": title})).await.is(200).body["title"], shown);
        }
    }

    async fn title_length_limits(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        admin.patch(&path, json!({"title": "é".repeat(200)})).await.is(200);
        assert_update_rejected(&admin, &path, "title", &[json!("é".repeat(201)), json!("<b> </b>"), json!("\u{0}")]).await;
    }

    async fn descriptions_sanitised(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let html = "<p onclick=\"steal()\">Hi</p><script>steal()</script><a href=\"javascript:steal()\">x</a>\
            <a href=\"JaVa\tScript:steal()\">y</a><img src=\"https://example.org/a.jpg\" onerror=\"steal()\">\
            <iframe src=\"https://example.org\"></iframe><style>p{}</style>";
        let event = admin.create("/events", event_with(json!({"description": html, "excerpt": html}))).await;
        for field in ["description", "excerpt"] {
            let shown = event[field].as_str().expect("a text");
            assert!(shown.contains("<p>Hi</p>"), "{shown}");
            assert!(shown.contains("https://example.org/a.jpg"), "{shown}");
            let lower = shown.to_lowercase();
            for gone in ["steal", "onclick", "onerror", "<script", "<iframe", "<style", "script:"] {
                assert!(!lower.contains(gone), "{gone} in {shown}");
            }
        }
    }

    async fn date_formats(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"timezone": "Europe/Berlin", "end_date": "2999-01-01"})).await;
        for (written, shown) in [
            ("2027-03-01", "2027-03-01 00:00:00"),
            ("2027-03-01 09:00", "2027-03-01 09:00:00"),
            ("2027-03-01 09:00:07", "2027-03-01 09:00:07"),
            ("2027/03/01 09:00", "2027-03-01 09:00:00"),
            ("2027-03-01T09:01:00", "2027-03-01 09:01:00"),
            ("2027-03-01T09:00:00Z", "2027-03-01 10:00:00"),
            ("2027-03-01T09:00:00+05:00", "2027-03-01 05:00:00"),
            ("2027-03-01T09:00:00-05:00", "2027-03-01 15:00:00"),
            ("2027-03-01T09:00:00.123", "2027-03-01 09:00:00"),
            ("  2027-03-02 09:00  ", "2027-03-02 09:00:00"),
        ] {
            let event = admin.patch(&path, json!({"start_date": written})).await.is(200).body;
            assert_eq!(event["start_date"], shown, "{written}");
        }
    }

    async fn relative_dates_without_day_rejected(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"end_date": "2999-01-01"})).await;
        for written in ["now", "+1 day", "1 day", "-2 weeks", "3 days ago", "now +90 minutes", "next week"] {
            for field in ["start_date", "end_date", "date", "date_utc"] {
                let answer = admin.patch(&path, json!({field: written})).await;
                let answer = answer.is_error(400, "rest_invalid_param");
                assert_eq!(answer.blamed(), [field], "{written}");
                assert!(answer.text.contains("tomorrow 9am"), "{}", answer.text);
            }
        }
    }

    async fn relative_dates(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"end_date": "2999-01-01"})).await;
        for (written, days, time) in [
            ("today", 0, "00:00:00"), ("tomorrow 9am", 1, "09:00:00"),
            ("yesterday 10:00", -1, "10:00:00"), ("tomorrow +1 day", 2, "00:00:00"),
        ] {
            let before = Utc::now().naive_utc() - Duration::seconds(1);
            let event = admin.patch(&path, json!({"start_date": written})).await.is(200).body;
            let start = local(&event, "start_date") - Duration::days(days);
            let after = Utc::now().naive_utc();
            assert!(before.date() <= start.date() && start.date() <= after.date(), "{written}: {start}");
            assert_eq!(start.format("%H:%M:%S").to_string(), time, "{written}");
        }
        let today = Utc::now().naive_utc().date();
        let event = admin.patch(&path, json!({"start_date": "next monday"})).await.is(200).body;
        let start = local(&event, "start_date");
        assert_eq!(start.weekday(), Weekday::Mon);
        assert!((1..=8).contains(&(start.date() - today).num_days()), "{start}");
    }

    async fn invalid_dates_rejected(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        for field in ["start_date", "end_date", "date", "date_utc"] {
            assert_update_rejected(&admin, &path, field, &[
                json!("soon"), json!("2027-13-01"), json!("2027-02-30"), json!("1800000000"), json!(1_800_000_000),
                json!("2027-3-1"), json!("01.03.2027"), json!("03/01/2027"), json!("2027-03-01 25:00"), json!("2027"),
                json!(true), json!(["2027-03-01"]), json!({}), json!("0000-00-00 00:00:00"),
            ]).await;
            let answer = admin.patch(&path, json!({field: "soon"})).await;
            let reason = answer.body["data"]["params"][field].as_str().expect("a reason").to_owned();
            assert!(reason.contains("2027-03-01 09:00") && reason.contains("tomorrow 9am"), "{reason}");
        }
    }

    async fn time_zone_formats(on) {
        let server = on.server(&["--timezone", "Asia/Tokyo"]).await;
        let admin = server.administrator().await;
        for (written, utc_start) in [
            ("Europe/Berlin", "2027-01-15 11:00:00"), ("eUROPE/bERLIN", "2027-01-15 11:00:00"),
            ("UTC", "2027-01-15 12:00:00"), ("UTC-5", "2027-01-15 17:00:00"), ("UTC+5:30", "2027-01-15 06:30:00"),
            ("UTC+5.5", "2027-01-15 06:30:00"), ("UTC-3.5", "2027-01-15 15:30:00"), ("+05:30", "2027-01-15 06:30:00"),
            ("-03:30", "2027-01-15 15:30:00"), ("UTC+14", "2027-01-14 22:00:00"), ("UTC-14", "2027-01-16 02:00:00"),
            ("", "2027-01-15 03:00:00"),
        ] {
            let event = admin.create("/events", event_with(json!({
                "timezone": written, "start_date": "2027-01-15 12:00", "end_date": "2027-01-15 13:00",
            }))).await;
            assert_fields(&event, &json!({"start_date": "2027-01-15 12:00:00", "utc_start_date": utc_start}));
            match written {
                "eUROPE/bERLIN" => assert_eq!(event["timezone"], "Europe/Berlin"),
                "" => assert_eq!(event["timezone"], "Asia/Tokyo"),
                _ => {}
            }
        }
    }

    async fn unknown_time_zones_rejected(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "timezone", &[
            json!("Mars/Olympus"), json!("UTC+15"), json!("UTC+14:30"), json!("+25:00"), json!("UTC+5:99"), json!("UTC5"),
            json!(5), json!(true), json!(["UTC"]),
        ]).await;
    }

    async fn time_zone_change_keeps_local_times(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"timezone": "Europe/Berlin"})).await;
        let moved = admin.patch(&path, json!({"timezone": "America/New_York"})).await.is(200).body;
        assert_fields(&moved, &json!({
            "start_date": "2027-05-07 19:30:00", "utc_start_date": "2027-05-07 23:30:00",
            "end_date": "2027-05-07 22:00:00", "utc_end_date": "2027-05-08 02:00:00", "timezone_abbr": "EDT",
        }));
    }

    async fn offset_converted_to_new_time_zone(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"timezone": "Europe/Berlin"})).await;
        let moved = admin.patch(&path, json!({
            "timezone": "America/New_York", "start_date": "2027-05-07T19:30:00Z",
        })).await.is(200).body;
        assert_fields(&moved, &json!({
            "start_date": "2027-05-07 15:30:00", "utc_start_date": "2027-05-07 19:30:00", "end_date": "2027-05-07 22:00:00",
        }));
    }

    async fn skipped_local_time_moves_forward(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({
            "timezone": "Europe/Berlin", "start_date": "2027-03-28 02:30", "end_date": "2027-03-28 05:00",
        })).await;
        assert_fields(&admin.get(&path).await.body, &json!({
            "start_date": "2027-03-28 03:30:00", "utc_start_date": "2027-03-28 01:30:00",
        }));
    }

    async fn ambiguous_local_time_is_first(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({
            "timezone": "Europe/Berlin", "start_date": "2027-10-31 02:30", "end_date": "2027-10-31 05:00",
        })).await;
        assert_fields(&admin.get(&path).await.body, &json!({
            "start_date": "2027-10-31 02:30:00", "utc_start_date": "2027-10-31 00:30:00",
            "starts_at": "2027-10-31T02:30:00+02:00", "utc_end_date": "2027-10-31 04:00:00",
        }));
    }

    async fn end_before_start_rejected(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let body = event_with(json!({"end_date": "2027-05-07 19:29:59"}));
        assert_invalid(admin.post("/events", body.clone()).await, "end_date", &body);
        let path = path_of(&admin, json!({})).await;
        for change in [json!({"end_date": "2027-05-07 19:29:59"}), json!({"start_date": "2027-05-07 22:00:01"})] {
            let answer = admin.patch(&path, change).await.is_error(400, "rest_invalid_param");
            assert!(!answer.blamed().is_empty());
        }
        admin.patch(&path, json!({"end_date": "2027-05-07 19:30:00"})).await.is(200);
    }

    async fn start_and_end_update_independently(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        let changed = admin.patch(&path, json!({"start_date": "2027-05-06 08:00"})).await.is(200).body;
        assert_fields(&changed, &json!({"start_date": "2027-05-06 08:00:00", "end_date": "2027-05-07 22:00:00"}));
        let changed = admin.patch(&path, json!({"end_date": "2027-05-09 08:00"})).await.is(200).body;
        assert_fields(&changed, &json!({"start_date": "2027-05-06 08:00:00", "end_date": "2027-05-09 08:00:00"}));
    }

    async fn all_day_expands_to_whole_days(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"timezone": "Europe/Berlin"})).await;
        let whole = json!({
            "all_day": true, "start_date": "2027-05-07 00:00:00", "end_date": "2027-05-07 23:59:59",
            "utc_start_date": "2027-05-06 22:00:00",
        });
        assert_fields(&admin.patch(&path, json!({"all_day": true})).await.is(200).body, &whole);
        let kept = admin.patch(&path, json!({"all_day": false})).await.is(200).body;
        assert_fields(&kept, &json!({
            "all_day": false, "start_date": "2027-05-07 00:00:00", "end_date": "2027-05-07 23:59:59",
        }));
        let created = admin.create("/events", event_with(json!({
            "all_day": true, "start_date": "2027-03-01 09:00", "end_date": "2027-03-02 18:00",
        }))).await;
        assert_fields(&created, &json!({"start_date": "2027-03-01 00:00:00", "end_date": "2027-03-02 23:59:59"}));
    }

    async fn all_day_date_update_expands(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"all_day": true})).await;
        let changed = admin.patch(&path, json!({"end_date": "2027-05-08 10:00"})).await.is(200).body;
        assert_fields(&changed, &json!({"start_date": "2027-05-07 00:00:00", "end_date": "2027-05-08 23:59:59"}));
    }

    async fn status_depends_on_publication_date(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (status, date, shown) in [
            ("publish", "2020-01-01", "publish"), ("draft", "2020-01-01", "draft"), ("pending", "2020-01-01", "pending"),
            ("private", "2020-01-01", "private"), ("publish", "2990-01-01", "future"), ("future", "2990-01-01", "future"),
            ("future", "2020-01-01", "publish"), ("draft", "2990-01-01", "draft"),
        ] {
            let event = admin.create("/events", event_with(json!({"status": status, "date": date}))).await;
            assert_eq!(event["status"], shown, "{status} of {date}");
        }
        let path = path_of(&admin, json!({})).await;
        assert_update_rejected(&admin, &path, "status", &[json!("published"), json!("any"), json!(1), json!(true), json!([])]).await;
    }

    async fn create_in_trash_rejected(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let body = event_with(json!({"status": "trash"}));
        assert_invalid(admin.post("/events", body.clone()).await, "status", &body);
    }

    async fn scheduled_event_published_when_due(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let due = (Utc::now() + Duration::seconds(3)).format("%Y-%m-%d %H:%M:%S").to_string();
        let path = path_of(&admin, json!({"date_utc": due})).await;
        assert_eq!(admin.get(&path).await.body["status"], "future");
        server.anonymous().get(&path).await.is_error(403, "event-not-accessible");
        assert_eq!(server.anonymous().get("/events").await.body["total"], 0);
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        assert_eq!(server.anonymous().get(&path).await.is(200).body["status"], "publish");
        assert_eq!(server.anonymous().get("/events").await.body["total"], 1);
    }

    async fn conflicting_publication_dates_rejected(on) {
        let server = on.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        let agreeing = json!({"date": "2026-01-15 10:00", "date_utc": "2026-01-15 09:00"});
        let agreed = admin.patch(&path, agreeing).await.is(200).body;
        assert_fields(&agreed, &json!({"date": "2026-01-15 10:00:00", "date_utc": "2026-01-15 09:00:00"}));
        let disagreeing = json!({"date": "2026-01-15 10:00", "date_utc": "2026-01-15 10:00"});
        let answer = admin.patch(&path, disagreeing).await.is_error(400, "rest_invalid_param");
        assert!(answer.blamed().iter().all(|name| name.starts_with("date")) && !answer.blamed().is_empty());
        assert_eq!(admin.get(&path).await.body, agreed);
    }

    async fn image_reused_by_url_or_id(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create("/events", event_with(json!({"image": "https://example.org/pictures/A.JPG?w=1"}))).await;
        let image = first["image"].clone();
        assert_field_names(&image, "id url extension width height sizes");
        assert_fields(&json!({"of": image}), &json!({"of": {
            "id": id(&image), "url": "https://example.org/pictures/A.JPG?w=1", "extension": "jpg", "width": null,
            "height": null, "sizes": {},
        }}));
        let path = path_of(&admin, json!({})).await;
        for written in [
            json!("https://example.org/pictures/A.JPG?w=1"), json!(id(&image)), json!(id(&image).to_string()),
            json!({"id": id(&image)}), json!({"url": "https://example.org/pictures/A.JPG?w=1"}), image.clone(),
        ] {
            admin.patch(&path, json!({"image": null})).await.is(200);
            let shown = admin.patch(&path, json!({"image": written})).await.is(200).body;
            assert_eq!(shown["image"], image, "{written}");
        }
        let other = admin.patch(&path, json!({"image": "https://example.org/b.png"})).await.is(200).body;
        assert_ne!(id(&other["image"]), id(&image));
    }

    async fn invalid_image_rejected(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"image": "https://example.org/a.jpg"})).await;
        assert_update_rejected(&admin, &path, "image", &[
            json!(999), json!("999"), json!(-1), json!("ftp://example.org/a.jpg"), json!("a.jpg"), json!({"id": 999}),
            json!("javascript:alert(1)"), json!(true), json!({"width": 5}), json!(["https://example.org/a.jpg"]),
        ]).await;
    }

    async fn cost_formats(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        for (written, values, symbol, code, position) in [
            (json!("$1,000.00"), vec![1000.0], "$", "", "prefix"),
            (json!("10,50 €"), vec![10.5], "€", "EUR", "postfix"),
            (json!("1.000 €"), vec![1000.0], "€", "EUR", "postfix"),
            (json!("£10 – £20"), vec![10.0, 20.0], "£", "GBP", "prefix"),
            (json!("¥500"), vec![500.0], "¥", "JPY", "prefix"),
            (json!("USD 15"), vec![15.0], "", "USD", "prefix"),
            (json!("15 CHF"), vec![15.0], "", "CHF", "postfix"),
            (json!("Free"), vec![0.0], "", "", ""),
            (json!("0"), vec![0.0], "", "", ""),
            (json!(0), vec![0.0], "", "", ""),
            (json!(12.5), vec![12.5], "", "", ""),
            (json!([10, 20]), vec![10.0, 20.0], "", "", ""),
            (json!(["£10", "£20"]), vec![10.0, 20.0], "£", "GBP", "prefix"),
            (json!("Donation"), vec![], "", "", ""),
        ] {
            let event = admin.patch(&path, json!({"cost": written})).await.is(200).body;
            assert_eq!(amounts(&event), values, "{written}");
            let details = &event["cost_details"];
            assert_fields(details, &json!({
                "currency_symbol": symbol, "currency_code": code, "currency_position": position,
            }));
            match &written {
                Value::String(text) => assert_eq!(event["cost"], *text),
                Value::Number(number) => assert_eq!(event["cost"], number.to_string()),
                _ => assert_ne!(event["cost"], ""),
            }
        }
        assert_update_rejected(&admin, &path, "cost", &[json!(true), json!({"from": 1}), json!([true])]).await;
    }

    async fn website_is_http_url(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        for website in ["http://example.org/a?b=c&d=e#f", "HTTPS://Example.org"] {
            assert_eq!(admin.patch(&path, json!({"website": website})).await.is(200).body["website"], website);
        }
        assert_update_rejected(&admin, &path, "website", &[
            json!("javascript:alert(1)"), json!("ftp://example.org"), json!("example.org"), json!("http://"), json!(5),
            json!(["https://example.org"]),
        ]).await;
    }

    async fn international_url_stored_as_uri(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let (sent, kept) = ("https://bücher.example/Straße 1?q=é", "https://xn--bcher-kva.example/Stra%C3%9Fe%201?q=%C3%A9");
        let path = path_of(&admin, json!({"website": sent, "image": sent})).await;
        let event = admin.get(&path).await.body;
        assert_eq!(event["website"], kept);
        assert_eq!(event["image"]["url"], kept);
    }

    async fn custom_fields_are_any_object(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"a": {"b": [1, 2.5, null, true, "é\u{0}"]}, "": "empty name"});
        let path = path_of(&admin, json!({"custom_fields": fields})).await;
        assert_eq!(admin.get(&path).await.body["custom_fields"], fields);
        let replaced = admin.patch(&path, json!({"custom_fields": {"c": 1}})).await.is(200).body;
        assert_eq!(replaced["custom_fields"], json!({"c": 1}));
        assert_update_rejected(&admin, &path, "custom_fields", &[json!("text"), json!(5), json!([1])]).await;
    }

    async fn post_parent_need_not_exist(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({"post_parent": "4711"})).await;
        assert_eq!(admin.get(&path).await.body["post_parent"], 4711);
        assert_update_rejected(&admin, &path, "post_parent", &[json!("first"), json!(-1), json!(0), json!(1.5), json!([1])]).await;
    }

    async fn author_must_exist(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        server.user("ann", Role::Subscriber).await;
        let ann = user_id(&server, "ann").await;
        let path = path_of(&admin, json!({"author": ann.to_string()})).await;
        assert_eq!(admin.get(&path).await.body["author"], ann);
        assert_update_rejected(&admin, &path, "author", &[json!(999), json!("ann"), json!(-1), json!(true)]).await;
    }

    async fn taken_slug_is_numbered_on_create(on) {
        let server = on.server(&[]).await;
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

    async fn concurrent_creates_get_distinct_slugs(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let answers = post_concurrently(&admin, "/events", &minimal_event()).await;
        let slugs: Vec<Value> = answers.into_iter().map(|answer| answer.is(201).body["slug"].clone()).collect();
        for number in 1..=8 {
            let slug = if number == 1 { "spring-concert".to_owned() } else { format!("spring-concert-{number}") };
            assert!(slugs.contains(&json!(slug)), "{slug} of {slugs:?}");
        }
    }

    async fn numbered_slugs_stay_unique(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for letter in "abcdefgh".chars() {
            let title = |more: &str| event_with(json!({"title": format!("Show {letter}{more}")}));
            admin.create("/events", title("")).await;
            let (one, other) = tokio::join!(admin.post("/events", title("")), admin.post("/events", title(" 2")));
            let slugs = [one.is(201).body["slug"].clone(), other.is(201).body["slug"].clone()];
            assert!(slugs.contains(&json!(format!("show-{letter}-2"))), "{slugs:?}");
            assert_ne!(slugs[0], slugs[1]);
        }
    }

    async fn concurrent_images_stored_once(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let mut posts = JoinSet::new();
        for number in 0..8 {
            let body = event_with(json!({"title": format!("Event {number}"), "image": "https://example.org/a.jpg"}));
            posts.spawn(Answer::of(admin.request("POST", "/events").json(&body)));
        }
        let answers = posts.join_all().await;
        let mut images: Vec<i64> = answers.into_iter().map(|answer| id(&answer.is(201).body["image"])).collect();
        images.dedup();
        assert_eq!(images.len(), 1, "{images:?}");
    }

    async fn taken_slug_on_update_is_409(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        path_of(&admin, json!({})).await;
        let path = path_of(&admin, json!({"title": "Other"})).await;
        let answer = admin.patch(&path, json!({"slug": "spring-concert", "title": "New"})).await;
        assert_eq!(answer.is_error(409, "slug_conflict").blamed(), ["slug"]);
        assert_fields(&admin.get(&path).await.body, &json!({"slug": "other", "title": "Other"}));
        assert_eq!(admin.patch(&path, json!({"slug": "other"})).await.is(200).body["slug"], "other");
    }

    async fn slug_transliteration_and_length(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (title, slug) in [
            ("Été à Köln!", "ete-a-koln"), ("A & B", "a-b"), ("Концерт", "kontsert"), ("  100% Jazz ", "100-jazz"),
        ] {
            assert_eq!(admin.create("/events", event_with(json!({"title": title}))).await["slug"], slug);
        }
        let long = admin.create("/events", event_with(json!({"title": "щ".repeat(200)}))).await;
        let slug = long["slug"].as_str().expect("a text").to_owned();
        assert!((100..=200).contains(&slug.len()), "{slug}");
        let again = admin.create("/events", event_with(json!({"title": "щ".repeat(200)}))).await;
        assert!(again["slug"].as_str().is_some_and(|again| again.len() <= 200 && again != slug));
        let path = path_of(&admin, json!({"slug": "My Own Slug"})).await;
        assert_eq!(admin.get(&path).await.body["slug"], "my-own-slug");
    }

    async fn slug_falls_back_to_kind_and_id(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        path_of(&admin, json!({})).await;
        for title in ["!!!", "…"] {
            let event = admin.create("/events", event_with(json!({"title": title}))).await;
            assert_eq!(event["slug"], format!("event-{}", id(&event)));
            admin.get(&format!("/events/by-slug/event-{}", id(&event))).await.is(200);
        }
    }

    async fn title_change_keeps_slug(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        assert_eq!(admin.patch(&path, json!({"title": "Other"})).await.is(200).body["slug"], "spring-concert");
    }

    async fn ids_never_reused(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create_id("/events", minimal_event()).await;
        admin.delete(&format!("/events/{first}")).await.is(200);
        let removed = trash::empty(&server.store, None).await.expect("it runs");
        assert_eq!(removed.events, 1);
        assert!(admin.create_id("/events", minimal_event()).await > first);
        admin.get(&format!("/events/{first}")).await.is_error(404, "event-not-found");
    }

    async fn empty_update_keeps_modified(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = path_of(&admin, json!({})).await;
        let before = admin.get(&path).await;
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        let same = admin.patch(&path, json!({})).await.is(200);
        assert_eq!(same.body, before.body);
        let changed = admin.patch(&path, json!({"featured": true})).await.is(200);
        assert!(local(&changed.body, "modified_utc") > local(&before.body, "modified_utc"));
        assert_eq!(changed.body["date"], before.body["date"]);
    }
}
