//! Texts, cleaned as they come in.

use super::{Fault, Leaf, Raw};
use crate::calendar::{cost::Cost, slug, text, zone::Zone};

/// The longest line of text, in characters.
const LINE: usize = 500;
/// The longest title or name, in characters.
const TITLE: usize = 200;
/// The longest description, in characters.
const BLOCK: usize = 100_000;
/// The longest address on the web, in characters.
const ADDRESS: usize = 2000;
/// The longest search, in characters.
const SEARCH: usize = 200;

fn text_of(raw: Raw<'_>) -> Result<&str, Fault> {
    raw.text()
        .ok_or_else(|| Fault::wrong_type("must be a string"))
}

fn no_longer_than(length: usize, text: &str) -> Result<(), Fault> {
    if text.chars().count() > length {
        return Err(Fault::invalid(format!(
            "must have at most {length} characters"
        )));
    }
    Ok(())
}

macro_rules! text_leaf {
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

text_leaf!(
    /// Any text on one line.
    Text
);
text_leaf!(
    /// One line of text without markup.
    Line
);
text_leaf!(
    /// A title or a name: plain text of 1 to 200 characters.
    Title
);
text_leaf!(
    /// Sanitised HTML.
    Html
);
text_leaf!(
    /// A slug as it will be stored.
    Slug
);
text_leaf!(
    /// An http or https URL.
    WebAddress
);
text_leaf!(
    /// An email address (RFC 5321).
    EmailAddress
);
text_leaf!(
    /// A price as it is shown.
    CostInput
);

impl Leaf for Text {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let line = text::line(text_of(raw)?);
        no_longer_than(LINE, &line)?;
        Ok(Self(line))
    }
}

impl Leaf for Line {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let line = text::plain(text_of(raw)?);
        no_longer_than(LINE, &line)?;
        Ok(Self(line))
    }
}

impl Leaf for Title {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let title = text::plain(text_of(raw)?);
        if title.is_empty() {
            return Err(Fault::invalid(format!(
                "must have 1 to {TITLE} characters of text, markup aside"
            )));
        }
        no_longer_than(TITLE, &title)?;
        Ok(Self(title))
    }
}

impl Leaf for Html {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let html = text_of(raw)?;
        no_longer_than(BLOCK, html)?;
        Ok(Self(text::html(html)))
    }
}

impl Leaf for Slug {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let line = text::line(text_of(raw)?);
        no_longer_than(slug::LONGEST, &line)?;
        let slug = slug::slugify(&line);
        if slug.is_empty() {
            return Err(Fault::invalid("must contain a letter or a digit"));
        }
        Ok(Self(slug))
    }
}

impl Leaf for WebAddress {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let text = text::line(text_of(raw)?);
        no_longer_than(ADDRESS, &text)?;
        match url::Url::parse(&text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                // As it was sent, where programs can read it, and else as browsers would write it.
                let stored = if is_uri(&text) { text } else { url.into() };
                Ok(Self(stored))
            }
            _ => Err(Fault::invalid(
                "must be a URL that starts with http:// or https://",
            )),
        }
    }
}

/// Whether a URL needs no other spelling to be a URI (RFC 3986), which has no spaces and no letters beyond ASCII.
fn is_uri(url: &str) -> bool {
    url.bytes()
        .all(|byte| byte.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&byte))
}

impl Leaf for EmailAddress {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let text = text::line(text_of(raw)?);
        if email_address::EmailAddress::is_valid(&text) {
            Ok(Self(text))
        } else {
            Err(Fault::invalid(
                "must be an email address, as in ann@example.org",
            ))
        }
    }
}

impl Leaf for CostInput {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        use serde_json::Value;
        let one = |value: &Value| match value {
            Value::String(text) => Ok(text::plain(text)),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(Fault::wrong_type(
                "must be a string, a number or a list of them",
            )),
        };
        let texts = match raw.value {
            Value::Array(values) => values.iter().map(one).collect::<Result<Vec<_>, _>>()?,
            value => vec![one(value)?],
        };
        let cost = Cost::join(&texts);
        no_longer_than(LINE, &cost)?;
        Ok(Self(cost))
    }
}

/// The name of a time zone.
#[derive(Clone, Debug, PartialEq)]
pub struct ZoneName(pub Zone);

impl Leaf for ZoneName {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let text = text::line(text_of(raw)?);
        Zone::parse(&text)
            .map(Self)
            .map_err(|error| Fault::invalid(error.to_string()))
    }
}

/// Words to be looked for, folded as the texts are in which they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search(pub Vec<String>);

impl Leaf for Search {
    fn read(raw: Raw<'_>) -> Result<Self, Fault> {
        let text = text::line(text_of(raw)?);
        no_longer_than(SEARCH, &text)?;
        let words = text::fold(&text);
        Ok(Self(words.split_whitespace().map(str::to_owned).collect()))
    }
}
