//! Reads the lines of a rule.

use std::collections::BTreeSet;

use chrono::{NaiveDateTime, NaiveTime};

use super::{
    Recurrence,
    error::{RecurrenceError, RecurrenceErrors, excerpt},
    parts::check_length,
    read_parts::read_rule,
    times::ReadTime,
};
use crate::calendar::zone::Zone;

/// The maximum length of a text, in bytes. Holds the maximum number of dates.
const MAX_LENGTH: usize = 512 * 1024;

/// The maximum number of dates of RDATE and of EXDATE, far above the number of occurrences: a series without an end may
/// have had many exceptions.
const MAX_DATES: usize = 10_000;

impl Recurrence {
    /// Reads the rule that a client has sent: lines RRULE, RDATE and EXDATE, separated by line breaks. `start` is local;
    /// the time of day of an all-day event is ignored. Times in UTC, or with another TZID, are converted to `zone`.
    ///
    /// # Errors
    /// All errors of the text. If there are none: a rule without an occurrence, with too many, or that does not generate
    /// its start.
    pub(crate) fn parse(
        text: &str,
        start: NaiveDateTime,
        all_day: bool,
        zone: &Zone,
    ) -> Result<Self, RecurrenceErrors> {
        let recurrence = read(text, start, all_day, zone)?;
        if let Some(rule) = &recurrence.rule {
            check_length(rule)?;
        }
        recurrence.check()?;
        Ok(recurrence)
    }

    /// Reads [`Recurrence::lines`], separated by line breaks, which the database has stored. The number of occurrences
    /// is not checked: all may be excluded by now.
    ///
    /// # Errors
    /// All errors of the text.
    pub(crate) fn from_stored(text: &str, start: NaiveDateTime, all_day: bool) -> Result<Self, RecurrenceErrors> {
        // Stored times are local: there is nothing to convert.
        read(text, start, all_day, &Zone::UTC)
    }
}

fn read(text: &str, start: NaiveDateTime, all_day: bool, zone: &Zone) -> Result<Recurrence, RecurrenceErrors> {
    if text.len() > MAX_LENGTH {
        let (found, limit) = (text.len(), MAX_LENGTH);
        return Err(RecurrenceError::TooLong {
            found,
            unit: "bytes",
            limit,
        }
        .into());
    }
    if text.trim().is_empty() {
        return Err(RecurrenceError::Empty.into());
    }
    let mut reader = Reader::new(all_day, zone);
    for line in unfolded(text).iter().filter(|line| !line.trim().is_empty()) {
        reader.read_line(line.trim());
    }
    reader.finish(start)
}

/// The lines. A line that begins with a space continues the one before (RFC 5545, section 3.1).
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

struct Reader<'a> {
    all_day: bool,
    zone: &'a Zone,
    rules: Vec<String>,
    additions: BTreeSet<NaiveDateTime>,
    exceptions: BTreeSet<NaiveDateTime>,
    has_additions: bool,
    errors: Vec<RecurrenceError>,
}

impl<'a> Reader<'a> {
    fn new(all_day: bool, zone: &'a Zone) -> Self {
        Self {
            all_day,
            zone,
            rules: Vec::new(),
            additions: BTreeSet::new(),
            exceptions: BTreeSet::new(),
            has_additions: false,
            errors: Vec::new(),
        }
    }

    fn read_line(&mut self, line: &str) {
        let (head, value) = line.split_once(':').unwrap_or((line, ""));
        let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
        match name.trim().to_ascii_uppercase().as_str() {
            "RRULE" => {
                if !parameters.is_empty() {
                    let parameter = excerpt(parameters);
                    self.errors.push(RecurrenceError::Parameter {
                        line: "RRULE",
                        parameter,
                        expected: "none, such as RRULE:FREQ=WEEKLY",
                    });
                }
                self.rules.push(value.to_owned());
            }
            "RDATE" => {
                self.has_additions = true;
                let dates = self.read_dates("RDATE", parameters, value);
                self.additions.extend(dates);
            }
            "EXDATE" => {
                let dates = self.read_dates("EXDATE", parameters, value);
                self.exceptions.extend(dates);
            }
            "DTSTART" => self.errors.push(RecurrenceError::StartLine),
            "EXRULE" => self.errors.push(RecurrenceError::ExceptionRule),
            _ => self.errors.push(RecurrenceError::UnknownLine(excerpt(line))),
        }
    }

