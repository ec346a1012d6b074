//! The slots of an RRULE. The only file that knows the library that generates them.
//!
//! `ical-rs` works in civil time. It walks from the start to where a caller wants to begin; here, the walk begins with
//! the period of that time, unless there is a COUNT. Its years of weeks (BYWEEKNO) begin with the first week instead of
//! 1 January, which would leave out the first days of a series that starts in between.

use std::iter;

use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Weekday};
use ical::recur::{
    IcalRecurDateTime, IcalRecurFreq, IcalRecurRule, IcalRecurSkip, IcalRecurWeekday, IcalRecurWeekdayNum,
    expand::IcalRecurExpand,
};

use super::rule::{End, Frequency, OrdinalWeekday, Rule};

/// How far the search for slots goes. The calendar repeats after 400 years.
pub(super) const MAX_YEARS: i32 = 400;

/// The slots of the rule from `from` to before `to`, in order. Lazy.
///
/// Searches at most [`MAX_YEARS`] from `from`, or from the start if the rule has a COUNT.
pub(super) fn slots(
    rule: &Rule,
    start: NaiveDateTime,
    from: Option<NaiveDateTime>,
    to: Option<NaiveDateTime>,
) -> Box<dyn Iterator<Item = NaiveDateTime> + Send> {
    let from = from.map_or(start, |from| from.max(start));
    let first = match rule.end {
        End::Count(_) => start,
        End::Never | End::Until(_) => from,
    };
    let farthest = last_moment(first.year().saturating_add(MAX_YEARS).min(9999));
    let before_to = to.map_or(farthest, |to| to - TimeDelta::seconds(1));
    let last = before_to.min(farthest);
    let last = match rule.end {
        End::Until(until) => last.min(until),
        End::Never | End::Count(_) => last,
    };
    if last < from {
        return Box::new(iter::empty());
    }
    let explicit = rule.with_days_of(start).with_times_of(start);
    let candidates = candidates(&explicit, start, first, last).skip_while(move |slot| *slot < first);
    match rule.end {
        // A count is a u32, which fits a usize on all platforms that the standard library of this program supports.
        End::Count(count) => Box::new(candidates.take(count as usize).skip_while(move |slot| *slot < from)),
        End::Never | End::Until(_) => Box::new(candidates),
    }
}

/// 31 December, 23:59:59.
fn last_moment(year: i32) -> NaiveDateTime {
    let date = NaiveDate::from_ymd_opt(year, 12, 31).unwrap_or(NaiveDate::MAX);
    let time = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or_default();
    date.and_time(time)
}

/// All that the rule generates from the beginning of the period of `first` to `last`. The rule has days and times.
fn candidates(
    rule: &Rule,
    start: NaiveDateTime,
    first: NaiveDateTime,
    last: NaiveDateTime,
) -> Box<dyn Iterator<Item = NaiveDateTime> + Send> {
    if rule.weeks.is_empty() {
        return Box::new(generated(rule, first_period(rule, start.date(), first.date()), last));
    }
    // The first days of a year may belong to the last week of the year before, and the last days to the first week of
    // the year after. Rules with weeks have all years.
    let begin = NaiveDate::from_ymd_opt(first.year() - 1, 1, 1).unwrap_or(NaiveDate::MIN);
    let slots = generated(rule, begin, last + TimeDelta::days(7));
    Box::new(slots.take_while(move |slot| *slot <= last))
}

/// The first day of the last period that the rule does not skip, and that begins at or before `date`.
fn first_period(rule: &Rule, start: NaiveDate, date: NaiveDate) -> NaiveDate {
    let interval = i64::from(rule.interval);
    let months = |date: NaiveDate| i64::from(date.year()) * 12 + i64::from(date.month0());
    let week = |date: NaiveDate| {
        let offset = date.weekday().days_since(rule.week_start);
        date.checked_sub_days(Days::new(u64::from(offset)))
            .unwrap_or(NaiveDate::MIN)
    };
    let skipped = |periods: i64| periods - periods.rem_euclid(interval);
    let later = |date: NaiveDate, days: i64| date.checked_add_signed(TimeDelta::days(days)).unwrap_or(NaiveDate::MAX);
    match rule.frequency {
        Frequency::Daily => later(start, skipped((date - start).num_days())),
        Frequency::Weekly => later(week(start), 7 * skipped((week(date) - week(start)).num_days() / 7)),
        Frequency::Monthly => first_of_month(months(start) + skipped(months(date) - months(start))),
        Frequency::Yearly => {
            let years = i64::from(date.year()) - i64::from(start.year());
            first_of_month((i64::from(start.year()) + skipped(years)) * 12)
        }
    }
}

