//! Events that replace those of a series.

use std::collections::HashMap;

use super::{read::FileEvent, times::When, zones::Zones};
use crate::calendar::recurrence::MAX_OCCURRENCES;

/// The event of a series that another one replaces.
pub(super) struct Replaced {
    /// The identifier of the series.
    pub uid: String,
    /// Its time by the rule.
    pub when: When,
}

/// Adds events that replace others to the series of those. Without a series, they are events of their own, and so are
/// those that are more than a series can have: it is written at once, and each of them takes time.
pub(super) fn add_replacements(
    events: &mut Vec<FileEvent>,
    starts: &[When],
    replacements: Vec<(Replaced, FileEvent)>,
    zones: &Zones,
) {
    let repeating = events
        .iter()
        .enumerate()
        .filter(|(_, event)| event.recurrence.is_some());
    let series: HashMap<String, usize> = repeating.map(|(index, event)| (event.key.clone(), index)).collect();
    for (Replaced { uid, when }, event) in replacements {
        match series.get(&uid) {
            Some(index) if events[*index].overrides.len() < MAX_OCCURRENCES => {
                let slot = when.slot(starts[*index], zones);
                events[*index].overrides.push((slot, event));
            }
            _ => events.push(event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::tests::events;

    #[test]
    fn too_many_replacements_are_single_events() {
        let mut lines = "BEGIN:VEVENT\nUID:a\nDTSTART:20270401T100000Z\nRRULE:FREQ=DAILY\nEND:VEVENT".to_owned();
        for second in 0..1_005 {
            let time = format!(
                "20270402T{:02}{:02}{:02}Z",
                second / 3_600,
                second / 60 % 60,
                second % 60
            );
            lines += &format!("\nBEGIN:VEVENT\nUID:a\nRECURRENCE-ID:{time}\nDTSTART:{time}\nEND:VEVENT");
        }
        let file = events(&lines);
        assert_eq!((file.events.len(), file.events[0].overrides.len()), (6, 1_000));
    }
}
