//! HTML in texts: limits on its complexity, sanitising, and the plain text derived from it.

use almanac::testing::{
    auth::Role,
    store::{
        description_texts,
        entity::{event, venue},
        write_connection::WriteConnection,
    },
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    fixtures::{create_event, create_named},
    on_both_databases,
    support::{Client, Server},
};

/// HTML lists nested to this depth.
fn nested(depth: usize) -> String {
    let pairs = depth / 2;
    format!("{}x{}", "<ul><li>".repeat(pairs), "</li></ul>".repeat(pairs))
}

/// The message of the validation error of this field when it has this text.
async fn validation_message(client: &Client, list: &str, field: &str, text: &str) -> String {
    let mut body = json!({
        "title": "T", "start_date": "2027-03-01", "end_date": "2027-03-01",
        "name": "N", "venue": "V", "organizer": "O",
    });
    if list == "events" {
        body["venue"] = Value::Null;
        body["organizer"] = Value::Null;
    }
    body[field] = text.into();
    let response = client.post(&format!("/{list}"), body).await;
    let response = response.is_error(400, "rest_invalid_param");
    assert_eq!(response.invalid_params(), [field]);
    response.body["data"]["params"][field]
        .as_str()
        .expect("a message")
        .to_owned()
}

/// Clears the plain text of all descriptions, as in rows from before that column existed.
async fn clear_description_texts(server: &Server) {
    for table in ["events", "venues", "organizers"] {
        let transaction = server.store.begin().await.expect("a transaction");
        let clear = format!("UPDATE {table} SET description_text = NULL");
        transaction.execute_unprepared(&clear).await.expect("rows");
        transaction.commit().await.expect("a commit");
    }
}

/// The plain text of the description of an event.
async fn event_text(server: &Server, id: i64) -> Option<String> {
    let row = event::Entity::find_by_id(id).one(server.store.reader()).await;
    row.expect("rows").expect("the event").description_text
}

