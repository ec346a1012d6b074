//! Dates as they come in.

use super::{Fault, Leaf, Raw, Source};
use crate::calendar::date::When;

impl Leaf for When {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let text = raw
            .text()
            .ok_or_else(|| Fault::wrong_type("must be a date as a string"))?;
        match raw.source {
            Source::Query => Self::from_query(text).map_err(|error| Fault::invalid(error.to_string())),
            Source::Form | Source::Json => {
                Self::parse_day(text.trim()).map_err(|error| Fault::invalid(error.to_string()))
            }
        }
    }
}
