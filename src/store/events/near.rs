//! Venues around a place.

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::Surroundings;
use crate::{
    calendar::globe,
    store::{entity::venue, visibility::Visibility},
};

/// Kilometres between two degrees of latitude, and a little more.
const KM_PER_DEGREE: f64 = 111.0;

/// The IDs of the venues near the place that all readers see: a box of latitudes, which an index can serve, and in
/// it the circle.
pub fn venues(near: Surroundings, now: i64) -> SelectStatement {
    let Surroundings {
        latitude,
        longitude,
        radius_in_km,
    } = near;
    let reach = radius_in_km / KM_PER_DEGREE;
    let center = globe::point(latitude, longitude);
    let product = [
        (venue::Column::GlobeX, center.x),
        (venue::Column::GlobeY, center.y),
        (venue::Column::GlobeZ, center.z),
    ]
    .map(|(column, value)| Expr::col(column.as_column_ref()).mul(value))
    .into_iter()
    .reduce(ExprTrait::add);
    venue::Entity::find()
        .select_only()
        .column(venue::Column::Id)
        .filter(Visibility::published(now).condition::<venue::Entity>())
        .filter(
            Condition::all()
                .add(venue::Column::GeoLat.between(latitude - reach, latitude + reach))
                .add_option(
                    product.map(|cosine| cosine.gte(globe::cosine_of_distance(radius_in_km))),
                ),
        )
        .into_query()
}
