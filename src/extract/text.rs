//! Strings, sanitised when they are parsed.

use super::{FromInput, InputValue};
use crate::calendar::{cost::Cost, html, search, slug, text, zone::Zone};
use crate::error::FieldError;
use poem_openapi::registry::{MetaSchema, Registry};

/// The maximum length of a line, in characters.
const MAX_LINE: usize = 500;
/// The maximum length of a title or name, in characters.
const MAX_TITLE: usize = 200;
/// The maximum length of a description, in characters.
const MAX_HTML: usize = 100_000;
/// The maximum length of a URL, in characters.
const MAX_URL: usize = 2000;
/// The maximum length of a search, in characters.
const MAX_SEARCH: usize = 200;
/// The maximum number of words and phrases that a search excludes. A text that has none of them is compared with each,
/// unlike a text that lacks an included one.
const MAX_EXCLUDED: usize = 8;
/// The maximum length of an ID in another system, and of the name of the system, in characters.
pub(super) const MAX_EXTERNAL: usize = 255;
/// The maximum length of an email address, in characters (RFC 5321 and its errata).
const MAX_EMAIL: usize = 254;
/// The maximum length of a line before cleaning, with markup, spaces and combining characters, as a multiple of its
/// maximum length after cleaning.
const MAX_OVERHEAD: usize = 20;

fn string_up_to(length: usize) -> MetaSchema {
    MetaSchema {
        max_length: Some(length),
        ..MetaSchema::new("string")
    }
}

fn text_of(input: InputValue<'_>) -> Result<&str, FieldError> {
    input.text().ok_or_else(|| FieldError::wrong_type("must be a string"))
}

fn check_length(length: usize, text: &str) -> Result<(), FieldError> {
    if text.chars().count() > length {
        return Err(FieldError::invalid(format!("must have at most {length} characters")));
    }
    Ok(())
}

/// Cleans a line and checks its length; before cleaning too, because cleaning long texts is slow.
fn one_line(
    length: usize,
    text: &str,
    clean: impl FnOnce(&str) -> Result<String, html::TooComplex>,
) -> Result<String, FieldError> {
    let max_uncleaned = length * MAX_OVERHEAD;
    if text.chars().count() > max_uncleaned {
        return Err(FieldError::invalid(format!(
            "must have at most {length} characters, and at most {max_uncleaned} including markup and spaces"
        )));
    }
    let line = clean(text).map_err(too_complex)?;
    check_length(length, &line)?;
    Ok(line)
}

/// One line of text with its markup.
fn verbatim(length: usize, text: &str) -> Result<String, FieldError> {
    one_line(length, text, |text| Ok(text::clean_line(text)))
}

/// One line of text without markup.
fn plain(length: usize, text: &str) -> Result<String, FieldError> {
    one_line(length, text, html::strip_tags)
}

/// The name of a term, venue or organizer.
pub(crate) fn name(text: &str) -> Result<String, FieldError> {
    plain(MAX_TITLE, text)
}

fn too_complex(error: html::TooComplex) -> FieldError {
    FieldError::invalid(error.to_string())
}

macro_rules! string_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub String);

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }
    };
}

string_type!(
    /// One line of text.
    Text
);
string_type!(
    /// One line of text without markup.
    Line
);
string_type!(
    /// A title or a name: plain text of 1 to 200 characters.
    Title
);
string_type!(
    /// A normalised slug.
    Slug
);
string_type!(
    /// An http or https URL.
    WebAddress
);
string_type!(
    /// An email address (RFC 5321).
    EmailAddress
);
string_type!(
    /// An ID in another system, or the name of the system.
    ExternalText
);
string_type!(
    /// A price as text.
    CostInput
);

/// Sanitised HTML and its text content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html {
    pub html: String,
    pub text: String,
}

impl From<Html> for String {
    fn from(value: Html) -> Self {
        value.html
    }
}

impl FromInput for Text {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new("string")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        verbatim(MAX_LINE, text_of(input)?).map(Self)
    }
}

impl FromInput for Line {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        string_up_to(MAX_LINE)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        plain(MAX_LINE, text_of(input)?).map(Self)
    }
}

impl ExternalText {
    /// Cleans and checks a text.
    pub(crate) fn of(text: &str) -> Result<Self, FieldError> {
        match verbatim(MAX_EXTERNAL, text)? {
            text if text.is_empty() => Err(FieldError::invalid("must not be empty")),
            text => Ok(Self(text)),
        }
    }
}

impl FromInput for ExternalText {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        string_up_to(MAX_EXTERNAL)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        Self::of(text_of(input)?)
    }
}

impl FromInput for Title {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            min_length: Some(1),
            ..string_up_to(MAX_TITLE)
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let title = plain(MAX_TITLE, text_of(input)?)?;
        if title.is_empty() {
            return Err(FieldError::invalid(format!(
                "must have 1 to {MAX_TITLE} characters, not counting markup"
            )));
        }
        Ok(Self(title))
    }
}

