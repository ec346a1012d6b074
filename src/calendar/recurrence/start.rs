//! Another start for a rule.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDateTime, NaiveTime, TimeDelta};

use super::{
    Recurrence,
    error::RecurrenceErrors,
    parts::conflicts,
    rule::{End, Rule},
};

impl Recurrence {
    /// The same rule with another start.
    ///
    /// A new time of day moves RDATEs and EXDATEs at the old time, on the same dates, and UNTIL if it would exclude its
    /// date now. Parts of the rule stay, such as BYDAY: a start on another day needs another rule.
    ///
    /// # Errors
    /// As of [`Recurrence::parse`], such as that the rule does not generate the start.
    pub(crate) fn with_start(&self, start: NaiveDateTime, all_day: bool) -> Result<Self, RecurrenceErrors> {
        let start = if all_day {
            start.date().and_time(NaiveTime::MIN)
        } else {
            start
        };
        let moved = Self {
            rule: self
                .rule
                .as_ref()
                .map(|rule| self.rule_with_start(rule, start, all_day)),
            start,
            all_day,
            additions: self.dates_with_start(&self.additions, start, all_day),
            exceptions: self.dates_with_start(&self.exceptions, start, all_day),
        };
        let conflicts = moved
            .rule
            .as_ref()
            .map(|rule| conflicts(rule, all_day))
            .unwrap_or_default();
        if !conflicts.is_empty() {
            return Err(RecurrenceErrors(conflicts));
        }
        moved.check()?;
        Ok(moved)
    }

    fn rule_with_start(&self, rule: &Rule, start: NaiveDateTime, all_day: bool) -> Rule {
        let (old, new) = (self.start.time(), start.time());
        let end = match rule.end {
            End::Until(until) if all_day => End::Until(until.date().and_time(NaiveTime::MIN)),
            End::Until(until) if self.all_day => End::Until(end_of_day(until)),
            // Its date is included if a slot on it is.
            End::Until(until) if until.time() >= old => End::Until(until.date().and_time(until.time().max(new))),
            End::Until(until) if until.time() >= new => {
                let before = until.date().checked_sub_days(Days::new(1)).unwrap_or(until.date());
                End::Until(end_of_day(before.and_time(NaiveTime::MIN)))
            }
            end => end,
        };
        Rule { end, ..rule.clone() }
    }

    fn dates_with_start(
        &self,
        dates: &BTreeSet<NaiveDateTime>,
        start: NaiveDateTime,
        all_day: bool,
    ) -> BTreeSet<NaiveDateTime> {
        let is_moved = |date: &NaiveDateTime| all_day || date.time() == self.start.time();
        let with_start = |date: &NaiveDateTime| match is_moved(date) {
            true => date.date().and_time(start.time()),
            false => *date,
        };
        dates.iter().map(with_start).collect()
    }
}

/// 23:59:59 of the same date.
fn end_of_day(time: NaiveDateTime) -> NaiveDateTime {
    time.date().and_time(NaiveTime::MIN) + TimeDelta::days(1) - TimeDelta::seconds(1)
}

#[cfg(test)]
mod tests {
    use super::super::{
        Recurrence,
        tests::{local, recurrence},
    };

    fn moved(start: &str, lines: &str, to: &str, all_day: bool) -> Result<Recurrence, String> {
        recurrence(start, lines)
            .with_start(local(to), all_day)
            .map_err(|errors| errors.to_string())
    }

    #[test]
    fn times_move() {
        for (start, lines, to, expected) in [
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=5\nRDATE:20270113T190000,20270114T150000\nEXDATE:20270112T190000",
                "2027-01-05 20:00",
                "RRULE:FREQ=WEEKLY;COUNT=5;BYDAY=TU|RDATE:20270113T200000,20270114T150000|EXDATE:20270112T200000",
            ),
            // The date of UNTIL stays included, or excluded.
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T190000",
                "2027-01-05 20:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T200000",
            ),
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T190000",
                "2027-01-05 08:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T190000",
            ),
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T120000",
                "2027-01-05 08:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270118T235959",
            ),
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T120000",
                "2027-01-05 13:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270119T120000",
            ),
            // A later start, and days that follow from it.
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;COUNT=5",
                "2027-01-06 19:00",
                "RRULE:FREQ=WEEKLY;COUNT=5",
            ),
        ] {
            let moved = moved(start, lines, to, false).map(|moved| moved.lines().join("|"));
            assert_eq!(moved.as_deref(), Ok(expected), "{lines} to {to}");
        }
    }

    #[test]
    fn whole_days() {
        let lines = "RRULE:FREQ=WEEKLY;UNTIL=20270119T190000\nEXDATE:20270112T190000";
        let days = moved("2027-01-05 19:00", lines, "2027-01-05 19:00", true).expect("a rule");
        assert_eq!(days.start(), local("2027-01-05 00:00"));
        assert_eq!(
            days.lines(),
            ["RRULE:FREQ=WEEKLY;UNTIL=20270119", "EXDATE;VALUE=DATE:20270112"]
        );
        let evenings = days.with_start(local("2027-01-05 20:00"), false).expect("a rule");
        assert_eq!(
            evenings.lines(),
            ["RRULE:FREQ=WEEKLY;UNTIL=20270119T235959", "EXDATE:20270112T200000"]
        );
    }

    #[test]
    fn start_that_the_rule_does_not_generate() {
        assert_eq!(
            moved(
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;BYDAY=TU",
                "2027-01-06 19:00",
                false
            ),
            Err(
                "the rule does not generate the start of the event, Wed 2027-01-06 19:00; the first date that fits is \
                 Tue 2027-01-12 19:00"
                    .to_owned()
            )
        );
        assert_eq!(
            moved(
                "2027-01-05 19:00",
                "RRULE:FREQ=DAILY;BYHOUR=19",
                "2027-01-05 19:00",
                true
            ),
            Err("BYHOUR, BYMINUTE or BYSECOND has no meaning with an all-day event; leave it out".to_owned())
        );
    }
}
