//! Rules in English.

mod parts;

use chrono::{Datelike, NaiveDate, NaiveTime, Weekday};

use super::{
    Dates, Description, EndDescription, RuleDescription, clock, enumerated, is_run, month_index, month_of,
    pattern::Pattern, run_of_dates, weekday_index, weekday_numbers,
};
use crate::calendar::Language;
use parts::parts;

const MONTHS: [&str; 12] = Language::En.month_names();
const WEEKDAYS: [&str; 7] = Language::En.weekday_names();

pub(super) fn text(description: &Description) -> String {
    let Description {
        rule,
        additions,
        exceptions,
    } = description;
    let mut text = match rule {
        Some(rule) => rule_text(rule),
        None => dates_text(additions, ""),
    };
    if rule.is_some() && !additions.is_empty() {
        text += &format!(", and also {}", dates_text(additions, "other "));
    }
    if !exceptions.is_empty() {
        text += &format!(", except {}", dates_text(exceptions, ""));
    }
    text
}

/// "on 5 January 2027 and 7 January 2027 at 15:00", or "on 12 dates from 5 January 2027 to 2 March 2027".
fn dates_text(dates: &Dates, kind: &str) -> String {
    match dates {
        Dates::Named(dates) => {
            let texts: Vec<String> = dates
                .iter()
                .map(|(date, time)| full_date(*date) + &at(time.as_slice()))
                .collect();
            format!("on {}", enumerated(&texts, "and"))
        }
        Dates::Counted { number, first, last } => {
            format!(
                "on {number} {kind}dates from {} to {}",
                full_date(*first),
                full_date(*last)
            )
        }
    }
}

fn rule_text(rule: &RuleDescription) -> String {
    let RuleDescription {
        pattern,
        months,
        times,
        week_start,
        end,
    } = rule;
    let mut text = pattern_text(pattern);
    let is_frequent = matches!(
        pattern,
        Pattern::Days { interval: 1 } | Pattern::Weekdays { interval: 1, .. }
    );
    let mut has_clause = false;
    if pattern.may_be_missing() {
        text += ", if there is one";
        has_clause = true;
    }
    if !months.is_empty() {
        let list = month_list(months);
        text += &if is_frequent {
            format!(" {list}")
        } else {
            format!(", only {list}")
        };
        has_clause |= !is_frequent;
    }
    has_clause |= matches!(pattern, Pattern::Other(_)) || only_on(pattern).is_some();
    text += &at(times);
    if let Some(week_start) = week_start {
        text += &format!(" (weeks start on {})", weekday(*week_start));
    }
    let comma = if has_clause { "," } else { "" };
    match end {
        EndDescription::Never => {}
        EndDescription::Times(1) => text += ", once",
        EndDescription::Times(number) => text += &format!(", {number} times"),
        EndDescription::Until(date) => text += &format!("{comma} until {}", full_date(*date)),
        EndDescription::UntilTime(time) => {
            text += &format!("{comma} until {} at {}", full_date(time.date()), clock(time.time()));
        }
    }
    text
}

