//! HTML entities in the texts that WordPress clients send.

use html_escape::decode_html_entities;
use serde_json::{Map, Value};

/// Fields that contain HTML, custom data, or a URL that is represented without entities.
const NOT_DECODED: [&str; 4] = ["description", "excerpt", "custom_fields", "image"];

/// Decodes the entities in all texts once, including nested objects.
pub(super) fn decode(fields: &mut Map<String, Value>) {
    for (name, value) in fields {
        if !NOT_DECODED.contains(&name.as_str()) {
            decode_value(value);
        }
    }
}

fn decode_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = decode_html_entities(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(decode_value),
        Value::Object(members) => decode(members),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn decode_once_outside_html() {
        for (sent, decoded) in [
            (
                json!({"title": "Tom &#038; &#8220;Jerry&#8221;"}),
                json!({"title": "Tom & \u{201c}Jerry\u{201d}"}),
            ),
            (
                json!({"title": "A &lt; B &amp;amp; &euro;5"}),
                json!({"title": "A < B &amp; \u{20ac}5"}),
            ),
            (
                json!({"website": "https://x.example/?a=1&amp;b=2&copy=3"}),
                json!({"website": "https://x.example/?a=1&b=2&copy=3"}),
            ),
            (
                json!({"description": "<p>A &amp; B</p>", "excerpt": "&lt;", "custom_fields": {"a": "&amp;"}}),
                json!({"description": "<p>A &amp; B</p>", "excerpt": "&lt;", "custom_fields": {"a": "&amp;"}}),
            ),
            (
                json!({"tags": ["R&amp;B", 5], "venue": {"venue": "A &amp; B", "description": "&amp;"}}),
                json!({"tags": ["R&B", 5], "venue": {"venue": "A & B", "description": "&amp;"}}),
            ),
        ] {
            let mut fields = sent.as_object().cloned().unwrap_or_default();
            decode(&mut fields);
            assert_eq!(Value::from(fields), decoded, "{sent}");
        }
    }
}
