//! The header `Idempotency-Key` in the document.

use serde_json::{Map, Value};

use super::operations::OPERATIONS;

/// Declares 409 and 422 for the operations that accept the header: those with the method POST that write, and are
/// not refused with a key. Overlays declare the header itself.
pub(crate) fn declare(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (_, path) in paths {
        let Some(operation) = path.get_mut("post").filter(|operation| accepts_keys(operation)) else {
            continue;
        };
        if let Some(responses) = operation["responses"].as_object_mut() {
            add_responses(responses);
        }
    }
}

fn accepts_keys(operation: &Value) -> bool {
    let found = OPERATIONS.iter().find(|known| operation["operationId"] == known.id);
    found.is_some_and(|operation| operation.refusal_of_keys().is_none())
}

/// Adds the responses to those of a write. Only writes may find the disk full.
fn add_responses(responses: &mut Map<String, Value>) {
    let Some(response) = responses.get("507").cloned() else {
        return;
    };
    for (status, description) in [
        (
            "409",
            "Another object has the slug or the ID in another system, or a request with the same Idempotency-Key is in \
             progress.",
        ),
        ("422", "The Idempotency-Key belongs to another request."),
    ] {
        let added = responses.entry(status).or_insert_with(|| response.clone());
        added["description"] = description.into();
    }
    responses.sort_keys();
}
