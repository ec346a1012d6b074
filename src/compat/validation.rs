//! Values that the reference refuses and the native endpoints take.
//!
//! They are refused where the endpoints refuse values: after credentials, rights, and the object itself. So
//! nothing is answered here; such a value is replaced by one that no field takes.

use serde_json::{Map, Value, json};

use crate::calendar::Kind;

/// How the reference reads a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Text that must be there when a new object is made. What PHP takes for empty is refused, `0` too.
    Required,
    /// Text that is left out, or not empty.
    NonEmpty,
    /// Text, empty or not.
    Text,
    /// An image, as text. A number is one too, but of the wrong type.
    Image,
    /// True or false.
    Boolean,
    /// The same as text. Whatever is not true is false.
    BooleanText,
}

const RULES: &[(Kind, Rule, &[&str])] = &[
    (Kind::Event, Rule::Required, &["title", "start_date", "end_date"]),
    (
        Kind::Event,
        Rule::NonEmpty,
        &["author", "date", "date_utc", "description", "slug", "excerpt", "status"],
    ),
    (Kind::Event, Rule::Text, &["timezone"]),
    (Kind::Event, Rule::Image, &["image"]),
    (
        Kind::Event,
        Rule::Boolean,
        &[
            "all_day",
            "show_map",
            "show_map_link",
            "hide_from_listings",
            "sticky",
            "featured",
        ],
    ),
    (Kind::Venue, Rule::Required, &["venue"]),
    (Kind::Venue, Rule::NonEmpty, &["author", "date", "date_utc", "status"]),
    (
        Kind::Venue,
        Rule::Text,
        &[
            "description",
            "address",
            "city",
            "country",
            "province",
            "state",
            "zip",
            "phone",
            "stateprovince",
            "website",
        ],
    ),
    (Kind::Venue, Rule::Image, &["image"]),
    (Kind::Venue, Rule::BooleanText, &["show_map", "show_map_link"]),
    (Kind::Organizer, Rule::Required, &["organizer"]),
    (
        Kind::Organizer,
        Rule::Text,
        &["date", "date_utc", "description", "status", "phone", "website", "email"],
    ),
    (Kind::Organizer, Rule::Image, &["image"]),
    (Kind::Category, Rule::Required, &["name"]),
    (Kind::Category, Rule::NonEmpty, &["description", "slug"]),
    (Kind::Tag, Rule::Required, &["name"]),
    (Kind::Tag, Rule::NonEmpty, &["description", "slug"]),
];

/// Parameters of lists whose type alone is checked.
const BOOLEAN_PARAMETERS: [&str; 3] = ["featured", "geoloc", "hide_empty"];

/// What was refused here, as far as the answer depends on it.
#[derive(Debug, Default)]
pub struct RejectedFields {
    /// Fields of a wrong type, which the reference tells from wrong values.
    pub wrong_types: Vec<&'static str>,
    /// Fields with wrong values.
    pub invalid_values: Vec<&'static str>,
    /// The name, where it is nothing but spaces.
    pub blank_name: Option<&'static str>,
}

impl RejectedFields {
    /// What was of a wrong type is wrong for another reason.
    pub fn reclassify_as_invalid(&mut self, name: &str) {
        let (invalid, wrong_types) = self.wrong_types.iter().partition(|other| **other == name);
        self.wrong_types = wrong_types;
        self.invalid_values.extend::<Vec<_>>(invalid);
    }
}

/// Replaces what the reference refuses by what every endpoint refuses.
pub fn replace_rejected(kind: Kind, fields: &mut Map<String, Value>) -> RejectedFields {
    let mut rejected = RejectedFields::default();
    for (_, rule, names) in RULES.iter().filter(|(of, _, _)| *of == kind) {
        for name in *names {
            let Some(value) = fields.get_mut(*name) else {
                continue;
            };
            match check(*rule, value) {
                Outcome::Accept => continue,
                Outcome::Replace(text) => {
                    *value = text.into();
                    continue;
                }
                Outcome::WrongType => rejected.wrong_types.push(name),
                Outcome::Invalid => {
                    if is_blank(value) {
                        rejected.blank_name = Some(name);
                    }
                    rejected.invalid_values.push(name);
                }
            }
            *value = json!({});
        }
    }
    rejected
}

/// What becomes of a value.
enum Outcome {
    /// The endpoints judge it.
    Accept,
    Replace(&'static str),
    Invalid,
    WrongType,
}

fn check(rule: Rule, value: &Value) -> Outcome {
    match (rule, value) {
        // A field that is null is missing.
        (Rule::Required, Value::Null) => Outcome::Accept,
        (Rule::Required, Value::String(text)) if text.trim().is_empty() || text == "0" => Outcome::Invalid,
        (Rule::NonEmpty, Value::Null) => Outcome::Invalid,
        (Rule::NonEmpty, Value::String(text)) if text.is_empty() || text == "0" => Outcome::Invalid,
        (Rule::Text | Rule::Image, Value::String(_)) => Outcome::Accept,
        (Rule::Image, Value::Number(_)) => Outcome::WrongType,
        (Rule::Text | Rule::Image, _) if is_empty_in_php(value) => Outcome::WrongType,
        (Rule::Text | Rule::Image, _) => Outcome::Invalid,
        (Rule::Boolean, Value::Null) => Outcome::WrongType,
        (Rule::Boolean, Value::String(text)) if text.is_empty() => Outcome::WrongType,
        (Rule::BooleanText, Value::String(text)) => {
            let is_true = ["true", "1", "yes", "y", "on", "enable", "enabled"]
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word));
            Outcome::Replace(if is_true { "true" } else { "false" })
        }
        (Rule::BooleanText, _) => Outcome::WrongType,
        _ => Outcome::Accept,
    }
}

/// Whether PHP takes a value that is no text for nothing.
fn is_empty_in_php(value: &Value) -> bool {
    value.is_null() || value == false || value.as_f64() == Some(0.0) || value.as_array().is_some_and(Vec::is_empty)
}

fn is_blank(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && text.trim().is_empty())
}

/// The type that the reference asks of a field or parameter, where it asks no more of it.
pub fn expected_type(kind: Kind, name: &str, is_list: bool) -> Option<&'static str> {
    if is_list {
        return BOOLEAN_PARAMETERS.contains(&name).then_some("boolean");
    }
    let (_, rule, _) = RULES
        .iter()
        .find(|(of, _, names)| *of == kind && names.contains(&name))?;
    match rule {
        Rule::Boolean => Some("boolean"),
        _ => None,
    }
}
