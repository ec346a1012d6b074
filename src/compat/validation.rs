//! Values that The Events Calendar rejects and the native API accepts.
//!
//! Errors of values come after those of credentials, permissions and the object itself. Therefore these values are not
//! rejected here, but replaced with one that the native API rejects.

use serde_json::{Map, Value, json};

use super::representation::is_empty_in_php;
use crate::calendar::Kind;

/// How The Events Calendar validates a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Text that is required to create an object. Blank text and `0`, which is empty in PHP, are invalid.
    Required,
    /// Optional text that is not empty.
    NonEmpty,
    /// Any text.
    Text,
    /// The URL or ID of an image as text. A number has the wrong type.
    Image,
    /// A boolean.
    Boolean,
    /// A boolean as text. Unknown words are false.
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

/// Parameters of lists that must be boolean.
const BOOLEAN_PARAMETERS: [&str; 3] = ["featured", "geoloc", "hide_empty"];

/// The fields whose values were replaced, by how The Events Calendar reports them.
#[derive(Debug, Default)]
pub(super) struct RejectedFields {
    /// Fields of the wrong type.
    pub wrong_types: Vec<&'static str>,
    /// Fields with an invalid value.
    pub invalid_values: Vec<&'static str>,
    /// The field that contains the name, if the name is blank.
    pub blank_name: Option<&'static str>,
}

impl RejectedFields {
    /// Reports a field of the wrong type as an invalid value instead.
    pub(super) fn reclassify_as_invalid(&mut self, name: &str) {
        let (invalid, wrong_types) = self.wrong_types.iter().partition(|other| **other == name);
        self.wrong_types = wrong_types;
        self.invalid_values.extend::<Vec<_>>(invalid);
    }
}

/// Replaces the values that The Events Calendar rejects with an empty object, which no field of the native API accepts.
pub(super) fn replace_rejected(kind: Kind, fields: &mut Map<String, Value>) -> RejectedFields {
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

/// The result of checking a value.
enum Outcome {
    /// The native API validates it.
    Accept,
    Replace(&'static str),
    Invalid,
    WrongType,
}

fn check(rule: Rule, value: &Value) -> Outcome {
    match (rule, value) {
        // Null counts as missing.
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

fn is_blank(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && text.trim().is_empty())
}

/// The type of a field or parameter, if The Events Calendar validates only the type.
pub(super) fn expected_type(kind: Kind, name: &str, is_list: bool) -> Option<&'static str> {
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
