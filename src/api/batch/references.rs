//! References of a request to what earlier requests of its batch have created: `"venue": "$1.id"`.

use serde_json::{Map, Value};

use crate::calendar::Kind;

/// The fields that may have references, and what they refer to.
const FIELDS: [(&str, Kind); 6] = [
    ("venue", Kind::Venue),
    ("organizer", Kind::Organizer),
    ("categories", Kind::Category),
    ("tags", Kind::Tag),
    ("parent", Kind::Category),
    ("post_parent", Kind::Event),
];

/// A request without an ID in its response, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FailedDependency(pub usize);

/// Replaces the references by the IDs in the responses to earlier requests, which are counted from 1.
pub(super) fn resolve(
    body: &mut Map<String, Value>,
    id: impl Fn(usize) -> Option<i64>,
) -> Result<(), FailedDependency> {
    let mut result = Ok(());
    visit(body, |_, _, number, value| match id(number) {
        Some(id) => *value = id.into(),
        None => result = Err(FailedDependency(number)),
    });
    result
}

/// Checks that the references of a request are to requests before it that respond with objects of the right kind. `earlier`
/// has the kinds of their paths. Adds an error for each that is not. Returns the highest of their numbers, or 0.
pub(super) fn check(body: &mut Map<String, Value>, earlier: &[Option<Kind>], errors: &mut Vec<String>) -> usize {
    let mut latest = 0;
    visit(body, |field, kind, number, _| {
        latest = latest.max(number);
        let found = number.checked_sub(1).and_then(|index| earlier.get(index));
        let (name, plural) = (kind.name(), kind.plural());
        match found {
            Some(Some(found)) if *found == kind => {}
            Some(_) => errors.push(format!(
                "body.{field} must refer to a request to {plural}; request {number} has no {name}"
            )),
            None => errors.push(format!(
                "body.{field} must refer to an earlier request; the first one is $1"
            )),
        }
    });
    latest
}

/// Calls `found` with each reference: its field, the kind of the field, the number of the request, and the value.
fn visit(body: &mut Map<String, Value>, mut found: impl FnMut(&str, Kind, usize, &mut Value)) {
    for (field, kind) in FIELDS {
        let items = match body.get_mut(field) {
            Some(Value::Array(items)) => items.as_mut_slice(),
            Some(value) => std::slice::from_mut(value),
            None => continue,
        };
        for item in items {
            let value = match item {
                Value::Object(members) => members.get_mut("id"),
                value => Some(value),
            };
            if let Some(value) = value
                && let Some(number) = value.as_str().and_then(number)
            {
                found(field, kind, number, value);
            }
        }
    }
}

/// The number of the request in a reference.
fn number(text: &str) -> Option<usize> {
    let number = text.strip_prefix('$')?.strip_suffix(".id")?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) => members,
            _ => panic!("not an object"),
        }
    }

    #[test]
    fn references_are_replaced_in_their_fields_only() {
        let mut body = object(json!({
            "title": "$1.id", "venue": "$1.id", "organizer": ["$2.id", 7, {"id": "$2.id"}], "tags": "a, $1.id",
            "custom_fields": {"venue": "$1.id"},
        }));
        let resolved = resolve(&mut body, |number| i64::try_from(number * 100).ok());
        assert_eq!(resolved, Ok(()));
        let expected = json!({
            "title": "$1.id", "venue": 100, "organizer": [200, 7, {"id": 200}], "tags": "a, $1.id",
            "custom_fields": {"venue": "$1.id"},
        });
        assert_eq!(Value::from(body), expected);
    }

    #[test]
    fn reference_to_a_failed_request() {
        let mut body = object(json!({"venue": "$3.id"}));
        assert_eq!(resolve(&mut body, |_| None), Err(FailedDependency(3)));
    }

    #[test]
    fn references_are_checked() {
        let earlier = [Some(Kind::Venue), None];
        for (body, latest, valid) in [
            (json!({"venue": "$1.id"}), 1, true),
            (json!({"venue": 7, "title": "$9.id"}), 0, true),
            (json!({"organizer": "$1.id"}), 1, false),
            (json!({"venue": "$2.id", "organizer": "$1.id"}), 2, false),
            (json!({"venue": "$3.id"}), 3, false),
            (json!({"venue": "$0.id"}), 0, false),
        ] {
            let mut errors = Vec::new();
            assert_eq!(
                check(&mut object(body.clone()), &earlier, &mut errors),
                latest,
                "{body}"
            );
            assert_eq!(errors.is_empty(), valid, "{body} {errors:?}");
        }
    }
}