on_both_databases! {
    async fn length_checked_before_parsing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let long = nested(20_000);
        for (list, field) in [
            ("tags", "name"),
            ("events", "title"),
            ("events", "cost"),
            ("events", "categories"),
            ("venues", "address"),
            ("organizers", "phone"),
        ] {
            let message = validation_message(&admin, list, field, &long).await;
            assert!(message.contains("characters"), "{list} {field}: {message}");
        }
    }

    async fn nesting_depth_limited(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let message = validation_message(&admin, "events", "description", &nested(102)).await;
        assert_eq!(message, "must not nest elements more than 100 deep");
        let message = validation_message(&admin, "tags", "name", &nested(102)).await;
        assert_eq!(message, "must not nest elements more than 100 deep");
        create_event(&admin, "Deep", json!({"description": nested(100)})).await;
    }

    async fn expanding_markup_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let open: String = (0..60).map(|number| format!("<b title=a{number}>")).collect();
        for text in [
            format!("<p>{open}</p>{}", "<p>x".repeat(20_000)),
            format!("<table>{}", "x<tr>".repeat(19_000)),
            "&".repeat(100_000),
        ] {
            let message = validation_message(&admin, "events", "description", &text).await;
            assert!(message.starts_with("must have simpler markup"), "{message}");
        }
    }

    async fn length_limit_after_sanitising(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let text = format!("{}{}", "<p>".repeat(10_000), "x".repeat(70_000));
        let message = validation_message(&admin, "events", "description", &text).await;
        assert!(message.starts_with("must have at most 100000 characters"), "{message}");
    }

    async fn permissions_checked_before_markup(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("cora", Role::Contributor).await;
        let id = create_event(&admin, "Event", json!({})).await;
        let body = json!({"description": nested(200)});
        admin.put("/events/999", body.clone()).await.is_error(404, "event-not-found");
        contributor.put(&format!("/events/{id}"), body.clone()).await.is(403);
        contributor.put("/tags/1", body.clone()).await.is(403);
        admin.put(&format!("/events/{id}"), body).await.is_error(400, "rest_invalid_param");
    }

    async fn round_trip_changes_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for description in [
            "<p>one<p>two & three < four",
            "<b>open <p>and</b> closed",
            "<p><object><p>x</p></object></p>",
            "<table>x<td>y",
            "<pre lang=en>\n\n x</pre>",
            "e<!-- -->&#x301;",
        ] {
            let id = create_event(&admin, "Event", json!({"description": description})).await;
            let path = format!("/events/{id}");
            let read = admin.get(&path).await.is(200);
            clear_description_texts(&server).await;
            let written = admin.put(&path, read.body.clone()).await.is(200);
            assert_eq!(written.body, read.body, "{description}");
            let version = |tag: &str| tag.split('-').next().map(str::to_owned);
            let again = admin.get(&path).await;
            assert_eq!(version(again.header("etag")), version(read.header("etag")), "{description}");
        }
    }

    async fn json_ld_uses_stored_text(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let hall = admin
            .create_id("/venues", json!({"venue": "Hall", "description": "<p>Big <b>hall</b></p>"}))
            .await;
        let fields = json!({"description": "<p>One &amp; <i>two</i></p><p>three</p>", "venue": hall});
        let id = create_event(&admin, "Event", fields).await;
        assert_eq!(event_text(&server, id).await.as_deref(), Some("One & two three"));
        let row = venue::Entity::find_by_id(hall).one(server.store.reader()).await;
        let row = row.expect("rows").expect("the venue");
        assert_eq!(row.description_text.as_deref(), Some("Big hall"));

        // The stored plain text is used, not derived again.
        let transaction = server.store.begin().await.expect("a transaction");
        let mark = "UPDATE events SET description_text = 'as stored', version = version + 1";
        transaction.execute_unprepared(mark).await.expect("rows");
        transaction.commit().await.expect("a commit");
        let shown = admin.get(&format!("/events/{id}")).await.is(200).body;
        assert_eq!(shown["json_ld"]["description"], "as stored");
        assert_eq!(shown["json_ld"]["location"]["description"], "Big hall");
        let page = format!("~/event/{}", shown["slug"].as_str().expect("a slug"));
        let page = server.anonymous().get(&page).await.is(200);
        assert!(page.text.contains("content=\"as stored\""));
    }

    async fn missing_description_texts_filled(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let mut ids = Vec::new();
        for number in 0..3 {
            let fields = json!({"description": format!("<p>Number <b>{number}</b></p>")});
            ids.push(create_event(&admin, "Event", fields).await);
        }
        create_named(&admin, "venues", "Hall").await;
        create_named(&admin, "organizers", "Ann").await;
        clear_description_texts(&server).await;
        // One row already has its text, as after an interrupted run.
        let changed = json!({"description": "changed"});
        admin.put(&format!("/events/{}", ids[1]), changed).await.is(200);
        let before = admin.get(&format!("/events/{}", ids[0])).await.is(200);
        assert_eq!(before.body["json_ld"]["description"], "Number 0");

        let (one, other) = tokio::join!(
            description_texts::fill(&server.store),
            description_texts::fill(&server.store),
        );
        assert_eq!(one.expect("rows") + other.expect("rows"), 4);
        for (id, text) in ids.iter().zip(["Number 0", "changed", "Number 2"]) {
            assert_eq!(event_text(&server, *id).await.as_deref(), Some(text));
        }
        let after = admin.get(&format!("/events/{}", ids[0])).await.is(200);
        assert_eq!(after.header("etag"), before.header("etag"));
        assert_eq!(description_texts::fill(&server.store).await.expect("rows"), 0);
    }

    async fn list_length_limits(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let tag = create_named(&admin, "tags", "Tag").await;
        let category = create_named(&admin, "categories", "Category").await;
        let venue = create_named(&admin, "venues", "Hall").await;
        let organizer = create_named(&admin, "organizers", "Ann").await;
        for (field, id) in [("tags", tag), ("categories", category)] {
            let list = |items: usize| vec![id.to_string(); items].join(",");
            admin.get(&format!("/events?{field}={}", list(100))).await.is(200);
            let response = admin.get(&format!("/events?{field}={}", list(101))).await;
            let response = response.is_error(400, "rest_invalid_param");
            assert_eq!(response.invalid_params(), [field]);
            let each = format!("{field}[]={id}&").repeat(101);
            admin.get(&format!("/events?{each}")).await.is(400);
        }
        let many: Vec<String> = (1..=101).map(|id| id.to_string()).collect();
        for field in ["venue", "organizer", "series"] {
            let response = admin.get(&format!("/events?{field}={}", many.join(","))).await;
            let response = response.is_error(400, "rest_invalid_param");
            assert_eq!(response.body["data"]["params"][field], "must have at most 100 items");
        }
        let id = create_event(&admin, "Event", json!({})).await;
        for (field, target) in
            [("tags", tag), ("categories", category), ("venue", venue), ("organizer", organizer)]
        {
            let list = |items: usize| Value::from(vec![target; items]);
            let path = format!("/events/{id}");
            admin.put(&path, json!({field: list(100)})).await.is(200);
            let response = admin.put(&path, json!({field: list(101)})).await.is(400);
            assert_eq!(response.invalid_params(), [field]);
        }
    }
}
