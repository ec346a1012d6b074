//! The checks of a rule that need its slots.

use chrono::Datelike;

use super::{
    MAX_OCCURRENCES, Recurrence,
    error::RecurrenceError,
    expand::{self, MAX_YEARS},
    rule::{End, Rule},
};

/// Up to which number the occurrences of a rule with too many are counted.
const COUNTED: usize = 10_000;

impl Recurrence {
    /// Rejects a rule that does not generate its start, has no occurrence, or has too many.
    pub(super) fn check(&self) -> Result<(), RecurrenceError> {
        if let Some(rule) = &self.rule {
            self.check_rule(rule)?;
        }
        if self.slots(None, None).next().is_none() {
            return Err(RecurrenceError::NoOccurrence("EXDATE excludes all"));
        }
        // The occurrences of a rule without an end are counted when they are stored, from then on.
        let found = match self.is_endless() {
            true => self.additions.len(),
            false => self.slots(None, None).take(COUNTED + 1).count(),
        };
        match found {
            0..=MAX_OCCURRENCES => Ok(()),
            found if found <= COUNTED => Err(RecurrenceError::TooMany {
                found: found.to_string(),
            }),
            _ => Err(RecurrenceError::TooMany {
                found: format!("more than {COUNTED}"),
            }),
        }
    }

    fn check_rule(&self, rule: &Rule) -> Result<(), RecurrenceError> {
        let (start, all_day) = (self.start, self.all_day);
        let endless = Rule {
            end: End::Never,
            ..rule.clone()
        };
        let Some(first) = expand::slots(&endless, start, None, None).next() else {
            return Err(RecurrenceError::NoOccurrence("no date fits all of its parts"));
        };
        if first != start {
            return Err(RecurrenceError::Start { start, first, all_day });
        }
        match rule.end {
            End::Until(until) if until < start => Err(RecurrenceError::NoOccurrence("UNTIL is before the start")),
            End::Until(until) if until.year() - start.year() > MAX_YEARS => Err(RecurrenceError::TooFar),
            // Counting them is not necessary, even if some are excluded.
            End::Count(count) if count as usize > COUNTED => Err(RecurrenceError::TooMany {
                found: count.to_string(),
            }),
            End::Count(count) if expand::slots(rule, start, None, None).count() < count as usize => {
                Err(RecurrenceError::TooFar)
            }
            End::Never | End::Count(_) | End::Until(_) => Ok(()),
        }
    }
}
