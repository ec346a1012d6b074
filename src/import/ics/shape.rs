//! The times of the series that events with rules become.

use super::{super::page::Page, read::FileEvent};
use crate::{calendar::recurrence::Recurrence, store::series::Shape};

/// The number of events that the series of one import can have together. A file of 20 MB could have 100 million.
pub(super) const MAX_SERIES_EVENTS: usize = 1_000_000;

/// The times of the series that an event with a rule is the first one of. The error tells why it can't be one. `room` is
/// the number of events that series may still have.
pub(super) fn shape(page: &Page<'_>, event: &FileEvent, room: &mut usize) -> Option<Result<Shape, String>> {
    let lines = event.recurrence.as_deref()?;
    let times = &event.times;
    let rule = match Recurrence::parse(lines, event.start, times.all_day, &times.zone) {
        Ok(rule) => rule,
        Err(errors) => return Some(Err(errors.to_string())),
    };
    let shape = Shape {
        rule,
        zone: times.zone,
        duration: Shape::duration_of(&times.event_times(), times.all_day),
        all_day: times.all_day,
    };
    let left = page.size_of(&shape).and_then(|size| left(*room, size));
    Some(left.map(|left| {
        *room = left;
        shape
    }))
}

/// The number of events that other series may have beside one of this size.
fn left(room: usize, size: usize) -> Result<usize, String> {
    let too_many = || format!("the series of one import can't have more than {MAX_SERIES_EVENTS} events together");
    room.checked_sub(size).ok_or_else(too_many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_have_a_million_events_together() {
        let mut room = Ok(MAX_SERIES_EVENTS);
        for size in [600_000, 399_999, 1] {
            room = room.and_then(|room| left(room, size));
        }
        assert_eq!(room, Ok(0));
        assert_eq!(left(0, 0), Ok(0));
        assert!(left(0, 1).is_err_and(|reason| reason.contains("1000000 events")));
    }
}
