//! The user of a request: `GET /me`.

use almanac::testing::{
    auth::{Role, secret},
    store::users,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::{
    fixtures::{create_named, create_one_of_each, user_id},
    on_both_databases,
    support::Server,
};

/// A token of the user that expires at this Unix timestamp.
async fn token(server: &Server, name: &str, expires_at: Option<i64>) -> String {
    let token = secret::new_token();
    let user = users::find_by_name(server.store.reader(), name).await;
    let user = user.expect("a result").expect("the user exists");
    let transaction = server.store.begin().await.expect("a transaction");
    let stored = users::insert_token(&transaction, &user, "", secret::hash(&token), 0, expires_at).await;
    stored.expect("a stored token");
    transaction.commit().await.expect("a commit");
    token
}

/// The permissions of a role for events, venues and organizers, and for terms.
fn permissions(role: Role) -> (Value, Value) {
    let terms = |may_write: bool| json!({"create": may_write, "edit": may_write, "delete": may_write});
    let (read_unpublished, create, publish, edit, set_author) = match role {
        Role::Subscriber => ("none", false, false, "none", false),
        Role::Contributor => ("own", true, false, "own_unpublished", false),
        Role::Author => ("own", true, true, "own", false),
        Role::Editor | Role::Administrator => ("all", true, true, "all", true),
    };
    let publishable = json!({
        "read_unpublished": read_unpublished, "create": create, "publish": publish, "edit": edit, "delete": edit,
        "set_author": set_author,
    });
    (publishable, terms(set_author))
}

on_both_databases! {
    async fn role_and_permissions(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            for role in Role::ALL {
                let client = server.user(role.name(), role).await;
                let me = client.get("/me").await.is(200);
                let (publishable, terms) = permissions(role);
                let expected = json!({
                    "id": user_id(&server, role.name()).await,
                    "name": role.name(),
                    "role": role.name(),
                    "permissions": {
                        "events": publishable, "venues": publishable, "organizers": publishable,
                        "categories": terms, "tags": terms,
                    },
                    "authentication_method": "basic",
                    "token_expires_at": null,
                });
                assert_eq!(me.body, expected);
                assert_eq!(me.header("cache-control"), "private, no-store");
            }
        }
    }

    async fn permissions_are_those_of_the_operations(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let others = create_named(&admin, "venues", "Other").await;
        for role in Role::ALL {
            let client = server.user(role.name(), role).await;
            let permissions = client.get("/me").await.is(200).body["permissions"].clone();
            let venue = client.post("/venues", json!({"venue": "Own"})).await;
            assert_eq!(venue.status == 201, permissions["venues"]["create"] == true, "{role:?}");
            let tag = client.post("/tags", json!({"name": role.name()})).await;
            assert_eq!(tag.status == 201, permissions["tags"]["create"] == true, "{role:?}");
            let edit = client.patch(&format!("/venues/{others}"), json!({"city": role.name()})).await;
            assert_eq!(edit.status == 200, permissions["venues"]["edit"] == "all", "{role:?}");
            if venue.status == 201 {
                let is_published = venue.body["status"] == "publish";
                assert_eq!(is_published, permissions["venues"]["publish"] == true, "{role:?}");
                let deleted = client.delete(&format!("/venues/{}", venue.body["id"])).await;
                assert_eq!(deleted.status == 200, permissions["venues"]["delete"] != "none", "{role:?}");
            }
        }
    }

    async fn tokens(database) {
        let server = database.server(&["--timezone", "Asia/Kathmandu"]).await;
        server.user("ann", Role::Editor).await;
        let expires_at = Utc::now().timestamp() + 3600;
        for (expires_at, expected) in [(None, None), (Some(expires_at), Some(expires_at))] {
            let token = token(&server, "ann", expires_at).await;
            let me = server.anonymous().with_token(&token).get("/me").await.is(200).body;
            assert_eq!((&me["name"], &me["authentication_method"]), (&json!("ann"), &json!("bearer")));
            let text = me["token_expires_at"].as_str();
            assert!(text.is_none_or(|text| text.ends_with("+05:45")), "{text:?}");
            let instant = text.map(|text| DateTime::parse_from_rfc3339(text).expect("RFC 3339").timestamp());
            assert_eq!(instant, expected);
        }
        let expired = token(&server, "ann", Some(Utc::now().timestamp() - 1)).await;
        server.anonymous().with_token(&expired).get("/me").await.is_error(401, "rest_invalid_token");
    }

    async fn credentials_are_required(database) {
        let server = database.server(&[]).await;
        server.administrator().await;
        let anonymous = server.anonymous();
        let rejected = anonymous.get("/me").await.is_error(401, "rest_not_logged_in");
        assert!(rejected.header("www-authenticate").starts_with("Basic"));
        let wrong = anonymous.with_password("admin", "wrong").get("/me").await;
        wrong.is_error(401, "incorrect_password");
    }

    async fn fields_of_the_user(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let me = admin.get("/me?fields=name,role").await.is(200);
        assert_eq!(me.body, json!({"name": "admin", "role": "administrator"}));
        admin.get("/me?fields=password").await.is_error(400, "rest_invalid_param");
        admin.post("/me", json!({})).await.is_error(405, "rest_method_not_allowed");
    }
}
