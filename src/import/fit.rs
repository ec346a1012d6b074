//! Corrects values of a source to those that this program stores, and notes each correction.

use serde_json::{Map, Value};

use crate::{
    calendar::{html, text::clean_line, zone::Zone},
    error::FieldError,
    extract::{
        FromInput, InputFormat, InputValue,
        json_object::JsonObject,
        text::{CostInput, EmailAddress, Html, Line, Title, WebAddress},
    },
};

/// Titles are cut to this many characters.
const MAX_TITLE: usize = 200;
/// A line is cut to this many characters.
const MAX_LINE: usize = 500;
/// Texts are cut to this many characters before they are cleaned, which takes long.
const MAX_UNCLEANED: usize = 4_000;
/// Descriptions are cut to this many characters.
const MAX_HTML: usize = 100_000;
/// The maximum number of notes on an object, and of characters in one of them. A value may be repeated a million times.
const MAX_NOTES: usize = 50;
const MAX_NOTE: usize = 500;
/// The last of too many notes.
const MORE_NOTES: &str = "has more problems, which are not listed";

/// The corrections of one object.
#[derive(Debug, Default)]
pub(super) struct Fit {
    pub notes: Vec<String>,
}

impl Fit {
    /// Adds a note on a field, which says what the source has and what was stored. Each note is added once.
    pub(super) fn note(&mut self, text: impl AsRef<str>) {
        let text = match self.notes.len() {
            ..MAX_NOTES => first(text.as_ref(), MAX_NOTE),
            _ => MORE_NOTES,
        };
        if self.notes.len() <= MAX_NOTES && !self.notes.iter().any(|note| note == text) {
            self.notes.push(text.to_owned());
        }
    }

    /// A title or name in plain text.
    pub(super) fn title(&mut self, field: &str, text: &str) -> String {
        match read::<Title>(text) {
            Ok(title) => title.0,
            Err(_) => {
                let uncleaned = first(text, MAX_UNCLEANED);
                let plain = html::strip_tags(uncleaned).unwrap_or_else(|_| clean_line(&without_markup(uncleaned)));
                let cut = first(&plain, MAX_TITLE).trim_end().to_owned();
                if cut.is_empty() {
                    self.note(format!("{field} is empty; stored as \"Untitled\""));
                    return "Untitled".to_owned();
                }
                self.note(format!("{field} is longer than {MAX_TITLE} characters; cut"));
                cut
            }
        }
    }

    /// One line of plain text.
    pub(super) fn line(&mut self, field: &str, text: &str) -> String {
        match read::<Line>(text) {
            Ok(line) => line.0,
            Err(_) => {
                self.note(format!("{field} is longer than {MAX_LINE} characters; cut"));
                let uncleaned = first(text, MAX_UNCLEANED);
                let plain = html::strip_tags(uncleaned).unwrap_or_else(|_| clean_line(&without_markup(uncleaned)));
                first(&plain, MAX_LINE).trim_end().to_owned()
            }
        }
    }

    /// Sanitised HTML.
    pub(super) fn html(&mut self, field: &str, text: &str) -> String {
        match read::<Html>(text) {
            Ok(html) => html.html,
            Err(error) => {
                self.note(format!(
                    "{field} {}; stored as plain text, cut if necessary",
                    error.message
                ));
                let plain = without_markup(first(text, MAX_HTML));
                // Escaping lengthens the text by a factor of 5 at most.
                let short = first(&plain, MAX_HTML / 5);
                read::<Html>(&short.replace('&', "&amp;"))
                    .map(|html| html.html)
                    .unwrap_or_default()
            }
        }
    }

    /// An http or https URL, or nothing.
    pub(super) fn url(&mut self, field: &str, text: &str) -> String {
        self.optional::<WebAddress>(field, text)
    }

    /// An email address, or nothing.
    pub(super) fn email(&mut self, field: &str, text: &str) -> String {
        self.optional::<EmailAddress>(field, text)
    }

