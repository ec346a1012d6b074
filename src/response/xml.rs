//! Writing of XML documents.

use quick_xml::{
    Result, Writer,
    events::{BytesDecl, BytesText, Event},
};

/// An XML document. Texts and attributes are escaped.
pub(crate) struct XmlDocument(Writer<Vec<u8>>);

/// The attributes of an element.
pub(crate) type Attributes<'a> = &'a [(&'a str, &'a str)];

impl XmlDocument {
    /// Writes a document with this root element.
    pub(crate) fn write(
        root: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Vec<u8>> {
        let mut document = Self(Writer::new(Vec::new()));
        let declaration = BytesDecl::new("1.0", Some("UTF-8"), None);
        document.0.write_event(Event::Decl(declaration))?;
        document.element(root, attributes, content)?;
        Ok(document.0.into_inner())
    }

    /// Writes an element with other elements in it.
    pub(crate) fn element(
        &mut self,
        name: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let start = quick_xml::events::BytesStart::new(name)
            .with_attributes(allowed_attributes(attributes).iter().map(as_pair));
        self.0.write_event(Event::Start(start.borrow()))?;
        content(self)?;
        self.0.write_event(Event::End(start.to_end()))
    }

    /// Writes an element with text in it.
    pub(crate) fn text(&mut self, name: &str, attributes: Attributes<'_>, text: &str) -> Result<()> {
        self.element(name, attributes, |document| {
            document.0.write_event(Event::Text(BytesText::new(&allowed(text))))
        })
    }

    /// Writes an element without content.
    pub(crate) fn empty(&mut self, name: &str, attributes: Attributes<'_>) -> Result<()> {
        let start = quick_xml::events::BytesStart::new(name)
            .with_attributes(allowed_attributes(attributes).iter().map(as_pair));
        self.0.write_event(Event::Empty(start))
    }
}

fn allowed_attributes<'a>(attributes: Attributes<'a>) -> Vec<(&'a str, String)> {
    attributes.iter().map(|(name, value)| (*name, allowed(value))).collect()
}

fn as_pair<'a>((name, value): &'a (&str, String)) -> (&'a str, &'a str) {
    (name, value)
}

/// The text without characters that XML 1.0 does not allow, not even escaped.
fn allowed(text: &str) -> String {
    let is_allowed = |character: &char| {
        matches!(character, '\t' | '\n' | '\r')
            || !(character.is_ascii_control() || matches!(character, '\u{fffe}' | '\u{ffff}'))
    };
    text.chars().filter(is_allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_escaped() {
        let document = XmlDocument::write("a", &[("b", "\"<&\u{1}")], |document| {
            document.text("c", &[], "<&>\u{0}\u{ffff}ö\n")?;
            document.empty("d", &[("e", "1")])
        });
        let text = String::from_utf8(document.unwrap()).unwrap();
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"&quot;&lt;&amp;\"><c>&lt;&amp;&gt;ö\n</c><d e=\"1\"/></a>";
        assert_eq!(text, expected);
    }
}
