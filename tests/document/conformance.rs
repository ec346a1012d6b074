//! Compares the document with `openapi/specification.yaml`, so that endpoints and request structs conform to the
//! specification.

use std::{fs, path::Path};

use almanac::testing::calendar::Variant;
use serde_json::{Map, Value};

use super::{ROOT, VARIANTS, english, items, members, operation, operations, resolve, text};

fn specification() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/specification.yaml");
    let text = fs::read_to_string(path).expect("the specification");
    serde_norway::from_str(&text).expect("YAML")
}

/// The operations of the specification with paths, methods and parameters, including those of the path.
fn specified(specification: &Value) -> Vec<(String, &str, &Value, Vec<&Value>)> {
    let mut specified = Vec::new();
    for (path, item) in members(&specification["paths"]) {
        for (method, operation) in members(item).filter(|(method, _)| *method != "parameters") {
            let path = format!("{ROOT}{}", path.trim_end_matches('/'));
            let parameters = items(&item["parameters"]).chain(items(&operation["parameters"]));
            specified.push((path, method.as_str(), operation, parameters.collect()));
        }
    }
    specified
}

/// The OpenAPI keywords of a schema of the specification in a variant.
fn declared(schema: &Value, variant: Variant) -> Map<String, Value> {
    let own = &schema["x-variants"][format!("{variant:?}")];
    let keywords = members(schema).chain(members(own));
    keywords
        .filter(|(keyword, _)| !keyword.starts_with("x-"))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect()
}

/// Compares type, type of items and default. A default that the specification lacks must be absent.
fn check_schema(document: &Value, served: &Value, declared: &Map<String, Value>, place: &str) {
    let resolved = resolve(document, served);
    assert_eq!(resolved.get("type"), declared.get("type"), "type of {place}");
    assert_eq!(served.get("default"), declared.get("default"), "default of {place}");
    let Some(items) = declared.get("items") else {
        assert_eq!(resolved.get("items"), None, "items of {place}");
        return;
    };
    let item = resolve(document, &resolved["items"]);
    // Venues and organizers may be nested instead of IDs.
    let item = item["oneOf"].get(0).unwrap_or(item);
    assert_eq!(item["type"], items["type"], "items of {place}");
}

#[test]
fn operations_match_specification() {
    let specification = specification();
    let mut expected: Vec<_> = specified(&specification)
        .into_iter()
        .map(|(path, method, operation, _)| (path, method.to_owned(), text(operation, "operationId").to_owned()))
        .collect();
    expected.sort();
    for variant in VARIANTS {
        let document = english(variant);
        let mut served: Vec<_> = operations(&document)
            .iter()
            .map(|operation| {
                (
                    operation.path.to_owned(),
                    operation.method.to_owned(),
                    operation.id().to_owned(),
                )
            })
            .collect();
        served.sort();
        assert_eq!(served, expected, "{variant:?}");
    }
}

#[test]
fn parameters_match_specification() {
    let specification = specification();
    for variant in VARIANTS {
        let document = english(variant);
        for (_, _, specified, parameters) in specified(&specification) {
            let operation = operation(&document, text(specified, "operationId"));
            for place in ["path", "query"] {
                let mut served = operation.parameters(place);
                let mut expected: Vec<_> = parameters
                    .iter()
                    .filter(|parameter| parameter["in"] == place)
                    .filter(|parameter| {
                        parameter
                            .get("x-only")
                            .is_none_or(|only| *only == format!("{variant:?}"))
                    })
                    .collect();
                served.sort_by_key(|parameter| text(parameter, "name"));
                expected.sort_by_key(|parameter| text(parameter, "name"));
                let names = |list: &[&Value]| -> Vec<String> {
                    list.iter()
                        .map(|parameter| text(parameter, "name").to_owned())
                        .collect()
                };
                let expected: Vec<&Value> = expected.into_iter().copied().collect();
                assert_eq!(names(&served), names(&expected), "{} {variant:?}", operation.id());
                for (served, expected) in served.iter().zip(expected) {
                    let place = format!("{} of {} {variant:?}", text(served, "name"), operation.id());
                    assert_eq!(served.get("required"), expected.get("required"), "{place}");
                    check_schema(
                        &document,
                        &served["schema"],
                        &declared(&expected["schema"], variant),
                        &place,
                    );
                }
            }
        }
    }
}

