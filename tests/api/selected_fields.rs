//! `fields`, which limits a read to some members.

use serde_json::{Value, json};

use crate::{
    fixtures::{create_event, create_one_of_each, get_with},
    on_both_databases,
};

/// The paths of all kinds of objects that `create_one_of_each` creates, and of their lists.
const PATHS: [&str; 13] = [
    "/events",
    "/events/1",
    "/events/by-slug/thing",
    "/venues",
    "/venues/1",
    "/venues/by-slug/thing",
    "/organizers",
    "/organizers/1",
    "/organizers/by-slug/thing",
    "/categories?hide_empty=false",
    "/categories/1",
    "/tags?hide_empty=false",
    "/tags/1",
];

fn with_fields(path: &str, fields: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}fields={fields}")
}

/// The members of an object, or of the only item of a list.
fn member_names(body: &Value) -> Vec<String> {
    let items = ["events", "venues", "organizers", "categories", "tags"];
    let list = items
        .into_iter()
        .filter(|_| body.get("total").is_some())
        .find_map(|name| body[name].get(0));
    let object = list.unwrap_or(body).as_object().expect("an object");
    object.keys().cloned().collect()
}

on_both_databases! {
    async fn only_selected_members_in_all_reads(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = create_one_of_each(&server).await;
            for client in [&server.anonymous(), &admin] {
                for path in PATHS {
                    // The order is that of the representation.
                    let read = client.get(&with_fields(path, "slug,id")).await.is(200);
                    assert_eq!(member_names(&read.body), ["id", "slug"], "{path}");
                }
            }
        }
    }

    async fn values_are_those_of_the_whole_representation(database) {
        let server = database.server(&[]).await;
        create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        let whole = anonymous.get("/events/1").await.is(200).body;
        for name in whole.as_object().expect("an object").keys() {
            let read = anonymous.get(&format!("/events/1?fields={name}")).await.is(200);
            assert_eq!(read.body, json!({name: whole[name]}), "{name}");
        }
    }

    async fn members_of_lists_are_kept(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for title in ["One", "Two"] {
            create_event(&admin, title, json!({})).await;
        }
        let list = server.anonymous().get("/events?per_page=1&fields=title").await.is(200);
        assert_eq!(list.body["events"], json!([{"title": "One"}]));
        assert_eq!((&list.body["total"], &list.body["total_pages"]), (&json!(2), &json!(2)));
        assert_eq!(list.header("x-tec-total"), "2");
        let next = list.body["next_rest_url"].as_str().expect("a link");
        let next = server.anonymous().get(next).await.is(200);
        assert_eq!(next.body["events"], json!([{"title": "Two"}]));
    }

    async fn selection_without_names_is_the_whole_object(database) {
        let server = database.server(&[]).await;
        create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        let whole = anonymous.get("/events/1").await.is(200).body;
        for query in ["fields=", "fields=,", "fields[]="] {
            let read = anonymous.get(&format!("/events/1?{query}")).await.is(200);
            assert_eq!(read.body, whole, "{query}");
        }
    }

    async fn spellings(database) {
        let server = database.server(&[]).await;
        create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        for query in [
            "fields=id,title", "fields=title,id", "fields=id&fields=title", "fields[]=id&fields[]=title",
            "fields=id,%20title,,id",
        ] {
            let read = anonymous.get(&format!("/events/1?{query}")).await.is(200);
            assert_eq!(member_names(&read.body), ["id", "title"], "{query}");
        }
        for query in ["", "fields=", "fields"] {
            let read = anonymous.get(&format!("/events/1?{query}")).await.is(200);
            assert!(member_names(&read.body).len() > 40, "{query}");
        }
    }

    async fn unknown_members_are_rejected(database) {
        let server = database.server(&[]).await;
        create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        for path in PATHS {
            let rejected = anonymous.get(&with_fields(path, "id,slugg,Id")).await;
            let rejected = rejected.is_error(400, "rest_invalid_param");
            let expected = "must be names of members of the response; unknown: slugg (nearest: slug), Id (nearest: id)";
            assert_eq!(rejected.body["data"]["params"], json!({"fields": expected}), "{path}");
        }
    }

    async fn unknown_members_are_reported_with_other_errors(database) {
        let server = database.server(&[]).await;
        let rejected = server.anonymous().get("/events?fields=nothing&per_page=0&venue=9").await;
        assert_eq!(rejected.is_error(400, "rest_invalid_param").invalid_params(), ["fields", "per_page", "venue"]);
    }

    async fn missing_object_precedes_unknown_members(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        anonymous.get("/events/1?fields=nothing").await.is_error(404, "event-not-found");
        anonymous.get("/tags/1?fields=nothing").await.is_error(404, "tag-not-found");
    }

    async fn responses_are_revalidated(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        for path in ["/events/1", "/events"] {
            let path = with_fields(path, "title");
            let read = anonymous.get(&path).await.is(200);
            assert_eq!(read.header("cache-control"), "public, no-cache");
            let condition = [("if-none-match", read.header("etag"))];
            get_with(&anonymous, &path, &condition).await.is(304);
            let all = get_with(&anonymous, &path.replace("title", "id,title"), &condition).await;
            all.is(200);
        }
        admin.patch("/events/1", json!({"title": "Other"})).await.is(200);
        let read = anonymous.get("/events/1?fields=title").await.is(200);
        assert_eq!(read.body, json!({"title": "Other"}));
    }

    async fn version_of_a_selection_is_accepted_by_if_match(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let read = admin.get("/venues/1?fields=id").await.is(200);
        let write = admin.request("PATCH", "/venues/1").header("if-match", read.header("etag"));
        crate::support::Response::fetch(write.json(&json!({"city": "Kiel"}))).await.is(200);
    }

    async fn index_and_document(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let index = anonymous.get("?fields=namespace").await.is(200);
        assert_eq!(index.body, json!({"namespace": "calendar/events/v1"}));
        let document = anonymous.get("/doc?fields=openapi,info").await.is(200);
        assert_eq!(member_names(&document.body), ["openapi", "info"]);
        assert_eq!(document.header("content-language"), "en");
        anonymous.get("/doc?fields=nothing").await.is_error(400, "rest_invalid_param");
    }

    async fn responses_to_writes_are_whole(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let written = admin.patch("/venues/1?fields=id", json!({"city": "Kiel"})).await.is(200);
        assert_eq!(written.body["city"], "Kiel");
        assert_eq!(written.header("x-ignored"), "fields");
    }

    async fn compatibility_root_ignores_fields(database) {
        let server = database.server(&[]).await;
        create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        for path in ["/events/1", "/events", "/venues", "/tags/1"] {
            let path = format!("~/wp-json/tribe/events/v1{path}");
            let whole = anonymous.get(&path).await.is(200);
            for fields in ["fields=id", "fields[]=id", "fields=nothing"] {
                let read = anonymous.get(&format!("{path}?{fields}")).await.is(200);
                assert_eq!(read.body, whole.body, "{path} {fields}");
            }
        }
    }
}
