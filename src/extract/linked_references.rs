//! The venues and organizers in the body of an event: IDs or nested objects.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use serde_json::{Map, Value};

use super::{
    Fields, FromInput, InputFormat, InputValue,
    parameters::read_nested,
    payload::{NestedPayload, nested_schema},
    references::{MAX_ITEMS, id, items, limit_items},
};
use crate::error::{FieldError, ValidationErrors};

/// A venue or organizer of an event: an existing one, or the payload of a new one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LinkedReference<F> {
    Id(i64),
    New(Box<F>),
}

/// The venues or organizers of an event: IDs or nested objects, as one value or a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkedReferences<F>(pub Vec<LinkedReference<F>>);

impl<F> Default for LinkedReferences<F> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F: NestedPayload> FromInput for LinkedReferences<F> {
    fn schema(registry: &mut Registry) -> MetaSchema {
        let id = MetaSchema {
            minimum: Some(0.0),
            ..MetaSchema::new_with_format("integer", "int64")
        };
        let reference = MetaSchema {
            description: Some(F::REFERENCE),
            one_of: vec![MetaSchemaRef::Inline(Box::new(id)), nested_schema::<F>(registry)],
            ..MetaSchema::new("")
        };
        let name = format!("{}Reference", F::NAME);
        registry.schemas.insert(name.clone(), reference);
        MetaSchema {
            max_items: Some(MAX_ITEMS),
            items: Some(Box::new(MetaSchemaRef::Reference(name))),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || {
            FieldError::wrong_type(format!(
                "must be IDs of {} or nested objects, as one value or a list",
                F::KIND.plural()
            ))
        };
        let mut references = Vec::new();
        for value in items(input.value) {
            match value.as_ref() {
                Value::Object(members) => references.extend(reference(members, input.format)?),
                Value::String(text) if text.trim().is_empty() => {}
                // No object has the ID 0. Clients send it to mean none.
                value => match id(value).ok_or_else(error)? {
                    0 => {}
                    id => references.push(LinkedReference::Id(id)),
                },
            }
            references = limit_items(references)?;
        }
        Ok(Self(references))
    }
}

/// An object with an `id` is a reference, and its other fields are ignored; an object without one must be complete. An
/// empty object means none.
fn reference<F: NestedPayload>(
    members: &Map<String, Value>,
    format: InputFormat,
) -> Result<Option<LinkedReference<F>>, FieldError> {
    let error = |message: String| FieldError {
        code: F::KIND.could_not_create(),
        message,
    };
    let mut members = members.clone();
    if let Some(value) = members.remove("id").filter(|id| !id.is_null()) {
        match id(&value) {
            Some(0) => {}
            Some(id) => return Ok(Some(LinkedReference::Id(id))),
            None => return Err(error("has an invalid id: it must be a whole number".to_owned())),
        }
    }
    if members.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields::new(members, format);
    let new = read_nested::<F>(&mut fields);
    if fields.errors.is_empty() {
        Ok(Some(LinkedReference::New(Box::new(new))))
    } else {
        Err(error(nested_errors(&fields.errors)))
    }
}

/// The validation errors of a nested object, as one message.
pub(crate) fn nested_errors(errors: &ValidationErrors) -> String {
    let messages: Vec<String> = errors
        .iter()
        .map(|(field, error)| format!("its {field} {}", error.message))
        .collect();
    messages.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::venues::VenuePayload;

    fn read(value: &Value) -> Result<LinkedReferences<VenuePayload>, FieldError> {
        let format = InputFormat::Json;
        FromInput::from_input(InputValue { value, format })
    }

    #[test]
    fn zero_and_empty_values_are_ignored() {
        for (value, expected) in [
            (json!(0), vec![]),
            (json!("0"), vec![]),
            (json!(""), vec![]),
            (json!({}), vec![]),
            (json!({"id": 0}), vec![]),
            (json!([]), vec![]),
            (json!([0, "0", "", {}]), vec![]),
            (json!([0, 5, "6", {"id": "7"}]), vec![5, 6, 7]),
            (json!("0,5"), vec![5]),
        ] {
            let expected = expected.into_iter().map(LinkedReference::Id).collect();
            let read = read(&value);
            assert_eq!(read, Ok(LinkedReferences(expected)), "{value}");
        }
        for value in [json!([null]), json!("Hall"), json!(-1), json!({"city": "Kiel"})] {
            assert!(read(&value).is_err(), "{value}");
        }
    }
}
