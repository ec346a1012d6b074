//! The parts of an RRULE that are lists of numbers, and which parts go together (RFC 5545, section 3.3.10).

use std::ops::RangeInclusive;

use super::{
    error::RecurrenceError,
    rule::{End, Frequency, Rule},
};

/// The maximum number of times of a day: every half hour.
pub(super) const MAX_TIMES_A_DAY: usize = 48;
/// The maximum number of values of BYDAY, and of BYYEARDAY: the search for slots compares each day with them.
const MAX_DAYS: usize = 50;
/// The maximum number of values of BYSETPOS, multiplied by the times of a day: the search compares each time with all of
/// them.
const MAX_POSITIONS: usize = 100;

/// A part that is a list of numbers.
pub(super) struct NumberPart {
    pub name: &'static str,
    pub range: RangeInclusive<i16>,
    /// Negative numbers count from the end.
    pub is_signed: bool,
    pub list: fn(&mut Rule) -> &mut Vec<i16>,
}

/// BYDAY is the only other list.
pub(super) static NUMBER_PARTS: [NumberPart; 8] = [
    NumberPart::unsigned("BYMONTH", 1..=12, |rule| &mut rule.months),
    NumberPart::signed("BYWEEKNO", 1..=53, |rule| &mut rule.weeks),
    NumberPart::signed("BYYEARDAY", 1..=366, |rule| &mut rule.year_days),
    NumberPart::signed("BYMONTHDAY", 1..=31, |rule| &mut rule.month_days),
    NumberPart::unsigned("BYHOUR", 0..=23, |rule| &mut rule.hours),
    NumberPart::unsigned("BYMINUTE", 0..=59, |rule| &mut rule.minutes),
    // RFC 5545 also allows 60, for leap seconds, which local times do not have.
    NumberPart::unsigned("BYSECOND", 0..=59, |rule| &mut rule.seconds),
    NumberPart::signed("BYSETPOS", 1..=366, |rule| &mut rule.positions),
];

impl NumberPart {
    const fn unsigned(name: &'static str, range: RangeInclusive<i16>, list: fn(&mut Rule) -> &mut Vec<i16>) -> Self {
        Self {
            name,
            range,
            is_signed: false,
            list,
        }
    }

    const fn signed(name: &'static str, range: RangeInclusive<i16>, list: fn(&mut Rule) -> &mut Vec<i16>) -> Self {
        Self {
            name,
            range,
            is_signed: true,
            list,
        }
    }

    /// The expected values, as error messages name them.
    pub(super) fn expected(&self) -> String {
        let (first, last) = (self.range.start(), self.range.end());
        match self.is_signed {
            true => format!("numbers from {first} to {last}, or from -{last} to -{first}, separated by commas"),
            false => format!("numbers from {first} to {last}, separated by commas"),
        }
    }

    pub(super) fn allows(&self, number: i16) -> bool {
        self.range.contains(&number) || (self.is_signed && self.range.contains(&number.saturating_neg()))
    }
}

