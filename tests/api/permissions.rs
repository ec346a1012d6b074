//! Authentication, permissions by role, and the order of the checks of a request.

use almanac::testing::{
    auth::{Role, secret},
    commands::user,
    store::users,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::Utc;
use serde_json::{Value, json};

use crate::{
    assertions::assert_fields,
    fixtures::{event_with, id, merge, minimal_event, user_id},
    on_both_databases,
    support::{Client, Response, Server},
};

/// No such case: the anonymous caller is not the author of anything.
const NONE: u16 = 0;

/// An operation on an object.
#[derive(Clone, Copy)]
enum Action {
    Read,
    Create,
    CreateForAnother,
    Edit,
    Delete,
    Restore,
}

/// The author of the object: the caller or another user.
#[derive(Clone, Copy, PartialEq)]
enum Author {
    Own,
    Other,
}

/// The status for each of anonymous, subscriber, contributor, author, editor and administrator.
const TABLE: [(Action, Author, &str, [u16; 6]); 26] = [
    (Action::Read, Author::Own, "publish", [NONE, 200, 200, 200, 200, 200]),
    (Action::Read, Author::Other, "publish", [200, 200, 200, 200, 200, 200]),
    (Action::Read, Author::Own, "draft", [NONE, 403, 200, 200, 200, 200]),
    (Action::Read, Author::Own, "private", [NONE, 403, 200, 200, 200, 200]),
    (Action::Read, Author::Other, "draft", [403, 403, 403, 403, 200, 200]),
    (Action::Read, Author::Other, "pending", [403, 403, 403, 403, 200, 200]),
    (Action::Read, Author::Other, "private", [403, 403, 403, 403, 200, 200]),
    (Action::Read, Author::Other, "future", [403, 403, 403, 403, 200, 200]),
    (Action::Read, Author::Own, "trash", [NONE, 410, 200, 200, 200, 200]),
    (Action::Read, Author::Other, "trash", [410, 410, 410, 410, 200, 200]),
    (Action::Create, Author::Own, "", [401, 403, 201, 201, 201, 201]),
    (
        Action::CreateForAnother,
        Author::Other,
        "",
        [401, 403, 403, 403, 201, 201],
    ),
    (Action::Edit, Author::Own, "draft", [NONE, 403, 200, 200, 200, 200]),
    (Action::Edit, Author::Own, "pending", [NONE, 403, 200, 200, 200, 200]),
    (Action::Edit, Author::Own, "publish", [NONE, 403, 403, 200, 200, 200]),
    (Action::Edit, Author::Other, "draft", [401, 403, 403, 403, 200, 200]),
    (Action::Edit, Author::Other, "publish", [401, 403, 403, 403, 200, 200]),
    (Action::Edit, Author::Other, "trash", [401, 403, 410, 410, 200, 200]),
    (Action::Delete, Author::Own, "draft", [NONE, 403, 200, 200, 200, 200]),
    (Action::Delete, Author::Own, "publish", [NONE, 403, 403, 200, 200, 200]),
    (Action::Delete, Author::Other, "draft", [401, 403, 403, 403, 200, 200]),
    (Action::Delete, Author::Other, "publish", [401, 403, 403, 403, 200, 200]),
    (Action::Delete, Author::Own, "trash", [NONE, 403, 410, 410, 410, 410]),
    (Action::Restore, Author::Own, "trash", [NONE, 403, 200, 200, 200, 200]),
    (Action::Restore, Author::Other, "trash", [401, 403, 410, 410, 200, 200]),
    (Action::Restore, Author::Other, "draft", [401, 403, 403, 403, 200, 200]),
];

/// Each kind of object with the field of its name and the smallest valid payload.
fn kinds() -> [(&'static str, &'static str, Value); 3] {
    [
        ("events", "title", minimal_event()),
        ("venues", "venue", json!({"venue": "Hall"})),
        ("organizers", "organizer", json!({"organizer": "Ann"})),
    ]
}

/// One client for each column of the table, with the ID of its user.
async fn callers(server: &Server) -> Vec<(&'static str, Client, Option<i64>)> {
    let mut callers = vec![("anonymous", server.anonymous(), None)];
    for role in Role::ALL {
        let client = server.user(role.name(), role).await;
        callers.push((role.name(), client, Some(user_id(server, role.name()).await)));
    }
    callers
}

/// Creates an object with this author and status, and returns its path.
async fn create_object(admin: &Client, plural: &str, body: &Value, author: i64, status: &str) -> String {
    let mut body = body.clone();
    body["author"] = json!(author);
    match status {
        "trash" => {}
        "future" => body["date"] = json!("2990-01-01"),
        status => body["status"] = json!(status),
    }
    // A contributor can only delete objects that were never published.
    if status == "trash" {
        body["status"] = json!("draft");
    }
    let path = format!("/{plural}/{}", admin.create_id(&format!("/{plural}"), body).await);
    if status == "trash" {
        admin.delete(&path).await.is(200);
    }
    path
}

async fn perform(
    client: &Client,
    action: Action,
    collection: &str,
    path: &str,
    name: &str,
    body: &Value,
    other: i64,
) -> Response {
    match action {
        Action::Read => client.get(path).await,
        Action::Create => client.post(collection, body.clone()).await,
        Action::CreateForAnother => {
            let mut body = body.clone();
            body["author"] = json!(other);
            client.post(collection, body).await
        }
        Action::Edit => client.patch(path, json!({name: "Changed"})).await,
        Action::Delete => client.delete(path).await,
        Action::Restore => client.patch(path, json!({"status": "draft"})).await,
    }
}

/// The error code for a status of the table.
fn code(action: Action, singular: &str, status: u16) -> String {
    match (action, status) {
        (_, 401) => "rest_not_logged_in".to_owned(),
        (Action::Read, 403) => format!("{singular}-not-accessible"),
        (_, 403) => "rest_forbidden".to_owned(),
        (Action::Delete, 410) => format!("{singular}-is-in-trash"),
        (_, 410) => format!("{singular}-no-longer-available"),
        _ => String::new(),
    }
}

/// The value of the `Authorization` header for HTTP Basic.
fn basic(text: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(text))
}

