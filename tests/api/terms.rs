//! Relations of categories and tags: hierarchy, unique names, deletion and counts.

use serde_json::json;

use crate::{
    fixtures::{event_with, id, ids, post_concurrently},
    on_both_databases,
};

on_both_databases! {
    async fn category_cycle_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let art = admin.create_id("/categories", json!({"name": "Art"})).await;
        let music = admin.create_id("/categories", json!({"name": "Music", "parent": art})).await;
        let jazz = admin.create_id("/categories", json!({"name": "Jazz", "parent": music})).await;
        for parent in [art, music, jazz] {
            let response = admin.patch(&format!("/categories/{art}"), json!({"parent": parent})).await;
            assert_eq!(response.is_error(400, "rest_invalid_param").invalid_params(), ["parent"]);
        }
        assert_eq!(admin.get(&format!("/categories/{art}")).await.body["parent"], 0);
        let moved = admin.patch(&format!("/categories/{jazz}"), json!({"parent": art})).await.is(200).body;
        assert_eq!(moved["parent"], art);
        for root in [json!(0), json!(null)] {
            admin.patch(&format!("/categories/{music}"), json!({"parent": art})).await.is(200);
            let moved = admin.patch(&format!("/categories/{music}"), json!({"parent": root})).await.is(200).body;
            assert_eq!(moved["parent"], 0);
        }
    }

    async fn names_unique_per_parent(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let music = admin.create_id("/categories", json!({"name": "Music"})).await;
        let response = admin.post("/categories", json!({"name": "Music"})).await.is_error(400, "term_exists");
        assert_eq!(response.body["data"]["term_id"], music);
        assert_eq!(response.body["message"], "A category with the name Music already exists under the same parent.");
        assert_eq!(response.invalid_params(), ["name"]);
        let child = admin.create_id("/categories", json!({"name": "Music", "parent": music})).await;
        let response = admin.patch(&format!("/categories/{child}"), json!({"parent": 0})).await;
        let response = response.is_error(400, "term_exists");
        assert_eq!(response.body["data"]["term_id"], music);
        let tag = admin.create_id("/tags", json!({"name": "Music"})).await;
        let response = admin.post("/tags", json!({"name": "Music", "slug": "other"})).await;
        let response = response.is_error(400, "term_exists");
        assert_eq!(response.body["data"]["term_id"], tag);
        assert_eq!(response.body["message"], "A tag with the name Music already exists.");
        let other = admin.create_id("/tags", json!({"name": "Other"})).await;
        let response = admin.patch(&format!("/tags/{other}"), json!({"name": "Music"})).await;
        let response = response.is_error(400, "term_exists");
        assert_eq!(response.body["data"]["term_id"], tag);
        admin.patch(&format!("/tags/{tag}"), json!({"name": "Music", "description": "Same name"})).await.is(200);
    }

    async fn concurrent_term_created_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for path in ["/categories", "/tags"] {
            let responses = post_concurrently(&admin, path, &json!({"name": "Music"})).await;
            let (created, rejected): (Vec<_>, Vec<_>) = responses.into_iter().partition(|each| each.status == 201);
            assert_eq!(created.len(), 1);
            for response in rejected {
                assert_eq!(response.is_error(400, "term_exists").body["data"]["term_id"], id(&created[0].body));
            }
        }
    }

    async fn concurrent_moves_make_no_cycle(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for number in 0..8 {
            let left = admin.create_id("/categories", json!({"name": format!("Left {number}")})).await;
            let right = admin.create_id("/categories", json!({"name": format!("Right {number}")})).await;
            let (left_path, right_path) = (format!("/categories/{left}"), format!("/categories/{right}"));
            let (one, other) = tokio::join!(
                admin.patch(&left_path, json!({"parent": right})), admin.patch(&right_path, json!({"parent": left})),
            );
            let mut statuses = [one.status.as_u16(), other.status.as_u16()];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 400], "{} {}", one.text, other.text);
        }
    }

    async fn deleting_category_moves_children_up(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let art = admin.create_id("/categories", json!({"name": "Art"})).await;
        let music = admin.create_id("/categories", json!({"name": "Music", "parent": art})).await;
        let jazz = admin.create_id("/categories", json!({"name": "Jazz", "parent": music})).await;
        let rock = admin.create_id("/categories", json!({"name": "Rock", "parent": music})).await;
        let event = admin.create("/events", event_with(json!({"categories": [music, jazz]}))).await;
        assert_eq!(id(&admin.delete(&format!("/categories/{music}")).await.is(200).body), music);
        for child in [jazz, rock] {
            assert_eq!(admin.get(&format!("/categories/{child}")).await.is(200).body["parent"], art);
        }
        let path = format!("/events/{}", id(&event));
        assert_eq!(ids(&admin.get(&path).await.is(200).body["categories"]), [jazz]);
        admin.delete(&format!("/categories/{art}")).await.is(200);
        assert_eq!(admin.get(&format!("/categories/{jazz}")).await.is(200).body["parent"], 0);
    }

    async fn moved_up_child_may_share_name(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let music = admin.create_id("/categories", json!({"name": "Music"})).await;
        let same = admin.create_id("/categories", json!({"name": "Music", "parent": music})).await;
        let jazz = admin.create_id("/categories", json!({"name": "Jazz"})).await;
        let lower_jazz = admin.create_id("/categories", json!({"name": "Jazz", "parent": music})).await;
        admin.delete(&format!("/categories/{music}")).await.is(200);
        let kept = admin.get(&format!("/categories/{same}")).await.is(200).body;
        assert_eq!((&kept["name"], &kept["parent"]), (&json!("Music"), &json!(0)));
        assert_eq!(admin.get(&format!("/categories/{lower_jazz}")).await.is(200).body["parent"], 0);
        assert_eq!(admin.get(&format!("/categories/{jazz}")).await.is(200).body["name"], "Jazz");
    }

    async fn deleting_tag_unlinks_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({"tags": ["Free", "Open air"]}))).await;
        let (free, open_air) = (ids(&event["tags"])[0], ids(&event["tags"])[1]);
        admin.delete(&format!("/tags/{free}")).await.is(200);
        assert_eq!(ids(&admin.get(&format!("/events/{}", id(&event))).await.body["tags"]), [open_air]);
    }

    async fn count_of_published_listed_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let art = admin.create_id("/categories", json!({"name": "Art"})).await;
        let music = admin.create_id("/categories", json!({"name": "Music", "parent": art})).await;
        let tag = admin.create_id("/tags", json!({"name": "Free"})).await;
        let mut paths = Vec::new();
        for members in [
            json!({}), json!({"start_date": "2001-01-01"}), json!({"status": "draft"}), json!({"status": "private"}),
            json!({"date": "2990-01-01"}), json!({"hide_from_listings": true}),
        ] {
            let mut body = event_with(members);
            body["categories"] = json!([music]);
            body["tags"] = json!([tag]);
            paths.push(format!("/events/{}", admin.create_id("/events", body).await));
        }
        for (path, count) in [
            (format!("/categories/{art}"), 0), (format!("/categories/{music}"), 2), (format!("/tags/{tag}"), 2),
        ] {
            assert_eq!(server.anonymous().get(&path).await.is(200).body["count"], count, "{path}");
            assert_eq!(admin.get(&path).await.is(200).body["count"], count, "{path}");
        }
        admin.delete(&paths[0]).await.is(200);
        assert_eq!(admin.get(&format!("/tags/{tag}")).await.body["count"], 1);
    }
}
