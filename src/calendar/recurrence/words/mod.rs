//! Rules in words, such as "every Tuesday until 31 December 2027".
//!
//! `pattern.rs` recognises common kinds of rules, for which each language has a sentence. Others name their parts.

mod english;
mod pattern;
mod spanish;
#[cfg(test)]
mod tests;

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Weekday};

use super::{
    Recurrence,
    rule::{End, Frequency, Rule},
};
use crate::calendar::Language;
use pattern::Pattern;

/// Up to how many dates are named. More are counted.
const NAMED_DATES: usize = 3;

impl Recurrence {
    /// The rule in words, without the time of day if that follows from the start.
    pub(crate) fn in_words(&self, language: Language) -> String {
        let description = Description::of(self);
        match language {
            Language::En => english::text(&description),
            Language::Es => spanish::text(&description),
        }
    }
}

/// The content of the text of a series.
struct Description {
    /// `None` if there are only dates.
    rule: Option<RuleDescription>,
    /// Dates that do not follow from the rule.
    additions: Dates,
    exceptions: Dates,
}

/// The content of the text of an RRULE.
struct RuleDescription {
    pattern: Pattern,
    /// The months to which it is limited; all if empty.
    months: Vec<i16>,
    /// The times of day, unless they follow from the start.
    times: Vec<NaiveTime>,
    /// The first day of the week, if it matters and is not Monday.
    week_start: Option<Weekday>,
    end: EndDescription,
}

enum EndDescription {
    Never,
    Times(u32),
    /// The last date.
    Until(NaiveDate),
    /// A time on the last date, if there are slots before and after it.
    UntilTime(NaiveDateTime),
}

/// Dates, with the time of day where it is not that of the start.
enum Dates {
    Named(Vec<(NaiveDate, Option<NaiveTime>)>),
    Counted {
        number: usize,
        first: NaiveDate,
        last: NaiveDate,
    },
}

impl Dates {
    fn of<'a>(dates: impl Iterator<Item = &'a NaiveDateTime>, usual: NaiveTime) -> Self {
        let dates: Vec<NaiveDateTime> = dates.copied().collect();
        match dates.as_slice() {
            [first, .., last] if dates.len() > NAMED_DATES => Self::Counted {
                number: dates.len(),
                first: first.date(),
                last: last.date(),
            },
            few => {
                let time = |date: &NaiveDateTime| Some(date.time()).filter(|time| *time != usual);
                Self::Named(few.iter().map(|date| (date.date(), time(date))).collect())
            }
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Named(dates) if dates.is_empty())
    }
}

impl Description {
    fn of(recurrence: &Recurrence) -> Self {
        let usual = recurrence.start.time();
        Self {
            rule: recurrence
                .rule
                .as_ref()
                .map(|rule| RuleDescription::of(rule, recurrence.start)),
            additions: Dates::of(recurrence.listed().iter(), usual),
            exceptions: Dates::of(recurrence.exceptions.iter(), usual),
        }
    }
}

impl RuleDescription {
    fn of(rule: &Rule, start: NaiveDateTime) -> Self {
        let explicit = rule.with_days_of(start).with_times_of(start);
        let mut all_times = Vec::new();
        for hour in &explicit.hours {
            for minute in &explicit.minutes {
                let times = explicit
                    .seconds
                    .iter()
                    .filter_map(|second| time(*hour, *minute, *second));
                all_times.extend(times);
            }
        }
        let (pattern, months) = Pattern::of(&explicit, all_times.len());
        let end = match rule.end {
            End::Never => EndDescription::Never,
            End::Count(count) => EndDescription::Times(count),
            End::Until(until) => until_words(until, &all_times),
        };
        Self {
            week_start: Some(rule.week_start).filter(|_| week_start_matters(&explicit)),
            pattern,
            months,
            times: if all_times == [start.time()] {
                Vec::new()
            } else {
                all_times
            },
            end,
        }
    }
}

fn time(hour: i16, minute: i16, second: i16) -> Option<NaiveTime> {
    let [hour, minute, second] = [hour, minute, second].map(|number| u32::try_from(number).ok());
    NaiveTime::from_hms_opt(hour?, minute?, second?)
}

/// Whether another first day of the week than Monday can change the slots.
fn week_start_matters(rule: &Rule) -> bool {
    let spans_weeks = rule.interval > 1 && rule.weekdays.len() > 1;
    let is_weekly = rule.frequency == Frequency::Weekly && (spans_weeks || !rule.positions.is_empty());
    rule.week_start != Weekday::Mon && (is_weekly || !rule.weeks.is_empty())
}

/// The last date, which is the one before UNTIL if that is before all times of the day.
fn until_words(until: NaiveDateTime, times: &[NaiveTime]) -> EndDescription {
    let date = until.date();
    let included = times.iter().filter(|time| **time <= until.time()).count();
    match included {
        0 => EndDescription::Until((date.and_time(NaiveTime::MIN) - TimeDelta::days(1)).date()),
        _ if included < times.len() => EndDescription::UntilTime(until),
        _ => EndDescription::Until(date),
    }
}

/// The texts with commas, and a word before the last one.
fn enumerated(texts: &[String], word: &str) -> String {
    match texts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// `09:00`, or `09:00:30`.
fn clock(time: NaiveTime) -> String {
    let text = time.format("%H:%M:%S").to_string();
    text.strip_suffix(":00").map(str::to_owned).unwrap_or(text)
}

/// Whether there are at least three numbers, each of which follows the one before.
fn is_run(numbers: &[i16]) -> bool {
    numbers.len() >= 3 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// The month and the last day of dates that follow each other in one month.
fn run_of_dates(dates: &[(i16, i16)]) -> Option<(i16, i16)> {
    let (month, _) = dates.first()?;
    let days: Vec<i16> = dates.iter().map(|(_, day)| *day).collect();
    let is_one_month = dates.iter().all(|(other, _)| other == month);
    let is_from_start = days.iter().all(|day| *day > 0);
    let last = days.last()?;
    (is_one_month && is_from_start && is_run(&days)).then_some((*month, *last))
}

/// The days of the week as numbers, 0 for Monday.
fn weekday_numbers(weekdays: &[Weekday]) -> Vec<i16> {
    weekdays
        .iter()
        .map(|weekday| weekday.num_days_from_monday() as i16)
        .collect()
}

/// The index of a month in a list of names.
fn month_index(month: i16) -> usize {
    usize::try_from(month - 1).unwrap_or_default()
}

/// The index of the month of a date.
fn month_of(date: NaiveDate) -> usize {
    date.month0() as usize
}

/// The index of a day of the week.
fn weekday_index(weekday: Weekday) -> usize {
    weekday.num_days_from_monday() as usize
}
