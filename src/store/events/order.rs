//! Orders of lists of events.

use sea_orm::sea_query::Order;

use super::GeoCircle;
use crate::store::PageRequest;

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventOrder {
    /// The columns of the order.
    pub key: SortKey,
    /// Applies to all columns of the key.
    pub direction: Direction,
}

/// The sort key of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SortKey {
    /// The start, then the ID.
    Start,
    /// The title as in a dictionary, then the start, then the ID.
    Title,
    /// The last write, then the ID.
    Modified,
    /// The distance of the nearest venue from the centre of a circle, then the start, then the ID. The list must be
    /// restricted to the same circle by [`super::EventFilter::Near`].
    Distance(GeoCircle),
}

/// The end from which a list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Smallest or earliest first.
    Forward,
    /// Largest or latest first.
    Backward,
}

impl Default for EventOrder {
    fn default() -> Self {
        Self {
            key: SortKey::Start,
            direction: Direction::Forward,
        }
    }
}

impl EventOrder {
    /// Whether the change log treats a change of the key as a change of the texts of one event.
    pub(super) fn depends_on_texts(&self) -> bool {
        match self.key {
            SortKey::Start | SortKey::Distance(_) => false,
            SortKey::Title | SortKey::Modified => true,
        }
    }
}

impl Direction {
    pub(super) fn order(self) -> Order {
        match self {
            Self::Forward => Order::Asc,
            Self::Backward => Order::Desc,
        }
    }

    /// The offset and the number of the rows of a page that is not past the end of the list, if the list is read forward.
    pub(super) fn rows_forward(self, request: PageRequest, total: u64) -> (u64, u64) {
        let offset = request.offset();
        match self {
            Self::Forward => (offset, request.per_page),
            Self::Backward => {
                let end = total.saturating_sub(offset);
                let start = end.saturating_sub(request.per_page);
                (start, end - start)
            }
        }
    }
}
