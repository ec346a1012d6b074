//! Compares random rules with python-dateutil, and the cases of the library. Run by `tests/recurrence/run`.

use std::{
    collections::{BTreeMap, HashMap},
    env, fs,
    process::Command,
};

use chrono::{Datelike, NaiveDateTime};

use super::{
    Recurrence,
    expand::MAX_YEARS,
    times::{ReadTime, Written},
};
use crate::calendar::{Language, zone::Zone};

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("tests/recurrence/run sets {name}"))
}

/// A local time, or a date, as iCalendar writes it.
fn time(text: &str) -> NaiveDateTime {
    let read = ReadTime::parse(text).unwrap_or_else(|| panic!("{text}"));
    read.date.and_time(read.time.unwrap_or_default())
}

fn written(slots: impl Iterator<Item = NaiveDateTime>, all_day: bool) -> String {
    let texts: Vec<String> = slots.map(|slot| Written(slot, all_day).to_string()).collect();
    texts.join(",")
}

/// Asserts that there are no differences, and shows the first ones.
fn assert_equal(cases: usize, differences: &[String]) {
    let first = &differences[..differences.len().min(20)];
    assert!(
        differences.is_empty(),
        "{} differences in {cases} cases: {first:#?}",
        differences.len()
    );
}

/// A line of `tests/recurrence/rules.py`.
struct Case {
    recurrence: Recurrence,
    all_day: bool,
    text: String,
    expected: String,
}

impl Case {
    fn read(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [start, rule, expected] = fields[..] else {
            return Err(format!("three fields: {line}"));
        };
        let all_day = !start.contains('T');
        let text = format!("{start} {rule}");
        let recurrence = Recurrence::parse(&rule.replace('|', "\n"), time(start), all_day, &Zone::UTC)
            .map_err(|errors| format!("{text}: {errors}"))?;
        Ok(Self {
            recurrence,
            all_day,
            text,
            expected: expected.to_owned(),
        })
    }

    /// How our slots differ from the expected ones, if they do.
    fn difference(&self) -> Option<String> {
        let Self {
            recurrence,
            all_day,
            text,
            expected,
        } = self;
        let number = expected.split(',').filter(|slot| !slot.is_empty()).count();
        // Of rules without an end, the first occurrences are listed.
        let limit = if recurrence.is_endless() { number } else { usize::MAX };
        let found = written(recurrence.slots(None, None).take(limit), *all_day);
        (found != *expected).then(|| format!("{text}\n expected {expected}\n found    {found}"))
    }
}

#[test]
#[ignore = "needs python-dateutil: run by tests/recurrence/run"]
fn random_rules_agree_with_python() {
    let [count, seed] = ["ALMANAC_TEST_RULES", "ALMANAC_TEST_SEED"].map(variable);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recurrence/rules.py");
    let arguments = [script, "--count", &count, "--seed", &seed];
    let output = Command::new(variable("ALMANAC_TEST_PYTHON"))
        .args(arguments)
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).expect("text");

    let mut cases = 0;
    let mut differences = Vec::new();
    let mut words = Words::default();
    for line in lines.lines() {
        cases += 1;
        match Case::read(line) {
            Ok(case) => {
                differences.extend(case.difference());
                differences.extend(words.conflict(&case));
            }
            Err(error) => differences.push(error),
        }
    }
    assert_eq!(cases.to_string(), count);
    assert_equal(cases, &differences);
}

/// The rules of each text in words with the same start.
#[derive(Default)]
struct Words(HashMap<(NaiveDateTime, String), (String, Vec<NaiveDateTime>)>);

impl Words {
    /// The text of the rule in words, if another rule with other slots has the same.
    fn conflict(&mut self, case: &Case) -> Option<String> {
        let slots: Vec<_> = case.recurrence.slots(None, None).take(100).collect();
        let conflicts = [Language::En, Language::Es].map(|language| {
            let words = case.recurrence.in_words(language);
            let key = (case.recurrence.start(), words.clone());
            let (other, other_slots) = self.0.entry(key).or_insert_with(|| (case.text.clone(), slots.clone()));
            (*other_slots != slots).then(|| format!("{}\n {other}\n are both {words:?}", case.text))
        });
        conflicts.into_iter().flatten().next()
    }
}

/// The cases of the library, on which its author found python-dateutil and libical to agree.
#[test]
#[ignore = "needs the sources of ical-rs: run by tests/recurrence/run"]
fn corpus_of_the_library() {
    let text = fs::read_to_string(variable("ALMANAC_TEST_CORPUS")).expect("a corpus");
    let mut cases = 0;
    let mut rejected: BTreeMap<String, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [start, rule, expected] = fields[..] else {
            panic!("{line}")
        };
        // Its starts need not be generated by the rule; what follows from the start is the same.
        let recurrence = match Recurrence::from_stored(&format!("RRULE:{rule}"), time(start), false) {
            Ok(recurrence) => recurrence,
            Err(errors) => {
                let kind = errors.to_string();
                *rejected
                    .entry(kind.split(';').next().unwrap_or_default().to_owned())
                    .or_default() += 1;
                continue;
            }
        };
        cases += 1;
        // The server searches 400 years; some rules have an occurrence in every 28th.
        let last = time(start).year() + MAX_YEARS;
        let expected = expected
            .split(',')
            .filter(|slot| slot.is_empty() || time(slot).year() <= last);
        let expected = expected.collect::<Vec<_>>().join(",");
        let found = written(recurrence.slots(None, None).take(12), false);
        if found != expected {
            differences.push(format!("{start} {rule}\n expected {expected}\n found    {found}"));
        }
    }
    eprintln!("{cases} cases; others are rejected: {rejected:#?}");
    assert!(cases > 2_000, "{cases}");
    assert_equal(cases, &differences);
}
