//! Whether values and headers are as the document declares them.

use boon::{Compiler, Draft, Schemas};
use serde_json::{Map, Value, json};

use super::{Operation, members, support::Answer};

/// Where the schemas stand, for those who look from one to another.
const ADDRESS: &str = "https://calendar.example.org/schema.json";
/// Headers that belong to the connection, to compression, to the body, or to other origins' pages.
const UNDECLARED: [&str; 6] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
];

/// Holds that the value fits the schema, and has no member that the schema does not name.
#[track_caller]
pub fn assert_fits(document: &Value, schema: &Value, value: &Value, at: &str) {
    let whole = json!({
        "allOf": [in_json_schema(schema)],
        "components": {"schemas": referenced(document, schema)},
    });
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V4);
    compiler.enable_format_assertions();
    compiler.add_resource(ADDRESS, whole).expect("the address is one");
    let mut schemas = Schemas::new();
    let compiled = compiler.compile(ADDRESS, &mut schemas);
    let compiled = compiled.expect("the schema is one");
    if let Err(fault) = schemas.validate(value, compiled) {
        panic!("{at}: {fault:#}\n{value:#}");
    }
}

/// The schemas that a schema refers to, directly or through others, as JSON Schema. Converting the whole document would
/// take most of the time of these tests.
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
                    found.insert(name.to_owned(), in_json_schema(schema));
                    pending.push(schema);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

/// A schema of OpenAPI 3.0 as JSON Schema: with null where it is `nullable`, and closed.
fn in_json_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let mut converted: Map<String, Value> = keywords
                .iter()
                .filter(|(keyword, _)| !["example", "nullable"].contains(&keyword.as_str()))
                .map(|(keyword, value)| match keyword.as_str() {
                    "default" | "enum" => (keyword.clone(), value.clone()),
                    _ => (keyword.clone(), in_json_schema(value)),
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
        Value::Array(items) => items.iter().map(in_json_schema).collect(),
        other => other.clone(),
    }
}

/// Holds that the two have the same members, of the same types. A list that is empty, and null, have no shape.
#[track_caller]
pub fn assert_same_shape(example: &Value, answer: &Value, at: &str) {
    match (example, answer) {
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

/// Holds that the answer's status is declared, that its body fits the schema, and that it carries the declared
/// headers and no other.
#[track_caller]
pub fn assert_declared(document: &Value, operation: &Operation<'_>, answer: &Answer) {
    let at = format!("{} {}", operation.id(), answer.status.as_u16());
    let response = &operation.value["responses"][answer.status.as_str()];
    assert!(response.is_object(), "{at} is not declared: {}", answer.text);
    match response["content"].as_object() {
        None => assert_eq!(answer.text, "", "{at}"),
        Some(content) => {
            let schema = &content[answer.header("content-type")]["schema"];
            assert_fits(document, schema, &answer.body, &at);
        }
    }
    let declared: Vec<String> = members(&response["headers"])
        .map(|(name, _)| name.to_lowercase())
        .collect();
    for name in answer.headers.keys().map(reqwest::header::HeaderName::as_str) {
        let is_known = UNDECLARED.contains(&name) || name.starts_with("access-control-");
        assert!(
            is_known || declared.iter().any(|declared| declared == name),
            "{at} sends {name}"
        );
    }
    for name in &declared {
        assert_ne!(answer.header(name), "", "{at} declares {name}");
    }
    for (name, header) in members(&response["headers"]) {
        if header["schema"]["type"] == "integer" {
            let value = answer.header(name).parse::<u64>();
            assert!(value.is_ok(), "{at} {name}");
        }
    }
}
