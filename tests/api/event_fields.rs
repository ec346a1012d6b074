//! The fields of an event, dates and slug aside: validation, normalisation and formats.

use almanac::testing::auth::Role;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    assertions::{assert_field_names, assert_fields, assert_update_rejected},
    fixtures::{event_path, event_with, id, user_id},
    on_both_databases,
    support::Response,
};

/// The amounts of `cost_details`.
fn amounts(body: &Value) -> Vec<f64> {
    let values = body["cost_details"]["values"].as_array().expect("an array");
    let amount = |value: &Value| value.as_str().expect("a string").parse().expect("a number");
    values.iter().map(amount).collect()
}

on_both_databases! {
    async fn missing_fields_reported(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let response = admin.post("/events", json!({})).await.is_error(400, "rest_missing_callback_param");
        assert_eq!(response.invalid_params(), ["end_date", "start_date", "title"]);
    }

    async fn title_and_dates_cannot_be_cleared(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        for field in ["title", "start_date", "end_date", "date", "date_utc"] {
            assert_update_rejected(&admin, &path, field, &[json!(null), json!(""), json!("  ")]).await;
        }
    }

    async fn text_normalisation(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({
            "title": "  Cafe\u{301}\u{0}\u{7} Noir \r\n", "description": " a\u{7}\nb\tc\u{0} ", "excerpt": "\u{1b}x\ny",
        }))).await;
        assert_fields(&event, &json!({"title": "Café Noir", "description": "a\nb\tc", "excerpt": "x\ny"}));
    }

    async fn markup_stripped_from_titles(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        for (title, shown) in [
            ("<b>Jazz</b> Night", "Jazz Night"), ("Jazz<script>alert(1)</script>", "Jazz"), ("A < B", "A < B"),
            ("AT&T", "AT&T"), ("5 > 3", "5 > 3"), ("<img src=x onerror=alert(1)>Boo", "Boo"),
            ("\"Q\" 'q'", "\"Q\" 'q'"),
        ] {
            assert_eq!(admin.patch(&path, json!({"title": title})).await.is(200).body["title"], shown);
        }
    }

    async fn title_length_limits(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        admin.patch(&path, json!({"title": "é".repeat(200)})).await.is(200);
        assert_update_rejected(&admin, &path, "title", &[
            json!("é".repeat(201)), json!("<b> </b>"), json!("\u{0}"),
        ]).await;
    }

    async fn descriptions_sanitised(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let html = "<p onclick=\"steal()\">Hi</p><script>steal()</script><a href=\"javascript:steal()\">x</a>\
            <a href=\"JaVa\tScript:steal()\">y</a><img src=\"https://example.org/a.jpg\" onerror=\"steal()\">\
            <iframe src=\"https://example.org\"></iframe><style>p{}</style>";
        let event = admin.create("/events", event_with(json!({"description": html, "excerpt": html}))).await;
        for field in ["description", "excerpt"] {
            let shown = event[field].as_str().expect("a string");
            assert!(shown.contains("<p>Hi</p>"), "{shown}");
            assert!(shown.contains("https://example.org/a.jpg"), "{shown}");
            let lower = shown.to_lowercase();
            for removed in ["steal", "onclick", "onerror", "<script", "<iframe", "<style", "script:"] {
                assert!(!lower.contains(removed), "{removed} in {shown}");
            }
        }
    }

    async fn image_reused_by_url_or_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let body = event_with(json!({"image": "https://example.org/pictures/A.JPG?w=1"}));
        let first = admin.create("/events", body).await;
        let image = first["image"].clone();
        assert_field_names(&image, "id url extension width height sizes");
        assert_fields(&json!({"of": image}), &json!({"of": {
            "id": id(&image), "url": "https://example.org/pictures/A.JPG?w=1", "extension": "jpg", "width": null,
            "height": null, "sizes": {},
        }}));
        let path = event_path(&admin, json!({})).await;
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

    async fn invalid_image_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"image": "https://example.org/a.jpg"})).await;
        assert_update_rejected(&admin, &path, "image", &[
            json!(999), json!("999"), json!(-1), json!("ftp://example.org/a.jpg"), json!("a.jpg"), json!({"id": 999}),
            json!("javascript:alert(1)"), json!(true), json!({"width": 5}), json!(["https://example.org/a.jpg"]),
        ]).await;
    }

    async fn concurrent_images_stored_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut posts = JoinSet::new();
        for number in 0..8 {
            let body = event_with(json!({"title": format!("Event {number}"), "image": "https://example.org/a.jpg"}));
            posts.spawn(Response::fetch(admin.request("POST", "/events").json(&body)));
        }
        let responses = posts.join_all().await;
        let mut images: Vec<i64> = responses.into_iter().map(|response| id(&response.is(201).body["image"])).collect();
        images.dedup();
        assert_eq!(images.len(), 1, "{images:?}");
    }

    async fn cost_formats(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
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

    async fn website_is_http_url(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({})).await;
        for website in ["http://example.org/a?b=c&d=e#f", "HTTPS://Example.org"] {
            assert_eq!(admin.patch(&path, json!({"website": website})).await.is(200).body["website"], website);
        }
        assert_update_rejected(&admin, &path, "website", &[
            json!("javascript:alert(1)"), json!("ftp://example.org"), json!("example.org"), json!("http://"), json!(5),
            json!(["https://example.org"]),
        ]).await;
    }

    async fn international_url_stored_as_uri(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let sent = "https://bücher.example/Straße 1?q=é";
        let stored = "https://xn--bcher-kva.example/Stra%C3%9Fe%201?q=%C3%A9";
        let path = event_path(&admin, json!({"website": sent, "image": sent})).await;
        let event = admin.get(&path).await.body;
        assert_eq!(event["website"], stored);
        assert_eq!(event["image"]["url"], stored);
    }

    async fn custom_fields_are_any_object(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"a": {"b": [1, 2.5, null, true, "é\u{0}"]}, "": "empty name"});
        let path = event_path(&admin, json!({"custom_fields": fields})).await;
        assert_eq!(admin.get(&path).await.body["custom_fields"], fields);
        let replaced = admin.patch(&path, json!({"custom_fields": {"c": 1}})).await.is(200).body;
        assert_eq!(replaced["custom_fields"], json!({"c": 1}));
        assert_update_rejected(&admin, &path, "custom_fields", &[json!("text"), json!(5), json!([1])]).await;
    }

    async fn post_parent_need_not_exist(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = event_path(&admin, json!({"post_parent": "4711"})).await;
        assert_eq!(admin.get(&path).await.body["post_parent"], 4711);
        assert_update_rejected(&admin, &path, "post_parent", &[
            json!("first"), json!(-1), json!(0), json!(1.5), json!([1]),
        ]).await;
    }

    async fn author_must_exist(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        server.user("ann", Role::Subscriber).await;
        let ann = user_id(&server, "ann").await;
        let path = event_path(&admin, json!({"author": ann.to_string()})).await;
        assert_eq!(admin.get(&path).await.body["author"], ann);
        assert_update_rejected(&admin, &path, "author", &[json!(999), json!("ann"), json!(-1), json!(true)]).await;
    }
}
