//! A rule as lines.

use std::collections::BTreeSet;

use chrono::NaiveDateTime;

use super::{Recurrence, times::Written};

impl Recurrence {
    /// The lines RRULE, RDATE and EXDATE, in local times, without those that are empty. Not folded.
    ///
    /// [`Recurrence::from_stored`] of the lines with the same start is the same rule.
    pub(crate) fn lines(&self) -> Vec<String> {
        let rule = self.rule.as_ref();
        let mut lines: Vec<_> = rule
            .map(|rule| format!("RRULE:{}", rule.text(self.all_day)))
            .into_iter()
            .collect();
        // Without a rule, the start is a date, so that there is a line.
        lines.extend(self.dates("RDATE", &self.listed()));
        lines.extend(self.dates("EXDATE", &self.exceptions));
        lines
    }

    fn dates(&self, name: &str, dates: &BTreeSet<NaiveDateTime>) -> Option<String> {
        let kind = if self.all_day { ";VALUE=DATE" } else { "" };
        let dates: Vec<String> = dates
            .iter()
            .map(|date| Written(*date, self.all_day).to_string())
            .collect();
        (!dates.is_empty()).then(|| format!("{name}{kind}:{}", dates.join(",")))
    }
}
