//! A server with the objects of the document's examples, created from the examples of bodies.

use std::sync::Arc;

use almanac::testing::{auth::Role, calendar::Variant, store::write_connection::WriteConnection};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Operation, english, items,
    support::{Client, Database, Response, Server},
    text,
};

/// The flags that the examples of responses assume.
const FLAGS: [&str; 4] = [
    "--base-url",
    "https://calendar.example.org",
    "--timezone",
    "Europe/Berlin",
];
/// The image in the examples of responses. The examples of bodies have none.
const IMAGE: &str = "https://example.org/images/house.jpg";

/// The UUID of the calendar in the examples of responses.
const CALENDAR: &str = "3f6c1f7e-8d0a-4c55-9b1e-2f4d5a6b7c80";

/// A server with its document and an administrator.
pub(crate) struct Fixture {
    pub document: Arc<Value>,
    pub server: Server,
    /// The user with the ID 1.
    pub admin: Client,
}

impl Fixture {
    /// A server without objects, with additional flags.
    pub(crate) async fn empty(database: &Database, variant: Variant, flags: &[&str]) -> Self {
        let letter = match variant {
            Variant::A => "a",
            Variant::B => "b",
        };
        let flags = [&["--variant", letter], &FLAGS[..], flags].concat();
        let server = database.server(&flags).await;
        let transaction = server.store.begin().await.expect("a transaction");
        let statement = format!("UPDATE calendar_identity SET uuid = '{CALENDAR}'");
        transaction.execute_unprepared(&statement).await.expect("a statement");
        transaction.commit().await.expect("a commit");
        let admin = server.administrator().await;
        Self {
            document: english(variant).into(),
            server,
            admin,
        }
    }

    /// A server with the objects of the examples, each with the ID 1, and more events.
    pub(crate) async fn new(database: &Database, variant: Variant) -> Self {
        let fixture = Self::empty(database, variant, &[]).await;
        let admin = &fixture.admin;
        for (path, body) in [
            ("/categories", "CategoryCreate"),
            ("/tags", "TagCreate"),
            ("/venues", "VenueCreate"),
            ("/organizers", "OrganizerCreate"),
            ("/events", "EventCreate"),
        ] {
            admin.create(path, fixture.example(body)).await;
        }
        for (path, additional) in [
            ("/tags/1", json!({"description": "<p>Bring a blanket.</p>"})),
            (
                "/venues/1",
                json!({
                    "description": "<p>By the north entrance.</p>", "phone": "+49 30 123456", "image": IMAGE,
                    "external_source": "league", "external_id": "4711",
                }),
            ),
            (
                "/organizers/1",
                json!({"image": IMAGE, "external_source": "league", "external_id": "4711"}),
            ),
            (
                "/events/1",
                json!({
                    "image": IMAGE, "excerpt": "<p>Two hours of chamber music.</p>", "show_map": true,
                    "show_map_link": true, "ticketed": true, "categories": [1], "tags": [1],
                    "custom_fields": {"dress_code": "casual"}, "external_source": "league", "external_id": "4711",
                }),
            ),
        ] {
            admin.patch(path, additional).await.is(200);
        }
        for day in ["2027-05-06", "2027-05-08"] {
            let rehearsal = json!({"title": "Rehearsal", "start_date": day, "end_date": day});
            admin.create("/events", rehearsal).await;
        }
        let choir = json!({
            "title": "Choir rehearsal", "start_date": "2027-04-02 18:00", "end_date": "2027-04-02 19:30",
            "recurrence": "RRULE:FREQ=WEEKLY;COUNT=3",
        });
        admin.create("/events", choir).await;
        fixture
    }

    /// The example of a schema.
    pub(crate) fn example(&self, schema: &str) -> Value {
        self.document["components"]["schemas"][schema]["example"].clone()
    }

    /// The slug in the example of the operation's resource.
    pub(crate) fn example_slug(&self, operation: &Operation<'_>) -> Value {
        self.example(operation.body().trim_end_matches("Update"))["slug"].clone()
    }

    /// A request of an operation with its example path and, if it has one, its example body.
    pub(crate) fn request(&self, client: &Client, operation: &Operation<'_>) -> RequestBuilder {
        let request = self.request_without_body(client, operation);
        match operation.body() {
            "" => request,
            body => request.json(&self.example(body)),
        }
    }

    /// A request of an operation with its example path, without a body.
    pub(crate) fn request_without_body(&self, client: &Client, operation: &Operation<'_>) -> RequestBuilder {
        let mut path = format!("~{}", operation.path);
        for parameter in operation.parameters("path") {
            let example = as_text(&parameter["schema"]["example"]);
            path = path.replace(&format!("{{{}}}", text(parameter, "name")), &example);
        }
        client.request(&operation.method.to_uppercase(), &path)
    }

    /// Restores an event, venue or organizer that an operation has moved to the trash.
    pub(crate) async fn restore(&self, operation: &Operation<'_>) {
        let path = format!("/{}/1", collection(operation));
        self.admin.patch(&path, json!({"status": "publish"})).await.is(200);
    }

    /// A client of a new user.
    pub(crate) async fn user(&self, role: Role) -> Client {
        self.server.user(role.name(), role).await
    }
}

/// The last segment of the collection's path.
pub(crate) fn collection(operation: &Operation<'_>) -> String {
    operation.value["tags"][0].as_str().unwrap_or_default().to_lowercase()
}

/// Whether the operation is one of categories or tags, which have no trash and unique names.
pub(crate) fn is_term_operation(operation: &Operation<'_>) -> bool {
    ["categories", "tags"].contains(&collection(operation).as_str())
}

/// The value as in a query or path: lists are comma-separated.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) => items(value).map(as_text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Sends the request.
pub(crate) async fn send(request: RequestBuilder) -> Response {
    Response::fetch(request).await
}
