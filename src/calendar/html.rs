//! Sanitising of HTML from clients, and removal of tags from plain text.

mod complexity;

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;

use super::text::{clean_block, clean_line, collapse_whitespace};

use complexity::Budget;
pub(crate) use complexity::TooComplex;

/// The maximum number of passes until the output no longer changes. Regular texts take one.
const MAX_PASSES: usize = 3;

/// The elements of ammonia's default allow list.
static ALLOWED_TAGS: LazyLock<HashSet<&str>> = LazyLock::new(|| Builder::default().clone_tags());

/// Converts text to one line without markup, normalised with [`clean_line`].
///
/// Removes tags, and the content of scripts and styles. Keeps all other text as typed: `A < B`, `AT&T` and a literal
/// `&lt;`.
pub(crate) fn strip_tags(text: &str) -> Result<String, TooComplex> {
    let mut budget = Budget::new();
    let mut plain = clean_line(text);
    for _ in 0..MAX_PASSES {
        // Without `<` there is no tag.
        if !plain.contains('<') {
            return Ok(plain);
        }
        let next = strip_tags_once(&plain, &mut budget)?;
        if next == plain {
            return Ok(plain);
        }
        plain = next;
    }
    Ok(clean_line(&plain.replace('<', "")))
}

/// Removes active content from HTML: scripts, event handlers and `javascript:` URLs. Normalises the text with
/// [`clean_block`].
///
/// Idempotent.
pub(crate) fn sanitize(text: &str) -> Result<String, TooComplex> {
    let mut budget = Budget::new();
    let mut html = clean_block(text);
    if !html.contains(['<', '>', '&', '\u{a0}']) {
        return Ok(html);
    }
    let mut is_sanitized = false;
    for _ in 0..MAX_PASSES {
        let is_regular = budget.parse(&html, |name| ALLOWED_TAGS.contains(name))?;
        // Sanitised and without parse errors, it is a fixed point: another pass would not change it.
        if is_regular && is_sanitized {
            return Ok(html);
        }
        let (next, is_unchanged) = sanitize_once(&html);
        if (is_regular && is_unchanged) || next == html {
            return Ok(next);
        }
        (html, is_sanitized) = (next, is_unchanged);
    }
    // Markup that changes on every pass is escaped.
    Ok(clean_block(&escape(&html)))
}

/// The visible text of HTML from [`sanitize`], on one line with whitespace collapsed.
///
/// Scans for tags instead of parsing. This relies on the serialisation of the sanitiser: `<` and `>` occur only in
/// tags, and few entities are used.
pub fn text_content(html: &str) -> String {
    // Without tags and entities, only whitespace has to be collapsed.
    if !html.contains(['<', '&']) {
        return collapse_whitespace(html.chars()).collect();
    }
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
        // Otherwise the last word of a paragraph would be joined to the first of the next.
        if separates_words(tag) {
            text.push(' ');
        }
        rest = after;
    }
    text.push_str(rest);
    let text: String = collapse_whitespace(unescape(&text).chars()).collect();
    clean_line(&text)
}

/// Returns true if a tag separates words. Tags of inline elements do not. `tag` is the text between the angle brackets.
fn separates_words(tag: &str) -> bool {
    let mut parts = tag.trim_start_matches('/').split([' ', '/']);
    parts.next().is_none_or(|name| !INLINE_TAGS.contains(&name))
}

/// The elements of the allow list that may be within a word.
const INLINE_TAGS: [&str; 37] = [
    "a", "abbr", "acronym", "area", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "img", "ins",
    "kbd", "map", "mark", "q", "rp", "rt", "rtc", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "time", "tt", "u", "var", "wbr",
];

fn strip_tags_once(text: &str, budget: &mut Budget) -> Result<String, TooComplex> {
    // No tag ends after the last `>`. An HTML parser would drop an unfinished one.
    let tail = text.rfind('>').map_or(0, |last| last + 1);
    let (head, tail) = text.split_at(tail);
    // With each `&` escaped, no entity is decoded, and unescaping restores the text.
    let source = head.replace('&', "&amp;") + &escape(tail);
    budget.parse(&source, |_| false)?;
    let clean = Builder::empty().clean(&source).to_string();
    Ok(clean_line(&unescape(&clean)))
}

