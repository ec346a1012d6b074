//! Expensive descriptions: each repeats one construct that costs a parser work, up to and beyond the limits.

use std::ops::RangeInclusive;

use rand::{RngExt, SeedableRng, rngs::StdRng};

/// The maximum length of a description.
const MAX_CHARACTERS: usize = 100_000;

/// Repeats the unit after the beginning, up to the maximum length.
fn repeat_to_limit(beginning: &str, unit: &str) -> String {
    let remaining = MAX_CHARACTERS - beginning.chars().count();
    beginning.to_owned() + &unit.repeat(remaining / unit.chars().count())
}

/// Repeats a numbered unit between the beginning and the end.
fn repeat_numbered(beginning: &str, end: &str, max_characters: usize, unit: impl Fn(usize) -> String) -> String {
    let mut text = beginning.to_owned();
    for number in 0.. {
        let unit = unit(number);
        if text.chars().count() + unit.chars().count() + end.len() > max_characters {
            break;
        }
        text.push_str(&unit);
    }
    text + end
}

/// Random characters with a constant seed, for as many distinct trigrams as possible.
fn random_characters(alphabet: RangeInclusive<char>) -> String {
    let mut random = StdRng::seed_from_u64(1);
    let letters: Vec<char> = alphabet.collect();
    (0..MAX_CHARACTERS)
        .map(|_| letters[random.random_range(0..letters.len())])
        .collect()
}

/// All descriptions, with their names.
pub(crate) fn descriptions() -> Vec<(&'static str, String)> {
    let formatting = |count: usize| -> String { (0..count).map(|number| format!("<b title=a{number}>")).collect() };
    let attribute = |number: usize| format!("a{number:x} ");
    let simple = [
        ("plain text", "", "word "),
        (
            "ordinary HTML",
            "",
            "<p>Some <b>words</b> &amp; a \
             <a href=\"https://example.org/\" rel=\"noopener noreferrer\">link</a>.</p>\n",
        ),
        ("line breaks", "", "<br>"),
        ("short list items", "", "<li>x</li>\n"),
        ("short bold words", "", "<b>x</b> "),
        ("paragraphs, open", "", "<p>"),
        ("paragraphs, empty", "", "<p></p>"),
        ("list items, nested", "", "<ul><li>"),
        ("list items, open", "", "<li>x"),
        ("elements, nested", "", "<div>"),
        ("formatting, nested", "", "<b>"),
        ("formatting across paragraphs", "", "<b><p>"),
        ("formatting, wrongly closed", "", "<b><p></b>"),
        ("formatting, reopened", "", "<p><b></p>"),
        ("links, open", "", "<a>"),
        ("links in links", "", "<a><div>"),
        ("links across paragraphs", "", "<a>x<p>"),
        ("tables, nested", "", "<table><td>"),
        ("tables in tables", "", "<table>"),
        ("cells", "<table>", "<tr><td>"),
        ("elements misplaced in a table", "<table>", "<br>"),
        ("text misplaced in a table", "<table>", "x<tr>"),
        ("formatting misplaced in a table", "<table>", "<b></b>"),
        ("end tags without start", "", "</p>"),
        ("unknown end tags", "", "</x>"),
        ("comments", "", "<!---->"),
        ("entities", "", "&amp;"),
        ("ampersands", "", "&"),
        ("opening brackets", "", "<"),
        ("closing brackets", "", ">"),
        ("non-breaking spaces", "x", "\u{a0}"),
        ("entities of spaces", "x", "&nbsp;"),
        ("removed elements", "", "<svg></svg>"),
        ("removed elements, nested", "", "<object>"),
        ("templates", "", "<template>"),
        ("options", "<select>", "<option>x"),
        ("scripts", "", "<script></script>"),
        ("links with addresses", "", "<a href=http://a>x</a>"),
        ("addresses with accents", "", "<img src=http://\u{e9}>"),
        ("attributes of many elements", "", "<p title=x lang=y>"),
        ("kanji", "", "\u{5b57}"),
        ("combining characters", "x", "\u{315}\u{300}\u{5ae}"),
        ("ligatures of many letters", "", "\u{fdfa}"),
    ];
    let deep = "<span>".repeat(90);
    let mut all: Vec<(&str, String)> = simple
        .into_iter()
        .map(|(name, beginning, unit)| (name, repeat_to_limit(beginning, unit)))
        .collect();
    all.extend([
        (
            "distinct words",
            repeat_numbered("", "", MAX_CHARACTERS, |number| format!("{number:x} ")),
        ),
        ("random letters", random_characters('a'..='z')),
        ("random signs and letters", random_characters('?'..='~')),
        ("random kanji", random_characters('\u{4e00}'..='\u{9fff}')),
        ("line breaks, deep", repeat_to_limit(&deep, "<br>")),
        ("end tags, deep", repeat_to_limit(&deep, "</p>")),
        ("list items, deep", repeat_to_limit(&deep, "<li>")),
        (
            "3 formats in each paragraph",
            repeat_to_limit(&format!("<p>{}</p>", formatting(3)), "<p>x"),
        ),
        (
            "90 formats in each paragraph",
            repeat_to_limit(&format!("<p>{}</p>", formatting(90)), "<p>x"),
        ),
        (
            "formats, 90 deep, wrongly closed",
            repeat_to_limit(&formatting(90), "<p></b>"),
        ),
        (
            "attributes of one element",
            repeat_numbered("<p ", ">", MAX_CHARACTERS, attribute),
        ),
        (
            "attributes of 8 elements",
            repeat_numbered("<p ", ">", MAX_CHARACTERS / 8, attribute).repeat(8),
        ),
        (
            "attributes of 30 elements",
            repeat_numbered("<p ", ">", MAX_CHARACTERS / 30, attribute).repeat(30),
        ),
        (
            "attributes with values",
            repeat_numbered("<p ", ">", MAX_CHARACTERS, |number| format!("a{number:x}=\">\"")),
        ),
        (
            "one long address",
            format!("<a href=\"http://{}\">x</a>", "\u{e9}.".repeat(MAX_CHARACTERS / 2 - 50)),
        ),
        (
            "one long path",
            format!("<a href=\"http://x/{}\">x</a>", "../".repeat(MAX_CHARACTERS / 3 - 50)),
        ),
        (
            "one long comment",
            format!("<!--{}-->", "some words ".repeat(MAX_CHARACTERS / 11 - 10)),
        ),
        (
            "one image in its address",
            format!("<img src=\"data:image/png;base64,{}\">", "iVBORw0KGgo".repeat(9_000)),
        ),
    ]);
    all
}
