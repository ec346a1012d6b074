//! Failures: each that an operation declares is provoked, and answered as it is declared and as its example shows.

use almanac::auth::Role;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Operation, VARIANTS, members, operations,
    schema::assert_declared,
    stage::{Stage, collection, is_about_terms, send},
    support::{Client, Database},
};
use crate::on_both;

/// What no request can bring about: a bug, an outage, and a full disk.
const OUT_OF_REACH: [&str; 3] = ["500", "503", "507"];

/// A stage with everybody on it.
struct Cast {
    stage: Stage,
    anonymous: Client,
    subscriber: Client,
    contributor: Client,
}

impl Cast {
    async fn new(on: &Database, variant: almanac::calendar::Variant) -> Self {
        let stage = Stage::new(on, variant).await;
        Self {
            anonymous: stage.server.anonymous(),
            subscriber: stage.user(Role::Subscriber).await,
            contributor: stage.user(Role::Contributor).await,
            stage,
        }
    }

    /// A request of the operation that must fail with the status, once the stage has been prepared for it.
    async fn provocation(&self, operation: &Operation<'_>, status: &str) -> RequestBuilder {
        let stage = &self.stage;
        let Operation { method, .. } = *operation;
        let by = |client: &Client| stage.request(client, operation);
        let empty = |client: &Client| stage.request_without_body(client, operation);
        let is_list = operation.id().starts_with("list");
        let is_index = collection(operation) == "index";
        match status {
            "400" if is_index => by(&self.anonymous).query(&[("context", "all")]),
            "400" if is_list => by(&self.anonymous).query(&[("per_page", "0")]),
            "400" if operation.id().starts_with("create") => empty(&stage.admin).json(&json!({})),
            "400" => empty(&stage.admin).json(&json!({name_field(operation): null})),
            "401" if method == "get" => by(&self.anonymous.clone().with_password("admin", "wrong")),
            "401" => by(&self.anonymous),
            "403" if is_list => by(&self.anonymous).query(&[("status", "draft")]),
            "403" if method == "get" => {
                self.set_status(operation, "draft").await;
                by(&self.anonymous)
            }
            "403" => by(&self.subscriber),
            "404" if is_index => by(&self.anonymous).query(&[("namespace", "other")]),
            "404" if is_list => by(&self.anonymous).query(&[("page", "9")]),
            "404" => self.at(operation, "999", "nothing").await,
            "406" => by(&stage.admin).header("accept", "text/html"),
            "409" => {
                let (id, slug) = self.another(operation).await;
                let first = stage.example_slug(operation);
                self.at(operation, &id, &slug).await.json(&json!({"slug": first}))
            }
            "410" => {
                self.set_status(operation, "trash").await;
                match method {
                    "get" => by(&self.anonymous),
                    "delete" => by(&stage.admin),
                    _ => by(&self.contributor),
                }
            }
            "412" => by(&stage.admin).header("if-match", "\"0-other\""),
            "413" => empty(&stage.admin).json(&json!({"slug": "x".repeat(1024 * 1024)})),
            "415" => empty(&stage.admin).header("content-type", "text/plain").body("a text"),
            other => panic!("{} {other} can't be provoked", operation.id()),
        }
    }

    /// The operation at another address, as an administrator.
    async fn at(&self, operation: &Operation<'_>, id: &str, slug: &str) -> RequestBuilder {
        let path = operation.path.replace("{id}", id).replace("{slug}", slug);
        let request = self
            .stage
            .admin
            .request(&operation.method.to_uppercase(), &format!("~{path}"));
        match operation.body() {
            "" => request,
            _ => request.json(&json!({})),
        }
    }

    /// A second object of the kind: its ID and its slug.
    async fn another(&self, operation: &Operation<'_>) -> (String, String) {
        let mut body = self.stage.example(&operation.body().replace("Update", "Create"));
        body[name_field(operation)] = format!("Another {}", operation.id()).into();
        let path = format!("/{}", collection(operation));
        let made = self.stage.admin.create(&path, body).await;
        (
            made["id"].to_string(),
            made["slug"].as_str().unwrap_or_default().to_owned(),
        )
    }

    async fn set_status(&self, operation: &Operation<'_>, status: &str) {
        let path = format!("/{}/1", collection(operation));
        self.stage.admin.patch(&path, json!({"status": status})).await.is(200);
    }
}

/// The field that can't be cleared: the title or the name.
fn name_field(operation: &Operation<'_>) -> &'static str {
    match collection(operation).as_str() {
        "events" => "title",
        "venues" => "venue",
        "organizers" => "organizer",
        _ => "name",
    }
}

#[track_caller]
fn assert_is_the_example(operation: &Operation<'_>, status: &str, body: &Value) {
    let response = &operation.value["responses"][status];
    let example = &response["content"]["application/json"]["example"];
    assert_eq!(example, body, "{} {status}", operation.id());
}

on_both! {
    async fn each_failure_is_answered_as_it_is_declared_and_as_its_example_shows(on) {
        for variant in VARIANTS {
            let cast = Cast::new(&on, variant).await;
            let document = cast.stage.document.clone();
            for operation in operations(&document) {
                for (status, _) in members(&operation.value["responses"]) {
                    let is_failure = status.starts_with(['4', '5']);
                    if !is_failure || status == "429" || OUT_OF_REACH.contains(&status.as_str()) {
                        continue;
                    }
                    let answer = send(cast.provocation(&operation, status).await).await;
                    assert_eq!(answer.status.as_str(), status, "{}: {}", operation.id(), answer.text);
                    assert_declared(&document, &operation, &answer);
                    assert_is_the_example(&operation, status, &answer.body);
                    let is_about_posts = operation.path.contains('{') && !is_about_terms(&operation);
                    if is_about_posts && ["403", "410"].contains(&status.as_str()) {
                        cast.stage.restore(&operation).await;
                    }
                }
            }
        }
    }

    async fn too_many_requests_are_answered_as_it_is_declared_and_as_the_example_shows(on) {
        for variant in VARIANTS {
            let stage = Stage::empty(&on, variant, &["--rate-limit", "1/s"]).await;
            let document = stage.document.clone();
            for operation in operations(&document) {
                let answer = loop {
                    let answer = send(stage.request(&stage.admin, &operation)).await;
                    if answer.status == 429 {
                        break answer;
                    }
                };
                assert_declared(&document, &operation, &answer);
                assert_is_the_example(&operation, "429", &answer.body);
            }
        }
    }
}
