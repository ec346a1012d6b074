//! Texts as WordPress formats them for display.

/// Converts a plain-text title or name to HTML with curly quotes, dashes and ellipses as numeric entities (WordPress's
/// `wptexturize`). Existing entities are kept, so the result can be converted again without change.
pub(super) fn texturize(text: &str) -> String {
    let text = text
        .replace("---", "&#8212;")
        .replace("--", "&#8211;")
        .replace(" - ", " &#8211; ")
        .replace("...", "&#8230;");
    let mut html = String::new();
    let mut previous = None;
    for (index, character) in text.char_indices() {
        let opens = previous.is_none_or(|previous: char| previous.is_whitespace() || "([{".contains(previous));
        match character {
            '&' if is_entity(text.get(index..).unwrap_or_default()) => html.push('&'),
            '&' => html.push_str("&#038;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str(if opens { "&#8220;" } else { "&#8221;" }),
            '\'' => html.push_str(if opens { "&#8216;" } else { "&#8217;" }),
            other => html.push(other),
        }
        previous = Some(character);
    }
    html
}

/// Reverts [`texturize`] on a text whose entities have been decoded.
pub(super) fn untexturize(text: &str) -> String {
    [
        ("\u{2018}", "'"),
        ("\u{2019}", "'"),
        ("\u{201c}", "\""),
        ("\u{201d}", "\""),
        ("\u{2026}", "..."),
        ("\u{2014}", "---"),
        (" \u{2013} ", " - "),
        ("\u{2013}", "--"),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (shown, typed)| text.replace(shown, typed))
}

/// The name of a term, which WordPress stores escaped except for quotes.
pub(super) fn term_name(text: &str) -> String {
    escape(text)
}

/// A URL escaped for an HTML attribute.
pub(super) fn url_attribute(text: &str) -> String {
    escape(text).replace('"', "&quot;").replace('\'', "&#039;")
}

fn escape(text: &str) -> String {
    let mut html = String::new();
    for (index, character) in text.char_indices() {
        match character {
            '&' if !is_entity(text.get(index..).unwrap_or_default()) => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            other => html.push(other),
        }
    }
    html
}

/// Whether the text begins with a named or numeric entity.
fn is_entity(text: &str) -> bool {
    let Some((name, _)) = text.strip_prefix('&').and_then(|text| text.split_once(';')) else {
        return false;
    };
    match name.strip_prefix('#') {
        Some(number) => {
            let digits = number.strip_prefix(['x', 'X']);
            let is_digit = |character: char| match digits {
                Some(_) => character.is_ascii_hexdigit(),
                None => character.is_ascii_digit(),
            };
            let digits = digits.unwrap_or(number);
            !digits.is_empty() && digits.chars().all(is_digit)
        }
        None => (1..=8).contains(&name.len()) && name.chars().all(|letter| letter.is_ascii_alphanumeric()),
    }
}

/// The start tags of block elements, which are not wrapped in a paragraph.
const BLOCK_TAGS: &[&str] = &[
    "<p",
    "<div",
    "<h1",
    "<h2",
    "<h3",
    "<h4",
    "<h5",
    "<h6",
    "<ul",
    "<ol",
    "<dl",
    "<table",
    "<blockquote",
    "<pre",
    "<hr",
    "<figure",
    "<section",
    "<article",
    "<details",
    "<address",
];

/// Wraps text in paragraphs (WordPress's `wpautop`): an empty line separates paragraphs, a single line feed breaks a
/// line.
pub(super) fn paragraphs(html: &str) -> String {
    let paragraphs: Vec<String> = html
        .split("\n\n")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let is_block = |tag: &&str| {
                part.get(..tag.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(tag))
                    && part
                        .get(tag.len()..)
                        .is_some_and(|rest| rest.starts_with([' ', '>', '/', '\n']))
            };
            match BLOCK_TAGS.iter().any(is_block) {
                true => part.to_owned(),
                false => format!("<p>{}</p>", part.replace('\n', "<br />\n")),
            }
        })
        .collect();
    paragraphs.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texturize_is_idempotent() {
        for (text, html) in [
            ("Rock & Roll", "Rock &#038; Roll"),
            ("A \"q\" b", "A &#8220;q&#8221; b"),
            ("Ann's ('x')", "Ann&#8217;s (&#8216;x&#8217;)"),
            ("1 < 2 > 0", "1 &lt; 2 &gt; 0"),
            ("a -- b - c...", "a &#8211; b &#8211; c&#8230;"),
            (
                "repeated: &#8220;q&#8221; &amp; &#038;",
                "repeated: &#8220;q&#8221; &amp; &#038;",
            ),
            ("R&D; AT&T", "R&D; AT&#038;T"),
            ("Café 東京", "Café 東京"),
        ] {
            assert_eq!(texturize(text), html, "{text}");
            assert_eq!(texturize(&texturize(text)), texturize(text), "repeated: {text}");
        }
        assert_eq!(term_name("A & B \"q\" <x"), "A &amp; B \"q\" &lt;x");
        assert_eq!(
            url_attribute("https://x.example/?a=1&b='2'"),
            "https://x.example/?a=1&amp;b=&#039;2&#039;"
        );
    }

    #[test]
    fn paragraphs_are_idempotent() {
        for (text, html) in [
            ("", ""),
            ("one", "<p>one</p>"),
            ("one\ntwo\n\nthree", "<p>one<br />\ntwo</p>\n<p>three</p>"),
            ("<p>one</p>\n<p>two</p>", "<p>one</p>\n<p>two</p>"),
            ("<pre>a</pre>\n\n<b>c</b>", "<pre>a</pre>\n<p><b>c</b></p>"),
            ("<progress>", "<p><progress></p>"),
        ] {
            assert_eq!(paragraphs(text), html, "{text}");
            assert_eq!(paragraphs(&paragraphs(text)), paragraphs(text), "repeated: {text}");
        }
    }
}
