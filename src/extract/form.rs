//! Queries and forms as JSON objects.

use serde_json::{Map, Value};
use url::form_urlencoded;

use super::{Fields, InputFormat};
use crate::error::Problem;

/// The maximum number of brackets in a name: `organizer[0][organizer]` has two.
const MAX_DEPTH: usize = 4;

/// Parses a form with PHP's bracket notation: `a[]=1&a[]=2`, `venue[venue]=Hall`.
pub(crate) fn parse(text: &str) -> Result<Fields, Problem> {
    let config = serde_qs::Config::new().max_depth(MAX_DEPTH).use_form_encoding(true);
    let values: Map<String, Value> = config.deserialize_str(text).map_err(|error| {
        Problem::bad_request(
            "rest_invalid_param",
            format!("The parameters are not valid URL-encoded text: {error}"),
        )
    })?;
    Ok(Fields::new(values, InputFormat::Form))
}

/// Parses a query. It never fails: a malformed name is treated as an unknown parameter.
pub(crate) fn query(text: &str) -> Fields {
    let mut values = Map::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let value = Value::String(value.into_owned());
        match values.get_mut(parameter(&name)) {
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => {
                values.insert(parameter(&name).to_owned(), value);
            }
        }
    }
    Fields::new(values, InputFormat::Query)
}

/// The parameter that a name refers to: `a` for `a`, `a[]` and `a[0]`.
pub(crate) fn parameter(name: &str) -> &str {
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((parameter, index)) if index.bytes().all(|byte| byte.is_ascii_digit()) => parameter,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_repeat_a_parameter() {
        for (name, expected) in [
            ("a", "a"),
            ("a[]", "a"),
            ("a[10]", "a"),
            ("a[b]", "a[b]"),
            ("a[][]", "a[][]"),
            ("a[", "a["),
            ("a]", "a]"),
            ("[]", ""),
            ("", ""),
        ] {
            assert_eq!(parameter(name), expected, "{name}");
        }
    }
}
