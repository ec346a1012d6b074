//! The recurrence rule (RFC 5545, section 3.3.10), and how it is written.

use std::fmt;

use chrono::{Datelike, NaiveDateTime, Timelike, Weekday};

use super::times::Written;

/// The period that a rule repeats (FREQ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

impl Frequency {
    pub(super) const ALL: [Self; 4] = [Self::Daily, Self::Weekly, Self::Monthly, Self::Yearly];

    /// The value of FREQ.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Daily => "DAILY",
            Self::Weekly => "WEEKLY",
            Self::Monthly => "MONTHLY",
            Self::Yearly => "YEARLY",
        }
    }
}

/// The end of a rule (COUNT or UNTIL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Never,
    /// After this number of slots, those that are excluded included.
    Count(u32),
    /// With this local time, or the last slot before it.
    Until(NaiveDateTime),
}

/// A value of BYDAY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OrdinalWeekday {
    /// The second, or the last but one (-2), of the month or year. Every one if there is none.
    pub ordinal: Option<i16>,
    pub weekday: Weekday,
}

/// An RRULE. Lists are in order and without duplicates, and empty if the part is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub frequency: Frequency,
    pub interval: u32,
    pub end: End,
    pub months: Vec<i16>,
    pub weeks: Vec<i16>,
    pub year_days: Vec<i16>,
    pub month_days: Vec<i16>,
    pub weekdays: Vec<OrdinalWeekday>,
    pub hours: Vec<i16>,
    pub minutes: Vec<i16>,
    pub seconds: Vec<i16>,
    /// BYSETPOS.
    pub positions: Vec<i16>,
    /// WKST.
    pub week_start: Weekday,
}

impl Rule {
    /// The rule of which the other parts are missing.
    pub(super) fn every(frequency: Frequency) -> Self {
        Self {
            frequency,
            interval: 1,
            end: End::Never,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Mon,
        }
    }

    /// The same rule with the days that otherwise follow from the start.
    pub(super) fn with_days_of(&self, start: NaiveDateTime) -> Self {
        let mut rule = self.clone();
        let has_days = [&rule.weeks, &rule.year_days, &rule.month_days]
            .iter()
            .any(|days| !days.is_empty())
            || !rule.weekdays.is_empty();
        if has_days {
            return rule;
        }
        // Days and months fit an i16.
        let (month, day) = (start.month() as i16, start.day() as i16);
        match rule.frequency {
            Frequency::Daily => {}
            Frequency::Weekly => rule.weekdays = vec![start.weekday().into()],
            Frequency::Monthly => rule.month_days = vec![day],
            Frequency::Yearly => {
                rule.month_days = vec![day];
                if rule.months.is_empty() {
                    rule.months = vec![month];
                }
            }
        }
        rule
    }

    /// The same rule with the time of day that otherwise follows from the start.
    pub(super) fn with_times_of(&self, start: NaiveDateTime) -> Self {
        let mut rule = self.clone();
        for (values, of_start) in [
            (&mut rule.hours, start.hour()),
            (&mut rule.minutes, start.minute()),
            (&mut rule.seconds, start.second()),
        ] {
            if values.is_empty() {
                values.push(of_start as i16);
            }
        }
        rule
    }

    /// The lists of numbers with their names, in the order in which they are written.
    fn lists(&self) -> [(&'static str, &[i16]); 8] {
        [
            ("BYMONTH", &self.months),
            ("BYWEEKNO", &self.weeks),
            ("BYYEARDAY", &self.year_days),
            ("BYMONTHDAY", &self.month_days),
            ("BYHOUR", &self.hours),
            ("BYMINUTE", &self.minutes),
            ("BYSECOND", &self.seconds),
            ("BYSETPOS", &self.positions),
        ]
    }

    /// The value of the line RRULE, in local times.
    pub(super) fn text(&self, all_day: bool) -> String {
        let mut parts = vec![format!("FREQ={}", self.frequency.name())];
        if self.interval != 1 {
            parts.push(format!("INTERVAL={}", self.interval));
        }
        match self.end {
            End::Never => {}
            End::Count(count) => parts.push(format!("COUNT={count}")),
            End::Until(until) => parts.push(format!("UNTIL={}", Written(until, all_day))),
        }
        for (name, values) in self.lists() {
            if name == "BYHOUR" && !self.weekdays.is_empty() {
                parts.push(format!("BYDAY={}", joined(&self.weekdays)));
            }
            if !values.is_empty() {
                parts.push(format!("{name}={}", joined(values)));
            }
        }
        if self.week_start != Weekday::Mon {
            parts.push(format!("WKST={}", code(self.week_start)));
        }
        parts.join(";")
    }
}

impl From<Weekday> for OrdinalWeekday {
    fn from(weekday: Weekday) -> Self {
        Self { ordinal: None, weekday }
    }
}

impl fmt::Display for OrdinalWeekday {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ordinal) = self.ordinal {
            write!(formatter, "{ordinal}")?;
        }
        formatter.write_str(code(self.weekday))
    }
}

fn joined(values: &[impl ToString]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.join(",")
}

/// The days of the week, beginning with Monday.
pub(super) const WEEKDAYS: [Weekday; 7] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
    Weekday::Sat,
    Weekday::Sun,
];

/// The day of the week as a rule writes it.
pub(super) fn code(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Mon => "MO",
        Weekday::Tue => "TU",
        Weekday::Wed => "WE",
        Weekday::Thu => "TH",
        Weekday::Fri => "FR",
        Weekday::Sat => "SA",
        Weekday::Sun => "SU",
    }
}
