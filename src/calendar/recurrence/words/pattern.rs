//! The common kinds of rules.

use chrono::Weekday;

use crate::calendar::recurrence::rule::{Frequency, OrdinalWeekday, Rule};

/// More dates of a year than this are not listed.
const LISTED_DATES: usize = 8;

/// The last day of a month that all months have, and the first one from the end.
const DAYS_OF_ALL_MONTHS: u16 = 28;

/// A common kind of rule. `interval` is in the unit of the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Each of `interval` days.
    Days { interval: u32 },
    /// Days of the week, in each of `interval` weeks.
    Weekdays { interval: u32, days: Vec<Weekday> },
    /// Days of the month, in each of `interval` months.
    MonthDays {
        interval: u32,
        days: Vec<i16>,
        /// Only if it is one of these days.
        only_on: Vec<Weekday>,
    },
    /// Such as the second Tuesday of the month.
    MonthWeekdays { interval: u32, days: Vec<(i16, Weekday)> },
    /// Such as the last of Monday to Friday.
    MonthPositions {
        interval: u32,
        of: Vec<Weekday>,
        positions: Vec<i16>,
    },
    /// Dates of the year, as months and days.
    YearDates {
        interval: u32,
        dates: Vec<(i16, i16)>,
        only_on: Vec<Weekday>,
    },
    /// Such as the fourth Thursday of November. Without months, they are counted in the year.
    YearWeekdays {
        interval: u32,
        months: Vec<i16>,
        days: Vec<(i16, Weekday)>,
    },
    /// Such as the last weekday of December.
    YearPositions {
        interval: u32,
        month: i16,
        of: Vec<Weekday>,
        positions: Vec<i16>,
    },
    /// Days of the year, by number.
    YearDays { interval: u32, days: Vec<i16> },
    /// Days of weeks of the year.
    YearWeeks { weeks: Vec<i16>, days: Vec<Weekday> },
    /// Any other rule. Has all its days.
    Other(Box<Rule>),
}

impl Pattern {
    /// The kind of a rule that has its days, and the months to which it is limited. `times` is the number of its times
    /// of day.
    pub(super) fn of(rule: &Rule, times: usize) -> (Self, Vec<i16>) {
        let plain = without_redundant_positions(rule, times);
        let found = match plain.frequency {
            Frequency::Daily => daily(&plain),
            Frequency::Weekly => weekly(&plain),
            Frequency::Monthly => monthly(&plain, times),
            Frequency::Yearly => yearly(&plain, times),
        };
        found.unwrap_or_else(|| (Self::Other(Box::new(plain)), Vec::new()))
    }

    /// Whether some months or years lack a day of the rule.
    pub(super) fn may_be_missing(&self) -> bool {
        match self {
            Self::MonthDays { days, .. } => days.iter().any(|day| day.unsigned_abs() > DAYS_OF_ALL_MONTHS),
            Self::YearDates { dates, .. } => dates
                .iter()
                .any(|(month, day)| day.unsigned_abs() > month_length(*month)),
            Self::YearDays { days, .. } => days.iter().any(|day| day.unsigned_abs() > 365),
            _ => false,
        }
    }
}

