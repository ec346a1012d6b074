//! Request bodies: JSON and forms, media types, limits and validation errors.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::{
    assertions::{assert_fields, assert_invalid, assert_update_rejected},
    fixtures::{event_path, event_with, ids, minimal_event},
    on_both_databases,
    support::{Client, Response},
};

const URLENCODED: &str = "application/x-www-form-urlencoded";

/// Posts these bytes with this media type.
async fn post_bytes(client: &Client, path: &str, media_type: Option<&str>, bytes: impl Into<Vec<u8>>) -> Response {
    let mut request = client.request("POST", path).body(bytes.into());
    if let Some(media_type) = media_type {
        request = request.header("Content-Type", media_type);
    }
    Response::fetch(request).await
}

/// The fields of the forms of these tests.
const FIELDS: [(&str, &str); 12] = [
    ("title", "Jazz & Blues + more"),
    ("start_date", "2027-05-07 19:30"),
    ("end_date", "2027-05-07 22:00"),
    ("featured", "on"),
    ("cost", "10,50 €"),
    ("venue[venue]", "City Hall"),
    ("venue[city]", "Zürich"),
    ("organizer[0][organizer]", "Ann"),
    ("organizer[0][email]", "ann@example.org"),
    ("organizer[1][organizer]", "Ben"),
    ("tags[]", "Free"),
    ("tags[]", "Open air"),
];

#[track_caller]
fn assert_created_from_form(event: &Value) {
    assert_fields(
        event,
        &json!({
            "title": "Jazz & Blues + more", "start_date": "2027-05-07 19:30:00", "featured": true, "cost": "10,50 €",
        }),
    );
    assert_fields(&event["venue"][0], &json!({"venue": "City Hall", "city": "Zürich"}));
    assert_fields(
        &event["organizer"][0],
        &json!({"organizer": "Ann", "email": "ann@example.org"}),
    );
    assert_eq!(event["organizer"][1]["organizer"], "Ben");
    assert_eq!(
        (&event["tags"][0]["name"], &event["tags"][1]["name"]),
        (&json!("Free"), &json!("Open air"))
    );
    let lists = ["venue", "organizer", "tags"].map(|list| ids(&event[list]).len());
    assert_eq!(lists, [1, 2, 2]);
}

