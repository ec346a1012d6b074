//! The options of a `select` element, as HTML that is made once: writing hundreds of them costs more than the list.

use std::collections::HashMap;

use askama::filters::{Escaper, Html};

/// The options of a `select` element.
#[derive(Debug, Default)]
pub(crate) struct Options {
    html: String,
    /// The values, each with the position in the HTML where an attribute of its option belongs.
    positions: HashMap<String, usize>,
}

/// The HTML of options of which one may be selected.
pub(super) struct SelectedOptions<'a> {
    /// The HTML up to the attributes of the selected option; all options if none of them is selected.
    pub before: &'a str,
    pub after: &'a str,
    /// Whether `selected` belongs between both.
    pub is_selected: bool,
}

impl Options {
    pub(super) fn add(&mut self, value: &str, label: &str) {
        self.html.push_str("<option value=\"");
        self.add_text(value);
        self.html.push('"');
        self.positions.insert(value.to_owned(), self.html.len());
        self.html.push('>');
        self.add_text(label);
        self.html.push_str("</option>");
    }

    fn add_text(&mut self, text: &str) {
        // Strings can always be written to.
        _ = Html.write_escaped_str(&mut self.html, text);
    }

    /// The options with the one with this value selected, if there is one.
    pub(super) fn select(&self, value: &str) -> SelectedOptions<'_> {
        let position = self.positions.get(value);
        let (before, after) = self.html.split_at(position.copied().unwrap_or(self.html.len()));
        SelectedOptions {
            before,
            after,
            is_selected: position.is_some(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        const ENTRY: usize = 64;
        self.html.len() + self.positions.len() * ENTRY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_option_is_selected() {
        let mut options = Options::default();
        options.add("1", "Arts & more");
        options.add("2", "Music");
        let all = "<option value=\"1\">Arts &#38; more</option><option value=\"2\">Music</option>";
        for (value, expected) in [
            ("", None),
            ("3", None),
            ("1", Some(("<option value=\"1\"", &all[17..]))),
            ("2", Some((&all[..all.len() - 15], ">Music</option>"))),
        ] {
            let found = options.select(value);
            assert_eq!((found.before, found.after), expected.unwrap_or((all, "")), "{value}");
            assert_eq!(found.is_selected, expected.is_some(), "{value}");
        }
    }
}
