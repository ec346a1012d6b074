//! Venues and organizers that are created with an event that is planned for later.

use almanac::{auth::Role, store::trash};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::{
    fixtures::{event_with, id, ids},
    on_both,
    support::Client,
};

/// The event, and the paths of the venue and the organizer that are created with it.
struct Planned {
    event: String,
    hosts: [String; 2],
}

async fn plan(client: &Client, members: Value) -> Planned {
    let mut body = event_with(json!({
        "date": "2090-01-01 10:00:00", "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"},
    }));
    for (name, value) in members.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let event = client.create("/events", body).await;
    Planned {
        event: format!("/events/{}", id(&event)),
        hosts: [
            format!("/venues/{}", ids(&event["venue"])[0]),
            format!("/organizers/{}", ids(&event["organizer"])[0]),
        ],
    }
}

/// Holds that venue and organizer have this status and publication date.
async fn assert_hosts(admin: &Client, planned: &Planned, status: &str, date: &str, case: &str) {
    for path in &planned.hosts {
        let host = admin.get(path).await.is(200).body;
        let found = (host["status"].as_str(), host["date_utc"].as_str());
        assert_eq!(found, (Some(status), Some(date)), "{path} after {case}");
    }
}

const DATE: &str = "2090-01-01 10:00:00";
const LATER: &str = "2091-02-03 04:05:06";
const EARLIER: &str = "2020-02-03 04:05:06";

on_both! {
    async fn new_links_inherit_scheduled_date(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        assert_hosts(&admin, &planned, "future", DATE, "a create").await;
        for (path, list) in planned.hosts.iter().zip(["/venues", "/organizers"]) {
            server.anonymous().get(path).await.is(403);
            assert_eq!(server.anonymous().get(list).await.is(200).body["total"], 0, "{list}");
        }
    }

    async fn scheduled_links_follow_event(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        for (change, status, date) in [
            (json!({"date": LATER}), "future", LATER),
            (json!({"status": "draft"}), "draft", LATER),
            (json!({"status": "private", "date": DATE}), "private", DATE),
            (json!({"status": "trash"}), "draft", DATE),
            (json!({"status": "publish"}), "future", DATE),
            (json!({"title": "Another"}), "future", DATE),
            (json!({"date_utc": EARLIER}), "publish", EARLIER),
        ] {
            admin.patch(&planned.event, change.clone()).await.is(200);
            assert_hosts(&admin, &planned, status, date, &change.to_string()).await;
        }
        for path in &planned.hosts {
            server.anonymous().get(path).await.is(200);
        }
    }

    async fn event_deletion_turns_links_into_drafts(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        admin.delete(&planned.event).await.is(200);
        assert_hosts(&admin, &planned, "draft", DATE, "a deletion").await;
        let removed = trash::empty(&server.store, None).await.expect("the trash is emptied");
        assert_eq!(removed.events, 1);
        assert_hosts(&admin, &planned, "draft", DATE, "a purge").await;
    }

    async fn explicit_status_or_date_prevents_inheritance(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (own, status, date) in [
            (json!({"status": "draft"}), "draft", DATE), (json!({"date": EARLIER}), "publish", EARLIER),
        ] {
            let with = |name: &str| {
                let mut host = own.clone();
                host[name] = json!(format!("Of {own}"));
                host
            };
            let members = json!({"venue": with("venue"), "organizer": with("organizer")});
            let planned = plan(&admin, members).await;
            assert_hosts(&admin, &planned, status, date, "a create").await;
            admin.patch(&planned.event, json!({"date": LATER, "status": "private"})).await.is(200);
            assert_hosts(&admin, &planned, status, date, "a change of the event").await;
        }
    }

    async fn direct_status_or_date_change_ends_inheritance(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (number, (change, status, date)) in [
            (json!({"status": "pending"}), "pending", DATE),
            (json!({"date": EARLIER}), "publish", EARLIER),
            (json!({"date": "2095-01-01 00:00:00"}), "future", "2095-01-01 00:00:00"),
        ].into_iter().enumerate() {
            let hosts = json!({"venue": {"venue": format!("Hall {number}")}, "organizer": {"organizer": format!("Ann {number}")}});
            let planned = plan(&admin, hosts).await;
            for path in &planned.hosts {
                admin.patch(path, change.clone()).await.is(200);
            }
            admin.patch(&planned.event, json!({"date": LATER, "status": "private"})).await.is(200);
            assert_hosts(&admin, &planned, status, date, &change.to_string()).await;
        }
    }

    async fn restore_ends_inheritance(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        for path in &planned.hosts {
            admin.delete(path).await.is(200);
            admin.patch(path, json!({"status": "draft"})).await.is(200);
        }
        admin.patch(&planned.event, json!({"date": LATER})).await.is(200);
        assert_hosts(&admin, &planned, "draft", DATE, "a change of the event").await;
    }

    async fn other_field_changes_keep_inheritance(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        for path in &planned.hosts {
            let read = admin.get(path).await.is(200).body;
            admin.put(path, read).await.is(200);
            admin.patch(path, json!({"description": "Changed", "phone": "555"})).await.is(200);
        }
        admin.patch(&planned.event, json!({"date": LATER})).await.is(200);
        assert_hosts(&admin, &planned, "future", LATER, "a change of the event").await;
    }

    async fn publication_ends_inheritance(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        let transaction = server.store.begin().await.expect("a transaction");
        for table in ["events", "venues", "organizers"] {
            let pass = format!("UPDATE {table} SET published_at = 1577934245");
            transaction.execute_unprepared(&pass).await.expect("the date passes");
        }
        transaction.commit().await.expect("a commit");
        assert_hosts(&admin, &planned, "publish", "2020-01-02 03:04:05", "the date").await;
        admin.patch(&planned.event, json!({"status": "draft"})).await.is(200);
        assert_hosts(&admin, &planned, "publish", "2020-01-02 03:04:05", "a change of the event").await;
    }

    async fn only_creating_event_is_inherited_from(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let planned = plan(&admin, json!({})).await;
        // The second one links to what is there, by its name.
        let other = plan(&admin, json!({})).await;
        assert_eq!(other.hosts, planned.hosts);
        admin.patch(&other.event, json!({"date": EARLIER})).await.is(200);
        assert_hosts(&admin, &planned, "future", DATE, "a change of the other event").await;
        admin.patch(&planned.event, json!({"date": LATER})).await.is(200);
        assert_hosts(&admin, &planned, "future", LATER, "a change of its event").await;
    }

    async fn links_created_by_update_inherit(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create_id("/events", event_with(json!({"date": DATE}))).await;
        let path = format!("/events/{event}");
        let body = json!({"date": LATER, "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"}});
        let changed = admin.patch(&path, body).await.is(200).body;
        let planned = Planned {
            event: path,
            hosts: [
                format!("/venues/{}", ids(&changed["venue"])[0]),
                format!("/organizers/{}", ids(&changed["organizer"])[0]),
            ],
        };
        assert_hosts(&admin, &planned, "future", LATER, "the update that creates them").await;
        admin.patch(&planned.event, json!({"status": "draft"})).await.is(200);
        assert_hosts(&admin, &planned, "draft", LATER, "a later update").await;
    }

    async fn pending_links_published_with_event(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        let planned = plan(&contributor, json!({})).await;
        assert_hosts(&admin, &planned, "pending", DATE, "a create").await;
        admin.patch(&planned.event, json!({"status": "publish"})).await.is(200);
        assert_hosts(&admin, &planned, "future", DATE, "the approval").await;
    }
}
