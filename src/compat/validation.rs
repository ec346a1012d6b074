//! Values that the reference refuses and the native endpoints take.
//!
//! They are refused where the endpoints refuse values: after credentials, rights, and the object itself. So
//! nothing is answered here; such a value is replaced by one that no field takes.

use serde_json::{Map, Value, json};

use crate::calendar::Kind;

/// How the reference reads a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// Text that must be there when a new object is made. What PHP takes for empty is refused, `0` too.
    Needed,
    /// Text that is left out, or not empty.
    Filled,
    /// Text, empty or not.
    Text,
    /// An image, as text. A number is one too, but of the wrong type.
    Image,
    /// True or false.
    Switch,
    /// The same as text. Whatever is not true is false.
    TextSwitch,
}

const CHECKS: &[(Kind, Check, &[&str])] = &[
    (Kind::Event, Check::Needed, &["title", "start_date", "end_date"]),
    (
        Kind::Event,
        Check::Filled,
        &["author", "date", "date_utc", "description", "slug", "excerpt", "status"],
    ),
    (Kind::Event, Check::Text, &["timezone"]),
    (Kind::Event, Check::Image, &["image"]),
    (
        Kind::Event,
        Check::Switch,
        &[
            "all_day",
            "show_map",
            "show_map_link",
            "hide_from_listings",
            "sticky",
            "featured",
        ],
    ),
    (Kind::Venue, Check::Needed, &["venue"]),
    (Kind::Venue, Check::Filled, &["author", "date", "date_utc", "status"]),
    (
        Kind::Venue,
        Check::Text,
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
    (Kind::Venue, Check::Image, &["image"]),
    (Kind::Venue, Check::TextSwitch, &["show_map", "show_map_link"]),
    (Kind::Organizer, Check::Needed, &["organizer"]),
    (
        Kind::Organizer,
        Check::Text,
        &["date", "date_utc", "description", "status", "phone", "website", "email"],
    ),
    (Kind::Organizer, Check::Image, &["image"]),
    (Kind::Category, Check::Needed, &["name"]),
    (Kind::Category, Check::Filled, &["description", "slug"]),
    (Kind::Tag, Check::Needed, &["name"]),
    (Kind::Tag, Check::Filled, &["description", "slug"]),
];

/// Parameters of lists whose type alone is checked.
const SWITCHES_OF_LISTS: [&str; 3] = ["featured", "geoloc", "hide_empty"];

/// What was refused here, as far as the answer depends on it.
#[derive(Debug, Default)]
pub struct Refused {
    /// Fields of a wrong type, which the reference tells from wrong values.
    pub types: Vec<&'static str>,
    /// Fields with wrong values.
    pub values: Vec<&'static str>,
    /// The name, where it is nothing but spaces.
    pub blank_name: Option<&'static str>,
}

impl Refused {
    /// What was of a wrong type is wrong for another reason.
    pub fn wrong_after_all(&mut self, name: &str) {
        let (wrong, types) = self.types.iter().partition(|other| **other == name);
        self.types = types;
        self.values.extend::<Vec<_>>(wrong);
    }
}

/// Replaces what the reference refuses by what every endpoint refuses.
pub fn mark(kind: Kind, fields: &mut Map<String, Value>) -> Refused {
    let mut refused = Refused::default();
    for (_, check, names) in CHECKS.iter().filter(|(of, _, _)| *of == kind) {
        for name in *names {
            let Some(value) = fields.get_mut(*name) else {
                continue;
            };
            match judge(*check, value) {
                Verdict::Taken => continue,
                Verdict::Replaced(text) => {
                    *value = text.into();
                    continue;
                }
                Verdict::WrongType => refused.types.push(name),
                Verdict::Wrong => {
                    if is_blank(value) {
                        refused.blank_name = Some(name);
                    }
                    refused.values.push(name);
                }
            }
            *value = json!({});
        }
    }
    refused
}

/// What becomes of a value.
enum Verdict {
    /// The endpoints judge it.
    Taken,
    Replaced(&'static str),
    Wrong,
    WrongType,
}

fn judge(check: Check, value: &Value) -> Verdict {
    match (check, value) {
        // A field that is null is missing.
        (Check::Needed, Value::Null) => Verdict::Taken,
        (Check::Needed, Value::String(text)) if text.trim().is_empty() || text == "0" => Verdict::Wrong,
        (Check::Filled, Value::Null) => Verdict::Wrong,
        (Check::Filled, Value::String(text)) if text.is_empty() || text == "0" => Verdict::Wrong,
        (Check::Text | Check::Image, Value::String(_)) => Verdict::Taken,
        (Check::Image, Value::Number(_)) => Verdict::WrongType,
        (Check::Text | Check::Image, _) if is_empty(value) => Verdict::WrongType,
        (Check::Text | Check::Image, _) => Verdict::Wrong,
        (Check::Switch, Value::Null) => Verdict::WrongType,
        (Check::Switch, Value::String(text)) if text.is_empty() => Verdict::WrongType,
        (Check::TextSwitch, Value::String(text)) => {
            let is_on = ["true", "1", "yes", "y", "on", "enable", "enabled"]
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word));
            Verdict::Replaced(if is_on { "true" } else { "false" })
        }
        (Check::TextSwitch, _) => Verdict::WrongType,
        _ => Verdict::Taken,
    }
}

/// Whether PHP takes a value that is no text for nothing.
fn is_empty(value: &Value) -> bool {
    value.is_null() || value == false || value.as_f64() == Some(0.0) || value.as_array().is_some_and(Vec::is_empty)
}

fn is_blank(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && text.trim().is_empty())
}

/// The type that the reference asks of a field or parameter, where it asks no more of it.
pub fn type_of(kind: Kind, name: &str, is_list: bool) -> Option<&'static str> {
    if is_list {
        return SWITCHES_OF_LISTS.contains(&name).then_some("boolean");
    }
    let (_, check, _) = CHECKS
        .iter()
        .find(|(of, _, names)| *of == kind && names.contains(&name))?;
    match check {
        Check::Switch => Some("boolean"),
        _ => None,
    }
}
