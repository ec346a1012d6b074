//! The document against the description from which it is made.

use std::{fs, path::Path};

use almanac::api::{document, overlay, variant::VariantName};
use serde_json::{Map, Value, json};

use super::{Operation, VARIANTS, english, members, operation, operations, text};

fn read(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi").join(file);
    let text = fs::read_to_string(path).expect("the file is there");
    serde_norway::from_str(&text).expect("the file is YAML")
}

/// The description as it is in a variant.
fn description(variant: VariantName) -> Value {
    let mut description = read("calendar.yaml");
    let overlay = read(match variant {
        VariantName::A => "variant-a.overlay.yaml",
        VariantName::B => "variant-b.overlay.yaml",
    });
    overlay::lay(&mut description, &overlay).expect("the overlay fits");
    description
}

#[test]
fn each_operation_is_served_as_it_is_described() {
    for variant in VARIANTS {
        let (document, description) = (english(variant), description(variant));
        let described = operations(&description);
        assert_eq!(described.len(), operations(&document).len());
        for described in described {
            let served = operation(&document, described.id());
            assert_eq!(served.path, described.path);
            assert_eq!(served.method, described.method);
            assert_eq!(served.value["tags"], described.value["tags"]);
            assert_eq!(served.body(), described.body(), "{}", described.id());
            for place in ["path", "query"] {
                assert_eq!(
                    parameters(&served, place),
                    parameters(&described, place),
                    "{}",
                    described.id()
                );
            }
        }
    }
}

/// What counts of parameters. Those of paths are described anew for each kind, with other examples.
fn parameters(operation: &Operation<'_>, place: &str) -> Vec<Value> {
    let parameters = operation.parameters(place).into_iter();
    parameters
        .map(|parameter| {
            let description = (place == "query").then(|| text(parameter, "description"));
            let mut schema = plain(&parameter["schema"]);
            if let (Value::Object(schema), "path") = (&mut schema, place) {
                schema.remove("example");
            }
            json!({
                "name": parameter["name"],
                "required": parameter["required"],
                "description": description,
                "schema": schema,
            })
        })
        .collect()
}

#[test]
fn each_body_is_served_as_it_is_described() {
    for variant in VARIANTS {
        let (document, description) = (english(variant), description(variant));
        for (name, described) in members(&description["components"]["schemas"]) {
            let served = &document["components"]["schemas"][name];
            assert_eq!(served["description"], described["description"], "{name}");
            assert_eq!(served["example"], described["example"], "{name}");
            let derived = described["x-update-of"]
                .as_str()
                .or_else(|| described["x-nested-of"].as_str());
            if derived.is_none() && described.get("properties").is_none() {
                assert_eq!(plain(served), plain(described), "{name}");
            }
            let original = derived.unwrap_or(name);
            let is_update = described.get("x-update-of").is_some();
            let original = &description["components"]["schemas"][original];
            for (field, property) in members(&original["properties"]) {
                let mut expected = plain(property);
                if is_update {
                    let kept = described["x-keep"].as_array().expect("x-keep is a list");
                    let expected = expected.as_object_mut().expect("a schema is an object");
                    expected.remove("default");
                    expected.remove("nullable");
                    if expected.contains_key("type") && !kept.contains(&json!(field)) {
                        expected.insert("nullable".to_owned(), true.into());
                    }
                }
                let served = plain(&served["properties"][field]);
                assert_eq!(served, expected, "{name}.{field}");
            }
        }
    }
}

#[test]
fn every_target_of_the_overlays_is_somewhere() {
    assert_eq!(document::lost_targets(), Vec::<String>::new());
}

/// A schema without the marks that only the build reads, in one spelling.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let members = members.iter().filter(|(keyword, _)| !keyword.starts_with("x-"));
            let members: Map<String, Value> = members
                .map(|(keyword, value)| match keyword.as_str() {
                    "additionalProperties" if *value == json!(true) => (keyword.clone(), json!({})),
                    "example" | "default" | "enum" => (keyword.clone(), value.clone()),
                    _ => (keyword.clone(), plain(value)),
                })
                .collect();
            members.into()
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}
