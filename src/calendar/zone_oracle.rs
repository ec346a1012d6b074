//! Compares every zone with Python's `zoneinfo` on the same release. Run by `tests/zones/run`, which provides both.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use chrono::DateTime;

use super::{
    tzdb::{self, BUNDLED},
    zone::Zone,
};

/// How the zone differs from a line of `tests/zones/instants.py`, if it does.
fn difference(zone: &Zone, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let second = |text: &str| text.parse().expect("a number");
    let instant = |text: &str| DateTime::from_timestamp(second(text), 0).expect("a year");
    let found = match words[..] {
        ["at", at, offset, abbreviation] => {
            let found = zone.offset_at(instant(at)).local_minus_utc().to_string();
            let is_same = found == offset && zone.abbreviation(instant(at)) == abbreviation;
            (!is_same).then(|| format!("{found} {}", zone.abbreviation(instant(at))))
        }
        ["local", local, expected] => {
            let found = zone.to_instant(instant(local).naive_utc()).timestamp();
            (found != second(expected)).then(|| found.to_string())
        }
        _ => panic!("{line}"),
    };
    found.map(|found| format!("{}: {line}, found {found}", zone.name()))
}

#[test]
#[ignore = "needs a release of PyPI's tzdata: run by tests/zones/run"]
fn every_zone_agrees_with_python() {
    let directory = std::env::var("ALMANAC_TEST_TZDATA").expect("a directory");
    let release = fs::read_to_string(Path::new(&directory).join("tzdata.zi")).expect("a release");
    assert_eq!(release.lines().next(), Some(&*format!("# version {}", BUNDLED.0)));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/zones/instants.py");
    let output = Command::new("python3").args([script, &directory]).output();
    let output = output.expect("python3 starts");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");

    let (mut names, mut zones) = (BTreeSet::new(), Vec::new());
    let (mut lines, mut differences) = (0, Vec::new());
    for line in text.lines() {
        if let Some(links) = line.strip_prefix("zone ") {
            zones = links.split(' ').map(|name| Zone::parse(name).expect(name)).collect();
            names.extend(links.split(' '));
            continue;
        }
        lines += 1;
        differences.extend(zones.iter().filter_map(|zone| difference(zone, line)));
    }
    assert!(lines > 100_000, "{lines}");
    assert_eq!(names, tzdb::active().names().collect());
    let first = &differences[..differences.len().min(20)];
    assert!(differences.is_empty(), "{} differences: {first:#?}", differences.len());
}
