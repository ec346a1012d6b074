//! Properties of random rules.

use std::fmt::Debug;

use chrono::{Datelike, NaiveDateTime, TimeDelta};
use proptest::{option, prelude::*, sample::subsequence};

use super::{
    Recurrence,
    expand::MAX_YEARS,
    parts::NUMBER_PARTS,
    rule::{WEEKDAYS, code},
};
use crate::calendar::{Language, zone::Zone};

fn list<T: Clone + Debug + ToString + 'static>(name: &'static str, values: Vec<T>) -> impl Strategy<Value = String> {
    let most = values.len().min(4);
    subsequence(values, 1..=most).prop_map(move |values| {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        format!("{name}={}", texts.join(","))
    })
}

/// A part that is a list of numbers, rarely.
fn numbers(name: &'static str) -> impl Strategy<Value = Option<String>> {
    let part = NUMBER_PARTS.iter().find(|part| part.name == name).expect("a part");
    let last = *part.range.end();
    let values = (-last..=last).filter(|number| part.allows(*number));
    option::weighted(0.3, list(name, values.collect()))
}

fn weekdays(ordinals: Vec<i16>) -> impl Strategy<Value = String> {
    let plain = WEEKDAYS.into_iter().map(|weekday| code(weekday).to_owned()).collect();
    let ordinal = WEEKDAYS.into_iter().flat_map(move |weekday| {
        let ordinals = ordinals.clone().into_iter();
        ordinals
            .map(move |ordinal| format!("{ordinal}{}", code(weekday)))
            .collect::<Vec<_>>()
    });
    let ordinal: Vec<String> = ordinal.collect();
    let plain: Vec<String> = plain;
    let all = if ordinal.is_empty() { plain.clone() } else { ordinal };
    prop_oneof![list("BYDAY", plain), list("BYDAY", all)]
}

/// The parts of a rule, without its end and without WKST.
fn parts() -> impl Strategy<Value = String> {
    let ordinals = vec![1, 2, 3, 4, 5, -1, -2];
    let daily = (
        numbers("BYMONTH"),
        numbers("BYMONTHDAY"),
        option::of(weekdays(Vec::new())),
    )
        .prop_map(|(months, days, weekdays)| (vec![Some("FREQ=DAILY".to_owned()), months, days, weekdays], true));
    let weekly = (numbers("BYMONTH"), option::of(weekdays(Vec::new())))
        .prop_map(|(months, weekdays)| (vec![Some("FREQ=WEEKLY".to_owned()), months, weekdays], true));
    let monthly = (
        numbers("BYMONTH"),
        numbers("BYMONTHDAY"),
        option::of(weekdays(ordinals.clone())),
    )
        .prop_map(|(months, days, weekdays)| (vec![Some("FREQ=MONTHLY".to_owned()), months, days, weekdays], true));
    let yearly = (
        numbers("BYMONTH"),
        numbers("BYYEARDAY"),
        numbers("BYMONTHDAY"),
        option::of(weekdays(ordinals)),
    )
        .prop_map(|(months, year_days, days, weekdays)| {
            (
                vec![Some("FREQ=YEARLY".to_owned()), months, year_days, days, weekdays],
                true,
            )
        });
    let weeks = (
        numbers("BYMONTH"),
        // Without the last weeks: python-dateutil misses some of their days around the new year.
        list("BYWEEKNO", vec![1, 2, 20, 51, -1, -2, -51]),
        weekdays(Vec::new()),
    )
        .prop_map(|(months, weeks, weekdays)| {
            (
                vec![Some("FREQ=YEARLY".to_owned()), months, Some(weeks), Some(weekdays)],
                false,
            )
        });
    let days = prop_oneof![2 => daily, 3 => weekly, 4 => monthly, 3 => yearly, 1 => weeks];
    let interval = option::of(2_u32..20);
    let positions = option::weighted(0.2, list("BYSETPOS", vec![1, 2, 3, -1, -2]));
    (days, interval, positions, numbers("BYHOUR")).prop_map(|((mut parts, is_free), interval, positions, hours)| {
        parts.push(hours);
        let selects = parts.iter().flatten().any(|part| part.starts_with("BY"));
        let is_weekly = parts.iter().flatten().any(|part| part == "FREQ=WEEKLY");
        parts.push(positions.filter(|_| is_free && selects && !is_weekly));
        parts.push(
            interval
                .filter(|_| is_free)
                .map(|interval| format!("INTERVAL={interval}")),
        );
        parts.into_iter().flatten().collect::<Vec<_>>().join(";")
    })
}

