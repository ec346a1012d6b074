//! Error responses: provokes each declared error, and compares the response with declaration and example.

use almanac::testing::auth::Role;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Operation, VARIANTS,
    fixture::{Fixture, collection, is_term_operation, send},
    members, repeatable_operations,
    schema::assert_declared,
    support::{Client, Database},
};
use crate::on_both_databases;

/// Errors that no request can provoke: a bug, an outage and a full disk.
const UNTESTABLE: [&str; 3] = ["500", "503", "507"];

/// Whether the only cause of 409 is a request in progress with the same key, which `tests/api/idempotency.rs` provokes.
fn is_busy_only(operation: &Operation<'_>, status: &str) -> bool {
    let is_create = operation.id().starts_with("create");
    status == "409"
        && (operation.id() == "runBatch"
            || operation.id() == "updateSeries"
            || is_create && is_term_operation(operation))
}

/// A fixture with clients of several roles.
struct Users {
    fixture: Fixture,
    anonymous: Client,
    subscriber: Client,
    contributor: Client,
}

impl Users {
    async fn new(database: &Database, variant: almanac::testing::calendar::Variant) -> Self {
        let fixture = Fixture::new(database, variant).await;
        Self {
            anonymous: fixture.server.anonymous(),
            subscriber: fixture.user(Role::Subscriber).await,
            contributor: fixture.user(Role::Contributor).await,
            fixture,
        }
    }

    /// Prepares the fixture, and returns a request of the operation that must fail with the status.
    async fn failing_request(&self, operation: &Operation<'_>, status: &str) -> RequestBuilder {
        let fixture = &self.fixture;
        let Operation { method, .. } = *operation;
        let request_by = |client: &Client| fixture.request(client, operation);
        let without_body = |client: &Client| fixture.request_without_body(client, operation);
        let is_list = operation.id().starts_with("list");
        let is_index = operation.id() == "getIndex";
        let is_preview = operation.id() == "previewSeries";
        let is_batch = operation.id() == "runBatch";
        match status {
            "400" if is_index => request_by(&self.anonymous).query(&[("context", "all")]),
            "400" if is_list => request_by(&self.anonymous).query(&[("per_page", "0")]),
            "400" if method == "get" => request_by(&fixture.admin).query(&[("fields", "nothing")]),
            "400" if method == "delete" => request_by(&fixture.admin)
                .query(&[("nothing", "1")])
                .header("prefer", "handling=strict"),
            "400" if operation.id().starts_with("create") || is_preview || is_batch => {
                without_body(&fixture.admin).json(&json!({}))
            }
            "400" => without_body(&fixture.admin).json(&json!({name_field(operation): null})),
            "401" if method == "get" && operation.id() != "getMe" || is_preview => {
                request_by(&self.anonymous.clone().with_password("admin", "wrong"))
            }
            "401" => request_by(&self.anonymous),
            "403" if is_list => request_by(&self.anonymous).query(&[("status", "draft")]),
            "403" if method == "get" => {
                self.set_status(operation, "draft").await;
                request_by(&self.anonymous)
            }
            "403" if is_batch => request_by(&fixture.admin).header("origin", "https://other.example"),
            "403" => request_by(&self.subscriber),
            "404" if is_index => request_by(&self.anonymous).query(&[("namespace", "other")]),
            "404" if is_list => request_by(&self.anonymous).query(&[("page", "9"), ("per_page", "50")]),
            "404" => self.request_at(operation, "999", "nothing").await,
            "406" => request_by(&fixture.admin).header("accept", "text/html"),
            "409" if operation.id().starts_with("create") => {
                let mut body = fixture.example(operation.body());
                body["external_source"] = "league".into();
                body["external_id"] = "4711".into();
                without_body(&fixture.admin).json(&body)
            }
            "409" => {
                let (id, slug) = self.create_another(operation).await;
                let first = fixture.example_slug(operation);
                self.request_at(operation, &id, &slug)
                    .await
                    .json(&json!({"slug": first}))
            }
            "410" => {
                self.set_status(operation, "trash").await;
                match method {
                    "get" => request_by(&self.anonymous),
                    "delete" => request_by(&fixture.admin),
                    _ => request_by(&self.contributor),
                }
            }
            "422" => {
                let keyed = fixture
                    .admin
                    .request("POST", "/tags")
                    .header("idempotency-key", operation.id());
                let tag = json!({"name": format!("Tag of {}", operation.id())});
                send(keyed.json(&tag)).await.is(201);
                request_by(&fixture.admin).header("idempotency-key", operation.id())
            }
            "412" => request_by(&fixture.admin).header("if-match", "\"0-other\""),
            "413" => without_body(&fixture.admin).json(&json!({"slug": "x".repeat(1024 * 1024)})),
            "415" => without_body(&fixture.admin)
                .header("content-type", "text/plain")
                .body("a text"),
            other => panic!("{} {other} can't be provoked", operation.id()),
        }
    }

