//! Values that name other objects.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Fault, Faults, Fields, Leaf, Raw, Source,
    numbers::{digits, each_once, whole},
    texts::name,
};
use crate::calendar::Kind;

/// An ID, or a slug or name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    Id(i64),
    Name(String),
}

/// An ID, or a slug or name; `wrong_type` where it is neither.
fn reference(value: &Value, wrong_type: impl Fn() -> Fault) -> Result<Reference, Fault> {
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
            let source = Source::Json;
            whole(Raw { value, source })
        }
        Value::String(text) => digits(text.trim()),
        _ => None,
    };
    id.filter(|id| *id >= 0)
}

/// The terms that a list of events is narrowed to: IDs or slugs, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References(pub Vec<Reference>);

impl Leaf for References {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let items = not_too_many(raw.items())?;
        let fault = || Fault::wrong_type("must be IDs or slugs, as in 1,2 or music,dance");
        let references = items.iter().map(|item| reference(item, fault));
        Ok(Self(each_once(references.collect::<Result<_, _>>()?)))
    }
}

/// The terms of an event: IDs, slugs, names, or objects with an `id`; a list, one of them, or one text with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermReferences(pub Vec<Reference>);

impl Leaf for TermReferences {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let fault = || Fault::wrong_type("must be IDs, slugs or names, one or a list of them");
        let mut terms = Vec::new();
        for value in items(raw.value) {
            match value.as_ref() {
                Value::Object(members) => {
                    let fault = || Fault::invalid("must be IDs, slugs, names, or objects with an id");
                    let id = members.get("id").ok_or_else(fault)?;
                    terms.push(reference(id, fault)?);
                }
                Value::String(text) if text.trim().is_empty() => {}
                value => terms.push(reference(value, fault)?),
            }
            terms = not_too_many(terms)?;
        }
        Ok(Self(terms))
    }
}

/// How many terms, venues or organizers one request may name: each is looked up by itself.
const MOST: usize = 100;

fn not_too_many<T>(values: Vec<T>) -> Result<Vec<T>, Fault> {
    if values.len() > MOST {
        return Err(Fault::invalid(format!("must have at most {MOST} items")));
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
pub enum HostReference<F> {
    Id(i64),
    New(Box<F>),
}

/// The venues or organizers of an event: IDs or objects, one or a list.
#[derive(Clone, Debug, PartialEq)]
pub struct HostReferences<F>(pub Vec<HostReference<F>>);

impl<F> Default for HostReferences<F> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F: Nested> Leaf for HostReferences<F> {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let fault = || {
            Fault::wrong_type(format!(
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
                value => match id(value).ok_or_else(fault)? {
                    0 => {}
                    id => hosts.push(HostReference::Id(id)),
                },
            }
            hosts = not_too_many(hosts)?;
        }
        Ok(Self(hosts))
    }
}

/// An object with an `id` links, and its other fields are ignored; one without must be complete. An empty object is
/// none.
fn host<F: Nested>(members: &Map<String, Value>, source: Source) -> Result<Option<HostReference<F>>, Fault> {
    let cannot = |message: String| Fault {
        code: F::KIND.could_not_create(),
        message,
    };
    let mut members = members.clone();
    if let Some(value) = members.remove("id").filter(|id| !id.is_null()) {
        match id(&value) {
            Some(0) => {}
            Some(id) => return Ok(Some(HostReference::Id(id))),
            None => return Err(cannot("has an id that is not a whole number".to_owned())),
        }
    }
    if members.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields::new(members, source);
    fields.require(F::REQUIRED);
    let host = F::read(&mut fields);
    if fields.faults.is_empty() {
        Ok(Some(HostReference::New(Box::new(host))))
    } else {
        Err(cannot(told(&fields.faults)))
    }
}

/// All that is wrong with a nested object, in one sentence.
fn told(faults: &Faults) -> String {
    let told: Vec<String> = faults
        .iter()
        .map(|(field, fault)| format!("its {field} {}", fault.message))
        .collect();
    told.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::described::VenueFields;

    fn read<T: Leaf>(value: &Value) -> Result<T, Fault> {
        let source = Source::Json;
        T::read(Raw { value, source })
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
            let expected = expected.into_iter().map(HostReference::Id).collect();
            let read = read::<HostReferences<VenueFields>>(&value);
            assert_eq!(read, Ok(HostReferences(expected)), "{value}");
        }
        for value in [json!([null]), json!("Hall"), json!(-1), json!({"city": "Kiel"})] {
            assert!(read::<HostReferences<VenueFields>>(&value).is_err(), "{value}");
        }
    }
}