on_both_databases! {
    async fn urlencoded_form(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = Response::fetch(admin.request("POST", "/events").form(&FIELDS)).await.is(201);
        assert_created_from_form(&response.body);
        // Unencoded brackets, with and without a media type.
        let text = "title=A+B&start_date=2027-05-07&end_date=2027-05-08&tags[0]=Free&organizer[0][organizer]=Cleo";
        for media_type in [None, Some(URLENCODED), Some("application/x-www-form-urlencoded; charset=UTF-8")] {
            let event = post_bytes(&admin, "/events", media_type, text).await.is(201).body;
            assert_eq!((&event["title"], &event["tags"][0]["name"]), (&json!("A B"), &json!("Free")));
            assert_eq!(event["organizer"][0]["organizer"], "Cleo");
        }
    }

    async fn multipart_form(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let form = FIELDS.iter().fold(Form::new(), |form, (name, value)| form.text(*name, *value));
        let response = Response::fetch(admin.request("POST", "/events").multipart(form)).await.is(201);
        assert_created_from_form(&response.body);
    }

    async fn multipart_file_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let form = Form::new().text("venue", "Hall").part("image", Part::bytes(vec![
            0, 159, 146, 150,
        ]).file_name("a.jpg"));
        let response = Response::fetch(admin.request("POST", "/venues").multipart(form)).await;
        assert_eq!(response.is_error(400, "rest_invalid_param").invalid_params(), ["image"]);
        for media_type in ["multipart/form-data", "multipart/form-data; boundary=x"] {
            let response = post_bytes(&admin, "/venues", Some(media_type), "no parts").await;
            assert_eq!(response.status, 400, "{}", response.text);
        }
    }

    async fn form_ids_and_lists(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let path = event_path(&admin, json!({"cost": "5", "tags": ["a"]})).await;
        for (text, field, shown) in [
            (format!("venue={venue}"), "venue", vec![venue]), (format!("venue[]={venue}"), "venue", vec![venue]),
            (format!("venue[id]={venue}"), "venue", vec![venue]),
            (format!("venue[0][id]={venue}"), "venue", vec![venue]),
            ("venue=".to_owned(), "venue", vec![]), ("tags=".to_owned(), "tags", vec![]),
        ] {
            let event = post_bytes(&admin, &path, Some(URLENCODED), text.clone()).await.is(200).body;
            assert_eq!(ids(&event[field]), shown, "{text}");
        }
        let event = post_bytes(&admin, &path, Some(URLENCODED), "cost=").await.is(200).body;
        assert_eq!(event["cost"], "");
        let response = post_bytes(&admin, &path, Some(URLENCODED), "title=&featured=maybe").await;
        assert_eq!(response.is_error(400, "rest_invalid_param").invalid_params(), ["featured", "title"]);
    }

    async fn json_media_types(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for media_type in [
            None, Some("application/json"), Some("Application/JSON; charset=utf-8"), Some(URLENCODED),
        ] {
            let response = post_bytes(&admin, "/events", media_type, format!(" \n{}", minimal_event())).await;
            assert_eq!(response.status, 201, "{media_type:?} {}", response.text);
            assert_eq!(response.body["title"], "Spring concert");
        }
    }

    async fn unsupported_media_types(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for media_type in ["text/plain", "application/xml", "text/html; charset=utf-8", "nonsense"] {
            let response = post_bytes(&admin, "/events", Some(media_type), minimal_event().to_string()).await;
            response.is_error(415, "rest_unsupported_media_type");
        }
    }

    async fn compressed_body_unsupported(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let request = admin.request("POST", "/tags").header("content-encoding", "gzip").json(&json!({"name": "New"}));
        Response::fetch(request).await.is_error(415, "rest_unsupported_media_type");
    }

    async fn at_most_100_terms(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let names: Vec<String> = (0..101).map(|number| format!("Tag {number}")).collect();
        let event = json!({"title": "Many", "start_date": "tomorrow", "end_date": "tomorrow", "tags": names});
        let rejected = admin.post("/events", event).await.is_error(400, "rest_invalid_param");
        assert_eq!(rejected.invalid_params(), ["tags"]);
        let query = format!("/events?tags={}", names.join(","));
        assert_eq!(admin.get(&query).await.is(400).invalid_params(), ["tags"]);
    }

    async fn invalid_json(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let deep_object = format!("{{\"custom_fields\": {}1{}}}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
        for text in [
            "{", "{\"title\": }", "nonsense", "[]", "[{\"title\": \"A\"}]", "\"text\"", "5", "null", "{\"a\": 1} more",
            "{\"title\": \"\\ud800\"}", &deep, &deep_object,
        ] {
            for target in ["/events", &path] {
                let response = post_bytes(&admin, target, Some("application/json"), text).await;
                response.is_error(400, "rest_invalid_json");
            }
        }
        let response = post_bytes(&admin, "/events", Some("application/json"), vec![b'{', 0xff, 0xfe]).await;
        response.is_error(400, "rest_invalid_json");
    }

    async fn malformed_form(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let deep = format!("a{}=1", "[b]".repeat(10_000));
        for text in ["title=%ff%fe&venue=1", "[[[=1", "a[b=1&a]c=2", "venue=1&venue[venue]=Hall", &deep, "=&&=", "%"] {
            let response = post_bytes(&admin, "/events", Some(URLENCODED), text).await;
            assert_eq!(response.status, 400, "{text:.40} {}", response.text);
        }
        let response = post_bytes(&admin, "/events", Some(URLENCODED), vec![b'a', b'=', 0xff]).await;
        assert_eq!(response.status, 400, "{}", response.text);
    }

    async fn empty_body(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let before = admin.get(&path).await.body;
        for media_type in [None, Some("application/json"), Some(URLENCODED)] {
            assert_eq!(post_bytes(&admin, &path, media_type, "").await.is(200).body, before);
            let response = post_bytes(&admin, "/events", media_type, "").await;
            assert_eq!(response.is_error(400, "rest_missing_callback_param").invalid_params().len(), 3);
        }
    }

    async fn body_limit_is_1_mib(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let padded = |length: usize| {
            let mut text = minimal_event().to_string();
            text.push_str(&" ".repeat(length - text.len()));
            text
        };
        let limit = 1024 * 1024;
        post_bytes(&admin, "/events", Some("application/json"), padded(limit)).await.is(201);
        for media_type in ["application/json", URLENCODED, "multipart/form-data; boundary=x"] {
            let response = post_bytes(&admin, "/events", Some(media_type), padded(limit + 1)).await;
            response.is_error(413, "rest_payload_too_large");
        }
    }

    async fn wrong_types_reported_by_field(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let not_strings = [json!(5), json!(1.5), json!(true), json!(["a"]), json!({"a": 1})];
        for field in [
            "title", "description", "excerpt", "slug", "timezone", "website", "status", "start_date", "end_date",
        ] {
            assert_update_rejected(&admin, &path, field, &not_strings).await;
        }
        let not_booleans = [json!("maybe"), json!(2), json!(-1), json!([true]), json!({}), json!("truefalse")];
        for field in
            ["all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"]
        {
            assert_update_rejected(&admin, &path, field, &not_booleans).await;
        }
        for field in ["author", "post_parent"] {
            assert_update_rejected(&admin, &path, field, &[
                json!("x"), json!(1.5), json!(true), json!([1]), json!({}),
            ]).await;
        }
    }

    async fn slug_length_limit(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let longest = "a".repeat(200);
        assert_eq!(admin.patch(&path, json!({"slug": longest})).await.is(200).body["slug"], longest);
        assert_update_rejected(&admin, &path, "slug", &[json!(longest + "a")]).await;
    }

    async fn all_validation_errors_reported(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let wrong = json!({
            "title": 5, "start_date": "soon", "timezone": "Mars", "cost": {}, "venue": 999, "image": "a",
            "status": "open",
            "categories": [999], "website": "x", "author": 999,
        });
        let names =
            ["author", "categories", "cost", "image", "start_date", "status", "timezone", "title", "venue", "website"];
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let response = admin.patch(&path, wrong.clone()).await.is_error(400, "rest_invalid_param");
        assert_eq!(response.invalid_params(), names);
        for name in names {
            let error = &response.body["data"]["details"][name];
            assert!(error["code"].is_string(), "{error}");
            assert_eq!(error["message"], response.body["data"]["params"][name]);
        }
        // Missing and invalid fields together.
        let mut missing = wrong;
        missing.as_object_mut().expect("an object").remove("title");
        let response = admin.post("/events", missing).await;
        assert_eq!(response.status, 400);
        let mut expected = names.to_vec();
        expected.push("end_date");
        expected.sort_unstable();
        assert_eq!(response.invalid_params(), expected);
    }

    async fn boolean_spellings(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        for (yes, no) in [
            (json!(true), json!(false)), (json!(1), json!(0)), (json!("true"), json!("false")),
            (json!("1"), json!("0")),
            (json!("yes"), json!("no")), (json!("on"), json!("off")),
        ] {
            for (written, shown) in [(yes, true), (no, false)] {
                assert_eq!(admin.patch(&path, json!({"featured": written})).await.is(200).body["featured"], shown);
            }
        }
    }

    async fn numbers_as_strings(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let parent = admin.create_id("/categories", json!({"name": "Art"})).await;
        let child = admin.create("/categories", json!({"name": "Music", "parent": parent.to_string()})).await;
        assert_eq!(child["parent"], parent);
        let venue = admin.create("/venues", json!({"venue": "Hall", "geo_lat": "-12.5", "geo_lng": " 7 "})).await;
        assert_fields(&venue, &json!({"geo_lat": -12.5, "geo_lng": 7.0}));
        let event = admin.create("/events", event_with(json!({"post_parent": "12", "cost": 5}))).await;
        assert_fields(&event, &json!({"post_parent": 12, "cost": "5"}));
    }

    async fn unknown_and_read_only_fields_ignored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({
            "id": 4711, "url": "https://evil.example", "rest_url": 5, "modified": "2001-01-01", "global_id": "x",
            "cost_details": {"values": ["1"]}, "json_ld": "x", "utc_start_date": "soon", "starts_at": 5,
            "shoe_size": 44,
        }))).await;
        assert_ne!(event["id"], 4711);
        assert_fields(&event, &json!({"start_date": "2027-05-07 19:30:00", "cost": ""}));
        assert_ne!(event["url"], "https://evil.example");
        assert_eq!(event.get("shoe_size"), None);
    }

    async fn query_parameters_are_not_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let before = admin.get(&path).await.body;
        let changed = admin.patch(&format!("{path}?title=Query&id=7&status=draft"), json!({})).await.is(200).body;
        assert_eq!(changed, before);
        let response = admin.post("/events?title=A&start_date=2027-01-01&end_date=2027-01-02", json!({})).await;
        assert_eq!(response.is_error(400, "rest_missing_callback_param").invalid_params(), [
            "end_date", "start_date", "title",
        ]);
    }

    async fn odd_strings_stored_or_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let odd = [
            "\u{0}a\u{0}b".to_owned(), "a\u{fffe}\u{ffff}".to_owned(), "\u{202e}right to left".to_owned(),
            "👩‍👩‍👧 party".to_owned(),
            "'; DROP TABLE event; --".to_owned(), "%_\\%".to_owned(), "{{7*7}}${7*7}".to_owned(),
            "e\u{301}".repeat(3000),
            "<".repeat(5000), "<b>".repeat(3000), "&lt;".repeat(3000), "x".repeat(150_000), "\u{10ffff}".repeat(90),
            "1".repeat(500), "-1".to_owned(), "1e999".to_owned(), "../../etc/passwd".to_owned(), "\r\nX: y".to_owned(),
        ];
        for text in &odd {
            for field in [
                "title", "description", "excerpt", "slug", "timezone", "status", "cost", "website", "image",
                "start_date",
                "date", "venue", "categories", "author", "post_parent", "featured", "shoe_size",
            ] {
                let response = admin.post("/events", event_with(json!({field: text}))).await;
                let status = response.status.as_u16();
                assert!([201, 400].contains(&status), "{field}: {text:.40} {status} {:.200}", response.text);
            }
            let response = admin.post("/events", event_with(json!({
                "custom_fields": {text: text}, "organizer": {"organizer": text, "email": text}, "tags": [text],
            }))).await;
            assert!([201, 400].contains(&response.status.as_u16()), "{text:.40} {:.200}", response.text);
            let response = admin.post("/venues", json!({"venue": text, "city": text, "zip": text})).await;
            assert!([201, 400].contains(&response.status.as_u16()), "{text:.40} {:.200}", response.text);
        }
        for path in [
            "/events/by-slug/%00", "/events/by-slug/%ff", "/events/by-slug/a%2Fb", "/events/%00", "/venues/1%00",
        ] {
            let response = admin.get(path).await;
            assert!([400, 404].contains(&response.status.as_u16()), "{path} {}", response.text);
        }
    }

    async fn oversized_numbers_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for number in [
            json!(9_223_372_036_854_775_807_i64), json!(18_446_744_073_709_551_615_u64), json!(1e300), json!(-1e300),
        ] {
            for field in ["author", "venue", "organizer", "categories", "tags", "image"] {
                let body = event_with(json!({field: number}));
                assert_invalid(admin.post("/events", body).await, field, &number);
            }
            for field in ["geo_lat", "geo_lng"] {
                assert_invalid(admin.post("/venues", json!({"venue": "Hall", field: number})).await, field, &number);
            }
            let body = json!({"name": "Music", "parent": number});
            assert_invalid(admin.post("/categories", body).await, "parent", &number);
        }
        // `post_parent` is not checked for existence, and must not lose precision.
        let large = event_with(json!({"post_parent": 9_007_199_254_740_991_i64}));
        assert_eq!(admin.create("/events", large).await["post_parent"], 9_007_199_254_740_991_i64);
        for number in [json!(18_446_744_073_709_551_615_u64), json!(1e300), json!("99999999999999999999")] {
            let body = event_with(json!({"post_parent": number}));
            assert_invalid(admin.post("/events", body).await, "post_parent", &number);
        }
    }
}
