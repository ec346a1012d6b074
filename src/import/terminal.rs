//! Texts from outside, as they are printed.

/// The text without control characters, which a terminal would obey: escape sequences, and marks that change the
/// direction of what follows (UAX 9).
pub(crate) fn printable(text: &str) -> String {
    let is_direction =
        |letter: char| matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .filter(|letter| !letter.is_control() && !is_direction(*letter))
        .collect()
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
