//! Applies OpenAPI Overlays (1.0) to the document.

use serde_json::Value;
use serde_json_path::JsonPath;

/// Applies the overlay, and returns the targets that do not exist in the document.
///
/// # Errors
/// If the overlay is malformed.
pub(crate) fn apply(document: &mut Value, overlay: &Value) -> Result<Vec<String>, String> {
    let actions = overlay["actions"]
        .as_array()
        .ok_or("the overlay has no list of actions")?;
    let mut missing = Vec::new();
    for action in actions {
        let target = action["target"]
            .as_str()
            .ok_or_else(|| format!("the action has no target: {action}"))?;
        let path = JsonPath::parse(target).map_err(|error| format!("{target}: {error}"))?;
        let mut locations: Vec<String> = path
            .query_located(document)
            .iter()
            .map(|node| node.location().to_json_pointer())
            .collect();
        if locations.is_empty() {
            missing.push(target.to_owned());
        }
        // In reverse, because removing an item of an array moves the items after it.
        locations.reverse();
        for location in locations {
            if action["remove"] == true {
                remove(document, &location);
            } else if let Some(value) = document.pointer_mut(&location) {
                merge(value, &action["update"]);
            }
        }
    }
    Ok(missing)
}

fn remove(document: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else {
        return;
    };
    match document.pointer_mut(parent) {
        Some(Value::Array(items)) => {
            if let Ok(index) = last.parse::<usize>() {
                items.remove(index);
            }
        }
        Some(Value::Object(members)) => {
            members.shift_remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        _ => {}
    }
}

/// Merges objects, extends arrays, and replaces other values.
fn merge(value: &mut Value, update: &Value) {
    match (value, update) {
        (Value::Object(members), Value::Object(updates)) => {
            for (name, update) in updates {
                merge(members.entry(name).or_insert(Value::Null), update);
            }
        }
        (Value::Array(items), Value::Array(updates)) => items.extend(updates.iter().cloned()),
        (value, update) => *value = update.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn update_and_remove() {
        let mut document = json!({"get": {"parameters": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}});
        let overlay = json!({"actions": [
            {"target": "$.get.parameters[?@.name == 'a']", "update": {"description": "first"}},
            {"target": "$.get.parameters[?@.name != 'a']", "remove": true},
        ]});
        assert_eq!(apply(&mut document, &overlay), Ok(vec![]));
        let expected = json!({"get": {"parameters": [{"name": "a", "description": "first"}]}});
        assert_eq!(document, expected);
    }

    #[test]
    fn missing_target_is_returned() {
        let overlay = json!({"actions": [{"target": "$.nowhere", "update": {}}]});
        assert_eq!(apply(&mut json!({}), &overlay), Ok(vec!["$.nowhere".to_owned()]));
    }
}
