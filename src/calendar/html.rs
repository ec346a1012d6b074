//! HTML as it comes in from clients: sanitised, or taken out of what is to be plain text.

mod complexity;

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;

use super::text::{block, line, one_space};

use complexity::Limit;
pub use complexity::{DEPTH, TooComplex};

/// How often what a parser has corrected is parsed again, until it reads the same twice. Regular texts take one pass.
const PASSES: usize = 3;

/// The elements that ammonia keeps.
static KEPT: LazyLock<HashSet<&str>> = LazyLock::new(|| Builder::default().clone_tags());

/// One [`line`] of text without markup.
///
/// Tags go, scripts and styles with what they hold. What is no tag stays as typed: `A < B`,
/// `AT&T`, and a literal `&lt;` too.
pub fn plain(text: &str) -> Result<String, TooComplex> {
    let mut limit = Limit::new();
    let mut plain = line(text);
    for _ in 0..PASSES {
        // Without the sign that opens tags there are none.
        if !plain.contains('<') {
            return Ok(plain);
        }
        let next = without_tags(&plain, &mut limit)?;
        if next == plain {
            return Ok(plain);
        }
        plain = next;
    }
    Ok(line(&plain.replace('<', "")))
}

/// A [`block`] of HTML in which nothing can act: no scripts, handlers or `javascript:` addresses.
///
/// What comes out stays the same when it is sanitised again.
pub fn sanitize(text: &str) -> Result<String, TooComplex> {
    let mut limit = Limit::new();
    let mut html = block(text);
    if !html.contains(['<', '>', '&', '\u{a0}']) {
        return Ok(html);
    }
    for pass in 0..PASSES {
        let is_regular = limit.parse(&html, |name| KEPT.contains(name))?;
        // Sanitised once and parsed without errors, it is a fixed point: another pass would change nothing.
        if is_regular && pass > 0 {
            return Ok(html);
        }
        let next = cleaned(&html);
        if is_regular || next == html {
            return Ok(next);
        }
        html = next;
    }
    // Markup so broken that it reads differently each time is shown for what it is.
    Ok(block(&escaped(&html)))
}

/// The text that a reader sees in HTML from [`sanitize`], on one line. Runs of space become one.
///
/// This is a scan for tags, not a parser. It relies on the form in which the sanitiser writes HTML: `<` and `>` only
/// as part of tags, and few entities.
pub fn text_of(html: &str) -> String {
    // Without tags and entities, only runs of space are left to collapse.
    if !html.contains(['<', '&']) {
        return one_space(html.chars()).collect();
    }
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
        // Otherwise the last word of a paragraph and the first of the next would grow together.
        if BREAKS.contains(&tag) {
            text.push(' ');
        }
        rest = after;
    }
    text.push_str(rest);
    let text: String = one_space(unescaped(&text).chars()).collect();
    line(&text)
}

/// The tags that separate words.
const BREAKS: [&str; 19] = [
    "br",
    "hr",
    "/p",
    "/div",
    "/li",
    "/dd",
    "/dt",
    "/td",
    "/th",
    "/tr",
    "/pre",
    "/blockquote",
    "/figcaption",
    "/h1",
    "/h2",
    "/h3",
    "/h4",
    "/h5",
    "/h6",
];

fn without_tags(text: &str, limit: &mut Limit) -> Result<String, TooComplex> {
    // Behind the last `>` nothing can be a tag, though HTML would drop an unfinished one.
    let tail = text.rfind('>').map_or(0, |last| last + 1);
    let (head, tail) = text.split_at(tail);
    // With each `&` escaped no entity is read as one, and unescaping gives back what was typed.
    let source = head.replace('&', "&amp;") + &escaped(tail);
    limit.parse(&source, |_| false)?;
    let clean = Builder::empty().clean(&source).to_string();
    Ok(line(&unescaped(&clean)))
}

/// One pass of the sanitiser, written so that the next one reads the same.
fn cleaned(html: &str) -> String {
    let clean = ammonia::clean(html);
    // Normalisation would compose the end of a tag with this combining character.
    let clean = block(&clean.replace(">\u{338}", ">&#824;"));
    // A parser drops the first line feed in `pre`, so one that is to stay is written twice.
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
    written + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\u{a0}', "&nbsp;")
}

/// Undoes what is escaped in text (HTML, section 13.3: serialising fragments).
fn unescaped(text: &str) -> String {
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

    fn plain(text: &str) -> String {
        super::plain(text).expect("the markup is simple")
    }

    fn sanitize(text: &str) -> String {
        super::sanitize(text).expect("the markup is simple")
    }

    #[test]
    fn markup_goes_and_what_is_none_stays_as_typed() {
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
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn markup_nested_without_end_is_taken_out() {
        let text = "<".repeat(2_000) + &"b>".repeat(2_000);
        assert!(!plain(&text).contains('<'));
    }

    #[test]
    fn html_keeps_what_is_harmless() {
        for (text, expected) in [
            ("<p>Jazz &amp; <b>Blues</b></p>\r\n", "<p>Jazz &amp; <b>Blues</b></p>"),
            ("x<script>alert(1)</script>", "x"),
            ("<img src=x onerror=alert(1)>", "<img src=\"x\">"),
            (
                "<a href=\"javascript:alert(1)\">x</a>",
                "<a rel=\"noopener noreferrer\">x</a>",
            ),
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
    fn deep_markup_is_refused() {
        let deep = "<ul><li>".repeat(100);
        assert_eq!(super::sanitize(&deep), Err(TooComplex::Depth));
        assert_eq!(super::plain(&(deep + "</ul>")), Err(TooComplex::Depth));
    }

    #[test]
    fn the_text_of_html_is_what_a_reader_sees() {
        for (html, expected) in [
            ("<p>one</p><p>two<br>three</p>", "one two three"),
            ("<ul><li>a</li><li>b</li></ul>", "a b"),
            ("gr<b>e</b>at", "great"),
            ("A &lt; B &amp; C&nbsp;é", "A < B & C é"),
            ("&amp;lt;", "&lt;"),
            ("<a title=\"&lt;b&gt;\">x</a>", "x"),
            ("", ""),
        ] {
            assert_eq!(text_of(html), expected, "{html}");
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
                "&#824;",
                "&#13;",
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
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn cleaning_twice_changes_nothing_more(
            text in prop_oneof![markup(), any::<String>()]
        ) {
            for clean in [plain, sanitize] {
                let once = clean(&text);
                prop_assert_eq!(clean(&once), once);
            }
        }

        #[test]
        fn no_markup_is_left_in_plain_text_nor_scripts_in_html(text in markup()) {
            let plain = plain(&text);
            prop_assert!(!plain.contains("<script>") && !plain.contains("<b>"), "{}", plain);
            let html = sanitize(&text);
            for danger in ["<script", "<style", "<svg", "onerror=\"", "href=\""] {
                prop_assert!(!html.contains(danger), "{}", html);
            }
        }

        #[test]
        fn sanitised_text_has_angle_brackets_around_tags_only(text in markup()) {
            let html = sanitize(&text);
            let mut is_open = false;
            for bracket in html.chars().filter(|character| matches!(character, '<' | '>')) {
                prop_assert_eq!(is_open, bracket == '>', "{}", html);
                is_open = !is_open;
            }
        }

        #[test]
        fn text_survives_the_way_through_html(text in any::<String>()) {
            let text: String = one_space(line(&text).chars()).collect();
            prop_assert_eq!(text_of(&sanitize(&escaped(&text))), text);
        }
    }
}
