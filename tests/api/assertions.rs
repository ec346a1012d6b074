//! Assertions about single objects and about lists.

use serde_json::{Value, json};

use crate::{
    fixtures::{ids, merge, name_field},
    support::{Client, Response},
};

/// Asserts that the fields have these values, as [`comparable`] returns them.
#[track_caller]
pub(crate) fn assert_fields(body: &Value, expected: &Value) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(comparable(body, name), *value, "{name} of {body}");
    }
}

/// A field in the form in which it was written: an image as its URL, linked objects as IDs.
pub(crate) fn comparable(body: &Value, name: &str) -> Value {
    match (name, &body[name]) {
        ("image", Value::Object(image)) => image["url"].clone(),
        ("venue" | "organizer" | "categories" | "tags", Value::Array(_)) => json!(ids(&body[name])),
        (_, value) => value.clone(),
    }
}

/// Asserts that the object has exactly these fields.
#[track_caller]
pub(crate) fn assert_field_names(body: &Value, names: &str) {
    let object = body.as_object().expect("an object");
    let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = names.split_whitespace().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// Asserts that the response is a validation error of this field alone. `sent` is part of the message.
#[track_caller]
pub(crate) fn assert_invalid(response: Response, field: &str, sent: &Value) {
    let context = format!("{field}: {sent} {}", response.text);
    assert_eq!(response.status, 400, "{context}");
    assert_eq!(response.body["code"], "rest_invalid_param", "{context}");
    assert_eq!(response.invalid_params(), [field], "{context}");
}

/// Asserts that an update with each of these values is rejected and changes nothing.
pub(crate) async fn assert_update_rejected(client: &Client, path: &str, field: &str, values: &[Value]) {
    let before = client.get(path).await.is(200).body;
    for value in values {
        assert_invalid(client.patch(path, json!({field: value})).await, field, value);
    }
    assert_eq!(client.get(path).await.is(200).body, before);
}

/// Asserts that each field takes its value, returns it, and that null and `""` reset it to the value of a new object.
pub(crate) async fn assert_fields_set_and_cleared(client: &Client, path: &str, fields: &Value) {
    let new = client.get(path).await.is(200).body;
    for (name, value) in fields.as_object().expect("an object") {
        for empty in [Value::Null, json!("")] {
            let set = client.patch(path, json!({name: value})).await.is(200).body;
            assert_eq!(comparable(&set, name), *value, "{name}");
            assert_eq!(client.get(path).await.body[name], set[name], "{name}");
            assert_ne!(comparable(&new, name), *value, "{name}: the test value is the default");
            let cleared = client.patch(path, json!({name: empty})).await.is(200).body;
            assert_eq!(cleared[name], new[name], "{name} cleared by {empty}");
        }
    }
}

/// Asserts that writing back the body of a read changes nothing, including the version.
pub(crate) async fn assert_round_trip(client: &Client, path: &str) {
    let before = client.get(path).await.is(200);
    for method in ["PUT", "POST", "PATCH"] {
        let request = client.request(method, path).json(&before.body);
        assert_eq!(
            Response::fetch(request).await.is(200).body,
            before.body,
            "{method} {path}"
        );
        let after = client.get(path).await.is(200);
        assert_eq!(after.body, before.body, "{method} {path}");
        assert_eq!(after.header("etag"), before.header("etag"), "{method} {path}");
    }
}

/// Asserts that POST, PUT and PATCH all change the given field and keep the others.
pub(crate) async fn assert_update_methods_agree(client: &Client, path: &str, field: &str) {
    for method in ["POST", "PUT", "PATCH"] {
        let before = client.get(path).await.is(200).body;
        let body = json!({field: method});
        let after = Response::fetch(client.request(method, path).json(&body))
            .await
            .is(200)
            .body;
        let expected = merge(before, json!({field: method}));
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

/// The names of the items of a list response, in order, separated by spaces.
pub(crate) fn names(list: &str, response: &Response) -> String {
    response.texts(list, name_field(list)).join(" ")
}

/// The names of all items of a list with this query, in order, separated by spaces.
pub(crate) async fn list_names(client: &Client, list: &str, query: &str) -> String {
    let path = format!("/{list}?per_page=100&{query}");
    names(list, &client.get(&path).await.is(200))
}

/// Asserts which names each query lists. Reports all differences at once.
pub(crate) async fn assert_lists(client: &Client, list: &str, rows: &[(&str, &str)]) {
    let mut differences = String::new();
    for (query, expected) in rows {
        let found = list_names(client, list, query).await;
        if found != *expected {
            differences += &format!("\n{list}?{query}\n    found    {found}\n    expected {expected}");
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// Asserts that each query is a validation error of this parameter alone.
pub(crate) async fn assert_rejected(client: &Client, list: &str, rows: &[(&str, &str)]) {
    for (query, parameter) in rows {
        let path = format!("/{list}?{query}");
        let response = client.get(&path).await;
        assert_eq!(response.status.as_u16(), 400, "{path}: {}", response.text);
        assert_eq!(response.body["code"], "rest_invalid_param", "{path}");
        assert_eq!(response.invalid_params(), [*parameter], "{path}");
    }
}

/// All spellings of an array parameter with two values.
pub(crate) fn spellings(name: &str, one: &str, other: &str) -> [String; 6] {
    [
        format!("{name}={one},{other}"),
        format!("{name}={one}%2C%20{other}"),
        format!("{name}={one}&{name}={other}"),
        format!("{name}[]={one}&{name}[]={other}"),
        format!("{name}%5B%5D={one}&{name}%5B%5D={other}"),
        format!("{name}[0]={one}&{name}[1]={other}"),
    ]
}