/// A start at any quarter of an hour, in 1990 to 2050.
fn starts() -> impl Strategy<Value = NaiveDateTime> {
    let first = NaiveDateTime::parse_from_str("1990-01-01 00:00", "%Y-%m-%d %H:%M").expect("a time");
    (0_i64..60 * 365 * 96).prop_map(move |quarters| first + TimeDelta::minutes(15 * quarters))
}

/// A rule that generates its start, some RDATEs, and EXDATEs of some of its slots.
fn recurrences() -> impl Strategy<Value = Recurrence> {
    let end = prop_oneof![
        Just(String::new()),
        (1_u32..40).prop_map(|count| format!(";COUNT={count}")),
        (0_i64..4000).prop_map(|days| format!("UNTIL {days}")),
    ];
    let week_start = option::of(prop::sample::select(WEEKDAYS.to_vec()));
    let additions = prop::collection::vec(0_i64..2000, 0..3);
    let exceptions = prop::collection::vec(0_usize..20, 0..3);
    (parts(), end, week_start, starts(), additions, exceptions).prop_filter_map(
        "no occurrence",
        |(parts, end, week_start, start, additions, exceptions)| {
            let week_start = week_start
                .map(|weekday| format!(";WKST={}", code(weekday)))
                .unwrap_or_default();
            let rule = format!("RRULE:{parts}{week_start}");
            let start = Recurrence::from_stored(&rule, start, false)
                .expect(&rule)
                .slots(None, None)
                .next()?;
            let end = match end.strip_prefix("UNTIL ") {
                Some(days) => {
                    let until = start + TimeDelta::days(days.parse().expect("days"));
                    format!(";UNTIL={}", until.format("%Y%m%dT%H%M%S"))
                }
                None => end,
            };
            let mut recurrence = Recurrence::from_stored(&format!("{rule}{end}"), start, false).expect("a rule");
            recurrence.additions = additions
                .into_iter()
                .map(|hours| start + TimeDelta::hours(hours))
                .collect();
            let slots: Vec<_> = recurrence.slots(None, None).take(20).collect();
            for slot in exceptions.into_iter().filter_map(|index| slots.get(index)) {
                recurrence.exclude(*slot);
            }
            Some(recurrence)
        },
    )
}

/// All slots of a time that is long for the rule.
fn all(recurrence: &Recurrence) -> Vec<NaiveDateTime> {
    recurrence.slots(None, Some(end(recurrence))).collect()
}

