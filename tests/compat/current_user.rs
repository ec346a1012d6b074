//! `/wp-json/wp/v2/users/me`.

use almanac::testing::auth::Role;
use serde_json::json;

use crate::{on_both_databases, support::Response};

const ME: &str = "~/wp-json/wp/v2/users/me";

on_both_databases! {
    async fn user_is_identified(on) {
        let server = on.server(&[]).await;
        server.administrator().await;
        let author = server.user("Ann Author", Role::Author).await;
        let me = author.get(ME).await.is(200);
        assert_eq!(me.body["id"], 2);
        assert_eq!(me.body["name"], "Ann Author");
        assert_eq!(me.body["slug"], "ann-author");
        assert!(me.body.get("roles").is_none(), "only the context `edit` includes roles");
        assert!(me.header("cache-control").contains("no-store"), "{}", me.header("cache-control"));
    }

    async fn edit_context_adds_roles_and_capabilities(on) {
        let server = on.server(&[]).await;
        for (role, events, others, terms) in [
            (Role::Subscriber, false, false, false),
            (Role::Contributor, true, false, false),
            (Role::Author, true, false, false),
            (Role::Editor, true, true, true),
            (Role::Administrator, true, true, true),
        ] {
            let client = server.user(role.name(), role).await;
            let me = client.get(&format!("{ME}?context=edit")).await.is(200).body;
            assert_eq!(me["roles"], json!([role.name()]));
            let can = |capability: &str| me["capabilities"][capability] == true;
            assert_eq!(can("edit_tribe_events"), events, "{}", role.name());
            assert_eq!(can("edit_others_tribe_events"), others, "{}", role.name());
            assert_eq!(can("manage_categories"), terms, "{}", role.name());
        }
    }

    async fn anonymous_is_rejected(on) {
        let server = on.server(&[]).await;
        server.administrator().await;
        let client = server.anonymous();
        client.get(ME).await.is_error(401, "rest_not_logged_in");
        client.clone().with_password("admin", "wrong").get(ME).await.is_error(401, "incorrect_password");
        Response::fetch(client.request("POST", ME)).await.is_error(404, "rest_no_route");
    }
}
