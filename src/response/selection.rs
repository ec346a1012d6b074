//! Selection of members of a JSON object, without parsing their values.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};

use crate::error::Problem;

/// The JSON object with only these of its members, in its own order; with `items`, the items of this member with only
/// these of their members.
pub(crate) fn select(json: &[u8], items: Option<&str>, fields: &[&str]) -> Result<Vec<u8>, Problem> {
    selected(json, items, fields).map_err(Problem::internal)
}

fn selected(json: &[u8], items: Option<&str>, fields: &[&str]) -> serde_json::Result<Vec<u8>> {
    let mut object: Object<'_> = serde_json::from_slice(json)?;
    let Some(items) = items else {
        object.retain(fields);
        return serde_json::to_vec(&object);
    };
    let list = object.0.iter_mut().find(|(name, _)| *name == items);
    let Some((_, list)) = list else {
        return Ok(json.to_owned());
    };
    let mut objects: Vec<Object<'_>> = serde_json::from_str(list.get())?;
    for object in &mut objects {
        object.retain(fields);
    }
    let selected = to_raw_value(&objects)?;
    *list = &selected;
    serde_json::to_vec(&object)
}

/// The members of an object, whose values are not parsed. Names must not contain escapes.
struct Object<'a>(Vec<(&'a str, &'a RawValue)>);

impl Object<'_> {
    fn retain(&mut self, fields: &[&str]) {
        self.0.retain(|(name, _)| fields.contains(name));
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(map.size_hint().unwrap_or_default());
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_in_the_order_of_the_object() {
        for (json, items, fields, expected) in [
            (
                r#"{"a":1,"b":{"c":[2.50]},"d":null}"#,
                None,
                &["d", "b"][..],
                r#"{"b":{"c":[2.50]},"d":null}"#,
            ),
            (r#"{"a":1}"#, None, &["b"], "{}"),
            (
                r#"{"list":[{"a":"\u00e4","b":2},{"a":3}],"total":2}"#,
                Some("list"),
                &["a"],
                r#"{"list":[{"a":"\u00e4"},{"a":3}],"total":2}"#,
            ),
            (
                r#"{"list":[],"total":0}"#,
                Some("list"),
                &["a"],
                r#"{"list":[],"total":0}"#,
            ),
        ] {
            let selected = select(json.as_bytes(), items, fields).expect("JSON");
            assert_eq!(String::from_utf8(selected).expect("UTF-8"), expected);
        }
    }
}