impl FromInput for Html {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            description: Some(
                "Description in HTML, up to 100,000 characters. Scripts, event handlers and `javascript:` links are \
                 removed.",
            ),
            ..string_up_to(MAX_HTML)
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let sent = text_of(input)?;
        check_length(MAX_HTML, sent)?;
        let html = html::sanitize(sent).map_err(too_complex)?;
        // Sanitising may lengthen the text. Clients must be able to send back the text that they have read.
        if html.chars().count() > MAX_HTML {
            return Err(FieldError::invalid(format!(
                "must have at most {MAX_HTML} characters after its elements are closed and its characters escaped"
            )));
        }
        let text = html::text_content(&html);
        Ok(Self { html, text })
    }
}

impl FromInput for Slug {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            description: Some(
                "Name in the public URL, up to 200 bytes, unique per resource type. Default on create: generated from \
                 the title or name. If it is taken, a create appends `-2`, `-3` and so on, and an update returns 409. \
                 It does not change with the title or name.",
            ),
            ..string_up_to(slug::MAX_BYTES)
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        // Each byte of an encoded letter takes three characters.
        let line = verbatim(slug::MAX_BYTES * 3, text_of(input)?)?;
        let decoded = slug::decoded(&line);
        check_length(slug::MAX_BYTES, &decoded)?;
        let slug = slug::slugify(&decoded);
        if slug.is_empty() {
            return Err(FieldError::invalid("must contain a letter or a digit"));
        }
        Ok(Self(slug))
    }
}

/// A slug that a filter looks for. Imported slugs may have other letters than those that this program makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlugFilter(pub String);

impl FromInput for SlugFilter {
    fn schema(registry: &mut Registry) -> MetaSchema {
        Slug::schema(registry)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let Slug(made) = Slug::from_input(input)?;
        let decoded = slug::decoded(text_of(input)?);
        let is_imported = !decoded.is_ascii() || decoded.contains('_');
        Ok(Self(if is_imported { decoded } else { made }))
    }
}

impl FromInput for WebAddress {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new_with_format("string", "uri")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let text = verbatim(MAX_URL, text_of(input)?)?;
        match url::Url::parse(&text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                // Stored unchanged if it is a valid URI, otherwise normalised like in browsers.
                let stored = if is_uri(&text) { text } else { url.into() };
                Ok(Self(stored))
            }
            _ => Err(FieldError::invalid(
                "must be a URL that starts with http:// or https://",
            )),
        }
    }
}

/// Whether a URL is also a URI (RFC 3986): ASCII without spaces.
fn is_uri(url: &str) -> bool {
    url.bytes()
        .all(|byte| byte.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&byte))
}

impl FromInput for EmailAddress {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new_with_format("string", "email")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let text = verbatim(MAX_EMAIL, text_of(input)?)?;
        if email_address::EmailAddress::is_valid(&text) {
            Ok(Self(text))
        } else {
            Err(FieldError::invalid("must be an email address, such as ann@example.org"))
        }
    }
}

impl FromInput for CostInput {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new("")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        use serde_json::Value;
        let one = |value: &Value| match value {
            Value::String(text) => plain(MAX_LINE, text),
            Value::Number(number) => Ok(decimal(number)),
            _ => Err(FieldError::wrong_type("must be a string, a number, or a list of them")),
        };
        let texts = match input.value {
            // More items would exceed the maximum length.
            Value::Array(values) => values.iter().take(MAX_LINE).map(one).collect::<Result<Vec<_>, _>>()?,
            value => vec![one(value)?],
        };
        let cost = Cost::join(&texts);
        check_length(MAX_LINE, &cost)?;
        Ok(Self(cost))
    }
}

/// Formats a number as a price: `10.0` becomes `10`.
fn decimal(number: &serde_json::Number) -> String {
    let text = number.to_string();
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// The name of a time zone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ZoneName(pub Zone);

impl FromInput for ZoneName {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new("string")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let text = verbatim(MAX_LINE, text_of(input)?)?;
        Zone::parse(&text)
            .map(Self)
            .map_err(|error| FieldError::invalid(error.to_string()))
    }
}

/// Words and phrases to search for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Search(pub search::Search);

impl FromInput for Search {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        string_up_to(MAX_SEARCH)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let text = verbatim(MAX_SEARCH, text_of(input)?)?;
        let search = search::Search::parse(&text);
        if search.included.is_empty() && !search.excluded.is_empty() {
            return Err(FieldError::invalid(
                "must contain a word or phrase to search for, besides exclusions with -",
            ));
        }
        if search.excluded.len() > MAX_EXCLUDED {
            return Err(FieldError::invalid(format!(
                "must exclude at most {MAX_EXCLUDED} words and phrases with -"
            )));
        }
        Ok(Self(search))
    }
}
