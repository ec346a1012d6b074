//! The condition that no earlier event of the same series is in a list.

use sea_orm::{
    Condition,
    sea_query::{Expr, ExprTrait},
};

use super::{Scope, event_table::EventTable, geo::exists_unjoined};
use crate::store::{entity::event::Column, visibility::Visibility};

/// The alias of the events that may be earlier. The condition is one on the table `events`.
const EARLIER: &str = "earlier";

/// The condition that the event is the first one of its series among those that the reader may see and that are in the
/// scope, or that it is in no series.
pub(super) fn next_of_series(visibility: &Visibility, scope: &Scope) -> Condition {
    let (events, earlier) = (EventTable::events(), EventTable::events().aliased(EARLIER));
    let column = |column: Column| (earlier.column(column), events.column(column));
    let (series, own_series) = column(Column::SeriesId);
    let (start, own_start) = column(Column::StartsAt);
    let listed = match scope {
        Scope::Listed(_) => Some(earlier.column(Column::HideFromListings).eq(false)),
        Scope::Ids(_) => None,
    };
    let is_before = Condition::any()
        .add(start.clone().lt(own_start.clone()))
        .add(earlier.id().lt(events.id()));
    let visible = [Column::Status, Column::PublishedAt, Column::AuthorId].map(|column| earlier.column(column));
    let before = Condition::all()
        .add(series.eq(own_series.clone()))
        .add(visibility.condition_on(visible))
        .add_option(listed)
        .add(earlier.in_scope(scope))
        .add(start.lte(own_start))
        .add(is_before);
    let before = earlier.select(before).expr(Expr::val(1)).to_owned();
    Condition::any()
        .add(own_series.is_null())
        .add(exists_unjoined(before).not())
}
