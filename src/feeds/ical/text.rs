//! Content lines of iCalendar: escaping and folding (RFC 5545, sections 3.1 and 3.3.11).
//!
//! A module of our own, because none of the crates writes all that feeds need: `icalendar` has no VTIMEZONE, `calcard`
//! writes it from outdated rules, and neither writes a calendar in parts.

/// The maximum length of a line in octets, without its line break.
const LINE_LENGTH: usize = 75;

/// Content lines.
#[derive(Debug, Default)]
pub(super) struct ContentLines {
    text: String,
    /// The line that is being written.
    line: String,
}

impl ContentLines {
    /// The lines so far, which are removed.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub(super) fn begin(&mut self, component: &str) {
        self.value("BEGIN", component);
    }

    pub(super) fn end(&mut self, component: &str) {
        self.value("END", component);
    }

    /// Adds a property whose value is not text, such as a date or a URI. `name` may have parameters. Control characters
    /// are removed, so that the value stays on its line.
    pub(super) fn value(&mut self, name: &str, value: &str) {
        self.start(name);
        for part in value.split(char::is_control) {
            self.line.push_str(part);
        }
        self.finish();
    }

    /// Adds a property of text.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.texts(name, [value]);
    }

    /// Adds a property with a list of texts.
    pub(super) fn texts<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a str>) {
        self.start(name);
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.line.push(',');
            }
            escape_into(&mut self.line, value);
        }
        self.finish();
    }

    fn start(&mut self, name: &str) {
        self.line.clear();
        self.line.push_str(name);
        self.line.push(':');
    }

    fn finish(&mut self) {
        fold_into(&mut self.text, &self.line);
    }
}

/// Escapes text. Line breaks become `\n`; other control characters except tabs are not allowed, and are removed.
fn escape_into(line: &mut String, text: &str) {
    // 0xc2 is the first byte of the control characters that are not ASCII, and of others. Bytes are compared faster.
    let may_be_special = |byte: u8| matches!(byte, b'\\' | b';' | b',' | 0xc2) || byte.is_ascii_control();
    let mut rest = text;
    while let Some(at) = rest.bytes().position(may_be_special) {
        let (plain, special) = rest.split_at(at);
        line.push_str(plain);
        let mut after = special.chars();
        match after.next() {
            Some('\r') if after.as_str().starts_with('\n') => {}
            Some('\r' | '\n') => line.push_str("\\n"),
            Some('\t') => line.push('\t'),
            Some(escaped @ ('\\' | ';' | ',')) => line.extend(['\\', escaped]),
            Some(other) if !other.is_control() => line.push(other),
            _ => {}
        }
        rest = after.as_str();
    }
    line.push_str(rest);
}

/// Splits a line into lines of at most 75 octets, between characters. All but the first begin with a space.
fn fold_into(text: &mut String, line: &str) {
    let mut rest = line;
    let mut length = LINE_LENGTH;
    while rest.len() > length {
        let (part, after) = rest.split_at(rest.floor_char_boundary(length));
        text.push_str(part);
        text.push_str("\r\n ");
        rest = after;
        length = LINE_LENGTH - 1;
    }
    text.push_str(rest);
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(write: impl FnOnce(&mut ContentLines)) -> String {
        let mut lines = ContentLines::default();
        write(&mut lines);
        lines.take()
    }

    #[test]
    fn text_is_escaped() {
        for (text, expected) in [
            ("a, b; c\\d", r"a\, b\; c\\d"),
            ("one\ntwo\r\nthree\rfour", r"one\ntwo\nthree\nfour"),
            ("a:b \"c\" \u{7}\u{1b}\u{85}\tö\u{a0}£", "a:b \"c\" \tö\u{a0}£"),
            ("", ""),
        ] {
            assert_eq!(
                written(|lines| lines.text("SUMMARY", text)),
                format!("SUMMARY:{expected}\r\n")
            );
        }
    }

    #[test]
    fn lists_are_separated_by_commas() {
        let found = written(|lines| lines.texts("CATEGORIES", ["Food, drink", "Art"]));
        assert_eq!(found, "CATEGORIES:Food\\, drink,Art\r\n");
    }

    #[test]
    fn value_stays_on_its_line() {
        let found = written(|lines| lines.value("URL", "https://example.org/\r\nBEGIN:VEVENT"));
        assert_eq!(found, "URL:https://example.org/BEGIN:VEVENT\r\n");
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let found = written(|lines| lines.text("SUMMARY", &"ä".repeat(40)));
        // 8 octets of the name and 33 characters of two octets; the next character would be octets 75 and 76.
        assert_eq!(found, format!("SUMMARY:{}\r\n {}\r\n", "ä".repeat(33), "ä".repeat(7)));
        let exact = "a".repeat(LINE_LENGTH - "URL:".len());
        assert_eq!(written(|lines| lines.value("URL", &exact)), format!("URL:{exact}\r\n"));
    }

    /// Reverses folding and escaping, by the rules for readers.
    fn read(lines: &str) -> String {
        let unfolded = lines.replace("\r\n ", "");
        let (_, value) = unfolded.trim_end_matches("\r\n").split_once(':').expect("a property");
        let mut text = String::new();
        let mut characters = value.chars();
        while let Some(character) = characters.next() {
            match (character, characters.clone().next()) {
                ('\\', Some('n')) => {
                    characters.next();
                    text.push('\n');
                }
                ('\\', Some(escaped)) => {
                    characters.next();
                    text.push(escaped);
                }
                _ => text.push(character),
            }
        }
        text
    }

    proptest! {
        #[test]
        fn readers_get_the_text(text in "[^\\p{Cc}]{0,300}|(\\\\|,|;|\n|é|😀){0,120}") {
            let lines = written(|lines| lines.text("DESCRIPTION", &text));
            prop_assert_eq!(read(&lines), text);
        }

        #[test]
        fn lines_are_at_most_75_octets(text in any::<String>()) {
            let lines = written(|lines| lines.text("DESCRIPTION", &text.repeat(10)));
            for line in lines.split_terminator("\r\n") {
                prop_assert!(line.len() <= LINE_LENGTH, "{}", line);
                prop_assert!(!line.contains(['\r', '\n']));
            }
        }
    }
}
