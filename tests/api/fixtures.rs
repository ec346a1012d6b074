//! Payloads, and objects that tests create through the API.

use std::collections::BTreeSet;

use almanac::testing::store::{users, write_connection::WriteConnection};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Timelike, Utc};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{Client, Response, Server};

/// The smallest valid event payload.
pub(crate) fn minimal_event() -> Value {
    json!({"title": "Spring concert", "start_date": "2027-05-07 19:30:00", "end_date": "2027-05-07 22:00:00"})
}

/// The smallest valid event payload, with fields added or replaced.
pub(crate) fn event_with(fields: Value) -> Value {
    merge(minimal_event(), fields)
}

/// Creates an event from [`event_with`] and returns its path.
pub(crate) async fn event_path(client: &Client, fields: Value) -> String {
    format!("/events/{}", client.create_id("/events", event_with(fields)).await)
}

/// The object with members added or replaced.
pub(crate) fn merge(mut object: Value, members: Value) -> Value {
    for (name, value) in members.as_object().expect("an object") {
        object[name] = value.clone();
    }
    object
}

/// Creates an event with these fields, by default tomorrow from nine to ten, and returns its ID.
pub(crate) async fn create_event(client: &Client, title: &str, fields: Value) -> i64 {
    let defaults = json!({"title": title, "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
    client.create_id("/events", merge(defaults, fields)).await
}

/// Creates an event with this start and end.
pub(crate) async fn create_event_at(client: &Client, title: &str, start: &str, end: &str) -> i64 {
    create_event(client, title, json!({"start_date": start, "end_date": end})).await
}

/// Creates a venue, organizer, category or tag with nothing but a name, and returns its ID.
pub(crate) async fn create_named(client: &Client, list: &str, name: &str) -> i64 {
    let path = format!("/{list}");
    client.create_id(&path, json!({name_field(list): name})).await
}

/// The field with the name of an item of this list.
pub(crate) fn name_field(list: &str) -> &'static str {
    match list {
        "events" => "title",
        "venues" => "venue",
        "organizers" => "organizer",
        _ => "name",
    }
}

/// Creates one object of each kind. Each has the ID 1 and the slug `thing`, and except for terms, the ID `thing` in the
/// system `other`.
pub(crate) async fn create_one_of_each(server: &Server) -> Client {
    let admin = server.administrator().await;
    for list in ["categories", "tags", "venues", "organizers"] {
        create_named(&admin, list, "Thing").await;
    }
    create_event(&admin, "Thing", json!({})).await;
    for list in ["venues", "organizers", "events"] {
        let external = json!({"external_source": "other", "external_id": "thing"});
        admin.patch(&format!("/{list}/1"), external).await.is(200);
    }
    admin
}

/// The ID of an object.
pub(crate) fn id(object: &Value) -> i64 {
    object["id"].as_i64().expect("an ID")
}

/// The IDs of an array of objects.
pub(crate) fn ids(array: &Value) -> Vec<i64> {
    let objects = array.as_array().expect("an array");
    objects.iter().map(id).collect()
}

/// The ID of the user with this name.
pub(crate) async fn user_id(server: &Server, name: &str) -> i64 {
    let user = users::find_by_name(server.store.reader(), name)
        .await
        .expect("a result");
    user.expect("the user exists").id
}

/// Runs a statement on the database of the server.
pub(crate) async fn execute(server: &Server, statement: &str) {
    let transaction = server.store.begin().await.expect("a transaction");
    transaction.execute_unprepared(statement).await.expect("a statement");
    transaction.commit().await.expect("a commit");
}

/// The number of objects of each kind outside the trash.
pub(crate) async fn totals(admin: &Client) -> Vec<Value> {
    let mut totals = Vec::new();
    for path in [
        "/events?status=any&start_date=1900-01-01&end_date=2999-01-01",
        "/venues?status=any",
        "/organizers?status=any",
        "/categories?hide_empty=false",
        "/tags?hide_empty=false",
    ] {
        totals.push(admin.get(path).await.is(200).body["total"].clone());
    }
    totals
}

/// Sends the same payload eight times concurrently.
pub(crate) async fn post_concurrently(client: &Client, path: &str, body: &Value) -> Vec<Response> {
    let mut posts = JoinSet::new();
    for _ in 0..8 {
        posts.spawn(Response::fetch(client.request("POST", path).json(body)));
    }
    posts.join_all().await
}

/// A local date-time field of a body.
pub(crate) fn local_time(body: &Value, field: &str) -> NaiveDateTime {
    let text = body[field].as_str().expect("a string");
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").expect("a date-time")
}

/// A time zone in which it is about noon, and the local time there: the date cannot change while a test runs.
pub(crate) fn noon() -> (String, DateTime<Utc>) {
    let now = Utc::now();
    let hours = 12 - i64::from(now.hour());
    (format!("UTC{hours:+}"), now + TimeDelta::hours(hours))
}

/// The date some days after `noon` with this time, as a request value.
pub(crate) fn day(noon: DateTime<Utc>, days: i64, time: &str) -> String {
    format!("{} {time}", (noon + TimeDelta::days(days)).format("%Y-%m-%d"))
}

/// Sends a request with these headers.
pub(crate) async fn send_with(client: &Client, method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let request = client.request(method, path);
    let add = |request: RequestBuilder, (name, value): &(&str, &str)| request.header(*name, *value);
    Response::fetch(headers.iter().fold(request, add)).await
}

/// Sends a GET request with these headers.
pub(crate) async fn get_with(client: &Client, path: &str, headers: &[(&str, &str)]) -> Response {
    send_with(client, "GET", path, headers).await
}

/// The values of a header with a comma-separated list, in lower case.
pub(crate) fn comma_separated(header: &str) -> BTreeSet<String> {
    header.split(',').map(|value| value.trim().to_lowercase()).collect()
}