#[test]
fn media_types_match_specification() {
    let specification = specification();
    let names = |content: &Value| -> Vec<String> { members(content).map(|(name, _)| name.clone()).collect() };
    for variant in VARIANTS {
        let document = english(variant);
        for (_, _, specified, _) in specified(&specification) {
            let operation = operation(&document, text(specified, "operationId"));
            let mut expected = names(&specified["responses"]["200"]["content"]);
            if expected.is_empty() {
                expected.push("application/json".to_owned());
            }
            for (status, response) in members(&operation.value["responses"]) {
                if status.starts_with('2') {
                    assert_eq!(names(&response["content"]), expected, "{} {variant:?}", operation.id());
                }
            }
        }
    }
}

#[test]
fn bodies_match_specification() {
    let specification = specification();
    for variant in VARIANTS {
        let document = english(variant);
        for (_, method, specified, _) in specified(&specification) {
            let operation = operation(&document, text(specified, "operationId"));
            let Some(reference) = specified["requestBody"]["$ref"].as_str() else {
                assert_eq!(operation.body(), "", "{}", operation.id());
                continue;
            };
            let resource = reference.rsplit('/').next().expect("a name");
            let is_create = operation.id() == format!("create{resource}")
                || ["previewSeries", "runBatch"].contains(&operation.id());
            let suffix = if is_create { "Create" } else { "Update" };
            assert_eq!(
                operation.body(),
                format!("{resource}{suffix}"),
                "{method} {}",
                operation.path
            );
        }
    }
}

#[test]
fn fields_match_specification() {
    let specification = specification();
    for variant in VARIANTS {
        let document = english(variant);
        let schemas = &document["components"]["schemas"];
        for (resource, specified) in members(&specification["components"]["schemas"]) {
            for suffix in ["Create", "Update"] {
                let is_create = suffix == "Create";
                let served = &schemas[format!("{resource}{suffix}")];
                let names = |schema: &Value| -> Vec<String> {
                    members(&schema["properties"]).map(|(name, _)| name.clone()).collect()
                };
                assert_eq!(names(served), names(specified), "{resource}{suffix} {variant:?}");
                let required = if is_create {
                    &specified["required"]
                } else {
                    &Value::Null
                };
                assert_eq!(&served["required"], required, "{resource}{suffix} {variant:?}");
                for (name, field) in members(&specified["properties"]) {
                    let place = format!("{resource}{suffix}.{name} {variant:?}");
                    let mut declared = declared(field, variant);
                    if !is_create {
                        declared.remove("default");
                    }
                    check_schema(&document, &served["properties"][name], &declared, &place);
                }
            }
        }
    }
}

#[test]
fn nested_schemas_match_create_schemas() {
    let specification = specification();
    for variant in VARIANTS {
        let document = english(variant);
        let schemas = &document["components"]["schemas"];
        for field in ["venue", "organizer"] {
            let input = specification["components"]["schemas"]["Event"]["properties"][field]["x-nested"].clone();
            let input = input.as_str().expect("the name of a schema");
            let served = resolve(&document, &schemas["EventCreate"]["properties"][field]["items"]);
            assert_eq!(served["oneOf"][1]["$ref"], format!("#/components/schemas/{input}"));
            let create = &schemas[input.replace("Input", "Create")];
            let mut names = members(&schemas[input]["properties"]).map(|(name, _)| name);
            assert_eq!(names.next().map(String::as_str), Some("id"));
            assert!(
                names.eq(members(&create["properties"]).map(|(name, _)| name)),
                "{input}"
            );
            assert_eq!(schemas[input]["required"], Value::Null, "{input}");
        }
    }
}
