//! The Spanish document: all texts are translated, and nothing else differs.

use almanac::testing::{
    config::Language,
    {api::document, calendar::Variant},
};
use serde_json::Value;

use super::VARIANTS;

/// Members that are translated.
const TEXTS: [&str; 2] = ["summary", "description"];

#[test]
fn all_texts_are_translated() {
    for variant in VARIANTS {
        let mut untranslated = Vec::new();
        compare(variant, &mut |path, english, spanish| {
            if english == spanish {
                untranslated.push(format!("{path}: {english}"));
            }
        });
        assert!(
            untranslated.is_empty(),
            "untranslated in variant {variant:?}:\n{}",
            untranslated.join("\n")
        );
    }
}

#[test]
fn translation_keeps_code() {
    // Names and values between backticks may be moved, but not changed.
    let code = |text: &str| {
        let mut code: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        code.sort();
        code.dedup();
        code
    };
    for variant in VARIANTS {
        compare(variant, &mut |path, english, spanish| {
            assert_eq!(code(english), code(spanish), "{path}");
        });
    }
}

/// Calls `check` with the path of each text and its two versions, and fails if anything else differs.
fn compare(variant: Variant, check: &mut impl FnMut(&str, &str, &str)) {
    let [english, spanish] = [Language::En, Language::Es].map(|language| document::emit(variant, language));
    walk(&english, &spanish, "", check);
}

fn walk(english: &Value, spanish: &Value, path: &str, check: &mut impl FnMut(&str, &str, &str)) {
    match (english, spanish) {
        (Value::Object(in_english), Value::Object(in_spanish)) => {
            let names: Vec<_> = in_english.keys().collect();
            assert_eq!(names, in_spanish.keys().collect::<Vec<_>>(), "{path}");
            for (name, value) in in_english {
                let here = format!("{path}/{name}");
                let is_example =
                    path.ends_with("/example") || path.contains("/example/") || path.contains("/examples/");
                match (value, &in_spanish[name]) {
                    (Value::String(english), Value::String(spanish))
                        if TEXTS.contains(&name.as_str()) && !is_example =>
                    {
                        check(&here, english, spanish);
                    }
                    (english, spanish) => walk(english, spanish, &here, check),
                }
            }
        }
        (Value::Array(in_english), Value::Array(in_spanish)) => {
            assert_eq!(in_english.len(), in_spanish.len(), "{path}");
            for (index, pair) in in_english.iter().zip(in_spanish).enumerate() {
                walk(pair.0, pair.1, &format!("{path}/{index}"), check);
            }
        }
        _ => assert_eq!(english, spanish, "{path}"),
    }
}