/// The number of days that the month has in each year.
fn month_length(month: i16) -> u16 {
    match month {
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// BYSETPOS=1 of one slot a period is all.
fn without_redundant_positions(rule: &Rule, times: usize) -> Rule {
    let mut rule = rule.clone();
    let is_one_day = match rule.frequency {
        Frequency::Daily => true,
        Frequency::Weekly => rule.weekdays.len() == 1,
        Frequency::Monthly => rule.weekdays.is_empty() && rule.month_days.len() == 1,
        Frequency::Yearly => {
            let is_one_date = rule.months.len() == 1 && rule.month_days.len() == 1;
            is_one_date && rule.weekdays.is_empty() && rule.weeks.is_empty() && rule.year_days.is_empty()
        }
    };
    let is_first_or_last = rule.positions.iter().any(|position| matches!(position, 1 | -1));
    if is_one_day && times == 1 && is_first_or_last {
        rule.positions.clear();
    }
    rule
}

fn daily(rule: &Rule) -> Option<(Pattern, Vec<i16>)> {
    if !rule.month_days.is_empty() || !rule.positions.is_empty() {
        return None;
    }
    let interval = rule.interval;
    let pattern = match every_weekday(rule) {
        Some(_) if rule.weekdays.is_empty() => Pattern::Days { interval },
        Some(days) if interval == 1 => weekdays(1, days),
        _ => return None,
    };
    Some((pattern, rule.months.clone()))
}

fn weekly(rule: &Rule) -> Option<(Pattern, Vec<i16>)> {
    let days = every_weekday(rule).filter(|_| rule.positions.is_empty())?;
    Some((weekdays(rule.interval, days), rule.months.clone()))
}

fn monthly(rule: &Rule, times: usize) -> Option<(Pattern, Vec<i16>)> {
    let interval = rule.interval;
    let pattern = match (every_weekday(rule), ordinal_weekdays(rule), rule.month_days.as_slice()) {
        (Some(of), _, []) if !rule.positions.is_empty() && !of.is_empty() && times == 1 => Pattern::MonthPositions {
            interval,
            of,
            positions: rule.positions.clone(),
        },
        _ if !rule.positions.is_empty() => return None,
        (Some(days), _, []) if interval == 1 && !days.is_empty() => weekdays(1, days),
        (_, Some(days), []) => Pattern::MonthWeekdays { interval, days },
        (Some(only_on), _, [_, ..]) => Pattern::MonthDays {
            interval,
            days: rule.month_days.clone(),
            only_on,
        },
        _ => return None,
    };
    Some((pattern, rule.months.clone()))
}

fn yearly(rule: &Rule, times: usize) -> Option<(Pattern, Vec<i16>)> {
    if !rule.weeks.is_empty() {
        return year_weeks(rule).map(|pattern| (pattern, Vec::new()));
    }
    let interval = rule.interval;
    let months = rule.months.clone();
    if !rule.year_days.is_empty() {
        let is_alone = months.is_empty() && rule.month_days.is_empty() && rule.weekdays.is_empty();
        let pattern = Pattern::YearDays {
            interval,
            days: rule.year_days.clone(),
        };
        return (is_alone && rule.positions.is_empty()).then_some((pattern, Vec::new()));
    }
    let pattern = match (every_weekday(rule), ordinal_weekdays(rule), rule.month_days.as_slice()) {
        (Some(of), _, []) if !rule.positions.is_empty() && !of.is_empty() && times == 1 => match months[..] {
            [month] => Pattern::YearPositions {
                interval,
                month,
                of,
                positions: rule.positions.clone(),
            },
            _ => return None,
        },
        _ if !rule.positions.is_empty() => return None,
        (Some(days), _, []) if interval == 1 && !days.is_empty() => return Some((weekdays(1, days), months)),
        (_, Some(days), []) => Pattern::YearWeekdays { interval, months, days },
        // Without months, they are days of each month.
        (Some(only_on), _, [_, ..]) if months.is_empty() && interval == 1 => Pattern::MonthDays {
            interval: 1,
            days: rule.month_days.clone(),
            only_on,
        },
        (Some(only_on), _, [_, ..]) if !months.is_empty() => {
            let days_of = |month: &i16| rule.month_days.iter().map(|day| (*month, *day)).collect::<Vec<_>>();
            let dates: Vec<_> = months.iter().flat_map(days_of).collect();
            if dates.len() > LISTED_DATES {
                return None;
            }
            Pattern::YearDates {
                interval,
                dates,
                only_on,
            }
        }
        _ => return None,
    };
    Some((pattern, Vec::new()))
}

fn year_weeks(rule: &Rule) -> Option<Pattern> {
    let is_alone = rule.months.is_empty() && rule.year_days.is_empty() && rule.month_days.is_empty();
    let days = every_weekday(rule).filter(|_| is_alone)?;
    Some(Pattern::YearWeeks {
        weeks: rule.weeks.clone(),
        days,
    })
}

/// All seven days of each week are all days.
fn weekdays(interval: u32, days: Vec<Weekday>) -> Pattern {
    match days.len() {
        7 if interval == 1 => Pattern::Days { interval },
        _ => Pattern::Weekdays { interval, days },
    }
}

/// The days of BYDAY, if none has an ordinal.
fn every_weekday(rule: &Rule) -> Option<Vec<Weekday>> {
    let day = |OrdinalWeekday { ordinal, weekday }: &OrdinalWeekday| ordinal.is_none().then_some(*weekday);
    rule.weekdays.iter().map(day).collect()
}

/// The days of BYDAY, if there are some and all have ordinals.
fn ordinal_weekdays(rule: &Rule) -> Option<Vec<(i16, Weekday)>> {
    let day = |OrdinalWeekday { ordinal, weekday }: &OrdinalWeekday| Some(((*ordinal)?, *weekday));
    let days: Option<Vec<_>> = rule.weekdays.iter().map(day).collect();
    days.filter(|days| !days.is_empty())
}
