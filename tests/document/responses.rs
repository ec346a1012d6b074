//! Success responses: sends the examples of each operation, and compares the responses with declaration and examples.

use serde_json::Value;

use super::{
    Operation, VARIANTS, english,
    fixture::{Fixture, is_term_operation, send},
    members, operations, repeatable_operations,
    schema::{assert_declared, assert_matches_schema, assert_same_shape},
    support::Response,
    text,
};
use crate::on_both_databases;

/// Members whose values depend on the current time.
const TIME_DEPENDENT: [&str; 7] = [
    "date",
    "date_utc",
    "published_at",
    "modified",
    "modified_utc",
    "modified_at",
    "validFrom",
];
/// Objects with any members.
const FREE_FORM: [&str; 4] = ["custom_fields", "json_ld", "headers", "body"];

/// The example of a response, or else of its schema.
fn example<'a>(document: &'a Value, operation: &Operation<'a>, status: &str) -> &'a Value {
    let content = &operation.value["responses"][status]["content"]["application/json"];
    if let Some(example) = content.get("example") {
        return example;
    }
    let reference = text(&content["schema"], "$ref").trim_start_matches('#');
    let schema = document.pointer(reference);
    &schema.expect("the response has a named schema")["example"]
}

#[test]
fn response_examples_match_their_schemas() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            for (status, response) in members(&operation.value["responses"]) {
                let at = format!("{} {status}", operation.id());
                let content = &response["content"]["application/json"];
                if response["content"]["text/event-stream"]["example"].is_string() {
                    continue;
                }
                if status == "304" {
                    assert!(content.is_null(), "{at}");
                    continue;
                }
                let example = example(&document, &operation, status);
                assert!(example.is_object(), "{at}");
                assert_matches_schema(&document, &content["schema"], example, &at);
            }
        }
    }
}

#[test]
fn schema_and_parameter_examples_are_valid() {
    for variant in VARIANTS {
        let document = english(variant);
        super::visit(&document, "", &mut |path, object| {
            let is_schema = path.contains("/schemas/") || path.ends_with("/schema");
            if let Some(example) = object.get("example")
                && (is_schema && !path.contains("/example"))
            {
                assert_matches_schema(&document, object, example, path);
            }
        });
    }
}

/// Sends the example of an operation. The response must be a success and match the declaration.
async fn perform(fixture: &Fixture, operation: &Operation<'_>) -> Response {
    let response = send(fixture.request(&fixture.admin, operation)).await;
    let id = operation.id();
    assert!(response.status.is_success(), "{id}: {}", response.text);
    assert_eq!(response.header("x-ignored"), "", "{id}");
    assert_declared(&fixture.document, operation, &response);
    response
}

/// Removes the members with these names.
fn without(names: &[&str], value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), without(names, value)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| without(names, item)).collect(),
        other => other.clone(),
    }
}

/// Asserts that example and response are equal, except for time-dependent members.
#[track_caller]
fn assert_example_equals(example: &Value, response: &Value, at: &str) {
    let [example, response] = [example, response].map(|value| without(&TIME_DEPENDENT, value));
    for (name, value) in members(&example) {
        assert_eq!(*value, response[name], "{at}.{name}");
    }
    assert_same_shape(&example, &response, at);
}

on_both_databases! {
    async fn responses_to_examples_match_declaration(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            let document = fixture.document.clone();
            for operation in repeatable_operations(&document) {
                let id = operation.id();
                // Terms have unique names and can't be restored.
                let is_irreversible = is_term_operation(&operation) && ["post", "delete"].contains(&operation.method);
                let response = if is_irreversible && id.starts_with("create") {
                    perform(&Fixture::empty(&database, variant, &[]).await, &operation).await
                } else if is_irreversible && id.starts_with("delete") {
                    perform(&Fixture::new(&database, variant).await, &operation).await
                } else {
                    perform(&fixture, &operation).await
                };
                if id.starts_with("delete") && !is_irreversible {
                    fixture.restore(&operation).await;
                }
                // `read_examples_equal_responses` compares lists.
                let is_single = operation.path.contains('{') && !id.starts_with("list");
                if is_single || operation.method == "post" {
                    let example = example(&document, &operation, response.status.as_str());
                    assert_same_shape(&without(&FREE_FORM, example), &without(&FREE_FORM, &response.body), id);
                }
            }
        }
    }

    async fn not_modified_responses_match_declaration(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            let document = fixture.document.clone();
            for operation in repeatable_operations(&document).iter().filter(|operation| operation.method == "get") {
                let client = match operation.id() {
                    "getMe" => fixture.admin.clone(),
                    _ => fixture.server.anonymous(),
                };
                let tag = send(fixture.request(&client, operation)).await.is(200);
                let tag = tag.header("etag").to_owned();
                let again = fixture.request(&client, operation).header("if-none-match", tag);
                assert_declared(&document, operation, &send(again).await.is(304));
            }
        }
    }

    async fn read_examples_equal_responses(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            for (path, schema) in [
                ("/events/1", "Event"),
                ("/venues/1", "Venue"),
                ("/organizers/1", "Organizer"),
                ("/categories/1", "Category"),
                ("/tags/1", "Tag"),
                ("/series/1", "Series"),
                ("/me", "User"),
            ] {
                let response = fixture.admin.get(path).await.is(200);
                assert_example_equals(&fixture.example(schema), &response.body, schema);
            }
            for schema in ["EventList", "VenueList", "OrganizerList", "CategoryList", "TagList"] {
                let example = fixture.example(schema);
                let address = text(&example, "rest_url").replace("https://calendar.example.org", "~");
                let response = fixture.admin.get(&address).await.is(200);
                assert_example_equals(&example, &response.body, schema);
            }
        }
    }

    async fn delete_examples_equal_responses(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            let document = fixture.document.clone();
            let mut operations = repeatable_operations(&document);
            // Deleted terms can't be restored, and later examples have them.
            operations.sort_by_key(is_term_operation);
            for operation in operations {
                if operation.method == "delete" && !operation.id().ends_with("BySlug") {
                    let response = send(fixture.request(&fixture.admin, &operation)).await.is(200);
                    let example = example(&document, &operation, "200");
                    assert_example_equals(example, &response.body, operation.id());
                    if !is_term_operation(&operation) {
                        fixture.restore(&operation).await;
                    }
                }
            }
        }
    }
}
