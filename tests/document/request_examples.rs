//! Sends the examples of parameters and fields one by one.

use serde_json::{Value, json};

use super::{
    Operation, VARIANTS,
    fixture::{Fixture, as_text, collection, is_term_operation, send},
    items, members, repeatable_operations, text,
};
use crate::on_both_databases;

/// Parameters that require others.
const COMPANIONS: [(&str, &[&str]); 4] = [
    ("external_id", &["external_source"]),
    ("geoloc_lat", &["geoloc_lng"]),
    ("geoloc_lng", &["geoloc_lat"]),
    ("geoloc_radius", &["geoloc_lat", "geoloc_lng"]),
];

/// Fields of new objects that require each other, and whose values are unique.
const UNIQUE: [&str; 2] = ["external_source", "external_id"];

/// The parameters of an operation in a location, including shared ones, with their examples as strings.
fn examples(document: &Value, operation: &Operation<'_>, place: &str) -> Vec<(String, String)> {
    items(&operation.value["parameters"])
        .map(|parameter| match parameter["$ref"].as_str() {
            Some(reference) => document
                .pointer(reference.trim_start_matches('#'))
                .expect("the reference resolves"),
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

on_both_databases! {
    async fn parameter_examples_are_accepted(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            let document = fixture.document.clone();
            for operation in repeatable_operations(&document) {
                let id = operation.id();
                // Each object can be deleted only once. The parameters are those of updates.
                if operation.method == "delete" {
                    continue;
                }
                let query = examples(&document, &operation, "query");
                for (name, value) in &query {
                    let companions = COMPANIONS.iter().find(|(first, _)| first == name);
                    let companions = companions.map_or(&[][..], |(_, companions)| companions);
                    let mut sent = vec![(name, value)];
                    sent.extend(
                        query
                            .iter()
                            .filter(|(name, _)| companions.contains(&name.as_str()))
                            .map(|(name, value)| (name, value)),
                    );
                    let response = send(fixture.request(&fixture.admin, &operation).query(&sent)).await;
                    assert!(response.status.is_success(), "{id} {sent:?}: {}", response.text);
                }
                // Creates and deletes of the examples succeed only once.
                if ["post", "delete"].contains(&operation.method) {
                    continue;
                }
                let all = send(fixture.request(&fixture.admin, &operation).query(&query)).await;
                assert!(all.status.is_success(), "{id}: {}", all.text);
                for (name, value) in examples(&document, &operation, "header") {
                    let response = send(fixture.request(&fixture.admin, &operation).header(&name, &value)).await;
                    assert!(response.status.is_success(), "{id} {name}: {}", response.text);
                }
            }
        }
    }

    async fn create_field_examples_are_accepted(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            let document = fixture.document.clone();
            let schemas = &document["components"]["schemas"];
            for operation in repeatable_operations(&document) {
                let Some(kind) = operation.body().strip_suffix("Create") else { continue };
                if !operation.id().starts_with("create") {
                    continue;
                }
                let schema = &schemas[operation.body()];
                let path = format!("/{}", collection(&operation));
                if is_term_operation(&operation) {
                    fixture.admin.delete(&format!("{path}/1")).await.is(200);
                }
                let fields = members(&schema["properties"]).filter(|(field, _)| !UNIQUE.contains(&field.as_str()));
                for (field, property) in fields {
                    let mut body = json!({field: property["example"]});
                    for required in items(&schema["required"]).filter_map(Value::as_str) {
                        body[required] = schema["properties"][required]["example"].clone();
                    }
                    let response = fixture.admin.post(&path, body).await;
                    assert_eq!(response.status, 201, "{kind} {field}: {}", response.text);
                    let created = format!("{path}/{}", response.body["id"]);
                    fixture.admin.delete(&created).await.is(200);
                }
            }
        }
    }

    async fn update_field_examples_are_accepted(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            let document = fixture.document.clone();
            let schemas = &document["components"]["schemas"];
            for operation in repeatable_operations(&document) {
                if !operation.body().ends_with("Update") {
                    continue;
                }
                for (field, property) in members(&schemas[operation.body()]["properties"]) {
                    // Each event of a series has its own.
                    if operation.id().ends_with("Series") && UNIQUE.contains(&field.as_str()) {
                        continue;
                    }
                    let body = json!({field: property["example"]});
                    let request = fixture.request_without_body(&fixture.admin, &operation).json(&body);
                    let response = send(request).await;
                    assert_eq!(response.status, 200, "{} {field}: {}", operation.id(), response.text);
                }
            }
        }
    }

    async fn nested_field_examples_are_accepted(database) {
        for variant in VARIANTS {
            let fixture = Fixture::new(&database, variant).await;
            for (kind, name) in [("VenueInput", "venue"), ("OrganizerInput", "organizer")] {
                let schema = &fixture.document["components"]["schemas"][kind];
                let fields = members(&schema["properties"]).filter(|(field, _)| !UNIQUE.contains(&field.as_str()));
                for (field, property) in fields {
                    let mut event = fixture.example("EventCreate");
                    event[name] = json!([{field: property["example"]}]);
                    if field != "id" {
                        event[name][0][name] = schema["properties"][name]["example"].clone();
                    }
                    let response = fixture.admin.post("/events", event).await;
                    assert_eq!(response.status, 201, "{kind} {field}: {}", response.text);
                }
            }
        }
    }
}