    /// A request of the operation for another ID or slug, as an administrator.
    async fn request_at(&self, operation: &Operation<'_>, id: &str, slug: &str) -> RequestBuilder {
        let path = operation
            .path
            .replace("{id}", id)
            .replace("{slug}", slug)
            .replace("{source}", "other")
            .replace("{external_id}", id);
        let request = self
            .fixture
            .admin
            .request(&operation.method.to_uppercase(), &format!("~{path}"));
        match operation.body() {
            "" => request,
            _ => request.json(&json!({})),
        }
    }

    /// Creates a second object of the same type, and returns its ID and slug.
    async fn create_another(&self, operation: &Operation<'_>) -> (String, String) {
        let mut body = self.fixture.example(&operation.body().replace("Update", "Create"));
        body[name_field(operation)] = format!("Another {}", operation.id()).into();
        let path = format!("/{}", collection(operation));
        let created = self.fixture.admin.create(&path, body).await;
        if !is_term_operation(operation) {
            let external = json!({"external_source": "other", "external_id": created["id"].to_string()});
            let path = format!("{path}/{}", created["id"]);
            self.fixture.admin.patch(&path, external).await.is(200);
        }
        (
            created["id"].to_string(),
            created["slug"].as_str().unwrap_or_default().to_owned(),
        )
    }

    async fn set_status(&self, operation: &Operation<'_>, status: &str) {
        let path = format!("/{}/1", collection(operation));
        self.fixture.admin.patch(&path, json!({"status": status})).await.is(200);
    }
}

/// The field with the title or name, which can't be cleared.
fn name_field(operation: &Operation<'_>) -> &'static str {
    match collection(operation).as_str() {
        "events" | "series" => "title",
        "venues" => "venue",
        "organizers" => "organizer",
        _ => "name",
    }
}

#[track_caller]
fn assert_equals_example(operation: &Operation<'_>, status: &str, body: &Value) {
    let response = &operation.value["responses"][status];
    let example = &response["content"]["application/json"]["example"];
    assert_eq!(example, body, "{} {status}", operation.id());
}

on_both_databases! {
    async fn errors_match_declaration_and_example(database) {
        for variant in VARIANTS {
            let users = Users::new(&database, variant).await;
            let document = users.fixture.document.clone();
            for operation in repeatable_operations(&document) {
                for (status, _) in members(&operation.value["responses"]) {
                    let is_failure = status.starts_with(['4', '5']);
                    if !is_failure || status == "429" || UNTESTABLE.contains(&status.as_str()) || is_busy_only(&operation, status) {
                        continue;
                    }
                    let response = send(users.failing_request(&operation, status).await).await;
                    assert_eq!(response.status.as_str(), status, "{}: {}", operation.id(), response.text);
                    assert_declared(&document, &operation, &response);
                    assert_equals_example(&operation, status, &response.body);
                    let is_publishable = operation.path.contains('{') && !is_term_operation(&operation);
                    if is_publishable && ["403", "410"].contains(&status.as_str()) {
                        users.fixture.restore(&operation).await;
                    }
                }
            }
        }
    }

    async fn rate_limit_error_matches_declaration_and_example(database) {
        for variant in VARIANTS {
            let fixture = Fixture::empty(&database, variant, &["--rate-limit", "1/s"]).await;
            let document = fixture.document.clone();
            for operation in repeatable_operations(&document) {
                let response = loop {
                    let response = send(fixture.request(&fixture.admin, &operation)).await;
                    if response.status == 429 {
                        break response;
                    }
                };
                assert_declared(&document, &operation, &response);
                assert_equals_example(&operation, "429", &response.body);
            }
        }
    }
}
