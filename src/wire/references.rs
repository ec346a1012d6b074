//! Values that name other objects.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Fault, Faults, Fields, Leaf, Raw, Source,
    numbers::{digits, each_once, whole},
};
use crate::calendar::{Kind, text};

/// An ID, or a slug or name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    Id(i64),
    Name(String),
}

fn reference(value: &Value) -> Option<Reference> {
    match value {
        Value::Number(_) => {
            let source = Source::Json;
            whole(Raw { value, source })
                .filter(|id| *id >= 0)
                .map(Reference::Id)
        }
        Value::String(text) => Some(match digits(text.trim()).filter(|id| *id >= 0) {
            Some(id) => Reference::Id(id),
            None => Reference::Name(text::plain(text)),
        }),
        _ => None,
    }
}

/// The terms that a list of events is narrowed to: IDs or slugs, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References(pub Vec<Reference>);

impl Leaf for References {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let references: Option<Vec<_>> = raw.items().iter().map(reference).collect();
        let references = references
            .ok_or_else(|| Fault::wrong_type("must be IDs or slugs, as in 1,2 or music,dance"))?;
        not_too_many(each_once(references)).map(Self)
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
                    let id = members.get("id").and_then(reference);
                    terms.push(id.ok_or_else(|| {
                        Fault::invalid("must be IDs, slugs, names, or objects with an id")
                    })?);
                }
                Value::String(text) if text.trim().is_empty() => {}
                value => terms.push(reference(value).ok_or_else(fault)?),
            }
        }
        not_too_many(terms).map(Self)
    }
}

/// How many terms, venues or organizers one request may name: each is looked up by itself.
const MOST: usize = 100;

fn not_too_many<T>(values: Vec<T>) -> Result<Vec<T>, Fault> {
    if values.len() > MOST {
        return Err(Fault::invalid(format!("must be at most {MOST}")));
    }
    Ok(values)
}

/// The items of a list as they are, the parts of one text with commas, or a single value.
fn items(value: &Value) -> Vec<Cow<'_, Value>> {
    match value {
        Value::Array(values) => values.iter().map(Cow::Borrowed).collect(),
        Value::String(text) => text
            .split(',')
            .map(|part| Cow::Owned(part.into()))
            .collect(),
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
                value => match reference(value) {
                    // No object has the ID 0: clients send it for none.
                    Some(Reference::Id(0)) => {}
                    Some(Reference::Id(id)) => hosts.push(HostReference::Id(id)),
                    _ => return Err(fault()),
                },
            }
        }
        not_too_many(hosts).map(Self)
    }
}

/// An object with an `id` links, and its other fields are ignored; one without must be complete. An empty object is
/// none.
fn host<F: Nested>(
    members: &Map<String, Value>,
    source: Source,
) -> Result<Option<HostReference<F>>, Fault> {
    let cannot = |message: String| Fault {
        code: F::KIND.could_not_create(),
        message,
    };
    let mut members = members.clone();
    if let Some(id) = members.remove("id").filter(|id| !id.is_null()) {
        match reference(&id) {
            Some(Reference::Id(0)) => {}
            Some(Reference::Id(id)) => return Ok(Some(HostReference::Id(id))),
            _ => return Err(cannot("has an id that is not a whole number".to_owned())),
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
            (
                json!(["rock,jazz", "1,2"]),
                vec![name("rock,jazz"), name("1,2")],
            ),
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
        for value in [
            json!([null]),
            json!("Hall"),
            json!(-1),
            json!({"city": "Kiel"}),
        ] {
            assert!(
                read::<HostReferences<VenueFields>>(&value).is_err(),
                "{value}"
            );
        }
    }
}
