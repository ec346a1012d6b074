//! Variant A has no filters that variant B lacks, and its terms have no type.

use std::num::NonZeroU64;

use serde_json::Value;

use crate::almanac_client::builder::ListEvents;

pub fn filter(request: ListEvents<'_>) -> ListEvents<'_> {
    request
}

pub fn terms(id: NonZeroU64) -> Value {
    Value::from(vec![id.get()])
}