fn pattern_text(pattern: &Pattern) -> String {
    let text = match pattern {
        Pattern::Days { interval } => every(*interval, "day"),
        Pattern::Weekdays { interval: 1, days } => {
            let is_range = is_run(&weekday_numbers(days));
            format!("every {}{}", if is_range { "day " } else { "" }, weekday_list(days))
        }
        Pattern::Weekdays { interval, days } => {
            let is_range = is_run(&weekday_numbers(days));
            format!(
                "{} {}{}",
                every(*interval, "week"),
                if is_range { "" } else { "on " },
                weekday_list(days)
            )
        }
        Pattern::MonthDays { interval, days, .. } => {
            format!("{} {}", every(*interval, "month"), numbered_days(days))
        }
        Pattern::MonthWeekdays { interval: 1, days } => match same_weekday(days) {
            Some(weekday) => format!("every {} {weekday} of the month", ordinal_list(days)),
            None => format!("every month on {}", ordinal_weekdays(days)),
        },
        Pattern::MonthWeekdays { interval, days } => {
            format!("{} on {}", every(*interval, "month"), ordinal_weekdays(days))
        }
        Pattern::MonthPositions {
            interval,
            of,
            positions,
        } => {
            format!("{} on the {}", every(*interval, "month"), positions_of(positions, of))
        }
        Pattern::YearDates { interval, dates, .. } => {
            format!("{} {}", every(*interval, "year"), dates_of_year(dates))
        }
        Pattern::YearWeekdays { interval, months, days } => {
            let names: Vec<String> = months.iter().map(|month| month_name(*month)).collect();
            let of = if names.is_empty() {
                "the year".to_owned()
            } else {
                enumerated(&names, "and")
            };
            format!("{} on {} of {of}", every(*interval, "year"), ordinal_weekdays(days))
        }
        Pattern::YearPositions {
            interval,
            month,
            of,
            positions,
        } => {
            let selected = positions_of(positions, of);
            format!(
                "{} on the {selected} of {}",
                every(*interval, "year"),
                month_name(*month)
            )
        }
        Pattern::YearDays { interval, days } => {
            format!("{} on {}", every(*interval, "year"), year_days(days, "and"))
        }
        Pattern::YearWeeks { weeks, days } => {
            let days = match days.len() {
                7 => "all days".to_owned(),
                _ => weekday_names(days),
            };
            format!("every year on {days} of {}", week_list(weeks, "and"))
        }
        Pattern::Other(rule) => parts(rule),
    };
    match only_on(pattern) {
        Some(days) => format!("{text}, if it is {}", one_of(days)),
        None => text,
    }
}

/// The days of the week of which a date must be one.
fn only_on(pattern: &Pattern) -> Option<&[Weekday]> {
    match pattern {
        Pattern::MonthDays { only_on, .. } | Pattern::YearDates { only_on, .. } => {
            Some(only_on.as_slice()).filter(|days| !days.is_empty())
        }
        _ => None,
    }
}

fn every(interval: u32, unit: &str) -> String {
    match interval {
        1 => format!("every {unit}"),
        number => format!("every {number} {unit}s"),
    }
}

fn at(times: &[NaiveTime]) -> String {
    let texts: Vec<String> = times.iter().map(|time| clock(*time)).collect();
    match texts.is_empty() {
        true => String::new(),
        false => format!(" at {}", enumerated(&texts, "and")),
    }
}

fn full_date(date: NaiveDate) -> String {
    format!("{} {} {}", date.day(), MONTHS[month_of(date)], date.year())
}

/// "on 24 December and 31 December", or "from 2 to 8 November".
fn dates_of_year(dates: &[(i16, i16)]) -> String {
    match (dates, run_of_dates(dates)) {
        ([(_, first), ..], Some((month, last))) => format!("from {first} to {last} {}", month_name(month)),
        _ => {
            let texts: Vec<String> = dates.iter().map(|(month, day)| date_of_year(*month, *day)).collect();
            format!("on {}", enumerated(&texts, "and"))
        }
    }
}

/// "24 December", or "the last day of December".
fn date_of_year(month: i16, day: i16) -> String {
    match day > 0 {
        true => format!("{day} {}", month_name(month)),
        false => format!("the {} of {}", numbered_day(day), month_name(month)),
    }
}

fn month_name(month: i16) -> String {
    MONTHS[month_index(month)].to_owned()
}

fn weekday(weekday: Weekday) -> &'static str {
    WEEKDAYS[weekday_index(weekday)]
}

/// "in June and July", or "from June to August".
fn month_list(months: &[i16]) -> String {
    let names: Vec<String> = months.iter().map(|month| month_name(*month)).collect();
    match names.as_slice() {
        [first, .., last] if is_run(months) => format!("from {first} to {last}"),
        _ => format!("in {}", enumerated(&names, "and")),
    }
}

fn weekday_names(days: &[Weekday]) -> String {
    let names: Vec<String> = days.iter().map(|day| weekday(*day).to_owned()).collect();
    enumerated(&names, "and")
}

