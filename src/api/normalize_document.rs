//! What poem-openapi emits, without the marks of how it is made: the same document, easier to read.

use serde_json::{Map, Value};

/// Tidies the whole document.
pub fn tidy(document: &mut Value) {
    tidy_value(document);
    order_tags(document);
}

fn tidy_value(value: &mut Value) {
    match value {
        Value::Object(members) => {
            leave_out_defaults(members);
            join_lines(members);
            lift_reference(members);
            members.values_mut().for_each(tidy_value);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy_value),
        Value::Number(number) => {
            // Bounds come as `1.0`, which is no integer to some generators.
            let whole = number.as_f64().filter(|float| float.fract() == 0.0);
            if let Some(whole) = whole.and_then(|whole| format!("{whole}").parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        _ => {}
    }
}

/// What OpenAPI takes for granted need not be said of each parameter and header.
fn leave_out_defaults(members: &mut Map<String, Value>) {
    for (keyword, default) in [("deprecated", false), ("explode", true)] {
        if members.get(keyword) == Some(&default.into()) {
            members.shift_remove(keyword);
        }
    }
    if members.contains_key("in") && members.get("required") == Some(&false.into()) {
        members.shift_remove("required");
    }
}

/// Texts are comments in the code, where lines are short. A blank line parts paragraphs.
fn join_lines(members: &mut Map<String, Value>) {
    for keyword in ["summary", "description"] {
        if let Some(Value::String(text)) = members.get_mut(keyword) {
            let paragraphs = text.split("\n\n").map(|lines| lines.replace('\n', " "));
            *text = paragraphs.collect::<Vec<_>>().join("\n\n");
        }
    }
}

/// A reference with a description comes as `allOf` of the two, and the description once more beside it.
fn lift_reference(members: &mut Map<String, Value>) {
    let description = members.get("description").cloned();
    if let Some(Value::Array(parts)) = members.get_mut("allOf")
        && let [reference, said] = parts.as_slice()
        && reference.get("$ref").is_some()
        && said.get("description") == description.as_ref()
    {
        parts.truncate(1);
    }
}

/// Tags come by their names; here they stand as their operations do.
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
    fn numbers_lines_and_defaults_are_tidied() {
        let mut value = json!({
            "description": "one\nline\n\nand another", "deprecated": false, "required": false,
            "in": "query", "schema": {"minimum": 1.0, "maximum": 1.5},
        });
        tidy_value(&mut value);
        let expected = json!({
            "description": "one line\n\nand another",
            "in": "query", "schema": {"minimum": 1, "maximum": 1.5},
        });
        assert_eq!(value, expected);
        assert_eq!(value["schema"]["minimum"].to_string(), "1");
    }

    #[test]
    fn tags_stand_as_their_operations() {
        let mut document = json!({
            "tags": [{"name": "A"}, {"name": "B"}],
            "paths": {"/b": {"get": {"tags": ["B"]}}, "/a": {"get": {"tags": ["A"]}}},
        });
        tidy(&mut document);
        assert_eq!(document["tags"], json!([{"name": "B"}, {"name": "A"}]));
    }
}
