//! What the tests write, and how they look at what they read.

use almanac::store::users;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{Answer, Client, Server};

/// The least that an event needs, on an evening in 2027.
pub fn event() -> Value {
    json!({"title": "Spring concert", "start_date": "2027-05-07 19:30:00", "end_date": "2027-05-07 22:00:00"})
}

/// The least event, with other members beside or instead.
pub fn event_with(members: Value) -> Value {
    with(event(), members)
}

/// The object with other members beside or instead.
pub fn with(mut object: Value, members: Value) -> Value {
    for (name, value) in members.as_object().expect("an object") {
        object[name] = value.clone();
    }
    object
}

/// The member as it can be compared with what was written: an image as its address, and what is linked as IDs.
pub fn member(body: &Value, name: &str) -> Value {
    match (name, &body[name]) {
        ("image", Value::Object(image)) => image["url"].clone(),
        ("venue" | "organizer" | "categories" | "tags", Value::Array(_)) => json!(ids(&body[name])),
        (_, value) => value.clone(),
    }
}

/// The IDs of a list of objects.
pub fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().expect("a list");
    objects.iter().map(id).collect()
}

/// The ID of an object.
pub fn id(object: &Value) -> i64 {
    object["id"].as_i64().expect("an ID")
}

/// Holds that the body shows what is expected of these members.
#[track_caller]
pub fn assert_shows(body: &Value, expected: &Value) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(member(body, name), *value, "{name} of {body}");
    }
}

/// Holds that an object has exactly these members.
#[track_caller]
pub fn assert_members(body: &Value, names: &str) {
    let mut found: Vec<&str> = body
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected: Vec<&str> = names.split_whitespace().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// Holds that the answer is the 400 for wrong values, and blames just this field.
#[track_caller]
pub fn assert_blames(answer: Answer, field: &str, what: &Value) {
    assert_eq!(answer.status, 400, "{field}: {what} {}", answer.text);
    assert_eq!(
        answer.body["code"], "rest_invalid_param",
        "{field}: {what} {}",
        answer.text
    );
    assert_eq!(answer.blamed(), [field], "{field}: {what} {}", answer.text);
}

/// Holds that each value of the field is refused by an update, and changes nothing.
pub async fn assert_refused(client: &Client, path: &str, field: &str, values: &[Value]) {
    let before = client.get(path).await.is(200).body;
    for value in values {
        assert_blames(client.patch(path, json!({field: value})).await, field, value);
    }
    assert_eq!(client.get(path).await.is(200).body, before);
}

/// Holds that each field of an object takes its value, shows it, and is cleared by null and by an empty text to
/// what a new object shows.
pub async fn assert_each_field_is_kept_and_cleared(client: &Client, path: &str, fields: &Value) {
    let new = client.get(path).await.is(200).body;
    for (name, value) in fields.as_object().expect("an object") {
        for empty in [Value::Null, json!("")] {
            let set = client.patch(path, json!({name: value})).await.is(200).body;
            assert_eq!(member(&set, name), *value, "{name}");
            assert_eq!(client.get(path).await.body[name], set[name], "{name}");
            assert_ne!(member(&new, name), *value, "{name} would show no change");
            let cleared = client.patch(path, json!({name: empty})).await.is(200).body;
            assert_eq!(cleared[name], new[name], "{name} cleared by {empty}");
        }
    }
}

/// Holds that what is read can be sent back, and that this changes nothing, its version included.
pub async fn assert_sent_back_unchanged(client: &Client, path: &str) {
    let before = client.get(path).await.is(200);
    for method in ["PUT", "POST", "PATCH"] {
        let answer = Answer::of(client.request(method, path).json(&before.body))
            .await
            .is(200);
        assert_eq!(answer.body, before.body, "{method} {path}");
        let after = client.get(path).await.is(200);
        assert_eq!(after.body, before.body, "{method} {path}");
        assert_eq!(after.header("etag"), before.header("etag"), "{method} {path}");
    }
}

/// Holds that POST, PUT and PATCH do the same below this path: they change what is named, and keep the rest.
pub async fn assert_updates_are_alike(client: &Client, path: &str, field: &str) {
    for method in ["POST", "PUT", "PATCH"] {
        let before = client.get(path).await.is(200).body;
        let body = json!({field: method});
        let after = Answer::of(client.request(method, path).json(&body)).await.is(200).body;
        let expected = with(before, json!({field: method}));
        for name in [
            "id",
            "slug",
            "status",
            "description",
            "author",
            "date_utc",
            "website",
            field,
        ] {
            assert_eq!(after[name], expected[name], "{method} {name}");
        }
        assert_eq!(client.get(path).await.body[field], method);
    }
}

/// How many objects of each kind there are outside the trash.
pub async fn totals(admin: &Client) -> Vec<Value> {
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

/// The ID of a user.
pub async fn user_id(server: &Server, name: &str) -> i64 {
    let user = users::find_by_name(server.store.reader(), name)
        .await
        .expect("the database answers");
    user.expect("the user is there").id
}

/// What eight clients get who post the same at once.
pub async fn post_at_once(client: &Client, path: &str, body: &Value) -> Vec<Answer> {
    let mut posts = JoinSet::new();
    for _ in 0..8 {
        posts.spawn(Answer::of(client.request("POST", path).json(body)));
    }
    posts.join_all().await
}
