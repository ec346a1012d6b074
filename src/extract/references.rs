//! References to other objects.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, Registry};
use serde_json::Value;

use super::{
    FromInput, InputFormat, InputValue,
    number::{Ids, deduplicate, digits, integer, integer_list_schema},
    text::name,
};
use crate::{calendar::TermReference, error::FieldError};

/// Parses an ID, a slug or a name; otherwise returns `wrong_type`.
fn reference(value: &Value, wrong_type: impl Fn() -> FieldError) -> Result<TermReference, FieldError> {
    match id(value) {
        Some(id) => Ok(TermReference::Id(id)),
        None => match value {
            Value::String(text) => name(text).map(TermReference::Name),
            _ => Err(wrong_type()),
        },
    }
}

pub(crate) fn id(value: &Value) -> Option<i64> {
    let id = match value {
        Value::Number(_) => {
            let format = InputFormat::Json;
            integer(InputValue { value, format })
        }
        Value::String(text) => digits(text.trim()),
        _ => None,
    };
    id.filter(|id| *id >= 0)
}

/// The terms of a filter of events: IDs or slugs without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct References(pub Vec<TermReference>);

impl FromInput for References {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            max_items: Some(MAX_ITEMS),
            ..integer_list_schema(1)
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let items = limit_items(input.items())?;
        let error = || FieldError::wrong_type("must be IDs or slugs, such as 1,2 or music,dance");
        let references = items.iter().map(|item| reference(item, error));
        Ok(Self(deduplicate(references.collect::<Result<_, _>>()?)))
    }
}

/// The objects of a filter of events: IDs without duplicates, which must exist. No object has the ID 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExistingIds(pub Vec<i64>);

impl FromInput for ExistingIds {
    fn schema(registry: &mut Registry) -> MetaSchema {
        References::schema(registry)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        limit_items(input.items())?;
        Ids::from_input(input).map(|Ids(ids)| Self(ids))
    }
}

/// The terms of an event: IDs, slugs, names, or objects with an `id`, as one value, a list or a comma-separated string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermReferences(pub Vec<TermReference>);

impl FromInput for TermReferences {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new("")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || FieldError::wrong_type("must be IDs, slugs or names, as one value or a list");
        let mut terms = Vec::new();
        for value in items(input.value) {
            match value.as_ref() {
                Value::Object(members) => {
                    let error = || FieldError::invalid("must be IDs, slugs, names, or objects with an id");
                    let id = members.get("id").ok_or_else(error)?;
                    terms.push(reference(id, error)?);
                }
                Value::String(text) if text.trim().is_empty() => {}
                value => terms.push(reference(value, error)?),
            }
            terms = limit_items(terms)?;
        }
        Ok(Self(terms))
    }
}

/// The maximum number of terms, venues, organizers or series in a request. Each is looked up separately.
pub(crate) const MAX_ITEMS: usize = 100;

pub(crate) fn limit_items<T>(values: Vec<T>) -> Result<Vec<T>, FieldError> {
    if values.len() > MAX_ITEMS {
        return Err(FieldError::invalid(format!("must have at most {MAX_ITEMS} items")));
    }
    Ok(values)
}

/// The items of a list, the parts of a comma-separated string, or a single value.
pub(crate) fn items(value: &Value) -> Vec<Cow<'_, Value>> {
    match value {
        Value::Array(values) => values.iter().map(Cow::Borrowed).collect(),
        Value::String(text) => text.split(',').map(|part| Cow::Owned(part.into())).collect(),
        Value::Null => Vec::new(),
        value => vec![Cow::Borrowed(value)],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read<T: FromInput>(value: &Value) -> Result<T, FieldError> {
        let format = InputFormat::Json;
        T::from_input(InputValue { value, format })
    }

    #[test]
    fn comma_separated_string_is_a_list() {
        let (id, name) = (TermReference::Id, |name: &str| TermReference::Name(name.to_owned()));
        for (value, expected) in [
            (json!("rock,jazz"), vec![name("rock"), name("jazz")]),
            (json!(" rock , 12,, "), vec![name("rock"), id(12)]),
            (json!("7"), vec![id(7)]),
            (json!(7), vec![id(7)]),
            (json!(["rock,jazz", "1,2"]), vec![name("rock,jazz"), name("1,2")]),
            (json!([{"id": 3, "name": "a,b"}, "4"]), vec![id(3), id(4)]),
            (json!(","), vec![]),
            (json!([""]), vec![]),
        ] {
            let read = read::<TermReferences>(&value);
            assert_eq!(read, Ok(TermReferences(expected)), "{value}");
        }
    }
}
