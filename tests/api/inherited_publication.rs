//! Venues and organizers that are created within a scheduled event, and inherit its status and publication date.

use almanac::testing::{auth::Role, store::trash, store::write_connection::WriteConnection};
use serde_json::{Value, json};

use crate::{
    fixtures::{event_with, id, ids, merge},
    on_both_databases,
    support::Client,
};

/// The paths of an event, and of the venue and the organizer that were created within it.
struct Scheduled {
    event: String,
    links: [String; 2],
}

impl Scheduled {
    fn new(event: &Value) -> Self {
        Self {
            event: format!("/events/{}", id(event)),
            links: [
                format!("/venues/{}", ids(&event["venue"])[0]),
                format!("/organizers/{}", ids(&event["organizer"])[0]),
            ],
        }
    }
}

/// Creates an event that is to be published on [`DATE`].
async fn schedule(client: &Client, fields: Value) -> Scheduled {
    let body = event_with(json!({"date": DATE, "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"}}));
    Scheduled::new(&client.create("/events", merge(body, fields)).await)
}

/// Asserts the status and the publication date of the venue and the organizer.
async fn assert_links(admin: &Client, scheduled: &Scheduled, status: &str, date: &str, case: &str) {
    for path in &scheduled.links {
        let link = admin.get(path).await.is(200).body;
        let found = (link["status"].as_str(), link["date_utc"].as_str());
        assert_eq!(found, (Some(status), Some(date)), "{path} after {case}");
    }
}

const DATE: &str = "2090-01-01 10:00:00";
const LATER: &str = "2091-02-03 04:05:06";
const EARLIER: &str = "2020-02-03 04:05:06";