fn end(recurrence: &Recurrence) -> NaiveDateTime {
    recurrence.start() + TimeDelta::days(20 * 365)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn two_steps_are_one(recurrence in recurrences(), days in 0_i64..20 * 365) {
        let (whole, last) = (all(&recurrence), end(&recurrence));
        let middle = recurrence.start() + TimeDelta::days(days);
        let first = recurrence.slots(None, Some(middle));
        let second = recurrence.slots(Some(middle), Some(last));
        prop_assert_eq!(first.chain(second).collect::<Vec<_>>(), whole);
    }

    #[test]
    fn slots_are_in_order(recurrence in recurrences()) {
        let slots = all(&recurrence);
        prop_assert!(slots.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(slots.iter().all(|slot| !recurrence.excludes(*slot)));
        let start = recurrence.start();
        prop_assert!(slots.first() == Some(&start) || recurrence.excludes(start) || slots.is_empty());
    }

    #[test]
    fn lines_round_trip(recurrence in recurrences()) {
        let lines = recurrence.lines().join("\n");
        let start = recurrence.start();
        prop_assert_eq!(&Recurrence::from_stored(&lines, start, false), &Ok(recurrence.clone()));
        if let Ok(parsed) = Recurrence::parse(&lines, start, false, &Zone::parse("Europe/Berlin").expect("a zone")) {
            prop_assert_eq!(parsed, recurrence);
        }
    }

    #[test]
    fn parts_of_a_split_are_the_whole(recurrence in recurrences(), index in 0_usize..40, offset in 0_i64..2) {
        let whole = all(&recurrence);
        let Some(slot) = whole.get(index).map(|slot| *slot + TimeDelta::seconds(offset)) else {
            return Ok(());
        };
        let Some((earlier, later)) = recurrence.split_at(slot) else {
            prop_assert!(whole.iter().all(|other| *other >= slot) || recurrence.slots(Some(slot), None).next().is_none());
            return Ok(());
        };
        let last = end(&recurrence);
        let first: Vec<_> = earlier.slots(None, None).collect();
        prop_assert!(first.iter().all(|other| *other < slot));
        let second = later.slots(None, Some(last));
        prop_assert_eq!(first.into_iter().chain(second).collect::<Vec<_>>(), whole);
        prop_assert_eq!(later.is_endless(), recurrence.is_endless());
    }

    #[test]
    fn a_new_time_of_day_keeps_the_dates(recurrence in recurrences(), minutes in 0_i64..24 * 60) {
        let start = recurrence.start().date().and_time(Default::default()) + TimeDelta::minutes(minutes);
        // Not if the rule has times of its own, or dates at other times.
        let is_plain = recurrence.rule.as_ref().is_some_and(|rule| rule.hours.is_empty());
        prop_assume!(is_plain && recurrence.additions.is_empty());
        let Ok(moved) = recurrence.with_start(start, false) else {
            // As before: the server allows fewer occurrences than these rules have, and at least one.
            prop_assert!(recurrence.check().is_err());
            return Ok(());
        };
        let dates = |slots: Vec<NaiveDateTime>| slots.iter().map(NaiveDateTime::date).collect::<Vec<_>>();
        let last = end(&recurrence).date().and_time(Default::default());
        let slots = |recurrence: &Recurrence| dates(recurrence.slots(None, Some(last)).collect());
        prop_assert_eq!(slots(&moved), slots(&recurrence));
    }

    #[test]
    fn words_name_the_end(recurrence in recurrences()) {
        let (english, spanish) = (recurrence.in_words(Language::En), recurrence.in_words(Language::Es));
        prop_assert!(!english.contains("  ") && !spanish.contains("  "), "{english} / {spanish}");
        if let Some(rule) = &recurrence.rule {
            let is_until = matches!(rule.end, super::rule::End::Until(_));
            prop_assert_eq!(english.contains(" until "), is_until, "{}", english);
            prop_assert_eq!(spanish.contains(" hasta el "), is_until, "{}", spanish);
        }
    }

    /// The crate `rrule` is a port of python-dateutil.
    #[test]
    fn agrees_with_the_other_crate(recurrence in recurrences()) {
        let plain = Recurrence { additions: Default::default(), exceptions: Default::default(), ..recurrence };
        if let Some((mut expected, is_all)) = other_crate(&plain) {
            expected.retain(|slot| slot.year() <= plain.start().year() + MAX_YEARS);
            let number = if is_all { usize::MAX } else { expected.len() };
            prop_assert_eq!(plain.slots(None, None).take(number).collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn the_other_crate_reads_rules() {
    let start = NaiveDateTime::parse_from_str("2027-01-05 19:00", "%Y-%m-%d %H:%M").expect("a time");
    let weekly = |end| Recurrence::from_stored(&format!("RRULE:FREQ=WEEKLY;{end};WKST=SU"), start, false).expect(end);
    let found = |end| other_crate(&weekly(end)).map(|(slots, is_all)| (slots.len(), is_all));
    assert_eq!(found("COUNT=3"), Some((3, true)));
    assert_eq!(found("UNTIL=20270119T190000"), Some((3, true)));
    assert_eq!(found("COUNT=100"), Some((60, false)));
}

/// The first slots of a rule according to the crate `rrule`, to which local times are passed as UTC, and whether these
/// are all. `None` if it rejects the rule.
fn other_crate(recurrence: &Recurrence) -> Option<(Vec<NaiveDateTime>, bool)> {
    let start = recurrence.start().format("%Y%m%dT%H%M%SZ");
    // Its UNTIL has to be in UTC, too.
    let lines: Vec<String> = recurrence.lines().iter().map(|line| utc_until(line)).collect();
    let set: rrule::RRuleSet = format!("DTSTART:{start}\n{}", lines.join("\n")).parse().ok()?;
    let found = set.all(60);
    Some((
        found.dates.iter().map(chrono::DateTime::naive_utc).collect(),
        !found.limited,
    ))
}

fn utc_until(line: &str) -> String {
    let is_until = |part: &&str| part.starts_with("UNTIL=");
    let parts = line.split(';').map(|part| match is_until(&part) {
        true => format!("{part}Z"),
        false => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(";")
}
