//! Text as it comes in from clients, and as searches compare it.

use ammonia::Builder;
use deunicode::deunicode_char;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// How often markup is taken out of what taking it out has left, as in `<<b>b>`. Nobody who means
/// well gets past three.
const MOST_PASSES: usize = 8;

/// One line of text: NFC, without control characters and without space around it.
///
/// Line breaks and tabs become spaces.
pub fn line(text: &str) -> String {
    clean(text, |character| match character {
        '\n' | '\t' => Some(' '),
        other => (!is_control(other)).then_some(other),
    })
}

/// Text of several lines: NFC, without space around it, and without control characters other than
/// tabs and line feeds, in which all its lines end.
pub fn block(text: &str) -> String {
    clean(text, |character| match character {
        '\n' | '\t' => Some(character),
        other => (!is_control(other)).then_some(other),
    })
}

/// One [`line`] of text without markup.
///
/// Tags go, scripts and styles with what they hold. What is no tag stays as typed: `A < B`,
/// `AT&T`, and a literal `&lt;` too.
pub fn plain(text: &str) -> String {
    let line_of_text = line(text);
    settle(&line_of_text, |text| line(&without_tags(text)))
        // Without the sign that opens tags there are none.
        .unwrap_or_else(|| line(&line_of_text.replace('<', "")))
}

/// A [`block`] of HTML in which nothing can act: no scripts, handlers or `javascript:` addresses.
pub fn html(text: &str) -> String {
    let text = block(text);
    settle(&text, |text| block(&sanitised(text)))
        // Markup so broken that it reads differently each time is shown for what it is.
        .unwrap_or_else(|| block(&sanitised(&escaped(&text))))
}

/// The text that a reader sees in sanitised HTML, on one line. Runs of space become one.
pub fn strip(html: &str) -> String {
    // Else the last word of a paragraph and the first of the next would grow together.
    let spaced = BREAKS
        .iter()
        .fold(html.to_owned(), |html, tag| html.replace(tag, " "));
    let text = unescaped(&Builder::empty().clean(&spaced).to_string());
    line(&one_space(&text))
}

/// The form in which texts are compared in a search: without case, accents and runs of space.
///
/// Accents are those of Latin and Greek letters. Letters of other scripts keep their marks, which
/// make other letters of them (й, が), but lose their case. `ß` is `ss`, `ø` is `o`, `æ` is `ae`.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut base = ' ';
    for character in text.nfkd() {
        if !is_combining_mark(character) {
            base = character;
        } else if is_accent(character) && !keeps_accents(base) {
            continue;
        }
        for lower in character.to_lowercase() {
            match lower {
                'ς' => folded.push('σ'),
                lower if is_latin_beyond_ascii(lower) => match deunicode_char(lower) {
                    Some(letters) => folded.push_str(&letters.to_ascii_lowercase()),
                    None => folded.push(lower),
                },
                lower => folded.push(lower),
            }
        }
    }
    one_space(&folded.nfkc().collect::<String>())
}

/// The tags of sanitised HTML that part words.
const BREAKS: [&str; 19] = [
    "<br>",
    "<hr>",
    "</p>",
    "</div>",
    "</li>",
    "</dd>",
    "</dt>",
    "</td>",
    "</th>",
    "</tr>",
    "</pre>",
    "</blockquote>",
    "</figcaption>",
    "</h1>",
    "</h2>",
    "</h3>",
    "</h4>",
    "</h5>",
    "</h6>",
];

fn clean(text: &str, keep: impl Fn(char) -> Option<char>) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let kept: String = text.chars().filter_map(keep).nfc().collect();
    kept.trim().to_owned()
}

/// Control characters, and the byte order mark, which is none in a text's middle either.
fn is_control(character: char) -> bool {
    character.is_control() || character == '\u{feff}'
}

/// Repeats `pass` until it changes nothing; `None` when it goes on and on.
fn settle(text: &str, pass: impl Fn(&str) -> String) -> Option<String> {
    let mut settled = text.to_owned();
    for _ in 0..MOST_PASSES {
        let next = pass(&settled);
        if next == settled {
            return Some(settled);
        }
        settled = next;
    }
    None
}

fn without_tags(text: &str) -> String {
    // Behind the last `>` nothing can be a tag, though HTML would drop an unfinished one.
    let tail = text.rfind('>').map_or(0, |last| last + 1);
    let (head, tail) = text.split_at(tail);
    // With each `&` escaped no entity is read as one, and unescaping gives back what was typed.
    let source = head.replace('&', "&amp;") + &escaped(tail);
    unescaped(&Builder::empty().clean(&source).to_string())
}

