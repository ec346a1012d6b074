//! Selection of members of a JSON object, without parsing their values.

use std::borrow::Cow;

use serde_json::value::to_raw_value;

use super::raw_members::RawMembers;
use crate::error::Problem;

/// The JSON object with only these of its members, in its own order; with `items`, the items of this member with only
/// these of their members.
pub(crate) fn select(json: &[u8], items: Option<&str>, fields: &[&str]) -> Result<Vec<u8>, Problem> {
    selected(json, items, fields).map_err(Problem::internal)
}

fn selected(json: &[u8], items: Option<&str>, fields: &[&str]) -> serde_json::Result<Vec<u8>> {
    let mut object: RawMembers<'_> = serde_json::from_slice(json)?;
    let Some(items) = items else {
        object.retain(|name| fields.contains(&name));
        return serde_json::to_vec(&object);
    };
    let Some(list) = object.value_mut(items) else {
        return Ok(json.to_owned());
    };
    let mut objects: Vec<RawMembers<'_>> = serde_json::from_str(list.get())?;
    for object in &mut objects {
        object.retain(|name| fields.contains(&name));
    }
    let selected = to_raw_value(&objects)?;
    *list = Cow::Owned(selected);
    serde_json::to_vec(&object)
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
