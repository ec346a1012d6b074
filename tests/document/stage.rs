//! A server on which the examples work: it holds the objects that they are about, made from the examples of bodies.

use std::sync::Arc;

use almanac::{auth::Role, calendar::Variant};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Operation, english, items,
    support::{Answer, Client, Database, Server},
    text,
};

/// The flags that the examples of answers suppose.
const FLAGS: [&str; 4] = [
    "--base-url",
    "https://calendar.example.org",
    "--timezone",
    "Europe/Berlin",
];
/// What the examples of answers show beyond those of bodies.
const IMAGE: &str = "https://example.org/images/house.jpg";

/// A server, and those who ask it.
pub struct Stage {
    pub document: Arc<Value>,
    pub server: Server,
    /// The user with the ID 1.
    pub admin: Client,
}

impl Stage {
    /// A server without any objects, with more flags.
    pub async fn empty(on: &Database, variant: Variant, flags: &[&str]) -> Self {
        let letter = match variant {
            Variant::A => "a",
            Variant::B => "b",
        };
        let flags = [&["--variant", letter], &FLAGS[..], flags].concat();
        let server = on.server(&flags).await;
        let admin = server.administrator().await;
        Self {
            document: english(variant).into(),
            server,
            admin,
        }
    }

    /// A server with the objects of the examples, each with the ID 1 of its kind, and two events beside that one.
    pub async fn new(on: &Database, variant: Variant) -> Self {
        let stage = Self::empty(on, variant, &[]).await;
        let admin = &stage.admin;
        for (path, body) in [
            ("/categories", "CategoryCreate"),
            ("/tags", "TagCreate"),
            ("/venues", "VenueCreate"),
            ("/organizers", "OrganizerCreate"),
            ("/events", "EventCreate"),
        ] {
            admin.create(path, stage.example(body)).await;
        }
        for (path, more) in [
            ("/tags/1", json!({"description": "<p>Bring a blanket.</p>"})),
            (
                "/venues/1",
                json!({
                    "description": "<p>By the north entrance.</p>", "phone": "+49 30 123456", "image": IMAGE,
                }),
            ),
            ("/organizers/1", json!({"image": IMAGE})),
            (
                "/events/1",
                json!({
                    "image": IMAGE, "excerpt": "<p>Two hours of chamber music.</p>", "show_map": true,
                    "show_map_link": true, "ticketed": true, "categories": [1], "tags": [1],
                    "custom_fields": {"dress_code": "casual"},
                }),
            ),
        ] {
            admin.patch(path, more).await.is(200);
        }
        for day in ["2027-05-06", "2027-05-08"] {
            let rehearsal = json!({"title": "Rehearsal", "start_date": day, "end_date": day});
            admin.create("/events", rehearsal).await;
        }
        stage
    }

    /// The example of a schema.
    pub fn example(&self, schema: &str) -> Value {
        self.document["components"]["schemas"][schema]["example"].clone()
    }

    /// The slug of the example of what an operation is about.
    pub fn example_slug(&self, operation: &Operation<'_>) -> Value {
        self.example(operation.body().trim_end_matches("Update"))["slug"].clone()
    }

    /// A request of an operation by its examples: its path, and its body where it has one.
    pub fn request(&self, client: &Client, operation: &Operation<'_>) -> RequestBuilder {
        let request = self.request_without_body(client, operation);
        match operation.body() {
            "" => request,
            body => request.json(&self.example(body)),
        }
    }

    /// The same without its body.
    pub fn request_without_body(&self, client: &Client, operation: &Operation<'_>) -> RequestBuilder {
        let mut path = format!("~{}", operation.path);
        for parameter in operation.parameters("path") {
            let example = as_text(&parameter["schema"]["example"]);
            path = path.replace(&format!("{{{}}}", text(parameter, "name")), &example);
        }
        client.request(&operation.method.to_uppercase(), &path)
    }

    /// Brings an event, venue or organizer back that an operation has moved to the trash.
    pub async fn restore(&self, operation: &Operation<'_>) {
        let path = format!("/{}/1", collection(operation));
        self.admin.patch(&path, json!({"status": "publish"})).await.is(200);
    }

    /// A client of a new user.
    pub async fn user(&self, role: Role) -> Client {
        self.server.user(role.name(), role).await
    }
}

/// The last part of the collection's path.
pub fn collection(operation: &Operation<'_>) -> String {
    operation.value["tags"][0].as_str().unwrap_or_default().to_lowercase()
}

/// Whether the operation is about categories or tags, which have no trash, and whose names are unique.
pub fn is_about_terms(operation: &Operation<'_>) -> bool {
    ["categories", "tags"].contains(&collection(operation).as_str())
}

/// The value as a query or a path has it: lists with commas.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) => items(value).map(as_text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Sends the request.
pub async fn send(request: RequestBuilder) -> Answer {
    Answer::of(request).await
}
