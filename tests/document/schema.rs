//! Assertions that values and headers match the document.

use boon::{Compiler, Draft, Schemas};
use serde_json::{Map, Value, json};

use super::{Operation, members, support::Response};

/// The URL by which the compiler identifies the schema.
const SCHEMA_URL: &str = "https://calendar.example.org/schema.json";
/// Headers of the connection, of compression, of the body and of CORS, which the document does not declare.
const UNDECLARED: [&str; 6] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
];

/// Asserts that the value matches the schema and has no undeclared members.
#[track_caller]
pub(crate) fn assert_matches_schema(document: &Value, schema: &Value, value: &Value, at: &str) {
    let resource = json!({
        "allOf": [to_json_schema(schema)],
        "components": {"schemas": referenced(document, schema)},
    });
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V4);
    compiler.enable_format_assertions();
    compiler.add_resource(SCHEMA_URL, resource).expect("the URL is valid");
    let mut schemas = Schemas::new();
    let compiled = compiler.compile(SCHEMA_URL, &mut schemas);
    let compiled = compiled.expect("the schema is valid");
    if let Err(error) = schemas.validate(value, compiled) {
        panic!("{at}: {error:#}\n{value:#}");
    }
}

/// The schemas that a schema references, directly or indirectly, as JSON Schema. Converting the whole document would
/// dominate the run time of these tests.
fn referenced(document: &Value, schema: &Value) -> Map<String, Value> {
    let mut found = Map::new();
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => pending.extend(members.values()),
            Value::Array(items) => pending.extend(items),
            Value::String(text) => {
                if let Some(name) = text.strip_prefix("#/components/schemas/")
                    && !found.contains_key(name)
                {
                    let schema = &document["components"]["schemas"][name];
                    found.insert(name.to_owned(), to_json_schema(schema));
                    pending.push(schema);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

/// Converts a schema of OpenAPI 3.0 to JSON Schema: `nullable` adds null, and undeclared members are forbidden.
fn to_json_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let mut converted: Map<String, Value> = keywords
                .iter()
                .filter(|(keyword, _)| !["example", "nullable"].contains(&keyword.as_str()))
                .map(|(keyword, value)| match keyword.as_str() {
                    "default" | "enum" => (keyword.clone(), value.clone()),
                    _ => (keyword.clone(), to_json_schema(value)),
                })
                .collect();
            if converted.contains_key("properties") {
                converted.entry("additionalProperties").or_insert(false.into());
            }
            if keywords.get("nullable") == Some(&true.into()) {
                return json!({"anyOf": [converted, {"type": "null"}]});
            }
            converted.into()
        }
        Value::Array(items) => items.iter().map(to_json_schema).collect(),
        other => other.clone(),
    }
}

/// Asserts that both values have the same members of the same types. Empty lists and null match anything.
#[track_caller]
pub(crate) fn assert_same_shape(example: &Value, response: &Value, at: &str) {
    match (example, response) {
        (Value::Object(left), Value::Object(right)) => {
            let names = |members: &Map<String, Value>| {
                let mut names: Vec<_> = members.keys().cloned().collect();
                names.sort();
                names
            };
            assert_eq!(names(left), names(right), "{at}");
            for (name, value) in left {
                assert_same_shape(value, &right[name], &format!("{at}.{name}"));
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            if let (Some(left), Some(right)) = (left.first(), right.first()) {
                assert_same_shape(left, right, at);
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (left, right) => assert_eq!(
            std::mem::discriminant(left),
            std::mem::discriminant(right),
            "{at}: {left} {right}"
        ),
    }
}

/// Asserts that the status is declared, that the body matches the schema, and that the headers are exactly the declared
/// ones, apart from those that are not required.
#[track_caller]
pub(crate) fn assert_declared(document: &Value, operation: &Operation<'_>, response: &Response) {
    let at = format!("{} {}", operation.id(), response.status.as_u16());
    let declaration = &operation.value["responses"][response.status.as_str()];
    assert!(declaration.is_object(), "{at} is not declared: {}", response.text);
    match declaration["content"].as_object() {
        None => assert_eq!(response.text, "", "{at}"),
        Some(content) => {
            let schema = &content[response.header("content-type")]["schema"];
            assert_matches_schema(document, schema, &response.body, &at);
        }
    }
    let declared: Vec<String> = members(&declaration["headers"])
        .map(|(name, _)| name.to_lowercase())
        .collect();
    for name in response.headers.keys().map(reqwest::header::HeaderName::as_str) {
        let is_known = UNDECLARED.contains(&name) || name.starts_with("access-control-");
        assert!(
            is_known || declared.iter().any(|declared| declared == name),
            "{at} sends {name}"
        );
    }
    for (name, header) in members(&declaration["headers"]) {
        let reference = header["$ref"]
            .as_str()
            .map(|reference| reference.trim_start_matches('#'));
        let header = reference.map_or(header, |reference| {
            document.pointer(reference).expect("the reference resolves")
        });
        if header["required"] == true {
            assert_ne!(response.header(name), "", "{at} declares {name}");
        }
        if header["schema"]["type"] == "integer" {
            let value = response.header(name).parse::<u64>();
            assert!(value.is_ok(), "{at} {name}");
        }
    }
}