    /// The text of a price.
    pub(super) fn cost(&mut self, text: &str) -> String {
        match read::<CostInput>(text) {
            Ok(cost) => cost.0,
            Err(_) => self.line("cost", text),
        }
    }

    /// The members of an object with custom fields. PHP represents an object without members as an empty list.
    pub(super) fn custom_fields(&mut self, value: &Value) -> Map<String, Value> {
        if value.is_null() || value == false {
            return Map::new();
        }
        let input = InputValue {
            value,
            format: InputFormat::Json,
        };
        match JsonObject::from_input(input) {
            Ok(JsonObject(fields)) => fields,
            Err(error) => {
                self.note(format!("custom_fields {}; left out", error.message));
                Map::new()
            }
        }
    }

    /// A time zone. An unknown one is replaced by the default.
    pub(super) fn zone(&mut self, text: &str, default: Zone) -> Zone {
        if text.trim().is_empty() {
            return default;
        }
        Zone::parse(text.trim()).unwrap_or_else(|_| {
            self.note(format!(
                "the time zone \"{text}\" is unknown; {} is used",
                default.name()
            ));
            default
        })
    }

    fn optional<T: FromInput + Into<String>>(&mut self, field: &str, text: &str) -> String {
        if text.trim().is_empty() {
            return String::new();
        }
        match read::<T>(text) {
            Ok(value) => value.into(),
            Err(error) => {
                self.note(format!("{field} \"{}\" {}; left out", first(text, 100), error.message));
                String::new()
            }
        }
    }
}

/// Reads a value as that of a JSON body.
pub(super) fn read<T: FromInput>(text: &str) -> Result<T, FieldError> {
    T::from_input(InputValue {
        value: &Value::String(text.to_owned()),
        format: InputFormat::Json,
    })
}

/// The first characters of a text.
fn first(text: &str, characters: usize) -> &str {
    match text.char_indices().nth(characters) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The text outside of tags. Text that is too complex to be parsed needs no more precision.
fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_tag = false;
    for character in text.chars() {
        match character {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ if !is_tag => plain.push(character),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut() {
        let mut fit = Fit::default();
        assert_eq!(fit.title("title", "<b>Jazz</b> & more"), "Jazz & more");
        assert_eq!(fit.notes.len(), 0);
        assert_eq!(fit.title("title", &"é".repeat(300)), "é".repeat(MAX_TITLE));
        assert_eq!(fit.title("title", " <p></p> "), "Untitled");
        assert_eq!(fit.notes.len(), 2, "{:?}", fit.notes);
    }

    #[test]
    fn invalid_addresses_are_left_out() {
        let mut fit = Fit::default();
        assert_eq!(fit.email("email", "ann@example.org"), "ann@example.org");
        assert_eq!(fit.email("email", "ann at example"), "");
        assert_eq!(fit.url("website", "javascript:alert(1)"), "");
        assert_eq!(fit.url("website", ""), "");
        assert_eq!(fit.notes.len(), 2, "{:?}", fit.notes);
        assert!(fit.notes[0].contains("ann at example"), "{:?}", fit.notes);
    }

    #[test]
    fn notes_are_limited() {
        let mut fit = Fit::default();
        for number in 0..10_000 {
            fit.note(format!("{} {}", number % 30, "x".repeat(MAX_NOTE)));
        }
        assert_eq!(fit.notes.len(), 30);
        assert!(fit.notes.iter().all(|note| note.len() == MAX_NOTE));
        for number in 0..100 {
            fit.note(number.to_string());
        }
        assert_eq!(fit.notes.len(), MAX_NOTES + 1);
        assert_eq!(fit.notes.last().map(String::as_str), Some(MORE_NOTES));
    }

    #[test]
    fn complex_html_becomes_text() {
        let mut fit = Fit::default();
        let deep = "<ul><li>".repeat(200) + "text";
        assert_eq!(fit.html("description", &deep), "text");
        assert_eq!(fit.notes.len(), 1);
    }
}
