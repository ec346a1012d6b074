//! Values that name other objects.

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

/// The terms of an event: IDs, slugs, names, or objects with an `id`; one or a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermReferences(pub Vec<Reference>);

impl Leaf for TermReferences {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let fault = || Fault::wrong_type("must be IDs, slugs or names, one or a list of them");
        let mut terms = Vec::new();
        for value in list(raw.value) {
            match value {
                Value::Object(members) => {
                    let fault =
                        || Fault::invalid("must be IDs, slugs, names, or objects with an id");
                    let id = members.get("id").ok_or_else(fault)?;
                    terms.push(reference(id, fault)?);
                }
                // A name may contain a comma; numbers in one text are a list.
                Value::String(text) if is_list_of_ids(text) => {
                    terms.extend(
                        text.split(',')
                            .filter_map(|id| digits(id.trim()))
                            .map(Reference::Id),
                    );
                }
                Value::String(text) if text.trim().is_empty() => {}
                value => terms.push(reference(value, fault)?),
            }
            terms = not_too_many(terms)?;
        }
        Ok(Self(terms))
    }
}

fn is_list_of_ids(text: &str) -> bool {
    text.contains(',')
        && text
            .split(',')
            .all(|id| digits(id.trim()).is_some_and(|id| id >= 0))
}

/// How many terms, venues or organizers one request may name: each is looked up by itself.
const MOST: usize = 100;

fn not_too_many<T>(values: Vec<T>) -> Result<Vec<T>, Fault> {
    if values.len() > MOST {
        return Err(Fault::invalid(format!("must have at most {MOST} items")));
    }
    Ok(values)
}

/// The items of a list; a single value is a list of one.
fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        Value::Null => Vec::new(),
        value => vec![value],
    }
}

/// The fields of a nested object: what `build.rs` makes of a body's schema.
pub trait Nested: Sized {
    /// What the object is.
    const KIND: Kind;
    /// The fields without which no new one can be made.
    const REQUIRED: &'static [&'static str];

    fn read(fields: &mut Fields) -> Self;
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
        for value in list(raw.value) {
            match value {
                Value::Object(members) => hosts.push(host(members, raw.source)?),
                Value::String(text) if is_list_of_ids(text) => {
                    hosts.extend(
                        text.split(',')
                            .filter_map(|id| digits(id.trim()))
                            .map(HostReference::Id),
                    );
                }
                Value::String(text) if text.trim().is_empty() => {}
                value => hosts.push(HostReference::Id(id(value).ok_or_else(fault)?)),
            }
            hosts = not_too_many(hosts)?;
        }
        Ok(Self(hosts))
    }
}

/// An object with an `id` links, and its other fields are ignored; one without must be complete.
fn host<F: Nested>(
    members: &Map<String, Value>,
    source: Source,
) -> Result<HostReference<F>, Fault> {
    let cannot = |message: String| Fault {
        code: F::KIND.could_not_create(),
        message,
    };
    match members.get("id").filter(|id| !id.is_null()) {
        Some(value) => id(value)
            .map(HostReference::Id)
            .ok_or_else(|| cannot("has an id that is not a whole number".to_owned())),
        None => {
            let mut fields = Fields::new(members.clone(), source);
            fields.require(F::REQUIRED);
            let host = F::read(&mut fields);
            if fields.faults.is_empty() {
                Ok(HostReference::New(Box::new(host)))
            } else {
                Err(cannot(told(&fields.faults)))
            }
        }
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
