//! Normalises poem-openapi's output without changing its meaning.

use serde_json::{Map, Value};

use crate::calendar::Variant;

/// Normalises the whole document.
pub(crate) fn normalize(document: &mut Value, variant: Variant) {
    normalize_value(document, variant);
    order_tags(document);
}

fn normalize_value(value: &mut Value, variant: Variant) {
    match value {
        Value::Object(members) => {
            remove_defaults(members);
            join_lines(members);
            remove_duplicate_description(members);
            select_members(members, variant);
            members.values_mut().for_each(|member| normalize_value(member, variant));
        }
        Value::Array(items) => {
            select_parameters(items, variant);
            items.iter_mut().for_each(|item| normalize_value(item, variant));
        }
        Value::Number(number) => {
            // Bounds are emitted as `1.0`, which some client generators do not accept as an integer.
            let float = number.as_f64().filter(|float| float.fract() == 0.0);
            if let Some(integer) = float.and_then(|float| format!("{float}").parse::<i64>().ok()) {
                *value = integer.into();
            }
        }
        _ => {}
    }
}

/// The name of a property or parameter without the prefix of the variant that
/// [`crate::extract::parameters::properties`] adds; None if it belongs to the other variant.
fn name_in(name: &str, variant: Variant) -> Option<&str> {
    for declared_for in Variant::ALL {
        if let Some(unprefixed) = name.strip_prefix(&format!("{declared_for:?}:")) {
            return (declared_for == variant).then_some(unprefixed);
        }
    }
    Some(name)
}

fn select_members(members: &mut Map<String, Value>, variant: Variant) {
    if members.keys().all(|name| name_in(name, variant) == Some(name)) {
        return;
    }
    *members = std::mem::take(members)
        .into_iter()
        .filter_map(|(name, value)| Some((name_in(&name, variant)?.to_owned(), value)))
        .collect();
}

fn select_parameters(items: &mut Vec<Value>, variant: Variant) {
    items.retain_mut(|item| {
        let Some(Value::String(name)) = item.get_mut("name") else {
            return true;
        };
        match name_in(name, variant).map(str::to_owned) {
            Some(unprefixed) => *name = unprefixed,
            None => return false,
        }
        true
    });
}

/// Removes keywords with default values.
fn remove_defaults(members: &mut Map<String, Value>) {
    for (keyword, default) in [("deprecated", false), ("explode", true)] {
        if members.get(keyword) == Some(&default.into()) {
            members.shift_remove(keyword);
        }
    }
    if members.contains_key("in") && members.get("required") == Some(&false.into()) {
        members.shift_remove("required");
    }
}

/// Joins the lines of doc comments. Blank lines separate paragraphs.
fn join_lines(members: &mut Map<String, Value>) {
    for keyword in ["summary", "description"] {
        if let Some(Value::String(text)) = members.get_mut(keyword) {
            let paragraphs = text.split("\n\n").map(|lines| lines.replace('\n', " "));
            *text = paragraphs.collect::<Vec<_>>().join("\n\n");
        }
    }
}

/// Removes from `allOf` the element that repeats the description beside the reference.
fn remove_duplicate_description(members: &mut Map<String, Value>) {
    let description = members.get("description").cloned();
    if let Some(Value::Array(parts)) = members.get_mut("allOf")
        && let [reference, other] = parts.as_slice()
        && reference.get("$ref").is_some()
        && other.get("description") == description.as_ref()
    {
        parts.truncate(1);
    }
}

/// Orders tags by their first operation.
fn order_tags(document: &mut Value) {
    let mut order: Vec<String> = Vec::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    for (_, item) in paths {
        for (_, operation) in item.as_object().into_iter().flatten() {
            let tags = operation["tags"].as_array().into_iter().flatten();
            order.extend(tags.filter_map(Value::as_str).map(str::to_owned));
        }
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.sort_by_key(|tag| order.iter().position(|name| tag["name"] == name.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_lines_and_defaults() {
        let mut value = json!({
            "description": "one\nline\n\nand another", "deprecated": false, "required": false,
            "in": "query", "schema": {"minimum": 1.0, "maximum": 1.5},
        });
        normalize_value(&mut value, Variant::A);
        let expected = json!({
            "description": "one line\n\nand another",
            "in": "query", "schema": {"minimum": 1, "maximum": 1.5},
        });
        assert_eq!(value, expected);
        assert_eq!(value["schema"]["minimum"].to_string(), "1");
    }

    #[test]
    fn declarations_of_one_variant() {
        let mut value = json!({
            "parameters": [{"name": "A:size"}, {"name": "page"}, {"name": "B:size"}],
            "properties": {"first": 1, "A:second": 2, "B:second": 3, "B:third": 4, "last": 5},
        });
        normalize_value(&mut value, Variant::A);
        let expected = json!({
            "parameters": [{"name": "size"}, {"name": "page"}],
            "properties": {"first": 1, "second": 2, "last": 5},
        });
        assert_eq!(value.to_string(), expected.to_string());
    }

    #[test]
    fn tags_in_order_of_operations() {
        let mut document = json!({
            "tags": [{"name": "A"}, {"name": "B"}],
            "paths": {"/b": {"get": {"tags": ["B"]}}, "/a": {"get": {"tags": ["A"]}}},
        });
        normalize(&mut document, Variant::A);
        assert_eq!(document["tags"], json!([{"name": "B"}, {"name": "A"}]));
    }
}
