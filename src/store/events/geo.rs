//! Venues on the map.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::{GeoCircle, event_table::Source};
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
pub fn venues(near: GeoCircle, now: i64) -> SelectStatement {
    let GeoCircle {
        latitude,
        longitude,
        radius_in_km,
    } = near;
    let reach = radius_in_km / KM_PER_DEGREE;
    let center = geo::unit_vector(latitude, longitude);
    let product = [
        (Column::GlobeX, center.x),
        (Column::GlobeY, center.y),
        (Column::GlobeZ, center.z),
    ]
    .map(|(column, value)| Expr::col(column.as_column_ref()).mul(value))
    .into_iter()
    .reduce(ExprTrait::add);
    mapped()
        .filter(Visibility::published(now).condition::<Entity>())
        .filter(
            Condition::all()
                .add(Column::GeoLat.between(latitude - reach, latitude + reach))
                .add_option(product.map(|cosine| cosine.gte(geo::central_angle_cosine(radius_in_km)))),
        )
        .into_query()
}

/// The IDs of the venues with coordinates that all readers see.
pub fn on_the_map(now: i64) -> SelectStatement {
    mapped()
        .filter(Visibility::published(now).condition::<Entity>())
        .into_query()
}

/// Whether the event of a row links to one of the venues. Its few links are looked at, not all events of the venues.
pub fn happens_at(source: &Source, venues: &SelectStatement) -> Expr {
    let other = Source::links::<event_venue::Entity>().named("other");
    let of_event = Condition::all().add(other.id().eq(source.id()));
    lead_to(&other, of_event, venues)
}

/// Whether an earlier link of the same event leads to one of the venues too.
pub fn is_further(links: &Source, venues: &SelectStatement) -> Expr {
    let other = links.named("other");
    let earlier = Condition::all()
        .add(other.id().eq(links.id()))
        .add(other.column("position").lt(links.column("position")));
    lead_to(&other, earlier, venues)
}

/// Whether some of the links do.
fn lead_to(links: &Source, condition: Condition, venues: &SelectStatement) -> Expr {
    let mut some = links.rows(condition.add(leads_to(links, venues)));
    exists_by_itself(some.expr(Expr::val(1)).to_owned())
}

/// Whether a link leads to one of the venues.
pub fn leads_to(link: &Source, venues: &SelectStatement) -> Expr {
    let same = Expr::col(Column::Id.as_column_ref()).eq(link.column("target_id"));
    exists_by_itself(venues.clone().and_where(same).to_owned())
}

/// Whether there is a row. Without an offset, PostgreSQL joins what it takes for few venues: all of them with each
/// event, or with all of their own events.
fn exists_by_itself(mut rows: SelectStatement) -> Expr {
    Expr::exists(rows.limit(1).offset(0).to_owned())
}

/// Whether the publication of a venue with coordinates is still to come, which is rare.
pub async fn are_planned(database: &impl ConnectionTrait, now: i64) -> Result<bool, DbErr> {
    let planned = Visibility {
        statuses: vec![Status::Future],
        unpublished_of: None,
        now,
    };
    let one = mapped().filter(planned.condition::<Entity>()).limit(1);
    Ok(database.query_one(&one.into_query()).await?.is_some())
}

fn mapped() -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::GeoLat.is_not_null())
        .filter(Column::GeoLng.is_not_null())
}
