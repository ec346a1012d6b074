//! Texts from outside, as they are printed.

/// The text without control characters, which a terminal would obey: escape sequences, and marks that change the
/// direction of what follows (UAX 9).
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|letter| is_printable(*letter)).collect()
}

/// Whether a terminal shows the letter, and does nothing else.
pub(crate) fn is_printable(letter: char) -> bool {
    let is_direction = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !letter.is_control() && !is_direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_removed() {
        for (text, expected) in [
            ("Jazz \u{1b}[31mNight\u{7}", "Jazz [31mNight"),
            ("a\r\nb\u{9b}2J", "ab2J"),
            ("\u{202e}txt.exe", "txt.exe"),
            ("Été – 新年", "Été – 新年"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }
}
