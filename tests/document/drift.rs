//! Compares the committed documents with the program's output, so that reviews show each change of the interface.

use std::{env, fs, path::Path};

use almanac::testing::{api::document, calendar::Variant, commands::openapi, config::Language};

use super::{VARIANTS, operations_table};

/// The environment variable that makes the tests write the files.
const RENEW: &str = "ALMANAC_RENEW";

#[test]
fn committed_documents_are_current() {
    for (letter, variant) in ["a", "b"].into_iter().zip(VARIANTS) {
        for language in [Language::En, Language::Es] {
            let text = openapi::text(variant, language);
            let file = format!("variant-{letter}.{}.json", language.tag());
            check(&file, &format!("{text}\n"));
        }
    }
}

#[test]
fn overlay_targets_exist() {
    assert_eq!(document::missing_targets(), Vec::<String>::new());
}

#[test]
fn committed_operations_table_is_current() {
    check("operations.txt", &operations_table::table());
}

/// Compares a file with the output, or writes it if `RENEW` is set.
fn check(file: &str, emitted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/emitted").join(file);
    if env::var_os(RENEW).is_some() {
        fs::write(&path, emitted).expect("the file can be written");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let line = committed
        .lines()
        .zip(emitted.lines())
        .position(|(committed, emitted)| committed != emitted)
        .unwrap_or(0);
    assert!(
        committed == emitted,
        "openapi/emitted/{file} is out of date from line {}. If the change is intended, renew it:\n\n    \
         {RENEW}=1 cargo test --test document drift\n",
        line + 1
    );
}

#[test]
fn output_is_deterministic() {
    let text = || openapi::text(Variant::B, Language::Es);
    assert_eq!(text(), text());
}
