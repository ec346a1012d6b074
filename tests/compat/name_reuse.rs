//! Creating venues and organizers whose names exist already.

use almanac::testing::auth::Role;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{on_both_databases, support::Client};

const ROOT: &str = "~/wp-json/tribe/events/v1";
const KINDS: [(&str, &str); 2] = [("venues", "venue"), ("organizers", "organizer")];

async fn send(client: &Client, list: &str, body: Value) -> Value {
    client.post(&format!("{ROOT}/{list}"), body).await.is(201).body
}

async fn total(client: &Client, list: &str) -> Value {
    client.get(&format!("/{list}?status=any")).await.is(200).body["total"].clone()
}

on_both_databases! {
    async fn resent_name_updates_existing(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (list, field) in KINDS {
            let first = send(&admin, list, json!({field: "Tom & Jerry's", "phone": "1"})).await;
            for (name, phone) in [
                ("Tom & Jerry's", "2"), ("Tom &amp; Jerry's", "3"), ("Tom &#038; Jerry&#8217;s", "4"),
                ("TOM & JERRY'S", "5"),
            ] {
                let again = send(&admin, list, json!({field: name, "phone": phone})).await;
                assert_eq!((&again["id"], &again["phone"]), (&first["id"], &json!(phone)), "{name}");
            }
            let unchanged = send(&admin, list, json!({field: "tom & jerry's"})).await;
            assert_eq!(unchanged["phone"], "5", "fields that are not sent are kept");
            assert_eq!(total(&admin, list).await, 1, "{list}");
        }
    }

    async fn location_is_existing(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let again = admin.post(&format!("{ROOT}/venues"), json!({"venue": "Hall"})).await.is(201);
        let location = format!("{}/wp-json/tribe/events/v1/venues/{id}", server.address);
        assert_eq!(again.header("location"), location);
    }

    async fn existing_is_unchanged_without_permission(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("contributor", Role::Contributor).await;
        for (list, field) in KINDS {
            let first = send(&admin, list, json!({field: "Hall", "phone": "1"})).await;
            let again = send(&contributor, list, json!({field: "Hall", "phone": "2"})).await;
            assert_eq!((&again["id"], &again["phone"]), (&first["id"], &json!("1")));
            contributor.post(&format!("{ROOT}/{list}"), json!({field: "Hall", "website": "x"})).await
                .is_error(400, "rest_invalid_param");
        }
    }

    async fn lowest_published_or_own_id_is_reused(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("author", Role::Author).await;
        for (list, field) in KINDS {
            let path = format!("/{list}");
            let gone = admin.create_id(&path, json!({field: "Hall"})).await;
            admin.delete(&format!("{path}/{gone}")).await.is(200);
            let draft = admin.create_id(&path, json!({field: "Hall", "status": "draft"})).await;
            let own = author.create_id(&path, json!({field: "Hall", "status": "draft"})).await;
            let first = admin.create_id(&path, json!({field: "Hall"})).await;
            admin.create_id(&path, json!({field: "Hall"})).await;
            assert_eq!(send(&author, list, json!({field: "Hall"})).await["id"], own);
            assert_eq!(send(&admin, list, json!({field: "Hall"})).await["id"], draft, "the admin's own draft");
            let editor = server.user(&format!("editor of {list}"), Role::Editor).await;
            assert_eq!(send(&editor, list, json!({field: "Hall"})).await["id"], first);
        }
    }

    async fn native_root_creates_duplicate(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (list, field) in KINDS {
            let first = admin.create_id(&format!("/{list}"), json!({field: "Hall"})).await;
            let second = admin.create_id(&format!("/{list}"), json!({field: "Hall"})).await;
            assert_ne!(first, second);
        }
    }

    async fn nested_venue_is_reused(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("author", Role::Author).await;
        let event = |phone: &str| json!({
            "title": "Sync", "start_date": "2030-01-01", "end_date": "2030-01-01",
            "venue": {"venue": "Hall", "phone": phone}, "organizer": [{"organizer": "Ann", "phone": phone}],
        });
        let first = admin.post(&format!("{ROOT}/events"), event("1")).await.is(201).body;
        let again = admin.post(&format!("{ROOT}/events"), event("2")).await.is(201).body;
        assert_eq!((&again["venue"]["id"], &again["venue"]["phone"]), (&first["venue"]["id"], &json!("2")));
        assert_eq!(again["organizer"][0]["id"], first["organizer"][0]["id"]);
        let by_other = author.post(&format!("{ROOT}/events"), event("3")).await.is(201).body;
        assert_eq!((&by_other["venue"]["id"], &by_other["venue"]["phone"]), (&first["venue"]["id"], &json!("2")));
        for (list, _) in KINDS {
            assert_eq!(total(&admin, list).await, 1, "{list}");
        }
    }

    async fn concurrent_creates_share_one(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (list, field) in KINDS {
            let sent = join_all((0..8).map(|number| {
                let body = json!({field: "Hall", "phone": number.to_string()});
                send(&admin, list, body)
            }));
            let sent = sent.await;
            assert!(sent.iter().all(|host| host["id"] == sent[0]["id"]), "{sent:?}");
            assert_eq!(total(&admin, list).await, 1, "{list}");
        }
    }
}
