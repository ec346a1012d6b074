//! Reads the value of an RRULE.

use std::collections::BTreeSet;

use chrono::{NaiveDateTime, NaiveTime, Weekday};

use super::{
    error::{RecurrenceError, excerpt},
    parts::{NUMBER_PARTS, NumberPart, conflicts},
    rule::{End, Frequency, OrdinalWeekday, Rule, WEEKDAYS, code},
    times::ReadTime,
};
use crate::calendar::zone::Zone;

/// The maximum of INTERVAL.
const MAX_INTERVAL: u32 = 10_000;

/// The names of parts that are not lists of numbers.
const OTHER_PARTS: [&str; 6] = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST"];

/// Reads the value of an RRULE. `None` if there are errors, which are added.
pub(super) fn read_rule(text: &str, all_day: bool, zone: &Zone, errors: &mut Vec<RecurrenceError>) -> Option<Rule> {
    let before = errors.len();
    let mut reader = Reader {
        rule: Rule::every(Frequency::Daily),
        seen: BTreeSet::new(),
        all_day,
        zone,
        errors,
    };
    for part in text.split(';').filter(|part| !part.trim().is_empty()) {
        reader.read_part(part);
    }
    let Reader { rule, seen, errors, .. } = reader;
    let is_bounded_twice = seen.contains("COUNT") && seen.contains("UNTIL");
    if !seen.contains("FREQ") {
        errors.push(RecurrenceError::NoFrequency);
    }
    if is_bounded_twice {
        errors.push(RecurrenceError::CountWithUntil);
    }
    if errors.len() == before {
        errors.extend(conflicts(&rule, all_day));
    }
    (errors.len() == before).then_some(rule)
}

struct Reader<'a> {
    rule: Rule,
    /// The names of the parts so far.
    seen: BTreeSet<&'static str>,
    all_day: bool,
    zone: &'a Zone,
    errors: &'a mut Vec<RecurrenceError>,
}

impl Reader<'_> {
    fn read_part(&mut self, part: &str) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (name, value) = (name.trim(), value.trim());
        let mut names = OTHER_PARTS.into_iter().chain(NUMBER_PARTS.iter().map(|part| part.name));
        let Some(known) = names.find(|known| known.eq_ignore_ascii_case(name)) else {
            self.errors.push(RecurrenceError::UnknownPart(excerpt(part)));
            return;
        };
        if !self.seen.insert(known) {
            self.errors.push(RecurrenceError::RepeatedPart(known));
            return;
        }
        if let Err(expected) = self.read_value(known, &value.to_ascii_uppercase()) {
            self.errors.push(RecurrenceError::Value {
                part: known,
                value: excerpt(value),
                expected,
            });
        }
    }

    /// Stores the value, or returns what it may be.
    fn read_value(&mut self, name: &'static str, value: &str) -> Result<(), String> {
        match name {
            "FREQ" => self.read_frequency(value),
            "INTERVAL" => {
                let interval = value.parse().ok().filter(|number| (1..=MAX_INTERVAL).contains(number));
                self.rule.interval = interval.ok_or_else(|| format!("a number from 1 to {MAX_INTERVAL}"))?;
                Ok(())
            }
            "COUNT" => {
                let count = value.parse().map_err(|_| "a number, such as 10".to_owned())?;
                self.rule.end = End::Count(count);
                Ok(())
            }
            "UNTIL" => {
                self.rule.end = End::Until(self.until(value)?);
                Ok(())
            }
            "BYDAY" => {
                self.rule.weekdays = weekdays(value)?;
                Ok(())
            }
            "WKST" => {
                self.rule.week_start = weekday(value).ok_or_else(|| "a day such as MO or SU".to_owned())?;
                Ok(())
            }
            _ => match NUMBER_PARTS.iter().find(|part| part.name == name) {
                Some(part) => {
                    *(part.list)(&mut self.rule) = numbers(part, value)?;
                    Ok(())
                }
                None => Ok(()),
            },
        }
    }

    fn read_frequency(&mut self, value: &str) -> Result<(), String> {
        let below_daily = ["HOURLY", "MINUTELY", "SECONDLY"];
        if let Some(name) = below_daily.into_iter().find(|name| *name == value) {
            self.errors.push(RecurrenceError::BelowDaily(name));
            return Ok(());
        }
        let frequency = Frequency::ALL.into_iter().find(|frequency| frequency.name() == value);
        self.rule.frequency = frequency.ok_or_else(|| "DAILY, WEEKLY, MONTHLY or YEARLY".to_owned())?;
        Ok(())
    }

    /// The last local time. A date means the whole day.
    ///
    /// RFC 5545 requires a date for all-day events, and UTC for others. Clients send either: for all-day events the
    /// date as it is written counts, which is what they mean by 23:59:59 UTC.
    fn until(&self, value: &str) -> Result<NaiveDateTime, String> {
        let expected = || match self.all_day {
            true => "a date such as 20271231".to_owned(),
            false => "a time such as 20271231T235959Z, or without Z in the time zone of the event".to_owned(),
        };
        let read = ReadTime::parse(value).ok_or_else(expected)?;
        if self.all_day {
            return Ok(read.date.and_time(NaiveTime::MIN));
        }
        match read.time {
            Some(_) => read.to_local(self.zone, None).ok_or_else(expected),
            None => read.date.and_hms_opt(23, 59, 59).ok_or_else(expected),
        }
    }
}

/// The numbers in order, without duplicates: from the beginning, then from the end.
fn numbers(part: &NumberPart, value: &str) -> Result<Vec<i16>, String> {
    let read = |text: &str| text.trim().parse().ok().filter(|number| part.allows(*number));
    let numbers: Option<Vec<i16>> = value.split(',').map(read).collect();
    let mut numbers = numbers.ok_or_else(|| part.expected())?;
    numbers.sort_unstable_by_key(|number| (*number < 0, *number));
    numbers.dedup();
    Ok(numbers)
}

fn weekdays(value: &str) -> Result<Vec<OrdinalWeekday>, String> {
    let weekdays: Option<Vec<_>> = value.split(',').map(|text| ordinal_weekday(text.trim())).collect();
    let expected = || "days such as MO,TU or 2TU (the second Tuesday) or -1FR (the last Friday)".to_owned();
    let mut weekdays = weekdays.ok_or_else(expected)?;
    weekdays.sort_unstable_by_key(|OrdinalWeekday { ordinal, weekday }| {
        let ordinal = ordinal.unwrap_or_default();
        (ordinal < 0, ordinal, weekday.num_days_from_monday())
    });
    weekdays.dedup();
    Ok(weekdays)
}

fn ordinal_weekday(text: &str) -> Option<OrdinalWeekday> {
    let (ordinal, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let ordinal = match ordinal {
        "" => None,
        number => Some(
            number
                .parse()
                .ok()
                .filter(|number: &i16| (1..=53).contains(&number.unsigned_abs()))?,
        ),
    };
    Some(OrdinalWeekday {
        ordinal,
        weekday: weekday(name)?,
    })
}

fn weekday(name: &str) -> Option<Weekday> {
    WEEKDAYS.into_iter().find(|weekday| code(*weekday) == name)
}