/// One pass of the sanitiser, serialised so that it is parsed into the same tree. Returns whether normalisation has
/// left the sanitised HTML as it was, apart from whitespace at its ends. Otherwise it may have made new URLs, such as
/// `javascript:` from `java&#xfeff;script:`.
fn sanitize_once(html: &str) -> (String, bool) {
    // NFC would compose the `>` of a tag with this combining character.
    let sanitized = ammonia::clean(html).replace(">\u{338}", ">&#824;");
    let clean = clean_block(&sanitized);
    let is_unchanged = clean == sanitized.trim();
    // An HTML parser drops the first line feed in `pre`, so a leading one is doubled.
    let mut written = String::with_capacity(clean.len());
    let mut rest = clean.as_str();
    while let Some(start) = rest.find("<pre") {
        let end = rest[start..].find('>').map_or(rest.len(), |end| start + end + 1);
        let (tag, after) = rest.split_at(end);
        written.push_str(tag);
        if after.starts_with('\n') {
            written.push('\n');
        }
        rest = after;
    }
    (written + rest, is_unchanged)
}

/// Escapes text for the content of an element (HTML, section 13.3).
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\u{a0}', "&nbsp;")
}

/// Reverses the escaping of text in serialised fragments (HTML, section 13.3).
fn unescape(text: &str) -> String {
    text.replace("&nbsp;", "\u{a0}")
        .replace("&#824;", "\u{338}")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use url::Url;

    fn strip_tags(text: &str) -> String {
        super::strip_tags(text).expect("the markup is simple")
    }

    fn sanitize(text: &str) -> String {
        super::sanitize(text).expect("the markup is simple")
    }

    #[test]
    fn strip_tags_keeps_other_text() {
        for (text, expected) in [
            ("A < B", "A < B"),
            ("A < B > C & D", "A < B > C & D"),
            ("AT&T", "AT&T"),
            ("I <3 you", "I <3 you"),
            ("&lt;b&gt; &amp; &nbsp; &eacute;", "&lt;b&gt; &amp; &nbsp; &eacute;"),
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
            assert_eq!(strip_tags(text), expected, "{text}");
        }
    }

    #[test]
    fn endlessly_nested_brackets() {
        let text = "<".repeat(2_000) + &"b>".repeat(2_000);
        assert!(!strip_tags(&text).contains('<'));
    }

    #[test]
    fn sanitize_keeps_harmless_html() {
        for (text, expected) in [
            ("<p>Jazz &amp; <b>Blues</b></p>\r\n", "<p>Jazz &amp; <b>Blues</b></p>"),
            ("x<script>alert(1)</script>", "x"),
            ("<img src=x onerror=alert(1)>", "<img src=\"x\">"),
            (
                "<a href=\"javascript:alert(1)\">x</a>",
                "<a rel=\"noopener noreferrer\">x</a>",
            ),
            (
                "<a href=\"java&#xFEFF;script:alert(1)\">x</a>",
                "<a rel=\"noopener noreferrer\">x</a>",
            ),
            (
                "<b><a href=\"java&#x2028;script:alert(1)\">x</a>",
                "<b><a rel=\"noopener noreferrer\">x</a></b>",
            ),
            (
                "<a href=\"https://example.org/&#x81;a\">x</a>",
                "<a href=\"https://example.org/a\" rel=\"noopener noreferrer\">x</a>",
            ),
            ("<p>e&#x301;</p>", "<p>é</p>"),
            ("A < B", "A &lt; B"),
            ("A > B", "A &gt; B"),
            ("<p>one<p>two", "<p>one</p><p>two</p>"),
            ("<pre>\n\n\nx</pre>", "<pre>\n\n\nx</pre>"),
            ("<pre lang=x>\n\nx</pre>", "<pre lang=\"x\">\n\nx</pre>"),
            ("<script></script> x", "x"),
            ("no markup at all", "no markup at all"),
        ] {
            assert_eq!(sanitize(text), expected, "{text}");
        }
    }

    #[test]
    fn deep_markup_is_rejected() {
        let deep = "<ul><li>".repeat(100);
        assert_eq!(super::sanitize(&deep), Err(TooComplex::Depth));
        assert_eq!(super::strip_tags(&(deep + "</ul>")), Err(TooComplex::Depth));
    }

    #[test]
    fn text_content_of_html() {
        for (html, expected) in [
            ("<p>one</p><p>two<br>three</p>", "one two three"),
            ("<ul><li>a</li><li>b</li></ul>", "a b"),
            ("gr<b>e</b>at", "great"),
            ("Program<ul><li>Bach</li></ul>", "Program Bach"),
            ("one<br title=\"x\">two<hr>three", "one two three"),
            ("one<blockquote cite=\"x\">two</blockquote>three", "one two three"),
            ("Concert<h2 lang=\"de\">Bach</h2>", "Concert Bach"),
            (
                "<table><tbody><tr><td>a</td><td colspan=\"2\">b</td></tr></tbody></table>c",
                "a b c",
            ),
            ("gr<span lang=\"en\">e</span>at<img src=\"x\"><wbr>er", "greater"),
            ("A &lt; B &amp; C&nbsp;é", "A < B & C é"),
            ("&amp;lt;", "&lt;"),
            ("<a title=\"&lt;b&gt;\">x</a>", "x"),
            ("", ""),
        ] {
            assert_eq!(text_content(html), expected, "{html}");
        }
    }

    /// A link to `javascript:x`, with characters in its URL that the sanitiser or a browser ignores.
    fn script_link() -> impl Strategy<Value = String> {
        let ignored = prop::sample::select(&["", "&#xFEFF;", "&#x2028;", "&#x81;", "&Tab;", "&NewLine;"][..]);
        let url = "javascript:x";
        prop::collection::vec(ignored, url.len()).prop_map(move |ignored| {
            let letters = ignored.into_iter().zip(url.chars());
            let url: String = letters.map(|(ignored, letter)| format!("{ignored}{letter}")).collect();
            format!("<a href=\"{url}\">x</a>")
        })
    }

    /// Random concatenations of fragments of markup.
    fn markup() -> impl Strategy<Value = String> {
        let fragment = prop::sample::select(
            &[
                "<",
                ">",
                "</",
                "&",
                "&lt;",
                "&amp;",
                "&#824;",
                "&#13;",
                "&#xFEFF;",
                "&#x2028;",
                "&#x81;",
                "&Tab;",
                "&NewLine;",
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
                "<li>",
                "<ul>",
                "</ul>",
                "<object>",
                "<h1>",
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
        let part = prop_oneof![20 => fragment.prop_map(str::to_owned), 1 => script_link()];
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    /// The URLs of links in sanitised HTML, as a page at `https://example.org/` resolves them.
    fn links(html: &str) -> impl Iterator<Item = Url> {
        let base = Url::parse("https://example.org/").expect("a URL");
        let tags = html.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
        let values = tags.filter_map(|(tag, _)| tag.split_once(" href=\"")?.1.split_once('"'));
        values.filter_map(move |(value, _)| base.join(&unescape(value)).ok())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn cleaning_is_idempotent(
            text in prop_oneof![markup(), any::<String>()]
        ) {
            for clean in [strip_tags, sanitize] {
                let once = clean(&text);
                prop_assert_eq!(clean(&once), once);
            }
        }

        #[test]
        fn no_markup_in_plain_text(text in markup()) {
            let plain = strip_tags(&text);
            prop_assert!(!plain.contains("<script>") && !plain.contains("<b>"), "{}", plain);
        }

        #[test]
        fn no_scripts_in_sanitised_html(text in markup()) {
            let html = sanitize(&text);
            for danger in ["<script", "<style", "<svg", "onerror=\""] {
                prop_assert!(!html.contains(danger), "{}", html);
            }
            for link in links(&html) {
                prop_assert_eq!(link.scheme(), "https", "{}", html);
            }
        }

        #[test]
        fn sanitised_html_has_balanced_brackets(text in markup()) {
            let html = sanitize(&text);
            let mut is_open = false;
            for bracket in html.chars().filter(|character| matches!(character, '<' | '>')) {
                prop_assert_eq!(is_open, bracket == '>', "{}", html);
                is_open = !is_open;
            }
        }

        #[test]
        fn text_round_trip_through_html(text in any::<String>()) {
            let text: String = collapse_whitespace(clean_line(&text).chars()).collect();
            prop_assert_eq!(text_content(&sanitize(&escape(&text))), text);
        }
    }
}