/// "a Tuesday or a Thursday".
fn one_of(days: &[Weekday]) -> String {
    let names: Vec<String> = days.iter().map(|day| format!("a {}", weekday(*day))).collect();
    enumerated(&names, "or")
}

/// "Tuesday and Thursday", or "from Monday to Friday".
fn weekday_list(days: &[Weekday]) -> String {
    match days {
        [first, .., last] if is_run(&weekday_numbers(days)) => {
            format!("from {} to {}", weekday(*first), weekday(*last))
        }
        _ => weekday_names(days),
    }
}

/// "on the 1st, the 15th and the last day", or "from the 1st to the 7th".
fn numbered_days(days: &[i16]) -> String {
    let texts: Vec<String> = days.iter().map(|day| format!("the {}", numbered_day(*day))).collect();
    match texts.as_slice() {
        [first, .., last] if is_run(days) => format!("from {first} to {last}"),
        _ => format!("on {}", enumerated(&texts, "and")),
    }
}

/// "15th", or "last day".
fn numbered_day(day: i16) -> String {
    match day > 0 {
        true => ordinal_number(day),
        false => format!("{} day", ordinal_number(day)),
    }
}

/// "the 100th and the last day of the year".
fn year_days(days: &[i16], word: &str) -> String {
    let texts: Vec<String> = days.iter().map(|day| format!("the {}", ordinal_number(*day))).collect();
    format!("{} day of the year", enumerated(&texts, word))
}

/// "week 20", "weeks 20 and 21", or "week 1 and the last week".
fn week_list(weeks: &[i16], word: &str) -> String {
    let name = |week: &i16| match *week > 0 {
        true => format!("week {week}"),
        false => format!("the {} week", ordinal_number(*week)),
    };
    let texts: Vec<String> = weeks.iter().map(name).collect();
    format!("{} of the year", enumerated(&texts, word))
}

fn same_weekday(days: &[(i16, Weekday)]) -> Option<&'static str> {
    let (_, first) = days.first()?;
    days.iter().all(|(_, other)| other == first).then(|| weekday(*first))
}

/// "first and third".
fn ordinal_list(days: &[(i16, Weekday)]) -> String {
    let texts: Vec<String> = days.iter().map(|(ordinal, _)| ordinal_word(*ordinal)).collect();
    enumerated(&texts, "and")
}

/// "the first Monday and the last Friday".
fn ordinal_weekdays(days: &[(i16, Weekday)]) -> String {
    let text = |(ordinal, day): &(i16, Weekday)| format!("the {} {}", ordinal_word(*ordinal), weekday(*day));
    let texts: Vec<String> = days.iter().map(text).collect();
    enumerated(&texts, "and")
}

/// "last weekday", "first and last day", or "first day that is a Tuesday or a Thursday".
fn positions_of(positions: &[i16], of: &[Weekday]) -> String {
    let positions: Vec<String> = positions.iter().map(|position| ordinal_word(*position)).collect();
    let positions = enumerated(&positions, "and");
    match weekday_numbers(of)[..] {
        [0, 1, 2, 3, 4] => format!("{positions} weekday (Monday to Friday)"),
        [5, 6] => format!("{positions} weekend day"),
        [0, 1, 2, 3, 4, 5, 6] => format!("{positions} day"),
        [_] => format!("{positions} {}", weekday_names(of)),
        _ => format!("{positions} day that is {}", one_of(of)),
    }
}

/// "first" to "fifth", "6th", "last", or "third-to-last".
fn ordinal_word(number: i16) -> String {
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        4 => "fourth".to_owned(),
        5 => "fifth".to_owned(),
        -1 => "last".to_owned(),
        -5..=-2 => format!("{}-to-last", ordinal_word(-number)),
        _ => ordinal_number(number),
    }
}

/// "1st", "22nd", "last", or "3rd-to-last".
fn ordinal_number(number: i16) -> String {
    match number {
        -1 => return "last".to_owned(),
        ..-1 => return format!("{}-to-last", ordinal_number(-number)),
        _ => {}
    }
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
