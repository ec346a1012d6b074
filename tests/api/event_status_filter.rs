//! The `status` filter of event lists, and visibility by role.

use almanac::testing::auth::Role;
use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected},
    fixtures::create_event,
    on_both_databases,
    support::{Client, Server},
};

/// A client of each role below administrator.
struct Clients {
    subscriber: Client,
    contributor: Client,
    author: Client,
    editor: Client,
}

/// Creates events in each status by an editor, and some by an author and a contributor.
async fn create_events(server: &Server) -> Clients {
    let clients = Clients {
        subscriber: server.user("sub", Role::Subscriber).await,
        contributor: server.user("con", Role::Contributor).await,
        author: server.user("aut", Role::Author).await,
        editor: server.user("edi", Role::Editor).await,
    };
    let Clients {
        contributor,
        author,
        editor,
        ..
    } = &clients;
    for (client, title, fields) in [
        (editor, "Open", json!({})),
        (editor, "Sketch", json!({"status": "draft"})),
        (editor, "Queued", json!({"status": "pending"})),
        (editor, "Private", json!({"status": "private"})),
        (
            editor,
            "Later",
            json!({"status": "publish", "date": "2099-01-01 00:00:00"}),
        ),
        (editor, "Gone", json!({})),
        (author, "Own", json!({})),
        (author, "Own-sketch", json!({"status": "draft"})),
        (author, "Own-later", json!({"date": "2099-01-01 00:00:00"})),
        (author, "Own-gone", json!({"status": "draft"})),
        (contributor, "Try", json!({"status": "draft"})),
        (contributor, "Offer", json!({})),
    ] {
        let id = create_event(client, title, fields).await;
        if title.to_lowercase().ends_with("gone") {
            client.delete(&format!("/events/{id}")).await.is(200);
        }
    }
    clients
}

on_both_databases! {
    async fn published_by_default(database) {
        let server = database.server(&[]).await;
        let clients = create_events(&server).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let Clients { subscriber, contributor, author, editor } = &clients;
        for client in [&anonymous, subscriber, contributor, author, editor, &admin] {
            assert_lists(client, "events", &[
                ("", "Open Own"),
                ("status=publish", "Open Own"),
                ("status=", "Open Own"),
                ("status=publish,publish", "Open Own"),
            ]).await;
        }
    }

    async fn readers_get_published_only(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            for client in [server.anonymous(), server.user("sub", Role::Subscriber).await] {
                for status in
                    ["draft", "pending", "private", "future", "trash", "any", "publish,draft", "any,publish"]
                {
                    let response = client.get(&format!("/events?status={status}")).await;
                    assert_eq!(response.is_error(403, "rest_forbidden").invalid_params(), ["status"], "{status}");
                }
                // Invalid values are reported before missing permissions.
                assert_rejected(&client, "events", &[
                    ("status=open", "status"), ("status=Publish", "status"), ("status=draft&page=0", "page"),
                ]).await;
            }
        }
    }

    async fn authors_see_own_events(database) {
        let server = database.server(&[]).await;
        let Clients { contributor, author, .. } = create_events(&server).await;
        assert_lists(&author, "events", &[
            ("status=any", "Open Own Own-sketch Own-later"),
            ("status=draft", "Own-sketch"),
            ("status=future", "Own-later"),
            ("status=trash", "Own-gone"),
            ("status=pending", ""),
            ("status=private", ""),
            ("status=publish,draft", "Open Own Own-sketch"),
        ]).await;
        assert_lists(&contributor, "events", &[
            ("status=any", "Open Own Try Offer"),
            ("status=draft", "Try"),
            ("status=pending", "Offer"),
            ("status=future", ""),
            ("status=trash", ""),
        ]).await;
    }

    async fn editors_see_all_events(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let Clients { editor, .. } = create_events(&server).await;
            for client in [editor, server.administrator().await] {
                assert_lists(&client, "events", &[
                    // All except the trash.
                    ("status=any", "Open Sketch Queued Private Later Own Own-sketch Own-later Try Offer"),
                    ("status=draft", "Sketch Own-sketch Try"),
                    ("status=pending", "Queued Offer"),
                    ("status=private", "Private"),
                    ("status=future", "Later Own-later"),
                    ("status=trash", "Gone Own-gone"),
                    ("status=draft,pending", "Sketch Queued Own-sketch Try Offer"),
                    ("status=draft, pending", "Sketch Queued Own-sketch Try Offer"),
                    ("status=publish,trash", "Open Gone Own Own-gone"),
                ]).await;
                assert_rejected(&client, "events", &[("status=open", "status"), ("status=publish,open", "status")])
                    .await;
            }
        }
    }

    async fn links_of_drafts_hidden(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", json!({
            "title": "Secret", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am", "status": "draft",
            "venue": {"venue": "Hall", "status": "publish"}, "tags": "new",
        })).await;
        let venue = admin.create_id("/venues", json!({"venue": "Secret", "status": "draft"})).await;
        let id = &event["id"];
        for (path, list) in [
            (format!("/venues?event={id}"), "venues"),
            (format!("/tags?post={id}&hide_empty=no"), "tags"),
            (format!("/events?venue={venue}"), "events"),
        ] {
            let list = server.anonymous().get(&path).await.is(200).body[list].clone();
            assert_eq!(list, json!([]), "{path}");
            admin.get(&path).await.is(200);
        }
    }

    async fn scheduled_events_listed_when_due(database) {
        let server = database.server(&[]).await;
        let editor = server.user("edi", Role::Editor).await;
        create_event(&editor, "Due", json!({"status": "future", "date_utc": "2001-01-01 00:00:00"})).await;
        create_event(&editor, "Planned", json!({"status": "publish", "date_utc": "2099-01-01 00:00:00"})).await;
        assert_lists(&editor, "events", &[("status=publish", "Due"), ("status=future", "Planned")]).await;
        assert_lists(&server.anonymous(), "events", &[("", "Due")]).await;
    }
}