fn sanitised(html: &str) -> String {
    // A parser drops the first line feed in `pre`, so one that is to stay is written twice.
    ammonia::clean(html).replace("<pre>\n", "<pre>\n\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Undoes what ammonia escapes in text (HTML, section 13.3: serialising fragments).
fn unescaped(text: &str) -> String {
    text.replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The marks that Latin, Greek and Cyrillic share.
fn is_accent(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}')
}

fn keeps_accents(base: char) -> bool {
    let is_greek = matches!(base, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}');
    base.is_alphabetic() && !base.is_ascii() && !is_latin_beyond_ascii(base) && !is_greek
}

fn is_latin_beyond_ascii(character: char) -> bool {
    matches!(character, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') && character.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_have_no_control_characters() {
        for (text, expected) in [
            ("  Jazz\tin\r\nthe\nPark\r", "Jazz in the Park"),
            ("a\u{0}b\u{7f}c\u{85}d\u{feff}", "abcd"),
            ("a\u{2028}b\u{2029}c", "a b c"),
            ("e\u{301}", "é"),
            ("e\u{0}\u{301}", "é"),
            ("\u{a0}x\u{3000}", "x"),
        ] {
            assert_eq!(line(text), expected);
        }
    }

    #[test]
    fn blocks_keep_their_lines() {
        assert_eq!(block(" a\r\n\tb\rc\n\nd\u{0}\n"), "a\n\tb\nc\n\nd");
    }

    #[test]
    fn markup_goes_and_what_is_none_stays_as_typed() {
        for (text, expected) in [
            ("A < B", "A < B"),
            ("A < B > C & D", "A < B > C & D"),
            ("AT&T", "AT&T"),
            ("I <3 you", "I <3 you"),
            (
                "&lt;b&gt; &amp; &nbsp; &eacute;",
                "&lt;b&gt; &amp; &nbsp; &eacute;",
            ),
            ("<b>Jazz</b> <i class=x>Night</i>", "Jazz Night"),
            ("x<script>alert(1)</script>y<style>p{}</style>", "xy"),
            ("<!-- note -->x", "x"),
            ("<<b>b>x", "x"),
            ("<scr<b>ipt>x", "ipt>x"),
            ("C<D", "C<D"),
            ("<b>A</b><B", "A<B"),
            ("\"quoted\" 'too'\u{a0}x", "\"quoted\" 'too'\u{a0}x"),
            ("<b> </b>x", "x"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn markup_nested_without_end_is_taken_out_in_little_time() {
        let text = "<".repeat(20_000) + &"b>".repeat(20_000);
        assert!(!plain(&text).contains('<'));
    }

    #[test]
    fn html_keeps_what_is_harmless() {
        for (text, expected) in [
            (
                "<p>Jazz &amp; <b>Blues</b></p>\r\n",
                "<p>Jazz &amp; <b>Blues</b></p>",
            ),
            ("x<script>alert(1)</script>", "x"),
            ("<img src=x onerror=alert(1)>", "<img src=\"x\">"),
            (
                "<a href=\"javascript:alert(1)\">x</a>",
                "<a rel=\"noopener noreferrer\">x</a>",
            ),
            ("A < B", "A &lt; B"),
            ("<p>one<p>two", "<p>one</p><p>two</p>"),
            ("<pre>\n\n\nx</pre>", "<pre>\n\n\nx</pre>"),
            ("<script></script> x", "x"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    #[test]
    fn the_text_of_html_is_what_a_reader_sees() {
        for (html, expected) in [
            ("<p>one</p><p>two<br>three</p>", "one two three"),
            ("<ul><li>a</li><li>b</li></ul>", "a b"),
            ("gr<b>e</b>at", "great"),
            ("A &lt; B &amp; C&nbsp;&eacute;", "A < B & C é"),
            ("&amp;lt;", "&lt;"),
            ("<a title=\"&lt;b&gt;\">x</a>", "x"),
            ("", ""),
        ] {
            assert_eq!(strip(html), expected, "{html}");
        }
    }

    #[test]
    fn folding_takes_case_and_accents_away_and_nothing_else() {
        for (text, expected) in [
            ("Crème  BRÛLÉE\n", "creme brulee"),
            ("Straße STRASSE ẞ", "strasse strasse ss"),
            ("Łódź Ærø Smørrebrød", "lodz aero smorrebrod"),
            ("İstanbul ISPARTA ı", "istanbul isparta i"),
            ("ﬁne ＦＵＬＬ x²", "fine full x2"),
            ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
            ("Йога Ёлка", "йога ёлка"),
            ("がっこう 新年 한국", "がっこう 新年 한국"),
            ("آذار", "آذار"),
            ("हिन्दी", "हिन्दी"),
            ("50 € ÷ 2 × 3", "50 € ÷ 2 × 3"),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
    }

    #[test]
    fn every_character_folds_into_what_folds_into_itself() {
        for character in ('\0'..=char::MAX).collect::<Vec<_>>().chunks(64) {
            let folded = fold(&character.iter().collect::<String>());
            assert_eq!(fold(&folded), folded);
        }
    }

    /// Texts full of what markup is made of.
    fn markup() -> impl Strategy<Value = String> {
        let part = prop::sample::select(
            &[
                "<",
                ">",
                "</",
                "&",
                "&lt;",
                "&amp;",
                "b",
                "p",
                "script",
                "style",
                "pre",
                "table",
                "td",
                "a href=javascript:x",
                "img src=x onerror=y",
                "svg",
                "math",
                "textarea",
                "title",
                "xmp",
                "!--",
                "-->",
                "\"",
                "'",
                "=",
                " ",
                "\n",
                "x",
                "é",
                "\u{a0}",
                "<b>",
                "</b>",
                "<p>",
                "</p>",
                "<pre lang=x>",
                "<table>",
                "<td>",
                "<script>",
                "<a>",
                "</a>",
                "<select>",
                "<math><mi>",
                "<svg><style>",
                "<noscript>",
                "\u{338}",
                "\u{301}",
            ][..],
        );
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn cleaning_twice_changes_nothing_more(
            text in prop_oneof![markup(), any::<String>()]
        ) {
            for clean in [line, block, plain, html, fold] {
                let once = clean(&text);
                prop_assert_eq!(clean(&once), once);
            }
        }

        #[test]
        fn no_markup_is_left_in_plain_text_nor_scripts_in_html(text in markup()) {
            let plain = plain(&text);
            prop_assert!(!plain.contains("<script>") && !plain.contains("<b>"), "{}", plain);
            let html = html(&text);
            for danger in ["<script", "<style", "<svg", "onerror=\"", "href=\""] {
                prop_assert!(!html.contains(danger), "{}", html);
            }
        }

        #[test]
        fn text_survives_the_way_through_html(text in any::<String>()) {
            let text = one_space(&line(&text));
            prop_assert_eq!(strip(&html(&escaped(&text))), text);
        }
    }
}
