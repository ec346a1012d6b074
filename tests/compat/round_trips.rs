//! An object that is sent back as it was read does not change, on both roots.

use serde_json::{Map, Value, json};

use crate::{
    on_both_databases,
    support::{Client, Response},
};

const COMPAT: &str = "~/wp-json/tribe/events/v1";
/// Texts that HTML, WordPress's typography and URLs encode.
const NAME: &str = "Tom & \"Jerry\"'s -- A < B... - &#038; &amp; &eacute; \u{201c}x\u{201d}";
const URL: &str = "https://example.org/?a=1&b=2&amp;c='3'";

/// Collections, with the fields of an object to create there.
fn objects() -> Vec<(&'static str, Value)> {
    let event = |more: Value| {
        let mut event = json!({"title": NAME, "start_date": "2030-03-01 09:00", "end_date": "2030-03-02 17:30"});
        let members = event.as_object_mut().expect("an object");
        members.extend(more.as_object().cloned().unwrap_or_default());
        event
    };
    let host = |field: &str, more: Value| {
        let mut host: Map<String, Value> = more.as_object().cloned().unwrap_or_default();
        host.insert(field.to_owned(), NAME.into());
        Value::from(host)
    };
    let texts = json!({"description": "One & two\n\nThree <b>four</b>\nfive", "website": URL, "phone": "0"});
    let mut full_venue = texts.clone();
    for (name, value) in [
        ("address", json!("1 & 2 \"Main\" St")),
        ("city", json!("Ville-d'Avray")),
        ("country", json!("France")),
        ("province", json!("P")),
        ("state", json!("S")),
        ("zip", json!("007")),
        ("geo_lat", json!(54.5)),
        ("geo_lng", json!(10)),
        ("show_map", json!(false)),
        ("image", json!("https://example.org/a.jpg?b=1&c=2")),
    ] {
        full_venue[name] = value;
    }
    vec![
        ("events", event(json!({}))),
        ("events", event(json!({"author": null, "cost": "", "image": null}))),
        (
            "events",
            event(json!({
                "description": "One & two\n\nThree <b>four</b>\nfive", "excerpt": "Short & <i>sweet</i>",
                "cost": ["10.50", "\u{20ac}20 & more"], "website": URL, "image": "https://example.org/a.jpg",
                "venue": [1, 2], "organizer": [1, 2], "categories": ["Zoo & co", "Art"], "tags": ["z", "a,b"],
                "custom_fields": {"a": [1, "&amp;"]}, "all_day": true, "timezone": "America/New_York",
                "show_map": true, "sticky": true, "featured": true, "hide_from_listings": true,
            })),
        ),
        (
            "events",
            event(json!({"venue": 1, "organizer": 2, "cost": "Donation", "status": "draft"})),
        ),
        ("events", event(json!({"status": "private", "cost": 0}))),
        ("events", event(json!({"date": "2040-05-06 07:08:09"}))),
        // 01:30 and 01:45 occur twice that night; these are the second ones.
        (
            "events",
            event(json!({
                "timezone": "America/New_York", "start_date": "2030-11-03T01:30:00-05:00",
                "end_date": "2030-11-03T01:45:00-05:00",
            })),
        ),
        ("venues", host("venue", json!({}))),
        ("venues", host("venue", full_venue)),
        (
            "venues",
            host(
                "venue",
                json!({"status": "draft", "show_map_link": "no", "country": "US", "stateprovince": "TX"}),
            ),
        ),
        ("organizers", host("organizer", json!({}))),
        ("organizers", host("organizer", texts)),
        (
            "categories",
            json!({"name": NAME, "description": "<p>A &amp; B</p>", "parent": 1}),
        ),
        ("categories", json!({"name": "Plain"})),
        ("tags", json!({"name": NAME, "description": "A & B"})),
        ("tags", json!({"name": "Plain"})),
    ]
}

/// Creates the object and returns its ID.
async fn create(admin: &Client, list: &str, fields: &Value) -> i64 {
    admin.create_id(&format!("/{list}"), fields.clone()).await
}

/// Creates the objects to which others link.
async fn prepare(admin: &Client) {
    for (list, field) in [("venues", "venue"), ("organizers", "organizer")] {
        for name in ["First & \"foremost\"", "Second"] {
            admin.create(&format!("/{list}"), json!({field: name})).await;
        }
    }
    admin.create("/categories", json!({"name": "Above"})).await;
}

