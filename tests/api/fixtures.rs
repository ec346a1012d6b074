//! What tests of lists fill a calendar with, and how they ask which items a list has.

use chrono::{DateTime, TimeDelta, Timelike, Utc};
use serde_json::{Value, json};

use crate::support::{Answer, Client};

/// Creates an event with these fields, tomorrow from nine to ten unless they say otherwise, and returns its ID.
pub async fn event(client: &Client, title: &str, fields: Value) -> i64 {
    let mut body = json!({"title": title, "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
    if let (Some(body), Value::Object(fields)) = (body.as_object_mut(), fields) {
        body.extend(fields);
    }
    client.create_id("/events", body).await
}

/// Creates an event that starts and ends at these times.
pub async fn event_at(client: &Client, title: &str, start: &str, end: &str) -> i64 {
    event(client, title, json!({"start_date": start, "end_date": end})).await
}

/// Creates a category, venue or whatever has a name and needs nothing else, and returns its ID.
pub async fn named(client: &Client, list: &str, name: &str) -> i64 {
    let path = format!("/{list}");
    client.create_id(&path, json!({name_of(list): name})).await
}

/// The member that holds the name of an item.
pub fn name_of(list: &str) -> &'static str {
    match list {
        "events" => "title",
        "venues" => "venue",
        "organizers" => "organizer",
        _ => "name",
    }
}

/// The names of the items of an answer, in their order and with spaces between them.
pub fn names(list: &str, answer: &Answer) -> String {
    answer.texts(list, name_of(list)).join(" ")
}

/// The same of what a query finds, all on one page.
pub async fn found(client: &Client, list: &str, query: &str) -> String {
    let path = format!("/{list}?per_page=100&{query}");
    names(list, &client.get(&path).await.is(200))
}

/// Checks rows of a query and the names that it must find, and tells of all that are wrong at once.
#[track_caller]
pub fn assert_rows(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| row.found != row.expected)
        .map(|row| {
            let Row { query, found, expected } = row;
            format!("{query}\n    found    {found}\n    expected {expected}")
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A query with what it found and what it should have found.
pub struct Row {
    pub query: String,
    pub found: String,
    pub expected: String,
}

/// Asks each query for its names. Hand the answer to [`assert_rows`].
pub async fn ask(client: &Client, list: &str, rows: &[(&str, &str)]) -> Vec<Row> {
    let mut asked = Vec::new();
    for (query, expected) in rows {
        asked.push(Row {
            query: format!("{list}?{query}"),
            found: found(client, list, query).await,
            expected: (*expected).to_owned(),
        });
    }
    asked
}

/// The same for one list, with the check.
pub async fn check(client: &Client, list: &str, rows: &[(&str, &str)]) {
    assert_rows(&ask(client, list, rows).await);
}

/// Checks that each query is a 400 that blames this parameter.
pub async fn check_refused(client: &Client, list: &str, rows: &[(&str, &str)]) {
    for (query, blamed) in rows {
        let path = format!("/{list}?{query}");
        let answer = client.get(&path).await;
        assert_eq!(answer.status.as_u16(), 400, "{path}: {}", answer.text);
        assert_eq!(answer.body["code"], "rest_invalid_param", "{path}");
        assert_eq!(answer.blamed(), [*blamed], "{path}");
    }
}

/// The spellings of a list of two values.
pub fn spellings(name: &str, one: &str, other: &str) -> [String; 6] {
    [
        format!("{name}={one},{other}"),
        format!("{name}={one}%2C%20{other}"),
        format!("{name}={one}&{name}={other}"),
        format!("{name}[]={one}&{name}[]={other}"),
        format!("{name}%5B%5D={one}&{name}%5B%5D={other}"),
        format!("{name}[0]={one}&{name}[1]={other}"),
    ]
}

/// A zone in which it is about noon, and the time there: no midnight passes while a test runs.
pub fn noon() -> (String, DateTime<Utc>) {
    let now = Utc::now();
    let hours = 12 - i64::from(now.hour());
    (format!("UTC{hours:+}"), now + TimeDelta::hours(hours))
}

/// A day and a time of day some days from `noon`, as it is sent.
pub fn day(noon: DateTime<Utc>, days: i64, time: &str) -> String {
    format!("{} {time}", (noon + TimeDelta::days(days)).format("%Y-%m-%d"))
}
