//! Venues on the map.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::{GeoCircle, event_table::EventTable};
use crate::{
    calendar::{geo, status::Status},
    store::{
        entity::{
            event_venue,
            venue::{Column, Entity},
        },
        visibility::Visibility,
    },
};

/// Kilometres between two degrees of latitude, and a little more.
const KM_PER_DEGREE: f64 = 111.0;

/// The IDs of the venues near the place that all readers see: a box of latitudes, which an index can serve, and in
/// it the circle.
pub fn venues_in_circle(circle: GeoCircle, now: i64) -> SelectStatement {
    let GeoCircle {
        latitude,
        longitude,
        radius_in_km,
    } = circle;
    let reach = radius_in_km / KM_PER_DEGREE;
    let center = geo::unit_vector(latitude, longitude);
    let dot_product = [
        (Column::GlobeX, center.x),
        (Column::GlobeY, center.y),
        (Column::GlobeZ, center.z),
    ]
    .map(|(column, value)| Expr::col(column.as_column_ref()).mul(value))
    .into_iter()
    .reduce(ExprTrait::add);
    with_coordinates()
        .filter(Visibility::published(now).condition::<Entity>())
        .filter(
            Condition::all()
                .add(Column::GeoLat.between(latitude - reach, latitude + reach))
                .add_option(dot_product.map(|cosine| cosine.gte(geo::central_angle_cosine(radius_in_km)))),
        )
        .into_query()
}

/// The IDs of the venues with coordinates that all readers see.
pub fn mapped_venues(now: i64) -> SelectStatement {
    with_coordinates()
        .filter(Visibility::published(now).condition::<Entity>())
        .into_query()
}

/// Whether the event of a row links to one of the venues. Its few links are looked at, not all events of the venues.
pub fn has_venue(table: &EventTable, venues: &SelectStatement) -> Expr {
    let other = EventTable::links::<event_venue::Entity>().aliased("other");
    let of_event = Condition::all().add(other.id().eq(table.id()));
    has_link_to(&other, of_event, venues)
}

/// Whether an earlier link of the same event leads to one of the venues too.
pub fn has_earlier_link(links: &EventTable, venues: &SelectStatement) -> Expr {
    let other = links.aliased("other");
    let earlier = Condition::all()
        .add(other.id().eq(links.id()))
        .add(other.column("position").lt(links.column("position")));
    has_link_to(&other, earlier, venues)
}

/// Whether some of the links do.
fn has_link_to(links: &EventTable, condition: Condition, venues: &SelectStatement) -> Expr {
    let mut some = links.select(condition.add(links_to(links, venues)));
    exists_unjoined(some.expr(Expr::val(1)).to_owned())
}

/// Whether a link leads to one of the venues.
pub fn links_to(link: &EventTable, venues: &SelectStatement) -> Expr {
    let same = Expr::col(Column::Id.as_column_ref()).eq(link.column("target_id"));
    exists_unjoined(venues.clone().and_where(same).to_owned())
}

/// Whether there is a row. Without an offset, PostgreSQL joins what it takes for few venues: all of them with each
/// event, or with all of their own events.
fn exists_unjoined(mut rows: SelectStatement) -> Expr {
    Expr::exists(rows.limit(1).offset(0).to_owned())
}

/// Whether the publication of a venue with coordinates is still to come, which is rare.
pub async fn has_scheduled_venues(database: &impl ConnectionTrait, now: i64) -> Result<bool, DbErr> {
    let scheduled = Visibility {
        statuses: vec![Status::Future],
        unpublished_of: None,
        now,
    };
    let one = with_coordinates().filter(scheduled.condition::<Entity>()).limit(1);
    Ok(database.query_one(&one.into_query()).await?.is_some())
}

fn with_coordinates() -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::GeoLat.is_not_null())
        .filter(Column::GeoLng.is_not_null())
}
