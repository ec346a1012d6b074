//! The sort keys of lists of events.

use poem_openapi::registry::{MetaSchema, Registry};

use crate::{
    error::{FieldError, ValidationErrors},
    extract::{
        FromInput, InputValue, MaybeUndefined,
        choice::{OrderDirection, enumeration, one_of},
    },
    store::events::{Direction, EventOrder, GeoCircle, SortKey},
};

/// The sort key of a list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventSortName {
    Start,
    Title,
    Modified,
    Distance,
}

/// The sort keys by their names in requests.
const NAMES: [(&str, EventSortName); 6] = [
    ("date", EventSortName::Start),
    ("start_date", EventSortName::Start),
    ("event_date", EventSortName::Start),
    ("title", EventSortName::Title),
    ("modified", EventSortName::Modified),
    ("distance", EventSortName::Distance),
];

impl FromInput for EventSortName {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(registry, "EventOrder", "The sort key of events.", &NAMES)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &NAMES)
    }
}

/// The order of a list. Without a centre, sorting by distance is a validation error.
pub(super) fn resolve(
    errors: &mut ValidationErrors,
    key: MaybeUndefined<EventSortName>,
    direction: MaybeUndefined<OrderDirection>,
    circle: Option<GeoCircle>,
) -> EventOrder {
    let key = match (key.take().unwrap_or(EventSortName::Start), circle) {
        (EventSortName::Start, _) => SortKey::Start,
        (EventSortName::Title, _) => SortKey::Title,
        (EventSortName::Modified, _) => SortKey::Modified,
        (EventSortName::Distance, Some(circle)) => SortKey::Distance(circle),
        (EventSortName::Distance, None) => {
            let error = FieldError::invalid("can be distance only with geoloc_lat and geoloc_lng");
            errors.add("orderby", error);
            SortKey::Start
        }
    };
    let direction = match direction.take() {
        Some(OrderDirection::Descending) => Direction::Backward,
        Some(OrderDirection::Ascending) | None => Direction::Forward,
    };
    EventOrder { key, direction }
}
