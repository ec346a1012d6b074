//! Former addresses.

use serde_json::json;

use crate::{browse, event, on_both_databases};

on_both_databases! {
    async fn former_slugs_redirect(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let mut first = event("First", "2030-12-24", "2030-12-24");
        first["venue"] = json!({"venue": "Hall"});
        first["organizer"] = json!({"organizer": "Ann"});
        first["categories"] = json!(["Music"]);
        first["tags"] = json!(["new"]);
        admin.create("/events", first).await;
        for (object, path, current) in [
            ("/events/1", "/event/first", "/event/changed"),
            ("/venues/1", "/venue/hall", "/venue/changed"),
            ("/organizers/1", "/organizer/ann", "/organizer/changed"),
            ("/categories/1", "/events/category/music", "/events/category/changed"),
            ("/tags/1", "/events/tag/new", "/events/tag/changed"),
        ] {
            anonymous.get(&format!("~{path}")).await.is(200);
            admin.patch(object, json!({"slug": "changed"})).await.is(200);
            let moved = anonymous.get(&format!("~{path}")).await.is(301);
            assert_eq!(moved.header("location"), format!("{}{current}", server.address));
            anonymous.get(&format!("~{current}")).await.is(200);
        }
        let month = anonymous.get("~/events/category/music/month/2030-12").await.is(301);
        assert_eq!(month.header("location"), format!("{}/events/category/changed/month/2030-12", server.address));
    }

    async fn another_object_takes_a_former_slug(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let first = admin.create("/events", event("Concert", "2030-12-24", "2030-12-24")).await;
        admin.patch(&format!("/events/{}", first["id"]), json!({"slug": "evening"})).await.is(200);
        anonymous.get("~/event/concert").await.is(301);
        let second = admin.create("/events", event("Concert", "2030-12-25", "2030-12-25")).await;
        assert_eq!(second["slug"], "concert");
        anonymous.get("~/event/concert").await.is(200);
        admin.patch(&format!("/events/{}", second["id"]), json!({"slug": "matinee"})).await.is(200);
        let moved = anonymous.get("~/event/concert").await.is(301);
        assert_eq!(moved.header("location"), format!("{}/event/matinee", server.address));
        // Objects that the reader may not read are not found.
        admin.delete(&format!("/events/{}", second["id"])).await.is(200);
        browse(&anonymous, "~/event/concert").await.is(404);
        admin.delete(&format!("/events/{}?force=true", second["id"])).await;
        browse(&anonymous, "~/event/concert").await.is(404);
    }

    async fn former_addresses_of_terms(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/categories", json!({"name": "Music"})).await;
        let tag = admin.create("/tags", json!({"name": "new"})).await;
        assert_eq!(tag["url"], format!("{}/events/tag/new", server.address));
        let anonymous = server.anonymous();
        for (path, current) in [("~/category/music", "/events/category/music"), ("~/tag/new/", "/events/tag/new")] {
            let moved = anonymous.get(path).await.is(301);
            assert_eq!(moved.header("location"), format!("{}{current}", server.address));
        }
        anonymous.get("~/category/nowhere").await.is_error(404, "category-not-found");
        anonymous.get("~/tag/nowhere").await.is_error(404, "tag-not-found");
    }
}