/// The errors of parts that have no meaning together.
pub(super) fn conflicts(rule: &Rule, all_day: bool) -> Vec<RecurrenceError> {
    let frequency = rule.frequency;
    let has_times = !rule.hours.is_empty() || !rule.minutes.is_empty() || !rule.seconds.is_empty();
    let has_ordinals = rule.weekdays.iter().any(|weekday| weekday.ordinal.is_some());
    let has_days = !rule.months.is_empty()
        || !rule.weeks.is_empty()
        || !rule.year_days.is_empty()
        || !rule.month_days.is_empty()
        || !rule.weekdays.is_empty();
    let name = match frequency {
        Frequency::Daily => "FREQ=DAILY",
        Frequency::Weekly => "FREQ=WEEKLY",
        Frequency::Monthly => "FREQ=MONTHLY",
        Frequency::Yearly => "FREQ=YEARLY",
    };
    let table = [
        (
            !rule.weeks.is_empty() && frequency != Frequency::Yearly,
            ("BYWEEKNO", name, "expected FREQ=YEARLY"),
        ),
        (
            !rule.year_days.is_empty() && frequency != Frequency::Yearly,
            ("BYYEARDAY", name, "expected FREQ=YEARLY"),
        ),
        (
            !rule.month_days.is_empty() && frequency == Frequency::Weekly,
            ("BYMONTHDAY", name, "expected FREQ=MONTHLY"),
        ),
        (
            has_ordinals && matches!(frequency, Frequency::Daily | Frequency::Weekly),
            (
                "A number in BYDAY",
                name,
                "expected FREQ=MONTHLY, or days such as BYDAY=TU,TH",
            ),
        ),
        (
            has_ordinals && !rule.weeks.is_empty(),
            ("A number in BYDAY", "BYWEEKNO", "expected days such as BYDAY=TU,TH"),
        ),
        (
            !rule.positions.is_empty() && !has_days && !has_times,
            (
                "BYSETPOS",
                "no other BY… part",
                "expected what it selects from, such as BYDAY=MO,TU,WE,TH,FR",
            ),
        ),
        (
            has_times && all_day,
            ("BYHOUR, BYMINUTE or BYSECOND", "an all-day event", "leave it out"),
        ),
    ];
    let conflicts = table.into_iter().filter(|(is_wrong, _)| *is_wrong);
    let mut errors: Vec<_> = conflicts
        .map(|(_, (part, other, instead))| RecurrenceError::Conflict { part, other, instead })
        .collect();
    errors.extend(ambiguities(rule));
    let times = times_a_day(rule);
    if times > MAX_TIMES_A_DAY {
        errors.push(RecurrenceError::TimesADay(times));
    }
    if matches!(rule.end, End::Count(0)) {
        errors.push(RecurrenceError::NoOccurrence("COUNT is 0"));
    }
    errors
}

fn times_a_day(rule: &Rule) -> usize {
    let lists = [&rule.hours, &rule.minutes, &rule.seconds];
    lists.iter().map(|list| list.len().max(1)).product()
}

/// Rejects a rule with so many values that the search for its slots would take too long. Stored rules may have more.
pub(super) fn check_length(rule: &Rule) -> Result<(), RecurrenceError> {
    for (found, unit) in [
        (rule.weekdays.len(), "values in BYDAY"),
        (rule.year_days.len(), "values in BYYEARDAY"),
    ] {
        if found > MAX_DAYS {
            let limit = MAX_DAYS;
            return Err(RecurrenceError::TooLong { found, unit, limit });
        }
    }
    let (found, times) = (rule.positions.len(), times_a_day(rule));
    let limit = MAX_POSITIONS / times;
    match found > limit {
        true => Err(RecurrenceError::TooManyPositions { found, times, limit }),
        false => Ok(()),
    }
}

/// The errors of rules of which programs have different occurrences.
///
/// Weeks of the year without BYDAY are all their days in some, and only the day of the start in others; years of weeks
/// begin with the first week, or with 1 January. BYSETPOS counts the days of the first week from its beginning, or from
/// the start. Days with and without numbers are all of these days in some, and in
/// others only those that are both.
fn ambiguities(rule: &Rule) -> impl Iterator<Item = RecurrenceError> {
    let has_weeks = !rule.weeks.is_empty();
    let numbered = rule.weekdays.iter().filter(|weekday| weekday.ordinal.is_some()).count();
    let is_mixed = (1..rule.weekdays.len()).contains(&numbered);
    let table = [
        (
            has_weeks && rule.weekdays.is_empty(),
            ("BYWEEKNO", "no BYDAY", "add the days, such as BYDAY=MO,TU"),
        ),
        (
            has_weeks && rule.interval != 1,
            ("BYWEEKNO", "INTERVAL", "leave it out, or list dates as RDATE:…"),
        ),
        (
            has_weeks && !rule.positions.is_empty(),
            ("BYWEEKNO", "BYSETPOS", "leave it out, or list dates as RDATE:…"),
        ),
        (
            rule.frequency == Frequency::Weekly && !rule.positions.is_empty(),
            ("BYSETPOS", "FREQ=WEEKLY", "list its days, such as BYDAY=TU,TH"),
        ),
        (
            is_mixed,
            (
                "BYDAY",
                "and without numbers",
                "expected numbers for all of its days, or for none",
            ),
        ),
    ];
    let found = table.into_iter().filter(|(is_found, _)| *is_found);
    found.map(|(_, (part, other, instead))| RecurrenceError::Ambiguous { part, other, instead })
}