/// The first day of a month, as the number of months since the year 0.
fn first_of_month(months: i64) -> NaiveDate {
    let year = i32::try_from(months.div_euclid(12)).ok();
    let month = u32::try_from(months.rem_euclid(12)).ok();
    year.zip(month)
        .and_then(|(year, month0)| NaiveDate::from_ymd_opt(year, month0 + 1, 1))
        .unwrap_or(NaiveDate::MAX)
}

/// The slots that the library generates up to `last`, from the period that begins on the day of `begin`.
fn generated(rule: &Rule, begin: NaiveDate, last: NaiveDateTime) -> impl Iterator<Item = NaiveDateTime> + Send + use<> {
    let rule = library_rule(rule, last);
    IcalRecurExpand::new(rule, to_library(begin.and_time(NaiveTime::MIN))).map_while(from_library)
}

fn library_rule(rule: &Rule, last: NaiveDateTime) -> IcalRecurRule {
    let Rule {
        frequency,
        interval,
        end: _,
        months,
        weeks,
        year_days,
        month_days,
        weekdays,
        hours,
        minutes,
        seconds,
        positions,
        week_start,
    } = rule;
    IcalRecurRule {
        freq: match frequency {
            Frequency::Daily => IcalRecurFreq::Daily,
            Frequency::Weekly => IcalRecurFreq::Weekly,
            Frequency::Monthly => IcalRecurFreq::Monthly,
            Frequency::Yearly => IcalRecurFreq::Yearly,
        },
        until: Some(to_library(last)),
        count: None,
        interval: *interval,
        by_second: narrowed(seconds),
        by_minute: narrowed(minutes),
        by_hour: narrowed(hours),
        by_day: weekdays.iter().map(library_weekday).collect(),
        by_month_day: narrowed(month_days),
        by_year_day: year_days.clone(),
        by_week_no: narrowed(weeks),
        by_month: narrowed(months),
        by_set_pos: positions.clone(),
        week_start: library_day(*week_start),
        scale: None,
        skip: IcalRecurSkip::Omit,
    }
}

/// The same numbers. Reading has checked that they are in the ranges of their parts.
fn narrowed<T: TryFrom<i16>>(numbers: &[i16]) -> Vec<T> {
    numbers.iter().filter_map(|number| T::try_from(*number).ok()).collect()
}

fn library_weekday(entry: &OrdinalWeekday) -> IcalRecurWeekdayNum {
    IcalRecurWeekdayNum {
        ordinal: entry.ordinal,
        weekday: library_day(entry.weekday),
    }
}

fn library_day(weekday: Weekday) -> IcalRecurWeekday {
    match weekday {
        Weekday::Mon => IcalRecurWeekday::Monday,
        Weekday::Tue => IcalRecurWeekday::Tuesday,
        Weekday::Wed => IcalRecurWeekday::Wednesday,
        Weekday::Thu => IcalRecurWeekday::Thursday,
        Weekday::Fri => IcalRecurWeekday::Friday,
        Weekday::Sat => IcalRecurWeekday::Saturday,
        Weekday::Sun => IcalRecurWeekday::Sunday,
    }
}

fn to_library(time: NaiveDateTime) -> IcalRecurDateTime {
    // Months, days, hours, minutes and seconds are less than 100.
    IcalRecurDateTime {
        year: time.year(),
        month: time.month() as u8,
        day: time.day() as u8,
        hour: time.hour() as u8,
        minute: time.minute() as u8,
        second: time.second() as u8,
    }
}

/// `None` after the last year of chrono, which the library does not reach.
fn from_library(time: IcalRecurDateTime) -> Option<NaiveDateTime> {
    let date = NaiveDate::from_ymd_opt(time.year, u32::from(time.month), u32::from(time.day))?;
    date.and_hms_opt(u32::from(time.hour), u32::from(time.minute), u32::from(time.second))
}
