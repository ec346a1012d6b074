//! The interface description: that it is right, whole, in both languages, and the one that is committed; and that
//! its examples work on a real server, which answers as it says.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "other tests stand on more of it")]
mod support;

mod answers;
mod conformance;
mod drift;
mod failures;
mod links;
mod schema;
mod sent;
mod shape;
mod spanish;
mod stage;
mod table;

use almanac::{api::document, calendar::Variant};
use serde_json::Value;

const ROOT: &str = "/calendar/events/v1";
const VARIANTS: [Variant; 2] = [Variant::A, Variant::B];
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The document of a variant in English, with shared responses in the place of the references to them.
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

/// The members of an object, none if it is no object.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The items of a list, none if it is no list.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A member that is a text; empty if it is none.
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
    fn id(&self) -> &'a str {
        text(self.value, "operationId")
    }

    /// The parameters in a place, such as `query`; those that are shared stand elsewhere, by reference.
    fn parameters(&self, place: &str) -> Vec<&'a Value> {
        let all = items(&self.value["parameters"]);
        all.filter(|parameter| parameter["in"] == place).collect()
    }

    /// The name of the body's schema; empty if there is no body.
    fn body(&self) -> &'a str {
        let schema = &self.value["requestBody"]["content"]["application/json"]["schema"];
        text(schema, "$ref").trim_start_matches("#/components/schemas/")
    }
}

/// The schema that this one names, alone or beside texts of its own; itself if it names none.
fn named<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let own = schema["$ref"].as_str();
    let reference = own.or_else(|| schema["allOf"][0]["$ref"].as_str());
    reference.map_or(schema, |reference| {
        let named = document.pointer(reference.trim_start_matches('#'));
        named.expect("references lead somewhere")
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

fn operation<'a>(document: &'a Value, id: &str) -> Operation<'a> {
    operations(document)
        .into_iter()
        .find(|operation| operation.id() == id)
        .unwrap_or_else(|| panic!("there is no operation {id}"))
}

/// Calls `visit` for every object of the document, with the names that lead to it.
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
