//! Shapes of responses: their exact members and types.
//!
//! A shape is JSON. A string is a type (`integer`, `number`, `string`, `date`, `boolean`, `array`) or the name of a
//! shape; `=word` is that literal string, and other values stand for themselves. An object has exactly these members,
//! plus those of the shape named by `...`. An array has items of these shapes, in order.

use serde_json::{Map, Value};

/// Shapes by name.
pub(crate) type Shapes = Map<String, Value>;

/// The differences between a value and a shape, with their paths.
pub(crate) fn mismatches(shapes: &Shapes, shape: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(shapes, shape, value, "", &mut found);
    found
}

fn compare(shapes: &Shapes, shape: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let fits = match shape {
        Value::String(word) => match word.strip_prefix('=') {
            Some(text) => value == text,
            None => match word.as_str() {
                "" => value == "",
                "integer" => value.is_i64(),
                "number" => value.is_number(),
                "string" => value.is_string(),
                "date" => is_date(value),
                "boolean" => value.is_boolean(),
                "array" => value.is_array(),
                name => {
                    let shape = shapes.get(name);
                    let shape = shape.unwrap_or_else(|| panic!("there is no shape {name}"));
                    return compare(shapes, shape, value, path, found);
                }
            },
        },
        Value::Object(members) => {
            let Some(values) = value.as_object() else {
                found.push(format!("{path}: {value} is not an object"));
                return;
            };
            return compare_members(shapes, &flatten(shapes, members), values, path, found);
        }
        Value::Array(items) => {
            let values = value.as_array().filter(|values| values.len() == items.len());
            if let Some(values) = values {
                for (number, (item, value)) in items.iter().zip(values).enumerate() {
                    compare(shapes, item, value, &format!("{path}[{number}]"), found);
                }
            }
            values.is_some()
        }
        literal => literal == value,
    };
    if !fits {
        found.push(format!("{path}: {value} is not {shape}"));
    }
}

fn compare_members(shapes: &Shapes, members: &Shapes, values: &Shapes, path: &str, found: &mut Vec<String>) {
    for (name, shape) in members {
        match values.get(name) {
            Some(value) => compare(shapes, shape, value, &format!("{path}.{name}"), found),
            None => found.push(format!("{path}.{name} is missing")),
        }
    }
    let unknown = values.keys().filter(|name| !members.contains_key(*name));
    found.extend(unknown.map(|name| format!("{path}.{name} is unexpected")));
}

/// The members of an object, including those of the shape that it extends.
fn flatten(shapes: &Shapes, members: &Shapes) -> Shapes {
    let mut all = match members.get("...").and_then(Value::as_str) {
        Some(name) => {
            let base = shapes.get(name).and_then(Value::as_object);
            flatten(shapes, base.unwrap_or_else(|| panic!("there is no shape {name}")))
        }
        None => Shapes::new(),
    };
    let own = members.iter().filter(|(name, _)| *name != "...");
    all.extend(own.map(|(name, shape)| (name.clone(), shape.clone())));
    all
}

fn is_date(value: &Value) -> bool {
    let format = "%Y-%m-%d %H:%M:%S";
    value
        .as_str()
        .is_some_and(|text| text.len() == 19 && chrono::NaiveDateTime::parse_from_str(text, format).is_ok())
}

#[test]
fn mismatches_are_reported() {
    use serde_json::json;
    let shapes = json!({"a": {"id": "integer"}, "b": {"...": "a", "on": "boolean", "list": ["a"]}});
    let shapes = shapes.as_object().expect("shapes").clone();
    for (value, expected) in [
        (json!({"id": 1, "on": true, "list": [{"id": 2}]}), 0),
        (json!({"id": "1", "on": true, "list": [{"id": 2}]}), 1),
        (json!({"id": 1, "on": 1, "list": [{"id": 2}]}), 1),
        (json!({"id": 1, "on": true, "list": []}), 1),
        (json!({"id": 1, "on": true, "list": [{"id": 2, "more": 3}]}), 1),
        (json!({"list": [{"id": 2}]}), 2),
        (json!([]), 1),
    ] {
        let found = mismatches(&shapes, &"b".into(), &value);
        assert_eq!(found.len(), expected, "{value}: {found:?}");
    }
    assert_eq!(
        mismatches(&shapes, &"date".into(), &json!("2030-01-01 09:00:00")),
        [""; 0]
    );
    assert_eq!(
        mismatches(&shapes, &"date".into(), &json!("2030-01-01T09:00:00Z")).len(),
        1
    );
    assert_eq!(mismatches(&shapes, &"=x".into(), &json!("y")).len(), 1);
}
