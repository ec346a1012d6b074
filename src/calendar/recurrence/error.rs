//! The errors of a rule, as texts for the client that has sent it.

use std::fmt;

use chrono::{NaiveDateTime, Timelike};
use thiserror::Error;

use super::{MAX_OCCURRENCES, expand::MAX_YEARS};

/// Why a rule is rejected. The text says what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum RecurrenceError {
    #[error("the rule is empty; expected lines such as RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10")]
    Empty,
    #[error("the text has {found} {unit}; the limit is {limit}")]
    TooLong {
        found: usize,
        unit: &'static str,
        limit: usize,
    },
    #[error("the line {0:?} is unknown; expected RRULE:…, RDATE:… or EXDATE:…")]
    UnknownLine(String),
    #[error("DTSTART is not part of the rule: the start of the event is that of the series")]
    StartLine,
    #[error("EXRULE is not supported, because RFC 5545 has removed it; list the dates as EXDATE:…")]
    ExceptionRule,
    #[error("there are {0} RRULE lines, but a series has one; list further dates as RDATE:…")]
    SeveralRules(usize),
    #[error("there is neither RRULE nor RDATE; expected a rule such as RRULE:FREQ=WEEKLY;COUNT=10")]
    NoRule,
    #[error("{line} has the parameter {parameter:?}; expected {expected}")]
    Parameter {
        line: &'static str,
        parameter: String,
        expected: &'static str,
    },
    #[error("{name} has the value {value:?}; expected {expected}")]
    Date {
        name: &'static str,
        value: String,
        expected: &'static str,
    },
    #[error("RRULE has the unknown part {0:?}; expected NAME=VALUE with one of the names {PARTS}")]
    UnknownPart(String),
    #[error("RRULE has the part {0} more than once; list its values with commas")]
    RepeatedPart(&'static str),
    #[error("RRULE lacks FREQ; expected FREQ=DAILY, FREQ=WEEKLY, FREQ=MONTHLY or FREQ=YEARLY")]
    NoFrequency,
    #[error("FREQ={0} is not supported; expected DAILY, WEEKLY, MONTHLY or YEARLY, and BYHOUR for several times a day")]
    BelowDaily(&'static str),
    #[error("{part} has the value {value:?}; expected {expected}")]
    Value {
        part: &'static str,
        value: String,
        expected: String,
    },
    #[error("COUNT and UNTIL exclude each other; leave one of them out")]
    CountWithUntil,
    #[error("{part} has no meaning with {other}; {instead}")]
    Conflict {
        part: &'static str,
        other: &'static str,
        instead: &'static str,
    },
    #[error("calendar programs disagree about {part} with {other}; {instead}")]
    Ambiguous {
        part: &'static str,
        other: &'static str,
        instead: &'static str,
    },
    #[error("the rule has {0} times a day; the limit is {limit}", limit = super::parts::MAX_TIMES_A_DAY)]
    TimesADay(usize),
    #[error("the rule has {found} values in BYSETPOS; with {times} times a day, the limit is {limit}")]
    TooManyPositions { found: usize, times: usize, limit: usize },
    #[error("the rule has no occurrence: {0}")]
    NoOccurrence(&'static str),
    #[error("the rule has {found} occurrences; the limit is {MAX_OCCURRENCES}")]
    TooMany {
        /// The number, or that it is more than a number.
        found: String,
    },
    #[error("the rule does not end within {MAX_YEARS} years; leave out COUNT and UNTIL if it has no end")]
    TooFar,
    #[error(
        "the rule does not generate the start of the event, {}; the first date that fits is {}",
        Time(.start, .all_day),
        Time(.first, .all_day)
    )]
    Start {
        start: NaiveDateTime,
        /// The first slot at or after the start.
        first: NaiveDateTime,
        all_day: bool,
    },
}

/// The parts of a rule, in the order in which they are written.
const PARTS: &str = "FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, \
                     BYSECOND, BYSETPOS and WKST";

/// All errors of a rule, at least one, as one text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) struct RecurrenceErrors(pub(super) Vec<RecurrenceError>);

impl RecurrenceErrors {
    /// The errors in the order of the text.
    #[cfg(test)]
    pub(crate) fn errors(&self) -> &[RecurrenceError] {
        &self.0
    }
}

impl From<RecurrenceError> for RecurrenceErrors {
    fn from(error: RecurrenceError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for RecurrenceErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(formatter, "{separator}{error}")?;
        }
        Ok(())
    }
}

/// A slot as clients write dates.
struct Time<'a>(&'a NaiveDateTime, &'a bool);

impl fmt::Display for Time<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(time, all_day) = self;
        let shape = match (all_day, time.second()) {
            (true, _) => "%a %Y-%m-%d",
            (false, 0) => "%a %Y-%m-%d %H:%M",
            (false, _) => "%a %Y-%m-%d %H:%M:%S",
        };
        write!(formatter, "{}", time.format(shape))
    }
}

/// The beginning of a text that a client has sent, for an error.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut excerpt: String = text.chars().take(LONGEST).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}
