//! Tests of the slots of rules, and of the time that they take.

use std::{ops::RangeInclusive, time::Duration};

use rustix::time::{ClockId, clock_gettime};

use super::{dates, local, parse_in, recurrence};
use crate::calendar::recurrence::Recurrence;

#[test]
fn slots() {
    for (lines, from, to, expected) in [
        (
            "RRULE:FREQ=WEEKLY;COUNT=3",
            None,
            None,
            "2027-01-05 2027-01-12 2027-01-19",
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=3",
            Some("2027-01-12 19:00"),
            None,
            "2027-01-12 2027-01-19",
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=3",
            Some("2027-01-12 19:01"),
            None,
            "2027-01-19",
        ),
        (
            "RRULE:FREQ=WEEKLY",
            None,
            Some("2027-01-19 19:00"),
            "2027-01-05 2027-01-12",
        ),
        (
            "RRULE:FREQ=WEEKLY",
            Some("2027-02-01 00:00"),
            Some("2027-02-10 00:00"),
            "2027-02-02 2027-02-09",
        ),
        (
            "RRULE:FREQ=WEEKLY",
            Some("2027-02-01 00:00"),
            Some("2026-02-10 00:00"),
            "",
        ),
        ("RRULE:FREQ=WEEKLY;COUNT=3", Some("2028-01-01 00:00"), None, ""),
        (
            "RRULE:FREQ=WEEKLY;INTERVAL=3",
            Some("2027-01-20 00:00"),
            Some("2027-03-01 00:00"),
            "2027-01-26 2027-02-16",
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=3\nRDATE:20270112T190000,20270114T150000\nEXDATE:20270119T190000,20270301T190000",
            None,
            None,
            "2027-01-05 2027-01-12 2027-01-14",
        ),
        (
            "RDATE:20270303T190000,20270202T190000",
            None,
            None,
            "2027-01-05 2027-02-02 2027-03-03",
        ),
        (
            "RDATE:20270303T190000\nEXDATE:20270105T190000",
            None,
            None,
            "2027-03-03",
        ),
    ] {
        let slots = recurrence("2027-01-05 19:00", lines).slots(from.map(local), to.map(local));
        assert_eq!(dates(slots), expected, "{lines} from {from:?} to {to:?}");
    }
}

#[test]
fn rules_without_an_end() {
    let endless = recurrence("2027-01-05 19:00", "RRULE:FREQ=DAILY\nRDATE:20270106T080000");
    assert!(endless.is_endless());
    assert!(!recurrence("2027-01-05 19:00", "RRULE:FREQ=DAILY;COUNT=2").is_endless());
    assert!(!recurrence("2027-01-05 19:00", "RDATE:20270106T080000").is_endless());
    // The search ends with the year 9999.
    let last = endless.slots(Some(local("9999-12-30 00:00")), None);
    assert_eq!(dates(last), "9999-12-30 9999-12-31");
    // A start long ago.
    let old = recurrence("0001-01-31 19:00", "RRULE:FREQ=MONTHLY;INTERVAL=2");
    let slots = old.slots(Some(local("2027-01-01 00:00")), Some(local("2027-08-01 00:00")));
    assert_eq!(dates(slots), "2027-01-31 2027-03-31 2027-05-31 2027-07-31");
}

#[test]
fn exclusion() {
    let mut weekly = recurrence("2027-01-05 19:00", "RRULE:FREQ=WEEKLY;COUNT=2");
    let unchanged = weekly.clone();
    let slot = local("2027-01-12 19:00");
    assert!(!weekly.excludes(slot));
    weekly.exclude(slot);
    assert!(weekly.excludes(slot));
    assert_eq!(dates(weekly.slots(None, None)), "2027-01-05");
    assert_eq!(weekly.lines(), ["RRULE:FREQ=WEEKLY;COUNT=2", "EXDATE:20270112T190000"]);
    weekly.include(slot);
    assert_eq!(weekly, unchanged);
    // All may be excluded one by one; the database still returns the rule.
    weekly.exclude(slot);
    weekly.exclude(weekly.start());
    let stored = Recurrence::from_stored(&weekly.lines().join("\n"), weekly.start(), false);
    assert_eq!(stored, Ok(weekly));
}

/// The processor time that the thread has taken.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("processor time is not negative")
}

/// Each takes milliseconds in a release build, and less than the limit without optimisation.
#[test]
fn expensive_rules() {
    let times: Vec<String> = (0..24).map(|hour| hour.to_string()).collect();
    let often = format!("BYHOUR={};BYMINUTE=0,30", times.join(","));
    // More than a period has, so that each is compared.
    let signed = |numbers: RangeInclusive<u16>, unit: &str| {
        let values = numbers.flat_map(|number| [format!("{number}{unit}"), format!("-{number}{unit}")]);
        values.collect::<Vec<_>>().join(",")
    };
    let positions = signed(49..=366, "");
    let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].map(|day| signed(6..=53, day));
    for rule in [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;COUNT=900".to_owned(),
        "FREQ=DAILY;BYSETPOS=8;BYDAY=MO,TU".to_owned(),
        "FREQ=MONTHLY;BYSETPOS=366;BYMONTHDAY=1,2,3".to_owned(),
        "FREQ=MONTHLY;BYDAY=53MO".to_owned(),
        "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6".to_owned(),
        "FREQ=YEARLY;BYWEEKNO=53;BYDAY=TU;UNTIL=24261231T000000".to_owned(),
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTHDAY=1".to_owned(),
        "FREQ=DAILY;UNTIL=24261231T000000".to_owned(),
        "FREQ=DAILY;COUNT=10000".to_owned(),
        "FREQ=DAILY;INTERVAL=10000;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        format!("FREQ=YEARLY;{often};BYSETPOS=1;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
        format!("FREQ=DAILY;{often};BYSETPOS=49"),
        format!("FREQ=DAILY;COUNT=10000;{often};BYSETPOS=39,{positions}"),
        format!("FREQ=MONTHLY;BYDAY={}", weekdays.join(",")),
    ] {
        let before = processor_time();
        let _ = parse_in("UTC", "2027-01-05 19:00", &format!("RRULE:{rule}"), false);
        let time = processor_time() - before;
        assert!(time < Duration::from_secs(2), "{rule} took {time:?}");
    }
}
