//! Authors of events.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use serde_json::Value;

use super::{
    FromInput, InputValue,
    number::deduplicate,
    references::{MAX_ITEMS, id, limit_items},
};
use crate::error::FieldError;

/// An author of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Author {
    Id(i64),
    /// The user who sends the request.
    Me,
}

/// Authors without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Authors(pub Vec<Author>);

impl FromInput for Authors {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        let author = MetaSchema {
            pattern: Some("^(me|[0-9]+)$".to_owned()),
            ..MetaSchema::new("string")
        };
        MetaSchema {
            items: Some(Box::new(MetaSchemaRef::Inline(Box::new(author)))),
            max_items: Some(MAX_ITEMS),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let items = limit_items(input.items())?;
        let author = |value: &Value| match value.as_str() {
            Some("me") => Some(Author::Me),
            Some(text) if text.starts_with(['+', '-']) => None,
            _ => id(value).map(Author::Id),
        };
        let authors = items.iter().map(author).collect::<Option<Vec<Author>>>();
        authors
            .map(|authors| Self(deduplicate(authors)))
            .ok_or_else(|| FieldError::invalid("must be IDs of users, separated by commas, or me"))
    }
}
