//! Rules without a common pattern, in Spanish.

use super::{enumerated, month_day, month_list, ordinal_weekday, position_number, week_list, weekday};
use crate::calendar::recurrence::rule::{Frequency, OrdinalWeekday, Rule};

/// Names the parts of a rule.
pub(super) fn parts(rule: &Rule) -> String {
    let interval = rule.interval;
    let (one, many, of) = match rule.frequency {
        Frequency::Daily => ("todos los días", "días", "del día"),
        Frequency::Weekly => ("todas las semanas", "semanas", "de la semana"),
        Frequency::Monthly => ("todos los meses", "meses", "del mes"),
        Frequency::Yearly => ("todos los años", "años", "del año"),
    };
    let mut conditions = Vec::new();
    if !rule.months.is_empty() {
        conditions.push(month_list(&rule.months));
    }
    if !rule.weeks.is_empty() {
        conditions.push(format!("en {} del año", week_list(&rule.weeks, "o")));
    }
    if !rule.year_days.is_empty() {
        let days: Vec<String> = rule.year_days.iter().map(|day| month_day(*day)).collect();
        conditions.push(format!("{} del año", enumerated(&days, "o")));
    }
    if !rule.month_days.is_empty() {
        let days: Vec<String> = rule.month_days.iter().map(|day| month_day(*day)).collect();
        conditions.push(format!("{} del mes", enumerated(&days, "o")));
    }
    if !rule.weekdays.is_empty() {
        let is_of_year = rule.frequency == Frequency::Yearly && rule.months.is_empty();
        let scope = if is_of_year { "del año" } else { "del mes" };
        let day = |OrdinalWeekday { ordinal, weekday: day }: &OrdinalWeekday| match ordinal {
            Some(number) => format!("{} {scope}", ordinal_weekday(*number, *day)),
            None => format!("un {}", weekday(*day)),
        };
        let days: Vec<String> = rule.weekdays.iter().map(day).collect();
        conditions.push(enumerated(&days, "o"));
    }
    let mut text = if interval == 1 {
        one.to_owned()
    } else {
        format!("cada {interval} {many}")
    };
    if !conditions.is_empty() {
        let all = if conditions.len() > 1 {
            "todas estas condiciones"
        } else {
            "esta condición"
        };
        text += &format!(", los días que cumplen {all}: {}", conditions.join("; "));
    }
    if !rule.positions.is_empty() {
        let positions: Vec<String> = rule
            .positions
            .iter()
            .map(|position| format!("el {}", position_number(*position)))
            .collect();
        text += &format!(", y de esos solo {} {of}", enumerated(&positions, "y"));
    }
    text
}
