//! Values that name other objects.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Fields, FromInput, InputFormat, InputValue,
    number::{digits, each_once, whole},
    text::name,
};
use crate::calendar::Kind;
use crate::error::{FieldError, ValidationErrors};

/// An ID, or a slug or name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    Id(i64),
    Name(String),
}

/// An ID, or a slug or name; `wrong_type` where it is neither.
fn reference(value: &Value, wrong_type: impl Fn() -> FieldError) -> Result<Reference, FieldError> {
    match id(value) {
        Some(id) => Ok(Reference::Id(id)),
        None => match value {
            Value::String(text) => name(text).map(Reference::Name),
            _ => Err(wrong_type()),
        },
    }
}

fn id(value: &Value) -> Option<i64> {
    let id = match value {
        Value::Number(_) => {
            let source = InputFormat::Json;
            whole(InputValue { value, source })
        }
        Value::String(text) => digits(text.trim()),
        _ => None,
    };
    id.filter(|id| *id >= 0)
}

/// The terms that a list of events is narrowed to: IDs or slugs, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References(pub Vec<Reference>);

impl FromInput for References {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let items = not_too_many(raw.items())?;
        let error = || FieldError::wrong_type("must be IDs or slugs, as in 1,2 or music,dance");
        let references = items.iter().map(|item| reference(item, error));
        Ok(Self(each_once(references.collect::<Result<_, _>>()?)))
    }
}

/// The terms of an event: IDs, slugs, names, or objects with an `id`; a list, one of them, or one text with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermReferences(pub Vec<Reference>);

impl FromInput for TermReferences {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || FieldError::wrong_type("must be IDs, slugs or names, one or a list of them");
        let mut terms = Vec::new();
        for value in items(raw.value) {
            match value.as_ref() {
                Value::Object(members) => {
                    let error = || FieldError::invalid("must be IDs, slugs, names, or objects with an id");
                    let id = members.get("id").ok_or_else(error)?;
                    terms.push(reference(id, error)?);
                }
                Value::String(text) if text.trim().is_empty() => {}
                value => terms.push(reference(value, error)?),
            }
            terms = not_too_many(terms)?;
        }
        Ok(Self(terms))
    }
}

/// How many terms, venues or organizers one request may name: each is looked up by itself.
const MOST: usize = 100;

fn not_too_many<T>(values: Vec<T>) -> Result<Vec<T>, FieldError> {
    if values.len() > MOST {
        return Err(FieldError::invalid(format!("must have at most {MOST} items")));
    }
    Ok(values)
}

/// The items of a list as they are, the parts of one text with commas, or a single value.
fn items(value: &Value) -> Vec<Cow<'_, Value>> {
    match value {
        Value::Array(values) => values.iter().map(Cow::Borrowed).collect(),
        Value::String(text) => text.split(',').map(|part| Cow::Owned(part.into())).collect(),
        Value::Null => Vec::new(),
        value => vec![Cow::Borrowed(value)],
    }
}

/// The fields of a nested object: what `build.rs` makes of a body's schema.
pub trait Nested: Sized {
    /// What the object is.
    const KIND: Kind;
    /// The fields without which no new one can be made.
    const REQUIRED: &'static [&'static str];

    fn read(fields: &mut Fields) -> Self;

    /// The name, if one is given.
    fn name(&self) -> Option<&str>;
}

/// A venue or organizer of an event: an existing one, or what is to become one.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkedReference<F> {
    Id(i64),
    New(Box<F>),
}

/// The venues or organizers of an event: IDs or objects, one or a list.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedReferences<F>(pub Vec<LinkedReference<F>>);

impl<F> Default for LinkedReferences<F> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F: Nested> FromInput for LinkedReferences<F> {
    fn read(raw: InputValue<'_>) -> Result<Self, FieldError> {
        let error = || {
            FieldError::wrong_type(format!(
                "must be IDs of {}, or objects with the fields of one; one or a list of them",
                F::KIND.plural()
            ))
        };
        let mut hosts = Vec::new();
        for value in items(raw.value) {
            match value.as_ref() {
                Value::Object(members) => hosts.extend(host(members, raw.source)?),
                Value::String(text) if text.trim().is_empty() => {}
                // No object has the ID 0: clients send it for none.
                value => match id(value).ok_or_else(error)? {
                    0 => {}
                    id => hosts.push(LinkedReference::Id(id)),
                },
            }
            hosts = not_too_many(hosts)?;
        }
        Ok(Self(hosts))
    }
}

/// An object with an `id` links, and its other fields are ignored; one without must be complete. An empty object is
/// none.
fn host<F: Nested>(
    members: &Map<String, Value>,
    source: InputFormat,
) -> Result<Option<LinkedReference<F>>, FieldError> {
    let cannot = |message: String| FieldError {
        code: F::KIND.could_not_create(),
        message,
    };
    let mut members = members.clone();
    if let Some(value) = members.remove("id").filter(|id| !id.is_null()) {
        match id(&value) {
            Some(0) => {}
            Some(id) => return Ok(Some(LinkedReference::Id(id))),
            None => return Err(cannot("has an id that is not a whole number".to_owned())),
        }
    }
    if members.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields::new(members, source);
    fields.require(F::REQUIRED);
    let host = F::read(&mut fields);
    if fields.errors.is_empty() {
        Ok(Some(LinkedReference::New(Box::new(host))))
    } else {
        Err(cannot(told(&fields.errors)))
    }
}

/// All that is wrong with a nested object, in one sentence.
fn told(errors: &ValidationErrors) -> String {
    let told: Vec<String> = errors
        .iter()
        .map(|(field, error)| format!("its {field} {}", error.message))
        .collect();
    told.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::described::VenueFields;

    fn read<T: FromInput>(value: &Value) -> Result<T, FieldError> {
        let source = InputFormat::Json;
        T::read(InputValue { value, source })
    }

    #[test]
    fn one_text_with_commas_is_a_list_of_terms() {
        let (id, name) = (Reference::Id, |name: &str| Reference::Name(name.to_owned()));
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

    #[test]
    fn zero_and_what_is_empty_are_no_venue() {
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
            let read = read::<LinkedReferences<VenueFields>>(&value);
            assert_eq!(read, Ok(LinkedReferences(expected)), "{value}");
        }
        for value in [json!([null]), json!("Hall"), json!(-1), json!({"city": "Kiel"})] {
            assert!(read::<LinkedReferences<VenueFields>>(&value).is_err(), "{value}");
        }
    }
}