/// Sends the object back as it was read, to each of its URLs by each method, and asserts that nothing changes.
async fn check(admin: &Client, root: &str, list: &str, fields: &Value) {
    let id = create(admin, list, fields).await;
    let native = format!("/{list}/{id}");
    let before = admin.get(&native).await.is(200);
    let mut paths = vec![format!("{root}/{list}/{id}")];
    if let Some(slug) = before.body["slug"]
        .as_str()
        .filter(|_| before.body.get("date").is_some())
    {
        paths.push(format!("{root}/{list}/by-slug/{slug}"));
    }
    for path in paths {
        for method in ["PUT", "PATCH", "POST"] {
            let read = admin.get(&path).await.is(200);
            let sent = Response::fetch(admin.request(method, &path).json(&read.body))
                .await
                .is(200);
            let after = admin.get(&native).await.is(200);
            assert_eq!(after.body, before.body, "{method} {path}");
            assert_eq!(after.header("etag"), before.header("etag"), "{method} {path}");
            assert_eq!(sent.body["modified"], read.body["modified"], "{method} {path}");
        }
    }
}

on_both_databases! {
    async fn compat_round_trip_changes_nothing(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        prepare(&admin).await;
        for (list, fields) in objects() {
            check(&admin, COMPAT, list, &fields).await;
        }
    }

    async fn native_round_trip_changes_nothing(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        prepare(&admin).await;
        for (list, fields) in objects() {
            check(&admin, "", list, &fields).await;
        }
    }

    async fn entities_of_changed_text_are_decoded_once(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = json!({"title": "Tom & \"Jerry\"", "start_date": "2030-03-01", "end_date": "2030-03-01"});
        let id = admin.create_id("/events", event).await;
        let path = format!("{COMPAT}/events/{id}");
        let mut read = admin.get(&path).await.is(200).body;
        assert_eq!(read["title"], "Tom &#038; &#8220;Jerry&#8221;");
        read["title"] = "Tom &#038; &#8220;Jerry&#8221; &amp;lt; Ann".into();
        read["website"] = "https://example.org/?a=1&amp;b=2".into();
        read["description"] = "<p>A &amp; B</p>".into();
        admin.put(&path, read).await.is(200);
        let native = admin.get(&format!("/events/{id}")).await.is(200).body;
        assert_eq!(native["title"], "Tom & \u{201c}Jerry\u{201d} &lt; Ann");
        assert_eq!(native["website"], "https://example.org/?a=1&b=2");
        assert_eq!(native["description"], "<p>A &amp; B</p>");
    }

    async fn false_removes_image(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (list, field) in [("events", "title"), ("venues", "venue"), ("organizers", "organizer")] {
            let body = json!({field: "Pictured", "start_date": "2030-03-01", "end_date": "2030-03-01", "image": false});
            let made = admin.post(&format!("{COMPAT}/{list}"), body).await.is(201).body;
            let path = format!("{COMPAT}/{list}/{}", made["id"]);
            let image = "https://example.org/a.jpg";
            let pictured = admin.patch(&path, json!({"image": image})).await.is(200).body;
            let shown = json!({
                "url": image, "id": pictured["image"]["id"], "extension": "jpg", "width": null, "height": null,
                "sizes": {},
            });
            assert_eq!(pictured["image"], shown, "{list}");
            let cleared = admin.patch(&path, json!({"image": false})).await.is(200).body;
            assert!(cleared["image"].is_null() || cleared["image"] == false, "{list}: {}", cleared["image"]);
        }
    }

    async fn forms_equal_json(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let form = [("title", "A &amp; B"), ("start_date", "2030-03-01"), ("end_date", "2030-03-01"), ("tags", "x,y")];
        let path = format!("{COMPAT}/events");
        let parts = form.iter().fold(reqwest::multipart::Form::new(), |parts, (name, value)| parts.text(*name, *value));
        for request in [admin.request("POST", &path).form(&form), admin.request("POST", &path).multipart(parts)] {
            let made = Response::fetch(request).await.is(201).body;
            let native = admin.get(&format!("/events/{}", made["id"])).await.is(200).body;
            assert_eq!(native["title"], "A & B");
            assert_eq!(native["tags"].as_array().map(Vec::len), Some(2));
        }
    }
}
