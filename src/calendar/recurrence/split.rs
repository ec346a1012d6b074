//! Splits a rule in two, for changes of an occurrence and all that follow.

use std::collections::BTreeSet;

use chrono::NaiveDateTime;

use super::{
    Recurrence, expand,
    rule::{End, Rule},
};

impl Recurrence {
    /// The rule that ends before `slot`, and the rule from `slot` on. Together, they have the same slots.
    ///
    /// COUNT is divided, the first rule ends with its last slot, and the second one keeps UNTIL. The second starts with
    /// the first slot that it generates; RDATEs may be before. `None` if all slots are before `slot`, or none is.
    pub(crate) fn split_at(&self, slot: NaiveDateTime) -> Option<(Self, Self)> {
        let (earlier, later) = (self.part_before(slot)?, self.part_from(slot)?);
        let has_slots = |part: &Self| part.slots(None, None).next().is_some();
        (has_slots(&earlier) && has_slots(&later)).then_some((earlier, later))
    }

    fn part_before(&self, slot: NaiveDateTime) -> Option<Self> {
        let additions: BTreeSet<_> = self.listed().range(..slot).copied().collect();
        let exceptions = self.exceptions.range(..slot).copied().collect();
        let rule = self.rule.as_ref().and_then(|rule| {
            let last = expand::slots(rule, self.start, None, Some(slot)).last()?;
            let end = match rule.end {
                End::Count(_) => End::Count(self.count_before(rule, slot)),
                End::Never | End::Until(_) => End::Until(last),
            };
            Some(Rule { end, ..rule.clone() })
        });
        let start = match rule {
            Some(_) => self.start,
            None => *additions.first()?,
        };
        Some(self.part(rule, start, additions, exceptions))
    }

    fn part_from(&self, slot: NaiveDateTime) -> Option<Self> {
        let additions = self.listed().range(slot..).copied().collect::<BTreeSet<_>>();
        let exceptions = self.exceptions.range(slot..).copied().collect();
        let first = |rule: &Rule| expand::slots(rule, self.start, Some(slot), None).next();
        let rule = self.rule.as_ref().and_then(|rule| {
            let end = match rule.end {
                End::Count(count) => End::Count(count - self.count_before(rule, slot)),
                end => end,
            };
            Some((Rule { end, ..rule.clone() }, first(rule)?))
        });
        let (rule, start) = match rule {
            Some((rule, start)) => (Some(rule), start),
            None => (None, *additions.first()?),
        };
        Some(self.part(rule, start, additions, exceptions))
    }

    /// The number of slots that the rule generates before `slot`: at most its COUNT, which is a u32.
    fn count_before(&self, rule: &Rule, slot: NaiveDateTime) -> u32 {
        let before = expand::slots(rule, self.start, None, Some(slot)).count();
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    fn part(
        &self,
        rule: Option<Rule>,
        start: NaiveDateTime,
        mut additions: BTreeSet<NaiveDateTime>,
        exceptions: BTreeSet<NaiveDateTime>,
    ) -> Self {
        if rule.is_none() {
            additions.remove(&start);
        }
        Self {
            rule,
            start,
            all_day: self.all_day,
            additions,
            exceptions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{dates, local, recurrence};

    /// The start and the lines of both parts.
    fn split(start: &str, lines: &str, slot: &str) -> Option<[String; 2]> {
        let (earlier, later) = recurrence(start, lines).split_at(local(slot))?;
        Some([earlier, later].map(|part| format!("{} {}", dates([part.start()]), part.lines().join("|"))))
    }

    #[test]
    fn rules() {
        for (start, lines, slot, earlier, later) in [
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;COUNT=52",
                "2027-01-26 19:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;COUNT=3",
                "2027-01-26 RRULE:FREQ=WEEKLY;COUNT=49",
            ),
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY",
                "2027-01-26 19:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;UNTIL=20270119T190000",
                "2027-01-26 RRULE:FREQ=WEEKLY",
            ),
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;UNTIL=20270302T235959",
                "2027-03-02 19:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;UNTIL=20270223T190000",
                "2027-03-02 RRULE:FREQ=WEEKLY;UNTIL=20270302T235959",
            ),
            // The phase of an interval is kept.
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=6",
                "2027-01-07 19:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=1;BYDAY=TU,TH",
                "2027-01-07 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=5;BYDAY=TU,TH",
            ),
            // A time that is no slot; dates are divided.
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;COUNT=5\nRDATE:20270106T150000,20270127T150000\nEXDATE:20270112T190000,20270126T190000",
                "2027-01-20 00:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;COUNT=3|RDATE:20270106T150000|EXDATE:20270112T190000",
                "2027-01-26 RRULE:FREQ=WEEKLY;COUNT=2|RDATE:20270127T150000|EXDATE:20270126T190000",
            ),
            // At a date that the rule does not generate, and after its end.
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY\nRDATE:20270108T150000",
                "2027-01-08 15:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;UNTIL=20270105T190000",
                "2027-01-12 RRULE:FREQ=WEEKLY|RDATE:20270108T150000",
            ),
            (
                "2027-01-05 19:00",
                "RRULE:FREQ=WEEKLY;COUNT=2\nRDATE:20270208T150000,20270209T150000",
                "2027-02-08 15:00",
                "2027-01-05 RRULE:FREQ=WEEKLY;COUNT=2",
                "2027-02-08 RDATE:20270208T150000,20270209T150000",
            ),
            (
                "2027-01-05 19:00",
                "RDATE:20270208T150000,20270209T150000",
                "2027-02-09 15:00",
                "2027-01-05 RDATE:20270105T190000,20270208T150000",
                "2027-02-09 RDATE:20270209T150000",
            ),
        ] {
            let expected = [earlier, later].map(str::to_owned);
            assert_eq!(split(start, lines, slot), Some(expected), "{lines} at {slot}");
        }
    }

    #[test]
    fn one_part_would_be_empty() {
        for (lines, slot) in [
            ("RRULE:FREQ=WEEKLY;COUNT=3", "2027-01-05 19:00"),
            ("RRULE:FREQ=WEEKLY;COUNT=3", "2027-01-19 19:01"),
            ("RRULE:FREQ=WEEKLY;COUNT=3\nEXDATE:20270105T190000", "2027-01-12 19:00"),
            ("RRULE:FREQ=WEEKLY;COUNT=3\nEXDATE:20270119T190000", "2027-01-19 19:00"),
            ("RDATE:20270112T190000", "2027-01-05 19:00"),
        ] {
            assert_eq!(split("2027-01-05 19:00", lines, slot), None, "{lines} at {slot}");
        }
    }
}
