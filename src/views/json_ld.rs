//! Linked data in the vocabulary of schema.org.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::extract::JsonObject;

pub(crate) const CONTEXT: &str = "https://schema.org";

/// The members of an object that is not part of another one.
pub(super) fn document(object: &impl Serialize) -> JsonObject {
    let mut members = Map::new();
    members.insert("@context".to_owned(), CONTEXT.into());
    if let Ok(Value::Object(others)) = serde_json::to_value(object) {
        members.extend(others);
    }
    JsonObject(members)
}

/// Several objects. A single one is written without a list around it.
pub(super) struct OneOrList<T>(pub Vec<T>);

impl<T: Serialize> Serialize for OneOrList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}
