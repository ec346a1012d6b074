//! Declares identical error responses once, in `components.responses`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The number of responses with the same name, and the response; None if they differ.
type Occurrence = (usize, Option<Value>);

/// Moves error responses that all operations declare identically to `components.responses`, named after the code in
/// their example: `rest_not_acceptable` becomes `NotAcceptable`.
pub(crate) fn share(document: &mut Value) {
    let mut occurrences: BTreeMap<String, Occurrence> = BTreeMap::new();
    for response in responses(document) {
        let Some(name) = name(response) else { continue };
        let (count, first) = occurrences.entry(name).or_insert((0, Some(response.clone())));
        *count += 1;
        if first.as_ref() != Some(response) {
            *first = None;
        }
    }
    let shared: Map<String, Value> = occurrences
        .into_iter()
        .filter(|(_, (count, _))| *count > 1)
        .filter_map(|(name, (_, response))| Some((name, response?)))
        .collect();
    for response in responses(document) {
        if let Some(name) = name(response).filter(|name| shared.contains_key(name)) {
            *response = json!({"$ref": format!("#/components/responses/{name}")});
        }
    }
    document["components"]["responses"] = shared.into();
}

/// The responses of all operations.
fn responses(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    fn members(value: &mut Value) -> impl Iterator<Item = &mut Value> {
        let members = value.as_object_mut().into_iter().flatten();
        members.map(|(_, member)| member)
    }
    let operations = members(&mut document["paths"]).flat_map(members);
    operations.flat_map(|operation| members(&mut operation["responses"]))
}

/// The name of an error response; None for other responses.
fn name(response: &Value) -> Option<String> {
    let code = response["content"]["application/json"]["example"]["code"].as_str()?;
    let code = code.strip_prefix("rest_").unwrap_or(code);
    let words = code.split(['_', '-']).map(|word| {
        let (first, rest) = word.split_at(1.min(word.len()));
        first.to_ascii_uppercase() + rest
    });
    Some(words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str, message: &str) -> Value {
        json!({"content": {"application/json": {"example": {"code": code, "message": message}}}})
    }

    #[test]
    fn identical_errors_are_declared_once() {
        let ok = json!({"description": "One event."});
        let (same, one, other) = (
            error("rest_not_acceptable", "a"),
            error("rest_forbidden", "b"),
            error("rest_forbidden", "c"),
        );
        let mut document = json!({
            "components": {},
            "paths": {
                "/a": {"get": {"responses": {"200": ok, "403": one, "406": same}}},
                "/b": {"get": {"responses": {"200": ok, "403": other, "404": error("event-not-found", "d"), "406": same}}},
            },
        });
        share(&mut document);
        assert_eq!(document["components"]["responses"], json!({"NotAcceptable": same}));
        let reference = json!({"$ref": "#/components/responses/NotAcceptable"});
        for path in ["/a", "/b"] {
            assert_eq!(document["paths"][path]["get"]["responses"]["406"], reference);
            assert_eq!(document["paths"][path]["get"]["responses"]["200"], ok);
        }
        assert_eq!(document["paths"]["/b"]["get"]["responses"]["403"], other);
    }
}