on_both_databases! {
    async fn role_permissions(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let other = user_id(&server, "admin").await;
        let callers = callers(&server).await;
        for (plural, name, body) in kinds() {
            let (singular, collection) = (plural.trim_end_matches('s'), format!("/{plural}"));
            for (row, (action, whose, status, expected)) in TABLE.into_iter().enumerate() {
                for ((role, client, user), expected) in callers.iter().zip(expected) {
                    if expected == NONE {
                        continue;
                    }
                    let author = if whose == Author::Own { user.unwrap_or(other) } else { other };
                    let path = match status {
                        "" => String::new(),
                        status => create_object(&admin, plural, &body, author, status).await,
                    };
                    let response = perform(client, action, &collection, &path, name, &body, other).await;
                    let case = format!("row {row} ({status}), {plural}, {role}");
                    assert_eq!(response.status, expected, "{case}: {}", response.text);
                    if expected >= 400 {
                        assert_eq!(response.body["code"], code(action, singular, expected), "{case}");
                    }
                }
            }
        }
    }

    async fn only_editors_write_terms(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (number, (role, client, _)) in callers(&server).await.into_iter().enumerate() {
            let rejected = match role {
                "anonymous" => Some((401, "rest_not_logged_in")),
                "editor" | "administrator" => None,
                _ => Some((403, "rest_forbidden")),
            };
            for collection in ["/categories", "/tags"] {
                let existing = json!({"name": format!("Existing {number}")});
                let path = format!("{collection}/{}", admin.create_id(collection, existing).await);
                client.get(&path).await.is(200);
                let responses = [
                    (client.post(collection, json!({"name": format!("New {number}")})).await, 201),
                    (client.patch(&path, json!({"description": "x"})).await, 200),
                    (client.delete(&path).await, 200),
                ];
                for (response, granted) in responses {
                    match rejected {
                        Some((status, code)) => response.is_error(status, code),
                        None => response.is(granted),
                    };
                }
            }
        }
    }

    async fn contributor_publish_becomes_pending(database) {
        let server = database.server(&[]).await;
        let contributor = server.user("ben", Role::Contributor).await;
        for (plural, _, body) in kinds() {
            for (status, shown) in [
                (json!(null), "pending"), (json!("publish"), "pending"), (json!("private"), "pending"),
                (json!("future"), "pending"), (json!("pending"), "pending"), (json!("draft"), "draft"),
            ] {
                let mut new = body.clone();
                new["status"] = status.clone();
                let created = contributor.create(&format!("/{plural}"), new).await;
                assert_eq!(created["status"], shown, "{plural} {status}");
                if status.is_string() {
                    let draft = contributor.create_id(&format!("/{plural}"), merge(body.clone(), json!({
                        "status": "draft",
                    }))).await;
                    let path = format!("/{plural}/{draft}");
                    let updated = contributor.patch(&path, json!({"status": status})).await.is(200).body;
                    assert_eq!(updated["status"], shown, "{plural} {status}");
                }
            }
            let created = contributor.create(&format!("/{plural}"), body).await;
            assert_eq!(created["status"], "pending");
            let path = format!("/{plural}/{}", id(&created));
            assert_eq!(contributor.patch(&path, json!({"status": "trash"})).await.is(200).body["status"], "trash");
            assert_eq!(contributor.patch(&path, json!({"status": "publish"})).await.is(200).body["status"], "pending");
        }
    }

    async fn only_editors_change_author(database) {
        let server = database.server(&[]).await;
        server.administrator().await;
        let admin = user_id(&server, "admin").await;
        for role in [Role::Contributor, Role::Author, Role::Editor] {
            let client = server.user(role.name(), role).await;
            let own = user_id(&server, role.name()).await;
            for (plural, _, body) in kinds() {
                let created = client.create(&format!("/{plural}"), body).await;
                assert_eq!(created["author"], own);
                let path = format!("/{plural}/{}", id(&created));
                assert_eq!(client.patch(&path, json!({"author": own})).await.is(200).body["author"], own);
                let response = client.patch(&path, json!({"author": admin})).await;
                if role == Role::Editor {
                    assert_eq!(response.is(200).body["author"], admin);
                } else {
                    assert_eq!(response.is_error(403, "rest_forbidden").invalid_params(), ["author"]);
                    assert_eq!(client.get(&path).await.body["author"], own);
                }
            }
        }
    }

    async fn order_of_checks(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let subscriber = server.user("sue", Role::Subscriber).await;
        let anonymous = server.anonymous();
        let others = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        let trashed = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        admin.delete(&trashed).await.is(200);
        let own = format!("/events/{}", author.create_id("/events", minimal_event()).await);
        let bad = json!({"title": 5, "tags": ["New"]});
        for (client, path, status, code) in [
            // Credentials are checked first.
            (&anonymous, "/events", 401, "rest_not_logged_in"),
            (&anonymous, "/events/999", 401, "rest_not_logged_in"),
            (&anonymous, &trashed, 401, "rest_not_logged_in"),
            // Then whether the role may perform the operation.
            (&subscriber, "/events", 403, "rest_forbidden"),
            (&subscriber, "/events/999", 403, "rest_forbidden"),
            (&subscriber, &trashed, 403, "rest_forbidden"),
            (&author, "/categories/999", 403, "rest_forbidden"),
            // Then the object.
            (&author, "/events/999", 404, "event-not-found"),
            (&author, "/events/by-slug/nothing", 404, "event-not-found"),
            (&author, &trashed, 410, "event-no-longer-available"),
            (&author, &others, 403, "rest_forbidden"),
            // Then the body, before permissions that depend on its values.
            (&author, &own, 400, "rest_invalid_param"),
            (&author, "/events", 400, "rest_missing_callback_param"),
        ] {
            client.post(path, bad.clone()).await.is_error(status, code);
            if status != 400 {
                let broken = client.request("POST", path).header("Content-Type", "application/json").body("{");
                Response::fetch(broken).await.is_error(status, code);
            }
        }
        let good = json!({"title": "Good", "tags": ["New"]});
        assert_eq!(author.post(&own, good).await.is_error(403, "rest_forbidden").invalid_params(), ["tags"]);
        assert_eq!(author.get(&own).await.body["title"], "Spring concert");
    }

    async fn wrong_credentials_are_401_on_every_route(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        // Fewer cases than the login limit allows.
        for (authorization, code) in [
            (basic("admin:wrong"), "incorrect_password"), (basic("nobody:wrong"), "incorrect_password"),
            (basic("no colon"), "incorrect_password"), (basic("a\0b:c"), "incorrect_password"),
            ("Basic ???".to_owned(), "incorrect_password"), ("Bearer alm_wrong".to_owned(), "rest_invalid_token"),
            ("Bearer".to_owned(), "rest_invalid_token"),
        ] {
            for (method, path) in [
                ("GET", path.as_str()), ("GET", "/events"), ("GET", "/tags"), ("GET", "/venues/999"),
                ("POST", "/events"),
                ("DELETE", &path), ("PUT", "/categories/1"),
            ] {
                let request = server.anonymous().request(method, path).header("Authorization", &authorization);
                let response = Response::fetch(request).await;
                assert_eq!(response.status, 401, "{authorization} {method} {path} {}", response.text);
                assert_eq!(response.body["code"], code, "{authorization} {method} {path}");
                let schemes = response.header("www-authenticate");
                assert!(schemes.contains("Basic") && schemes.contains("Bearer"), "{schemes}");
            }
        }
    }

    async fn unknown_user_looks_like_wrong_password(database) {
        let server = database.server(&[]).await;
        server.administrator().await;
        let responses = ["admin:wrong", "nobody:wrong"].map(|text| {
            let request = server.anonymous().request("POST", "/venues").json(&json!({"venue": "Hall"}));
            request.header("Authorization", basic(text))
        });
        let [wrong, unknown] = responses;
        assert_eq!(Response::fetch(wrong).await.is(401).body, Response::fetch(unknown).await.is(401).body);
    }

    async fn anonymous_write_names_auth_schemes(database) {
        let server = database.server(&[]).await;
        let response = server.anonymous().post("/events", minimal_event()).await.is_error(401, "rest_not_logged_in");
        let schemes = response.header("www-authenticate");
        assert!(schemes.contains("Basic") && schemes.contains("Bearer"), "{schemes}");
    }

    async fn password_spaces_ignored(database) {
        let server = database.server(&[]).await;
        let password = user::add(&server.store, "eve", Role::Editor).await.expect("the name is free");
        let letters = password.replace(' ', "");
        assert_eq!(letters.len(), 24);
        let spaced = format!("{} {}", &letters[..5], &letters[5..]);
        for password in [&password, &letters, &spaced] {
            server.anonymous().with_password("eve", password).create("/venues", json!({"venue": "Hall"})).await;
        }
        for wrong in [letters.to_lowercase() + "x", letters[..23].to_owned()] {
            let client = server.anonymous().with_password("eve", &wrong);
            client.get("/events").await.is_error(401, "incorrect_password");
        }
    }

    async fn token_expiry_and_revocation(database) {
        let server = database.server(&[]).await;
        server.user("ann", Role::Author).await;
        let user = users::find_by_name(server.store.reader(), "ann").await.expect("a result").expect("a user");
        let now = Utc::now().timestamp();
        let mut tokens = Vec::new();
        for expires in [None, Some(now + 3600), Some(now - 1)] {
            let token = secret::new_token();
            assert!(token.starts_with("alm_"));
            let transaction = server.store.begin().await.expect("a transaction");
            let stored = users::insert_token(&transaction, &user, "", secret::hash(&token), now - 60, expires).await;
            transaction.commit().await.expect("a commit");
            tokens.push((stored.expect("an insert").id, server.anonymous().with_token(&token)));
        }
        for (_, client) in &tokens[..2] {
            let event = client.create("/events", event_with(json!({"status": "draft"}))).await;
            assert_eq!(event["author"], user.id);
            client.get(&format!("/events/{}", id(&event))).await.is(200);
            client.post("/tags", json!({"name": "New"})).await.is_error(403, "rest_forbidden");
        }
        let expired = &tokens[2].1;
        expired.get("/events").await.is_error(401, "rest_invalid_token");
        let transaction = server.store.begin().await.expect("a transaction");
        assert!(users::remove_token(&transaction, tokens[0].0).await.expect("a deletion"));
        transaction.commit().await.expect("a commit");
        tokens[0].1.get("/events").await.is_error(401, "rest_invalid_token");
        tokens[1].1.get("/events").await.is(200);
    }

    async fn removed_user_leaves_events_without_author(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let path = format!("/events/{}", author.create_id("/events", minimal_event()).await);
        let transaction = server.store.begin().await.expect("a transaction");
        users::remove(&transaction, user_id(&server, "ann").await).await.expect("a deletion");
        transaction.commit().await.expect("a commit");
        let read = admin.get(&path).await.is(200);
        assert_fields(&read.body, &json!({"author": null}));
        author.get(&path).await.is_error(401, "incorrect_password");
        let written = admin.put(&path, read.body.clone()).await.is(200);
        assert_eq!(written.body, read.body);
    }
}
