//! What a rule means, before it is stored.

use chrono::NaiveDateTime;

use super::{create::written_start, parse};
use crate::{
    auth::Caller,
    calendar::{
        date::{DateTimeInput, instant_at},
        local_time::{EventTimes, LocalTime},
    },
    error::{Problem, ValidationErrors},
    extract::{MaybeUndefined, lenient_bool::LenientBool, recurrence::RecurrenceLines, text::ZoneName},
    services::event as service,
    store::{entity::event, series::Shape},
};

/// The number of events of a preview.
const LENGTH: usize = 50;

/// The times of the first event, and the rule.
#[derive(Debug)]
pub(crate) struct PreviewTimes {
    pub timezone: MaybeUndefined<ZoneName>,
    pub all_day: MaybeUndefined<LenientBool>,
    pub start_date: MaybeUndefined<DateTimeInput>,
    pub end_date: MaybeUndefined<DateTimeInput>,
    pub recurrence: MaybeUndefined<RecurrenceLines>,
}

/// The first events of a series that is not stored.
pub(crate) struct Preview {
    pub shape: Shape,
    pub slots: Vec<NaiveDateTime>,
    /// The number of all events; None if the rule has no end.
    pub total: Option<usize>,
}

/// Expands a rule. `errors` are those of its fields.
pub(crate) fn preview(caller: &Caller, times: PreviewTimes, mut errors: ValidationErrors) -> Result<Preview, Problem> {
    let PreviewTimes {
        timezone,
        all_day,
        start_date,
        end_date,
        recurrence,
    } = times;
    let written = written_start(&start_date);
    let end_date = match end_date {
        MaybeUndefined::Value(end) => MaybeUndefined::Value(end),
        _ => start_date.clone(),
    };
    let zone = caller.almanac.settings.site.zone;
    let epoch = LocalTime::at(&zone, instant_at(0));
    let mut event = event::Model::default();
    event.set_times(&EventTimes {
        zone,
        start: epoch,
        end: epoch,
    });
    let has_start = start_date.value().is_some();
    service::set_times(caller, &mut errors, &mut event, timezone, all_day, start_date, end_date);
    let times = event.times(&zone);
    let start = Shape::first_slot(written.unwrap_or(times.start.local), event.all_day);
    let rule = match recurrence.value().filter(|_| has_start) {
        Some(lines) => parse(&mut errors, lines, start, event.all_day, &times.zone),
        None => None,
    };
    errors.into_result()?;
    let rule = rule.ok_or_else(|| Problem::internal("a rule without errors was not parsed"))?;
    let total = (!rule.is_endless()).then(|| rule.slots(None, None).count());
    let slots = rule.slots(None, None).take(LENGTH).collect();
    let shape = Shape {
        rule,
        zone: times.zone,
        duration: Shape::duration_of(&times, event.all_day),
        all_day: event.all_day,
    };
    Ok(Preview { shape, slots, total })
}
