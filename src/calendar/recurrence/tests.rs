//! Tests of reading and checking rules, and what the tests of the other files share.

mod expanding;

use chrono::NaiveDateTime;

use super::{Recurrence, RecurrenceErrors};
use crate::calendar::zone::Zone;

/// A local time such as "2027-01-05 19:00".
pub(super) fn local(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap_or_else(|_| panic!("{text}"))
}

pub(super) fn recurrence(start: &str, lines: &str) -> Recurrence {
    Recurrence::parse(lines, local(start), false, &Zone::UTC).unwrap_or_else(|errors| panic!("{lines}: {errors}"))
}

/// The dates of slots, separated by spaces.
pub(super) fn dates(slots: impl IntoIterator<Item = NaiveDateTime>) -> String {
    let texts: Vec<String> = slots.into_iter().map(|slot| slot.format("%F").to_string()).collect();
    texts.join(" ")
}

fn parse_in(zone: &str, start: &str, lines: &str, all_day: bool) -> Result<Recurrence, RecurrenceErrors> {
    let zone = Zone::parse(zone).expect("a zone");
    Recurrence::parse(lines, local(start), all_day, &zone)
}

/// The lines of a rule after reading, or its errors.
fn read(zone: &str, start: &str, lines: &str, all_day: bool) -> String {
    match parse_in(zone, start, lines, all_day) {
        Ok(recurrence) => recurrence.lines().join("|"),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn lines_are_normalised() {
    for (lines, expected) in [
        (
            "RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=52",
            "RRULE:FREQ=WEEKLY;COUNT=52;BYDAY=TU",
        ),
        (
            " rrule:freq=weekly;interval=1;wkst=mo;byday=th,tu,th;;",
            "RRULE:FREQ=WEEKLY;BYDAY=TU,TH",
        ),
        (
            "RRULE:FREQ=WEEKLY;WKST=SU;INTERVAL=2",
            "RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYDAY=-1TU,+1TU,1MO,1TU",
            "RRULE:FREQ=MONTHLY;BYDAY=1MO,1TU,-1TU",
        ),
        (
            "RRULE:FREQ=YEARLY;BYMONTHDAY=-1, 5,1;BYMONTH=12,1",
            "RRULE:FREQ=YEARLY;BYMONTH=1,12;BYMONTHDAY=1,5,-1",
        ),
        // UTC becomes local time. A date is a whole day.
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20270630T170000Z",
            "RRULE:FREQ=WEEKLY;UNTIL=20270630T190000",
        ),
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20270630T170000",
            "RRULE:FREQ=WEEKLY;UNTIL=20270630T170000",
        ),
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20270630",
            "RRULE:FREQ=WEEKLY;UNTIL=20270630T235959",
        ),
        // Dates in one line, in order, in local time.
        (
            "RRULE:FREQ=WEEKLY\r\nEXDATE:20270119T180000Z\r\nEXDATE;TZID=Asia/Tokyo:20270113T030000\r\n\
             RDATE;VALUE=DATE-TIME;TZID=\"Europe/Berlin\":20270110T150000,20270109T150000",
            "RRULE:FREQ=WEEKLY|RDATE:20270109T150000,20270110T150000|EXDATE:20270112T190000,20270119T190000",
        ),
        // Folded lines (RFC 5545, section 3.1), and empty ones.
        ("RRULE:FREQ=WEEKLY;BYD\r\n AY=TU\r\n\r\n", "RRULE:FREQ=WEEKLY;BYDAY=TU"),
        // Without a rule, the start is a date.
        ("RDATE:20270110T150000", "RDATE:20270105T190000,20270110T150000"),
        (
            "RDATE:20270110T150000,20270105T190000",
            "RDATE:20270105T190000,20270110T150000",
        ),
    ] {
        assert_eq!(
            read("Europe/Berlin", "2027-01-05 19:00", lines, false),
            expected,
            "{lines}"
        );
    }
    for (lines, expected) in [
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20271231T235959Z\nEXDATE;VALUE=DATE:20270112",
            "RRULE:FREQ=WEEKLY;UNTIL=20271231|EXDATE;VALUE=DATE:20270112",
        ),
        // Midnights are dates.
        (
            "RRULE:FREQ=WEEKLY\nEXDATE:20270112T000000,20270118T230000Z",
            "RRULE:FREQ=WEEKLY|EXDATE;VALUE=DATE:20270112,20270119",
        ),
    ] {
        assert_eq!(
            read("Europe/Berlin", "2027-01-05 19:00", lines, true),
            expected,
            "{lines}"
        );
    }
}

