//! Answers that succeed: each operation is sent by its examples, and answers as it is declared, and as its own
//! examples show.

use serde_json::Value;

use super::{
    Operation, VARIANTS, english, members, operations,
    schema::{assert_declared, assert_fits, assert_same_shape},
    stage::{Stage, is_about_terms, send},
    support::Answer,
    text,
};
use crate::on_both;

/// What differs by the day on which it is asked.
const DAYS: [&str; 7] = [
    "date",
    "date_utc",
    "published_at",
    "modified",
    "modified_utc",
    "modified_at",
    "validFrom",
];
/// Objects with whatever members.
const FREE: [&str; 2] = ["custom_fields", "json_ld"];

/// The example of an answer: its own, or that of its schema.
fn example<'a>(document: &'a Value, operation: &Operation<'a>, status: &str) -> &'a Value {
    let content = &operation.value["responses"][status]["content"]["application/json"];
    if let Some(example) = content.get("example") {
        return example;
    }
    let reference = text(&content["schema"], "$ref").trim_start_matches('#');
    let schema = document.pointer(reference);
    &schema.expect("the answer is described by a schema with a name")["example"]
}

#[test]
fn every_answer_with_a_body_has_an_example_that_fits_its_schema() {
    for variant in VARIANTS {
        let document = english(variant);
        for operation in operations(&document) {
            for (status, response) in members(&operation.value["responses"]) {
                let at = format!("{} {status}", operation.id());
                let content = &response["content"]["application/json"];
                if status == "304" {
                    assert!(content.is_null(), "{at}");
                    continue;
                }
                let example = example(&document, &operation, status);
                assert!(example.is_object(), "{at}");
                assert_fits(&document, &content["schema"], example, &at);
            }
        }
    }
}

#[test]
fn every_example_of_a_schema_or_a_parameter_fits_it() {
    for variant in VARIANTS {
        let document = english(variant);
        super::visit(&document, "", &mut |path, object| {
            let is_schema = path.contains("/schemas/") || path.ends_with("/schema");
            if let Some(example) = object.get("example")
                && (is_schema && !path.contains("/example"))
            {
                assert_fits(&document, object, example, path);
            }
        });
    }
}

/// The answer to an operation that is sent by its examples, which must succeed and be as it is declared.
async fn performed(stage: &Stage, operation: &Operation<'_>) -> Answer {
    let answer = send(stage.request(&stage.admin, operation)).await;
    let id = operation.id();
    assert!(answer.status.is_success(), "{id}: {}", answer.text);
    assert_declared(&stage.document, operation, &answer);
    answer
}

/// The value without members of these names.
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

/// Holds that the example shows the answer, days aside, and names the member that differs.
#[track_caller]
fn assert_shows(example: &Value, answer: &Value, at: &str) {
    let [example, answer] = [example, answer].map(|value| without(&DAYS, value));
    for (name, value) in members(&example) {
        assert_eq!(*value, answer[name], "{at}.{name}");
    }
    assert_same_shape(&example, &answer, at);
}

on_both! {
    async fn every_operation_answers_its_examples_as_it_is_declared(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            let document = stage.document.clone();
            for operation in operations(&document) {
                let id = operation.id();
                // Terms have unique names, and none is restored.
                let is_final = is_about_terms(&operation) && ["post", "delete"].contains(&operation.method);
                let answer = if is_final && id.starts_with("create") {
                    performed(&Stage::empty(&on, variant, &[]).await, &operation).await
                } else if is_final && id.starts_with("delete") {
                    performed(&Stage::new(&on, variant).await, &operation).await
                } else {
                    performed(&stage, &operation).await
                };
                if id.starts_with("delete") && !is_final {
                    stage.restore(&operation).await;
                }
                // Another test holds what lists show.
                if operation.path.contains('{') || operation.method == "post" {
                    let example = example(&document, &operation, answer.status.as_str());
                    assert_same_shape(&without(&FREE, example), &without(&FREE, &answer.body), id);
                }
            }
        }
    }

    async fn what_has_not_changed_is_answered_as_it_is_declared(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            let document = stage.document.clone();
            for operation in operations(&document).iter().filter(|operation| operation.method == "get") {
                let anonymous = stage.server.anonymous();
                let tag = send(stage.request(&anonymous, operation)).await.is(200);
                let tag = tag.header("etag").to_owned();
                let again = stage.request(&anonymous, operation).header("if-none-match", tag);
                assert_declared(&document, operation, &send(again).await.is(304));
            }
        }
    }

    async fn what_the_examples_of_reads_show_is_what_is_read(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            for (path, schema) in [
                ("/events/1", "Event"),
                ("/venues/1", "Venue"),
                ("/organizers/1", "Organizer"),
                ("/categories/1", "Category"),
                ("/tags/1", "Tag"),
            ] {
                let answer = stage.admin.get(path).await.is(200);
                assert_shows(&stage.example(schema), &answer.body, schema);
            }
            for schema in ["EventList", "VenueList", "OrganizerList", "CategoryList", "TagList"] {
                let example = stage.example(schema);
                let address = text(&example, "rest_url").replace("https://calendar.example.org", "~");
                let answer = stage.admin.get(&address).await.is(200);
                assert_shows(&example, &answer.body, schema);
            }
        }
    }

    async fn what_the_examples_of_deletions_show_is_what_is_answered(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            let document = stage.document.clone();
            for operation in operations(&document) {
                if operation.method == "delete" && !operation.id().ends_with("BySlug") {
                    let answer = send(stage.request(&stage.admin, &operation)).await.is(200);
                    let example = example(&document, &operation, "200");
                    assert_shows(example, &answer.body, operation.id());
                    if !is_about_terms(&operation) {
                        stage.restore(&operation).await;
                    }
                }
            }
        }
    }
}