    fn read_dates(&mut self, line: &'static str, parameters: &str, value: &str) -> Vec<NaiveDateTime> {
        let mut written_in = None;
        for parameter in parameters.split(';').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let zone = || Zone::parse(value.trim_matches('"')).ok();
            match name.to_ascii_uppercase().as_str() {
                "VALUE" if value.eq_ignore_ascii_case("DATE") || value.eq_ignore_ascii_case("DATE-TIME") => {}
                "TZID" if zone().is_some() => written_in = zone(),
                _ => self.errors.push(RecurrenceError::Parameter {
                    line,
                    parameter: excerpt(parameter),
                    expected: "VALUE=DATE, VALUE=DATE-TIME, or TZID=… with the IANA name of a time zone",
                }),
            }
        }
        let dates = value.split(',').map(str::trim).filter(|text| !text.is_empty());
        let mut read = Vec::new();
        for text in dates {
            match self.slot(text, written_in.as_ref()) {
                Some(slot) => read.push(slot),
                None => {
                    self.errors.push(self.date_error(line, text));
                    // One is enough to see what is wrong.
                    break;
                }
            }
        }
        if value.trim().is_empty() {
            self.errors.push(self.date_error(line, value));
        }
        read
    }

    /// The slot that a date names. All-day events have dates, or midnights; others have times.
    fn slot(&self, text: &str, written_in: Option<&Zone>) -> Option<NaiveDateTime> {
        let read = ReadTime::parse(text)?;
        match (self.all_day, read.time) {
            (true, None) => Some(read.date.and_time(NaiveTime::MIN)),
            (true, Some(_)) => read
                .to_local(self.zone, written_in)
                .filter(|local| local.time() == NaiveTime::MIN),
            (false, _) => read.to_local(self.zone, written_in),
        }
    }

    fn date_error(&self, name: &'static str, value: &str) -> RecurrenceError {
        let expected = match self.all_day {
            true => "dates such as 20270105, because the event lasts all day",
            false => "times such as 20270105T190000 or 20270105T180000Z, separated by commas",
        };
        RecurrenceError::Date {
            name,
            value: excerpt(value),
            expected,
        }
    }

    fn finish(mut self, start: NaiveDateTime) -> Result<Recurrence, RecurrenceErrors> {
        let rule = match self.rules.as_slice() {
            [rule] => read_rule(rule, self.all_day, self.zone, &mut self.errors),
            [] if self.has_additions => None,
            [] if self.errors.is_empty() => return Err(RecurrenceError::NoRule.into()),
            [] => None,
            rules => {
                self.errors.push(RecurrenceError::SeveralRules(rules.len()));
                None
            }
        };
        for (dates, unit) in [
            (&self.additions, "dates in RDATE"),
            (&self.exceptions, "dates in EXDATE"),
        ] {
            if dates.len() > MAX_DATES {
                let (found, limit) = (dates.len(), MAX_DATES);
                self.errors.push(RecurrenceError::TooLong { found, unit, limit });
            }
        }
        if !self.errors.is_empty() {
            return Err(RecurrenceErrors(self.errors));
        }
        let start = if self.all_day {
            start.date().and_time(NaiveTime::MIN)
        } else {
            start
        };
        let mut recurrence = Recurrence {
            rule,
            start,
            all_day: self.all_day,
            additions: self.additions,
            exceptions: self.exceptions,
        };
        if recurrence.rule.is_none() {
            // It is a slot anyway.
            recurrence.additions.remove(&start);
        }
        Ok(recurrence)
    }
}
