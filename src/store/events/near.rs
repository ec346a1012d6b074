//! Venues on the map.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    QueryTrait, Select,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::Surroundings;
use crate::{
    calendar::{globe, status::Status},
    store::{
        entity::venue::{Column, Entity},
        visibility::Visibility,
    },
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
                .add_option(
                    product.map(|cosine| cosine.gte(globe::cosine_of_distance(radius_in_km))),
                ),
        )
        .into_query()
}

/// The IDs of the venues with coordinates that all readers see.
pub fn on_the_map(now: i64) -> SelectStatement {
    mapped()
        .filter(Visibility::published(now).condition::<Entity>())
        .into_query()
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
