//! Compares the VTIMEZONE of every zone with Python's `zoneinfo` on the same release, as another program reads it. Run by
//! `tests/zones/run`, which provides both.

use std::{fs, process::Command};

use super::{text::ContentLines, time_zone::CalendarZones};
use crate::calendar::{tzdb, zone::Zone};

/// Years with changes of standard time in some zone, between years that a calendar may leave out.
const YEARS: [i32; 14] = [
    1941, 1942, 1946, 1970, 1986, 1987, 1999, 2011, 2014, 2016, 2025, 2026, 2027, 2050,
];

#[test]
#[ignore = "needs a release of PyPI's tzdata: run by tests/zones/run"]
fn every_zone_agrees_with_python() {
    let directory = std::env::var("ALMANAC_TEST_TZDATA").expect("a directory");
    let python = std::env::var("ALMANAC_TEST_PYTHON").expect("a Python with python-dateutil");
    let mut zones = CalendarZones::default();
    for name in tzdb::active().names() {
        zones.add(Zone::parse(name).expect(name), YEARS);
    }
    let mut lines = ContentLines::default();
    lines.begin("VCALENDAR");
    zones.write(&mut lines);
    lines.end("VCALENDAR");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let calendar = folder.path().join("zones.ics");
    fs::write(&calendar, lines.take()).expect("a file");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/zones/vtimezones.py");
    let years = YEARS.map(|year| year.to_string());
    let output = Command::new(python)
        .arg(script)
        .arg(&directory)
        .arg(&calendar)
        .args(years)
        .output();
    let output = output.expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let compared: usize = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .expect("a number");
    assert!(compared > 100_000, "{compared}");
}
