//! Queries and forms as JSON objects.

use serde_json::{Map, Value};

use super::{Fields, Problem, Source};

/// Levels of brackets that a name may have: `organizer[0][organizer]` has two.
const DEPTH: usize = 4;

/// Reads `application/x-www-form-urlencoded` text, PHP's brackets included: `a[]=1&a[]=2`, `venue[venue]=Hall`.
pub fn parse(text: &str, source: Source) -> Result<Fields, Problem> {
    let config = serde_qs::Config::new()
        .max_depth(DEPTH)
        .use_form_encoding(true);
    let values: Map<String, Value> = config.deserialize_str(text).map_err(|error| {
        Problem::bad_request(
            "rest_invalid_param",
            format!("The parameters are not valid URL-encoded text: {error}"),
        )
    })?;
    Ok(Fields::new(values, source))
}
