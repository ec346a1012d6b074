//! Rules without a common pattern, in English.

use super::{enumerated, every, month_list, numbered_day, ordinal_number, ordinal_word, week_list, weekday, year_days};
use crate::calendar::recurrence::rule::{Frequency, OrdinalWeekday, Rule};

/// Names the parts of a rule.
pub(super) fn parts(rule: &Rule) -> String {
    let period = match rule.frequency {
        Frequency::Daily => "day",
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
        Frequency::Yearly => "year",
    };
    let mut conditions = Vec::new();
    if !rule.months.is_empty() {
        conditions.push(month_list(&rule.months));
    }
    if !rule.weeks.is_empty() {
        conditions.push(format!("in {}", week_list(&rule.weeks, "or")));
    }
    if !rule.year_days.is_empty() {
        conditions.push(year_days(&rule.year_days, "or"));
    }
    if !rule.month_days.is_empty() {
        let days: Vec<String> = rule
            .month_days
            .iter()
            .map(|day| format!("the {}", numbered_day(*day)))
            .collect();
        conditions.push(format!("{} of the month", enumerated(&days, "or")));
    }
    if !rule.weekdays.is_empty() {
        let is_of_year = rule.frequency == Frequency::Yearly && rule.months.is_empty();
        let scope = if is_of_year { "year" } else { "month" };
        let day = |OrdinalWeekday { ordinal, weekday: day }: &OrdinalWeekday| match ordinal {
            Some(number) => format!("the {} {} of the {scope}", ordinal_word(*number), weekday(*day)),
            None => format!("a {}", weekday(*day)),
        };
        let days: Vec<String> = rule.weekdays.iter().map(day).collect();
        conditions.push(enumerated(&days, "or"));
    }
    let mut text = every(rule.interval, period);
    if !conditions.is_empty() {
        let all = if conditions.len() > 1 { "all of: " } else { "" };
        text += &format!(", on days that are {all}{}", conditions.join("; "));
    }
    if !rule.positions.is_empty() {
        let positions: Vec<String> = rule
            .positions
            .iter()
            .map(|position| ordinal_number(*position))
            .collect();
        text += &format!(
            ", and of those only the {} of the {period}",
            enumerated(&positions, "and")
        );
    }
    text
}
