//! OpenAPI Overlay 1.0: named changes to a description.
//!
//! `build.rs` lays the variants' overlays on the description, and [`super::document`] lays those on the emitted
//! document that say what poem-openapi can't.

use serde_json::Value;
use serde_json_path::JsonPath;

/// Lays the overlay on the description.
///
/// # Errors
/// Names an action that is not understood, or whose target is not there: it would say nothing.
pub fn lay(description: &mut Value, overlay: &Value) -> Result<(), String> {
    match lay_where_present(description, overlay)?.first() {
        Some(missed) => Err(format!("there is no {missed}")),
        None => Ok(()),
    }
}

/// The same for an overlay that is written for more than this one description. Returns the targets that are
/// not there.
pub fn lay_where_present(description: &mut Value, overlay: &Value) -> Result<Vec<String>, String> {
    let actions = overlay["actions"]
        .as_array()
        .ok_or("an overlay has a list of actions")?;
    let mut missed = Vec::new();
    for action in actions {
        let target = action["target"]
            .as_str()
            .ok_or_else(|| format!("an action has a target: {action}"))?;
        let path = JsonPath::parse(target).map_err(|error| format!("{target}: {error}"))?;
        let mut places: Vec<String> = path
            .query_located(description)
            .iter()
            .map(|node| node.location().to_json_pointer())
            .collect();
        if places.is_empty() {
            missed.push(target.to_owned());
        }
        // From the back, so that removing one item of a list does not move those that are still to go.
        places.reverse();
        for place in places {
            if action["remove"] == true {
                remove(description, &place);
            } else if let Some(value) = description.pointer_mut(&place) {
                merge(value, &action["update"]);
            }
        }
    }
    Ok(missed)
}

fn remove(description: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else {
        return;
    };
    match description.pointer_mut(parent) {
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

/// Objects are merged, lists are lengthened, anything else is replaced.
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
    fn an_update_merges_and_a_removal_removes() {
        let mut description = json!({"get": {"parameters": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}});
        let overlay = json!({"actions": [
            {"target": "$.get.parameters[?@.name == 'a']", "update": {"description": "first"}},
            {"target": "$.get.parameters[?@.name != 'a']", "remove": true},
        ]});
        lay(&mut description, &overlay).unwrap();
        let expected = json!({"get": {"parameters": [{"name": "a", "description": "first"}]}});
        assert_eq!(description, expected);
    }

    #[test]
    fn a_target_that_is_not_there_is_named() {
        let overlay = json!({"actions": [{"target": "$.nowhere", "update": {}}]});
        let error = lay(&mut json!({}), &overlay).unwrap_err();
        assert!(error.contains("$.nowhere"), "{error}");
    }
}