#[test]
fn rejected() {
    let long_list = vec!["BYMONTH=1"; 50].join(";");
    let days: Vec<String> = (1..=51).map(|day| day.to_string()).collect();
    let many_days = format!("RRULE:FREQ=YEARLY;BYYEARDAY={}", days.join(","));
    for (lines, expected) in [
        (
            "",
            "the rule is empty; expected lines such as RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10",
        ),
        (
            " \r\n ",
            "the rule is empty; expected lines such as RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10",
        ),
        (
            "FREQ=WEEKLY",
            "the line \"FREQ=WEEKLY\" is unknown; expected RRULE:…, RDATE:… or EXDATE:…",
        ),
        (
            "DTSTART:20270105T190000\nRRULE:FREQ=WEEKLY",
            "DTSTART is not part of the rule: the start of the event is that of the series",
        ),
        (
            "RRULE:FREQ=WEEKLY\nEXRULE:FREQ=MONTHLY",
            "EXRULE is not supported, because RFC 5545 has removed it; list the dates as EXDATE:…",
        ),
        (
            "RRULE:FREQ=WEEKLY\nRRULE:FREQ=MONTHLY",
            "there are 2 RRULE lines, but a series has one; list further dates as RDATE:…",
        ),
        (
            "EXDATE:20270105T190000",
            "there is neither RRULE nor RDATE; expected a rule such as RRULE:FREQ=WEEKLY;COUNT=10",
        ),
        (
            "RRULE;X-NAME=1:FREQ=WEEKLY",
            "RRULE has the parameter \"X-NAME=1\"; expected none, such as RRULE:FREQ=WEEKLY",
        ),
        (
            "RDATE;VALUE=PERIOD:20270105T190000/PT1H",
            "RDATE has the parameter \"VALUE=PERIOD\"; expected VALUE=DATE, VALUE=DATE-TIME, or TZID=… with the IANA \
             name of a time zone; RDATE has the value \"20270105T190000/PT1H\"; expected times such as \
             20270105T190000 or 20270105T180000Z, separated by commas",
        ),
        (
            "RDATE;TZID=Nowhere:20270106T190000",
            "RDATE has the parameter \"TZID=Nowhere\"; expected VALUE=DATE, VALUE=DATE-TIME, or TZID=… with the IANA \
             name of a time zone",
        ),
        (
            "RRULE:FREQ=WEEKLY\nEXDATE:20270112",
            "EXDATE has the value \"20270112\"; expected times such as 20270105T190000 or 20270105T180000Z, \
             separated by commas",
        ),
        (
            "RRULE:FREQ=WEEKLY\nEXDATE:",
            "EXDATE has the value \"\"; expected times such as 20270105T190000 or 20270105T180000Z, separated by commas",
        ),
        (
            "RRULE:FREQ=WEEKLY;BYEASTER=1",
            "RRULE has the unknown part \"BYEASTER=1\"; expected NAME=VALUE with one of the names FREQ, INTERVAL, \
             COUNT, UNTIL, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, BYSECOND, BYSETPOS and \
             WKST",
        ),
        (
            "RRULE:FREQ=WEEKLY;BYDAY=TU;BYDAY=TH",
            "RRULE has the part BYDAY more than once; list its values with commas",
        ),
        (
            "RRULE:BYDAY=TU",
            "RRULE lacks FREQ; expected FREQ=DAILY, FREQ=WEEKLY, FREQ=MONTHLY or FREQ=YEARLY",
        ),
        (
            "RRULE:FREQ=HOURLY;COUNT=3",
            "FREQ=HOURLY is not supported; expected DAILY, WEEKLY, MONTHLY or YEARLY, and BYHOUR for several times a \
             day",
        ),
        (
            "RRULE:FREQ=OFTEN",
            "FREQ has the value \"OFTEN\"; expected DAILY, WEEKLY, MONTHLY or YEARLY",
        ),
        (
            "RRULE:FREQ=WEEKLY;INTERVAL=0",
            "INTERVAL has the value \"0\"; expected a number from 1 to 10000",
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=ten",
            "COUNT has the value \"ten\"; expected a number, such as 10",
        ),
        (
            "RRULE:FREQ=WEEKLY;UNTIL=2027-12-31",
            "UNTIL has the value \"2027-12-31\"; expected a time such as 20271231T235959Z, or without Z in the time \
             zone of the event",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYMONTHDAY=32,0",
            "BYMONTHDAY has the value \"32,0\"; expected numbers from 1 to 31, or from -31 to -1, separated by commas",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYMONTH=-1",
            "BYMONTH has the value \"-1\"; expected numbers from 1 to 12, separated by commas",
        ),
        (
            "RRULE:FREQ=DAILY;BYSECOND=60",
            "BYSECOND has the value \"60\"; expected numbers from 0 to 59, separated by commas",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYDAY=54MO,ü",
            "BYDAY has the value \"54MO,ü\"; expected days such as MO,TU or 2TU (the second Tuesday) or -1FR (the last \
             Friday)",
        ),
        (
            "RRULE:FREQ=WEEKLY;WKST=1",
            "WKST has the value \"1\"; expected a day such as MO or SU",
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=3;UNTIL=20271231T000000",
            "COUNT and UNTIL exclude each other; leave one of them out",
        ),
        (
            "RRULE:FREQ=WEEKLY;BYDAY=2TU",
            "A number in BYDAY has no meaning with FREQ=WEEKLY; expected FREQ=MONTHLY, or days such as BYDAY=TU,TH",
        ),
        (
            "RRULE:FREQ=WEEKLY;BYMONTHDAY=5",
            "BYMONTHDAY has no meaning with FREQ=WEEKLY; expected FREQ=MONTHLY",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYYEARDAY=5;BYWEEKNO=1",
            "BYWEEKNO has no meaning with FREQ=MONTHLY; expected FREQ=YEARLY; BYYEARDAY has no meaning with \
             FREQ=MONTHLY; expected FREQ=YEARLY; calendar programs disagree about BYWEEKNO with no BYDAY; add the \
             days, such as BYDAY=MO,TU",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYSETPOS=1",
            "BYSETPOS has no meaning with no other BY… part; expected what it selects from, such as \
             BYDAY=MO,TU,WE,TH,FR",
        ),
        (
            "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=TU;INTERVAL=2;BYSETPOS=1",
            "calendar programs disagree about BYWEEKNO with INTERVAL; leave it out, or list dates as RDATE:…; calendar \
             programs disagree about BYWEEKNO with BYSETPOS; leave it out, or list dates as RDATE:…",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYDAY=TU,1FR",
            "calendar programs disagree about BYDAY with and without numbers; expected numbers for all of its days, or \
             for none",
        ),
        (
            "RRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7;BYMINUTE=1,2,3,4,5,6,7",
            "the rule has 49 times a day; the limit is 48",
        ),
        (
            "RRULE:FREQ=DAILY;BYHOUR=7,19;BYMINUTE=0,20,40;BYSETPOS=1,2,3,4,5,6,7,8,9,10,-1,-2,-3,-4,-5,-6,-7",
            "the rule has 17 values in BYSETPOS; with 6 times a day, the limit is 16",
        ),
        (
            many_days.as_str(),
            "the text has 51 values in BYYEARDAY; the limit is 50",
        ),
        // All errors at once.
        (
            "RRULE:FREQ=WEEKLY;INTERVAL=x;COUNT=y\nEXRULE:z",
            "EXRULE is not supported, because RFC 5545 has removed it; list the dates as EXDATE:…; INTERVAL has the \
             value \"x\"; expected a number from 1 to 10000; COUNT has the value \"y\"; expected a number, such as 10",
        ),
        (
            "X-A-VERY-LONG-LINE-THAT-IS-NOT-REPEATED-AS-A-WHOLE",
            "the line \"X-A-VERY-LONG-LINE-THAT-IS-NOT-REPEATED-…\" is unknown; expected RRULE:…, RDATE:… or EXDATE:…",
        ),
        // Occurrences.
        ("RRULE:FREQ=WEEKLY;COUNT=0", "the rule has no occurrence: COUNT is 0"),
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20270104T000000",
            "the rule has no occurrence: UNTIL is before the start",
        ),
        (
            "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
            "the rule has no occurrence: no date fits all of its parts",
        ),
        (
            "RRULE:FREQ=DAILY;COUNT=1\nEXDATE:20270105T190000",
            "the rule has no occurrence: EXDATE excludes all",
        ),
        (
            "RRULE:FREQ=DAILY;COUNT=1001",
            "the rule has 1001 occurrences; the limit is 1000",
        ),
        (
            "RRULE:FREQ=DAILY;UNTIL=20301231T000000",
            "the rule has 1456 occurrences; the limit is 1000",
        ),
        (
            "RRULE:FREQ=DAILY;UNTIL=20801231T000000",
            "the rule has more than 10000 occurrences; the limit is 1000",
        ),
        (
            "RRULE:FREQ=DAILY;COUNT=4000000000",
            "the rule has 4000000000 occurrences; the limit is 1000",
        ),
        (
            "RRULE:FREQ=YEARLY;INTERVAL=300;COUNT=3",
            "the rule does not end within 400 years; leave out COUNT and UNTIL if it has no end",
        ),
        (
            "RRULE:FREQ=YEARLY;INTERVAL=300;UNTIL=99991231T000000",
            "the rule does not end within 400 years; leave out COUNT and UNTIL if it has no end",
        ),
        (
            "RRULE:FREQ=WEEKLY;BYDAY=MO,TH",
            "the rule does not generate the start of the event, Tue 2027-01-05 19:00; the first date that fits is Thu \
             2027-01-07 19:00",
        ),
        (
            "RRULE:FREQ=DAILY;BYHOUR=9,18;BYSECOND=30",
            "the rule does not generate the start of the event, Tue 2027-01-05 19:00; the first date that fits is Wed \
             2027-01-06 09:00:30",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
            "the rule does not generate the start of the event, Tue 2027-01-05 19:00; the first date that fits is Fri \
             2027-08-13 19:00",
        ),
    ] {
        assert_eq!(
            read("Europe/Berlin", "2027-01-05 19:00", lines, false),
            expected,
            "{lines}"
        );
    }
    assert_eq!(
        read("UTC", "2027-01-05 00:00", "RRULE:FREQ=DAILY;BYHOUR=9", true),
        "BYHOUR, BYMINUTE or BYSECOND has no meaning with an all-day event; leave it out"
    );
    assert_eq!(
        read("UTC", "2027-01-05 00:00", "RRULE:FREQ=WEEKLY;BYDAY=WE", true),
        "the rule does not generate the start of the event, Tue 2027-01-05; the first date that fits is Wed 2027-01-06"
    );
    assert_eq!(
        read("UTC", "2027-01-05 00:00", "RDATE:20270106T120000", true),
        "RDATE has the value \"20270106T120000\"; expected dates such as 20270105, because the event lasts all day"
    );
    assert_eq!(
        parse_in(
            "UTC",
            "2027-01-05 19:00",
            &format!("RRULE:FREQ=YEARLY;{long_list}"),
            false
        )
        .expect_err("repeated parts")
        .errors()
        .len(),
        49
    );
}

#[test]
fn limits_of_size() {
    let rule = "RRULE:FREQ=DAILY\nEXDATE:";
    let dates = |number: i64| -> String {
        let first = local("2027-01-06 19:00");
        let date = |day| {
            (first + chrono::TimeDelta::days(day))
                .format("%Y%m%dT%H%M%S")
                .to_string()
        };
        (0..number).map(date).collect::<Vec<_>>().join(",")
    };
    assert!(parse_in("UTC", "2027-01-05 19:00", &format!("{rule}{}", dates(10_000)), false).is_ok());
    assert_eq!(
        read("UTC", "2027-01-05 19:00", &format!("{rule}{}", dates(10_001)), false),
        "the text has 10001 dates in EXDATE; the limit is 10000"
    );
    assert_eq!(
        read("UTC", "2027-01-05 19:00", &format!("RDATE:{}", dates(1000)), false),
        "the rule has 1001 occurrences; the limit is 1000"
    );
    let long = "x".repeat(512 * 1024 + 1);
    assert_eq!(
        read("UTC", "2027-01-05 19:00", &long, false),
        "the text has 524289 bytes; the limit is 524288"
    );
}
