//! Parameters and fields of a request that do not exist. They are ignored and named in the response, or rejected if the
//! client prefers strict handling (RFC 7240, section 4.4).

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value};

use super::Members;
use crate::error::{FieldError, ValidationErrors};

/// The maximum number of names in a response. Requests may have thousands.
pub(crate) const MAX_NAMES: usize = 20;
/// The maximum length of a name in a response, in characters. Longer ones are cut.
const MAX_LENGTH: usize = 64;

/// Collects the unknown names of a request. Middleware sets it as data of the requests whose responses name them.
#[derive(Clone, Debug)]
pub(crate) struct UnknownNames {
    is_strict: bool,
    ignored: Arc<Mutex<Vec<String>>>,
}

impl UnknownNames {
    /// With `is_strict`, unknown names are validation errors.
    pub(crate) fn new(is_strict: bool) -> Self {
        Self {
            is_strict,
            ignored: Arc::default(),
        }
    }

    /// Whether unknown names are validation errors.
    pub(crate) fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Adds the names to those that are ignored, or to the validation errors.
    pub(crate) fn report(&self, unknown: Vec<UnknownName>, errors: &mut ValidationErrors) {
        if self.is_strict {
            for name in unknown {
                errors.add(&name.path(), name.error());
            }
            return;
        }
        let mut ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        ignored.extend(unknown.iter().map(UnknownName::path));
        ignored.truncate(MAX_NAMES);
    }

    /// The names that were ignored, in the order in which they were found.
    pub(crate) fn ignored(&self) -> Vec<String> {
        self.ignored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An unknown parameter or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownName {
    /// The path of the object that has the field, with a full stop at its end. It is empty at the top level.
    prefix: String,
    name: String,
    /// The names that the operation or the object accepts.
    known: Vec<&'static str>,
}

impl UnknownName {
    pub(crate) fn new(name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        Self::inside("", name, known)
    }

    fn inside(prefix: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        Self {
            prefix: prefix.to_owned(),
            name: shortened(name),
            known: known.collect(),
        }
    }

    /// The parameter, or the path of the field, such as `venue[0].x`.
    fn path(&self) -> String {
        format!("{}{}", self.prefix, self.name)
    }

    /// The known name that is most similar. It is computed only for error messages, because comparing the name with all
    /// known ones takes longer than parsing the query.
    fn nearest(&self) -> Option<&'static str> {
        nearest(&self.name, self.known.iter().copied())
    }

    fn error(&self) -> FieldError {
        FieldError::invalid(match self.nearest() {
            Some(nearest) => format!("is unknown; the nearest known name is {nearest}"),
            None => "is unknown; this operation has no query parameters".to_owned(),
        })
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        match self.nearest() {
            Some(nearest) => write!(formatter, "{path} (nearest: {nearest})"),
            None => formatter.write_str(&path),
        }
    }
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The most similar name. One that contains the unknown name, or is contained in it, is preferred: `radius` is nearer to
/// `geoloc_radius` than to `status`.
fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    /// Shorter names occur in many others by chance.
    const MIN_LENGTH: usize = 4;
    let similarity = |known: &str| {
        let is_part = |part: &str, whole: &str| part.len() >= MIN_LENGTH && whole.contains(part);
        let is_contained = is_part(name, known) || is_part(known, name);
        f64::from(u8::from(is_contained)) + strsim::jaro_winkler(name, known)
    };
    known.max_by(|one, other| similarity(one).total_cmp(&similarity(other)))
}

/// The unknown parameters of a query. An empty name is none.
pub(crate) fn parameters<'a>(names: impl Iterator<Item = &'a String>, known: &[&'static str]) -> Vec<UnknownName> {
    names
        .filter(|name| !name.is_empty() && !known.contains(&name.as_str()))
        .take(MAX_NAMES)
        .map(|name| UnknownName::new(name, known.iter().copied()))
        .collect()
}

/// The unknown fields of a body, also of the objects in it. Besides the fields of the payload, those of the
/// representation are known, as clients send representations back.
pub(crate) fn fields(body: &Map<String, Value>, representation: &Members, own: &[&'static str]) -> Vec<UnknownName> {
    let mut unknown = Vec::new();
    find_fields(body, representation, own, "", &mut unknown);
    unknown
}

fn find_fields(
    object: &Map<String, Value>,
    members: &Members,
    own: &[&'static str],
    prefix: &str,
    unknown: &mut Vec<UnknownName>,
) {
    for (name, value) in object {
        if unknown.len() == MAX_NAMES {
            return;
        }
        match members.find(name) {
            None if own.contains(&name.as_str()) => {}
            None => {
                let known = members.names().chain(own.iter().copied());
                unknown.push(UnknownName::inside(prefix, name, known));
            }
            Some((_, None)) => {}
            Some((_, Some(members))) => match value {
                Value::Object(object) => find_fields(object, members, &[], &format!("{prefix}{name}."), unknown),
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        if let Value::Object(object) = item {
                            find_fields(object, members, &[], &format!("{prefix}{name}[{index}]."), unknown);
                        }
                    }
                }
                _ => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{extract::Selectable, views::event::EventView};

    fn paths(body: &Value) -> Vec<String> {
        let body = body.as_object().expect("an object");
        let unknown = fields(body, EventView::members(), &["recurrence"]);
        unknown.iter().map(UnknownName::path).collect()
    }

    #[test]
    fn nearest_known_name() {
        const KNOWN: [&str; 6] = ["page", "status", "start_date", "starts_after", "geoloc_radius", "tags"];
        for (name, expected) in [
            ("radius", "geoloc_radius"),
            ("pagesize", "page"),
            ("startDate", "start_date"),
            ("stauts", "status"),
            ("startsafter", "starts_after"),
            ("tag", "tags"),
        ] {
            assert_eq!(nearest(name, KNOWN.into_iter()), Some(expected), "{name}");
        }
        assert_eq!(nearest("radius", [].into_iter()), None);
    }

    #[test]
    fn fields_of_nested_objects() {
        let body = json!({
            "title": "Concert", "titel": "Concert", "global_id": "read-only",
            "venue": [{"id": 1, "x": 2}, 3, {"venue": "Hall", "image": {"url": "https://example.org/a.jpg", "alt": ""}}],
            "organizer": {"organizer": "Ann", "mail": "ann@example.org"},
            "categories": [{"id": 1, "colour": "red"}],
            "custom_fields": {"anything": {"x": 1}}, "recurrence": null,
        });
        let expected = [
            "titel",
            "venue[0].x",
            "venue[2].image.alt",
            "organizer.mail",
            "categories[0].colour",
        ];
        assert_eq!(paths(&body), expected);
    }

    #[test]
    fn number_and_length_of_names_are_limited() {
        let long = "ä".repeat(MAX_LENGTH + 1);
        let body = json!({long.clone(): 1, long[2..].to_owned(): 2});
        assert_eq!(paths(&body), [format!("{}…", &long[2..]), long[2..].to_owned()]);
        let many: Map<String, Value> = (0..100).map(|number| (format!("x{number}"), Value::Null)).collect();
        assert_eq!(paths(&many.into()).len(), MAX_NAMES);
    }

    #[test]
    fn strict_handling_reports_errors() {
        for (is_strict, ignored, errors) in [(false, vec!["radius".to_owned()], 0), (true, vec![], 1)] {
            let names = UnknownNames::new(is_strict);
            let mut found = ValidationErrors::default();
            names.report(vec![UnknownName::new("radius", ["page"].into_iter())], &mut found);
            assert_eq!((names.ignored(), found.iter().count()), (ignored, errors));
        }
    }
}
