//! The examples of parameters and of bodies, sent one by one.

use serde_json::{Value, json};

use super::{
    Operation, VARIANTS, items, members, operations,
    stage::{Stage, as_text, collection, is_about_terms, send},
    text,
};
use crate::on_both;

/// Parameters that go with another one only.
const TOGETHER: [(&str, &str); 2] = [("geoloc_lat", "geoloc_lng"), ("geoloc_lng", "geoloc_lat")];

/// The parameters of an operation in a place, those that are shared too, with their examples as texts.
fn examples(document: &Value, operation: &Operation<'_>, place: &str) -> Vec<(String, String)> {
    items(&operation.value["parameters"])
        .map(|parameter| match parameter["$ref"].as_str() {
            Some(reference) => document
                .pointer(reference.trim_start_matches('#'))
                .expect("another test holds that references lead somewhere"),
            None => parameter,
        })
        .filter(|parameter| parameter["in"] == place)
        .map(|parameter| {
            let example = &parameter["schema"]["example"];
            assert!(!example.is_null(), "{parameter}");
            (text(parameter, "name").to_owned(), as_text(example))
        })
        .collect()
}

on_both! {
    async fn the_example_of_each_parameter_works(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            let document = stage.document.clone();
            for operation in operations(&document) {
                let id = operation.id();
                let query = examples(&document, &operation, "query");
                for (name, value) in &query {
                    let beside = TOGETHER.iter().find(|(first, _)| first == name);
                    let beside = beside.and_then(|(_, second)| query.iter().find(|(name, _)| name == second));
                    let mut sent = vec![(name, value)];
                    sent.extend(beside.map(|(name, value)| (name, value)));
                    let answer = send(stage.request(&stage.admin, &operation).query(&sent)).await;
                    assert!(answer.status.is_success(), "{id} {sent:?}: {}", answer.text);
                }
                // What is deleted or made by its examples is so once only.
                if ["post", "delete"].contains(&operation.method) {
                    continue;
                }
                let all = send(stage.request(&stage.admin, &operation).query(&query)).await;
                assert!(all.status.is_success(), "{id}: {}", all.text);
                for (name, value) in examples(&document, &operation, "header") {
                    let answer = send(stage.request(&stage.admin, &operation).header(&name, &value)).await;
                    assert!(answer.status.is_success(), "{id} {name}: {}", answer.text);
                }
            }
        }
    }

    async fn the_example_of_each_field_of_a_create_works(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            let document = stage.document.clone();
            let schemas = &document["components"]["schemas"];
            for operation in operations(&document) {
                let Some(kind) = operation.body().strip_suffix("Create") else { continue };
                let schema = &schemas[operation.body()];
                let path = format!("/{}", collection(&operation));
                if is_about_terms(&operation) {
                    stage.admin.delete(&format!("{path}/1")).await.is(200);
                }
                for (field, property) in members(&schema["properties"]) {
                    let mut body = json!({field: property["example"]});
                    for required in items(&schema["required"]).filter_map(Value::as_str) {
                        body[required] = schema["properties"][required]["example"].clone();
                    }
                    let answer = stage.admin.post(&path, body).await;
                    assert_eq!(answer.status, 201, "{kind} {field}: {}", answer.text);
                    let made = format!("{path}/{}", answer.body["id"]);
                    stage.admin.delete(&made).await.is(200);
                }
            }
        }
    }

    async fn the_example_of_each_field_of_an_update_works(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            let document = stage.document.clone();
            let schemas = &document["components"]["schemas"];
            for operation in operations(&document) {
                if !operation.body().ends_with("Update") {
                    continue;
                }
                for (field, property) in members(&schemas[operation.body()]["properties"]) {
                    let body = json!({field: property["example"]});
                    let request = stage.request_without_body(&stage.admin, &operation).json(&body);
                    let answer = send(request).await;
                    assert_eq!(answer.status, 200, "{} {field}: {}", operation.id(), answer.text);
                }
            }
        }
    }

    async fn the_example_of_each_nested_field_works(on) {
        for variant in VARIANTS {
            let stage = Stage::new(&on, variant).await;
            for (kind, name) in [("VenueInput", "venue"), ("OrganizerInput", "organizer")] {
                let schema = &stage.document["components"]["schemas"][kind];
                for (field, property) in members(&schema["properties"]) {
                    let mut event = stage.example("EventCreate");
                    event[name] = json!([{field: property["example"]}]);
                    if field != "id" {
                        event[name][0][name] = schema["properties"][name]["example"].clone();
                    }
                    let answer = stage.admin.post("/events", event).await;
                    assert_eq!(answer.status, 201, "{kind} {field}: {}", answer.text);
                }
            }
        }
    }
}
