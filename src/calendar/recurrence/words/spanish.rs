//! Rules in Spanish.

mod parts;

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike, Weekday};

use super::{
    Dates, Description, EndDescription, RuleDescription, clock, enumerated, is_run, month_index, month_of,
    pattern::Pattern, run_of_dates, weekday_index, weekday_numbers,
};
use crate::calendar::Language;
use parts::parts;

const MONTHS: [&str; 12] = Language::Es.month_names();
const WEEKDAYS: [&str; 7] = Language::Es.weekday_names();

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
        text += &format!(", y además {}", dates_text(additions, "otras "));
    }
    if !exceptions.is_empty() {
        text += &format!(", excepto {}", dates_text(exceptions, ""));
    }
    text
}

/// "el 5 de enero de 2027 y el 7 de enero de 2027 a las 15:00", or "en 12 fechas, del 5 de enero de 2027 al …".
fn dates_text(dates: &Dates, kind: &str) -> String {
    match dates {
        Dates::Named(dates) => {
            let text = |(date, time): &(NaiveDate, Option<NaiveTime>)| {
                format!("el {}{}", full_date(*date), at(time.as_slice()))
            };
            let texts: Vec<String> = dates.iter().map(text).collect();
            enumerated(&texts, "y")
        }
        Dates::Counted { number, first, last } => {
            format!(
                "en {kind}{number} fechas, del {} al {}",
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
        text += ", si existe";
        has_clause = true;
    }
    if !months.is_empty() {
        let list = month_list(months);
        text += &if is_frequent {
            format!(" {list}")
        } else {
            format!(", solo {list}")
        };
        has_clause |= !is_frequent;
    }
    has_clause |= matches!(pattern, Pattern::Other(_)) || only_on(pattern).is_some();
    text += &at(times);
    if let Some(week_start) = week_start {
        text += &format!(" (las semanas empiezan en {})", weekday(*week_start));
    }
    let comma = if has_clause { "," } else { "" };
    match end {
        EndDescription::Never => {}
        EndDescription::Times(1) => text += ", una vez",
        EndDescription::Times(number) => text += &format!(", {number} veces"),
        EndDescription::Until(date) => text += &format!("{comma} hasta el {}", full_date(*date)),
        EndDescription::UntilTime(time) => {
            text += &format!("{comma} hasta el {}{}", full_date(time.date()), at(&[time.time()]));
        }
    }
    text
}

fn pattern_text(pattern: &Pattern) -> String {
    let text = match pattern {
        Pattern::Days { interval: 1 } => "todos los días".to_owned(),
        Pattern::Days { interval } => format!("cada {interval} días"),
        Pattern::Weekdays { interval: 1, days } => match is_run(&weekday_numbers(days)) {
            true => format!("todos los días {}", weekday_list(days)),
            false => format!("todos {}", weekday_list(days)),
        },
        Pattern::Weekdays { interval, days } => format!("cada {interval} semanas, {}", weekday_list(days)),
        Pattern::MonthDays { interval, days, .. } => of_each(*interval, &month_days(days), Unit::Month),
        Pattern::MonthWeekdays { interval, days } => of_each(*interval, &ordinal_weekdays(days), Unit::Month),
        Pattern::MonthPositions {
            interval,
            of,
            positions,
        } => of_each(*interval, &positions_of(positions, of), Unit::Month),
        Pattern::YearDates { interval, dates, .. } => of_each(*interval, &dates_of_year(dates), Unit::Year),
        Pattern::YearWeekdays { interval, months, days } if months.is_empty() => {
            of_each(*interval, &ordinal_weekdays(days), Unit::YearOfDays)
        }
        Pattern::YearWeekdays { interval, months, days } => {
            let names: Vec<String> = months
                .iter()
                .map(|month| format!("de {}", month_name(*month)))
                .collect();
            of_each(
                *interval,
                &format!("{} {}", ordinal_weekdays(days), enumerated(&names, "y")),
                Unit::Year,
            )
        }
        Pattern::YearPositions {
            interval,
            month,
            of,
            positions,
        } => {
            let selected = positions_of(positions, of);
            of_each(*interval, &format!("{selected} de {}", month_name(*month)), Unit::Year)
        }
        Pattern::YearDays { interval, days } => of_each(*interval, &month_days(days), Unit::YearOfDays),
        Pattern::YearWeeks { weeks, days } => {
            let days = match days.len() {
                7 => "todos los días".to_owned(),
                _ => format!("los {}", plural_names(days)),
            };
            format!(
                "{days} de {} de cada año",
                week_list(weeks, "y de").replace(", la", ", de la")
            )
        }
        Pattern::Other(rule) => parts(rule),
    };
    match only_on(pattern) {
        Some(days) => format!("{text}, si es {}", weekday_names(days, "o")),
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

/// What days belong to.
#[derive(Clone, Copy)]
enum Unit {
    Month,
    /// Of days that name their month.
    Year,
    /// Of days that are counted in the year.
    YearOfDays,
}

/// "el día 15 de cada mes", or "cada 2 meses, el día 15".
fn of_each(interval: u32, days: &str, unit: Unit) -> String {
    match (interval, unit) {
        (1, Unit::Month) => format!("{days} de cada mes"),
        (1, Unit::Year | Unit::YearOfDays) => format!("{days} de cada año"),
        (_, Unit::Month) => format!("cada {interval} meses, {days}"),
        (_, Unit::Year) => format!("cada {interval} años, {days}"),
        (_, Unit::YearOfDays) => format!("cada {interval} años, {days} del año"),
    }
}

/// " a las 09:00 y a las 17:00".
fn at(times: &[NaiveTime]) -> String {
    let text = |time: &NaiveTime| match time.hour() {
        1 => format!("a la {}", clock(*time)),
        _ => format!("a las {}", clock(*time)),
    };
    let texts: Vec<String> = times.iter().map(text).collect();
    match texts.is_empty() {
        true => String::new(),
        false => format!(" {}", enumerated(&texts, "y")),
    }
}

fn full_date(date: NaiveDate) -> String {
    format!("{} de {} de {}", date.day(), MONTHS[month_of(date)], date.year())
}

/// "el 24 de diciembre y el 31 de diciembre", or "del 2 al 8 de noviembre".
fn dates_of_year(dates: &[(i16, i16)]) -> String {
    match (dates, run_of_dates(dates)) {
        ([(_, first), ..], Some((month, last))) => format!("del {first} al {last} de {}", month_name(month)),
        _ => {
            let texts: Vec<String> = dates.iter().map(|(month, day)| date_of_year(*month, *day)).collect();
            enumerated(&texts, "y")
        }
    }
}

/// "el 24 de diciembre", or "el último día de diciembre".
fn date_of_year(month: i16, day: i16) -> String {
    match day > 0 {
        true => format!("el {day} de {}", month_name(month)),
        false => format!("{} de {}", month_day(day), month_name(month)),
    }
}

fn month_name(month: i16) -> String {
    MONTHS[month_index(month)].to_owned()
}

fn weekday(weekday: Weekday) -> &'static str {
    WEEKDAYS[weekday_index(weekday)]
}

/// "en junio y julio", or "de junio a agosto".
fn month_list(months: &[i16]) -> String {
    let names: Vec<String> = months.iter().map(|month| month_name(*month)).collect();
    match names.as_slice() {
        [first, .., last] if is_run(months) => format!("de {first} a {last}"),
        _ => format!("en {}", enumerated(&names, "y")),
    }
}

fn weekday_names(days: &[Weekday], word: &str) -> String {
    let names: Vec<String> = days.iter().map(|day| weekday(*day).to_owned()).collect();
    enumerated(&names, word)
}

/// "martes y sábados". The names that end with "s" are their own plurals.
fn plural_names(days: &[Weekday]) -> String {
    let plural = |day: &Weekday| match weekday(*day) {
        name if name.ends_with('s') => name.to_owned(),
        name => format!("{name}s"),
    };
    let names: Vec<String> = days.iter().map(plural).collect();
    enumerated(&names, "y")
}

/// "los martes y jueves", or "de lunes a viernes".
fn weekday_list(days: &[Weekday]) -> String {
    match days {
        [first, .., last] if is_run(&weekday_numbers(days)) => {
            format!("de {} a {}", weekday(*first), weekday(*last))
        }
        _ => format!("los {}", plural_names(days)),
    }
}

/// "el día 1 y el último día", or "del día 1 al día 7".
fn month_days(days: &[i16]) -> String {
    let texts: Vec<String> = days.iter().map(|day| month_day(*day)).collect();
    match days {
        [first, .., last] if *first > 0 && is_run(days) => format!("del día {first} al día {last}"),
        _ => enumerated(&texts, "y"),
    }
}

/// "el día 15", "el último día", or "el 4.º día desde el final".
fn month_day(day: i16) -> String {
    match day > 0 {
        true => format!("el día {day}"),
        false => from_end(day, "día"),
    }
}

/// "el último lunes", or "el 4.º lunes desde el final".
fn from_end(number: i16, noun: &str) -> String {
    match number {
        -1 => format!("el último {noun}"),
        -2 => format!("el penúltimo {noun}"),
        -3 => format!("el antepenúltimo {noun}"),
        _ => format!("el {}.º {noun} desde el final", number.unsigned_abs()),
    }
}

/// "la semana 20", or "la última semana".
fn week_list(weeks: &[i16], word: &str) -> String {
    let name = |week: &i16| match *week {
        1.. => format!("la semana {week}"),
        -1 => "la última semana".to_owned(),
        -2 => "la penúltima semana".to_owned(),
        -3 => "la antepenúltima semana".to_owned(),
        _ => format!("la {}.ª semana desde el final", week.unsigned_abs()),
    };
    let texts: Vec<String> = weeks.iter().map(name).collect();
    enumerated(&texts, word)
}

/// "el segundo martes", "el 20.º lunes", or "el último viernes".
fn ordinal_weekday(ordinal: i16, day: Weekday) -> String {
    ordinal_noun(ordinal, weekday(day))
}

fn ordinal_noun(ordinal: i16, noun: &str) -> String {
    match ordinal {
        1 => format!("el primer {noun}"),
        2 => format!("el segundo {noun}"),
        3 => format!("el tercer {noun}"),
        4 => format!("el cuarto {noun}"),
        5 => format!("el quinto {noun}"),
        6.. => format!("el {ordinal}.º {noun}"),
        _ => from_end(ordinal, noun),
    }
}

/// "el primer lunes y el último viernes".
fn ordinal_weekdays(days: &[(i16, Weekday)]) -> String {
    let texts: Vec<String> = days
        .iter()
        .map(|(ordinal, day)| ordinal_weekday(*ordinal, *day))
        .collect();
    enumerated(&texts, "y")
}

/// "el último día laborable (de lunes a viernes)", or "el primer día que sea martes o jueves".
fn positions_of(positions: &[i16], of: &[Weekday]) -> String {
    let (noun, addition) = match weekday_numbers(of)[..] {
        [0, 1, 2, 3, 4] => ("día laborable", " (de lunes a viernes)".to_owned()),
        [5, 6] => ("día de fin de semana", String::new()),
        [0, 1, 2, 3, 4, 5, 6] => ("día", String::new()),
        [only] => (WEEKDAYS[usize::try_from(only).unwrap_or_default()], String::new()),
        _ => ("día", format!(" que sea {}", weekday_names(of, "o"))),
    };
    let texts: Vec<String> = positions.iter().map(|position| ordinal_noun(*position, noun)).collect();
    enumerated(&texts, "y") + &addition
}

/// "1.º", "último", or "4.º desde el final".
fn position_number(position: i16) -> String {
    match position {
        1.. => format!("{position}.º"),
        -1 => "último".to_owned(),
        -2 => "penúltimo".to_owned(),
        -3 => "antepenúltimo".to_owned(),
        _ => format!("{}.º desde el final", position.unsigned_abs()),
    }
}
