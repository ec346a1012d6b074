//! The committed documents against those that the program emits, so that each change of the interface is seen in
//! review.

use std::{env, fs, path::Path};

use almanac::{api::document, calendar::Variant, commands::openapi, config::Language};

use super::{VARIANTS, table};

/// The variable that has the files written anew.
const RENEW: &str = "ALMANAC_RENEW";

#[test]
fn the_committed_documents_are_those_that_are_emitted() {
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
fn the_committed_table_of_operations_is_the_present_one() {
    check("operations.txt", &table::table());
}

/// Compares, or writes where that is asked for.
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
        "openapi/emitted/{file} is out of date from line {}. If the change is meant, renew it:\n\n    \
         {RENEW}=1 cargo test --test document drift\n",
        line + 1
    );
}

#[test]
fn what_is_emitted_is_the_same_each_time() {
    let text = || openapi::text(Variant::B, Language::Es);
    assert_eq!(text(), text());
}
