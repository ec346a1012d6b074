//! Tests of the OpenAPI document: consistency, conformance to the specification, translation, the committed copies, and
//! its examples against a real server.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "other test targets use more of it")]
mod support;

mod conformance;
mod drift;
mod errors;
mod fixture;
mod links;
mod operations_table;
mod request_examples;
mod responses;
mod schema;
mod shape;
mod spanish;

use almanac::testing::{api::document, calendar::Variant};
use serde_json::Value;

const ROOT: &str = "/calendar/events/v1";
const VARIANTS: [Variant; 2] = [Variant::A, Variant::B];
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The English document of a variant, with references to shared responses resolved.
fn english(variant: Variant) -> Value {
    let mut document = Value::clone(&document::canonical(variant).value);
    resolve_responses(&mut document);
    document
}

/// Replaces each reference to a shared response by the response.
fn resolve_responses(document: &mut Value) {
    let shared = document["components"]["responses"].clone();
    for item in document["paths"]
        .as_object_mut()
        .into_iter()
        .flatten()
        .map(|(_, item)| item)
    {
        for operation in item
            .as_object_mut()
            .into_iter()
            .flatten()
            .map(|(_, operation)| operation)
        {
            let responses = operation["responses"].as_object_mut().into_iter().flatten();
            for (_, response) in responses {
                if let Some(reference) = response["$ref"].as_str() {
                    *response = shared[reference.rsplit('/').next().unwrap_or_default()].clone();
                }
            }
        }
    }
}

/// The members of an object; empty for other values.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The items of an array; empty for other values.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A string member; empty for other values.
fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

/// An operation with its path and method.
struct Operation<'a> {
    path: &'a str,
    method: &'a str,
    value: &'a Value,
}

impl<'a> Operation<'a> {
    /// The resource.
    fn tag(&self) -> &'a str {
        self.value["tags"][0].as_str().unwrap_or_default()
    }

    fn id(&self) -> &'a str {
        text(self.value, "operationId")
    }

    /// The parameters in a location, such as `query`, without references to shared parameters.
    fn parameters(&self, location: &str) -> Vec<&'a Value> {
        let all = items(&self.value["parameters"]);
        all.filter(|parameter| parameter["in"] == location).collect()
    }

    /// The name of the body's schema; empty if there is no body.
    fn body(&self) -> &'a str {
        let schema = &self.value["requestBody"]["content"]["application/json"]["schema"];
        text(schema, "$ref").trim_start_matches("#/components/schemas/")
    }
}

/// Resolves a schema that is a reference, or an `allOf` of one; returns other schemas.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let own = schema["$ref"].as_str();
    let reference = own.or_else(|| schema["allOf"][0]["$ref"].as_str());
    reference.map_or(schema, |reference| {
        let resolved = document.pointer(reference.trim_start_matches('#'));
        resolved.expect("the reference resolves")
    })
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (path, item) in members(&document["paths"]) {
        for (method, value) in members(item) {
            assert!(METHODS.contains(&method.as_str()), "{path} {method}");
            operations.push(Operation { path, method, value });
        }
    }
    operations
}

/// The operations whose examples can be sent to any server. Those of changes and webhooks depend on tokens, secrets and
/// other servers: `tests/api/changes.rs`, `tests/api/webhooks.rs` and `tests/commands/webhooks.rs` send them.
fn repeatable_operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations = operations(document);
    operations.retain(|operation| !["Changes", "Webhooks"].contains(&operation.tag()));
    operations
}

fn operation<'a>(document: &'a Value, id: &str) -> Operation<'a> {
    operations(document)
        .into_iter()
        .find(|operation| operation.id() == id)
        .unwrap_or_else(|| panic!("there is no operation {id}"))
}

/// Calls `visitor` for every object of the document, with its path.
fn visit(value: &Value, path: &str, visitor: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            visitor(path, value);
            for (name, member) in members {
                visit(member, &format!("{path}/{name}"), visitor);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, &format!("{path}/{index}"), visitor);
            }
        }
        _ => {}
    }
}