on_both_databases! {
    async fn new_links_inherit_scheduled_date(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        assert_links(&admin, &scheduled, "future", DATE, "a create").await;
        for (path, list) in scheduled.links.iter().zip(["/venues", "/organizers"]) {
            server.anonymous().get(path).await.is(403);
            assert_eq!(server.anonymous().get(list).await.is(200).body["total"], 0, "{list}");
        }
    }

    async fn scheduled_links_follow_event(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        for (change, status, date) in [
            (json!({"date": LATER}), "future", LATER),
            (json!({"status": "draft"}), "draft", LATER),
            (json!({"status": "private", "date": DATE}), "private", DATE),
            (json!({"status": "trash"}), "draft", DATE),
            (json!({"status": "publish"}), "future", DATE),
            (json!({"title": "Another"}), "future", DATE),
            (json!({"date_utc": EARLIER}), "publish", EARLIER),
        ] {
            admin.patch(&scheduled.event, change.clone()).await.is(200);
            assert_links(&admin, &scheduled, status, date, &change.to_string()).await;
        }
        for path in &scheduled.links {
            server.anonymous().get(path).await.is(200);
        }
    }

    async fn event_deletion_turns_links_into_drafts(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        admin.delete(&scheduled.event).await.is(200);
        assert_links(&admin, &scheduled, "draft", DATE, "a deletion").await;
        let removed = trash::empty(&server.store, None).await.expect("a purge");
        assert_eq!(removed.events, 1);
        assert_links(&admin, &scheduled, "draft", DATE, "a purge").await;
    }

    async fn explicit_status_or_date_prevents_inheritance(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (own, status, date) in [
            (json!({"status": "draft"}), "draft", DATE), (json!({"date": EARLIER}), "publish", EARLIER),
        ] {
            let with = |name: &str| {
                merge(own.clone(), json!({name: format!("Of {own}")}))
            };
            let fields = json!({"venue": with("venue"), "organizer": with("organizer")});
            let scheduled = schedule(&admin, fields).await;
            assert_links(&admin, &scheduled, status, date, "a create").await;
            admin.patch(&scheduled.event, json!({"date": LATER, "status": "private"})).await.is(200);
            assert_links(&admin, &scheduled, status, date, "a change of the event").await;
        }
    }

    async fn direct_status_or_date_change_ends_inheritance(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (number, (change, status, date)) in [
            (json!({"status": "pending"}), "pending", DATE),
            (json!({"date": EARLIER}), "publish", EARLIER),
            (json!({"date": "2095-01-01 00:00:00"}), "future", "2095-01-01 00:00:00"),
        ].into_iter().enumerate() {
            let fields = json!({
                "venue": {"venue": format!("Hall {number}")}, "organizer": {"organizer": format!("Ann {number}")},
            });
            let scheduled = schedule(&admin, fields).await;
            for path in &scheduled.links {
                admin.patch(path, change.clone()).await.is(200);
            }
            admin.patch(&scheduled.event, json!({"date": LATER, "status": "private"})).await.is(200);
            assert_links(&admin, &scheduled, status, date, &change.to_string()).await;
        }
    }

    async fn restore_ends_inheritance(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        for path in &scheduled.links {
            admin.delete(path).await.is(200);
            admin.patch(path, json!({"status": "draft"})).await.is(200);
        }
        admin.patch(&scheduled.event, json!({"date": LATER})).await.is(200);
        assert_links(&admin, &scheduled, "draft", DATE, "a change of the event").await;
    }

    async fn other_field_changes_keep_inheritance(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        for path in &scheduled.links {
            let read = admin.get(path).await.is(200).body;
            admin.put(path, read).await.is(200);
            admin.patch(path, json!({"description": "Changed", "phone": "555"})).await.is(200);
        }
        admin.patch(&scheduled.event, json!({"date": LATER})).await.is(200);
        assert_links(&admin, &scheduled, "future", LATER, "a change of the event").await;
    }

    async fn publication_ends_inheritance(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        let transaction = server.store.begin().await.expect("a transaction");
        for table in ["events", "venues", "organizers"] {
            let update = format!("UPDATE {table} SET published_at = 1577934245");
            transaction.execute_unprepared(&update).await.expect("an update");
        }
        transaction.commit().await.expect("a commit");
        assert_links(&admin, &scheduled, "publish", "2020-01-02 03:04:05", "the date").await;
        admin.patch(&scheduled.event, json!({"status": "draft"})).await.is(200);
        assert_links(&admin, &scheduled, "publish", "2020-01-02 03:04:05", "a change of the event").await;
    }

    async fn only_creating_event_is_inherited_from(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let scheduled = schedule(&admin, json!({})).await;
        // The second event links the existing objects by their names.
        let other = schedule(&admin, json!({})).await;
        assert_eq!(other.links, scheduled.links);
        admin.patch(&other.event, json!({"date": EARLIER})).await.is(200);
        assert_links(&admin, &scheduled, "future", DATE, "a change of the other event").await;
        admin.patch(&scheduled.event, json!({"date": LATER})).await.is(200);
        assert_links(&admin, &scheduled, "future", LATER, "a change of its event").await;
    }

    async fn links_created_by_update_inherit(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create_id("/events", event_with(json!({"date": DATE}))).await;
        let path = format!("/events/{event}");
        let body = json!({"date": LATER, "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"}});
        let changed = admin.patch(&path, body).await.is(200).body;
        let scheduled = Scheduled::new(&changed);
        assert_links(&admin, &scheduled, "future", LATER, "the update that creates them").await;
        admin.patch(&scheduled.event, json!({"status": "draft"})).await.is(200);
        assert_links(&admin, &scheduled, "draft", LATER, "a later update").await;
    }

    async fn pending_links_published_with_event(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        let scheduled = schedule(&contributor, json!({})).await;
        assert_links(&admin, &scheduled, "pending", DATE, "a create").await;
        admin.patch(&scheduled.event, json!({"status": "publish"})).await.is(200);
        assert_links(&admin, &scheduled, "future", DATE, "the approval").await;
    }
}
