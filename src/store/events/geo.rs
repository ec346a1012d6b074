//! Conditions on the location of venues.

use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{CaseStatement, Expr, ExprTrait, Func, SelectStatement},
};

use super::{GeoCircle, event_table::EventTable};
use crate::{
    calendar::{geo, status::Status},
    store::{
        count,
        entity::{
            event_venue,
            venue::{Column, Entity},
        },
        read_connection::ReadConnection,
        visibility::Visibility,
    },
};

/// A lower bound of the kilometres per degree of latitude.
const KM_PER_DEGREE: f64 = 111.0;

/// The published venues in a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct VenueArea {
    circle: GeoCircle,
    /// Seconds since 1970 UTC.
    now: i64,
}

impl VenueArea {
    pub(super) fn new(circle: GeoCircle, now: i64) -> Self {
        Self { circle, now }
    }

    /// Selects the IDs of the venues in the area.
    pub(super) fn inside(&self) -> SelectStatement {
        mapped_venues(self.now).cond_where(self.is_inside()).to_owned()
    }

    /// Selects the IDs of all other published venues with coordinates.
    pub(super) fn outside(&self) -> SelectStatement {
        mapped_venues(self.now)
            .and_where(any_latitude())
            .cond_where(self.is_inside().not())
            .to_owned()
    }

    /// Estimates whether the area has more than half of the published venues with coordinates, from the box around it.
    /// Selects one row with one column.
    pub(super) fn has_most_venues(&self) -> SelectStatement {
        let GeoCircle {
            latitude, longitude, ..
        } = self.circle;
        let reach = self.reach();
        let width = reach / latitude.to_radians().cos().max(f64::EPSILON);
        let in_box: Expr = CaseStatement::new()
            .case(
                Condition::all()
                    .add(Column::GeoLat.between(latitude - reach, latitude + reach))
                    .add(Column::GeoLng.between(longitude - width, longitude + width)),
                1,
            )
            .finally(0)
            .into();
        let mut venues = mapped_venues(self.now);
        venues
            .clear_selects()
            .expr(Func::coalesce([
                in_box.sum().mul(2).gt(count::rows()),
                Expr::val(false),
            ]))
            .and_where(any_latitude())
            .to_owned()
    }

    /// By a range of latitudes, which an index serves, and within it by the angle between unit vectors.
    fn is_inside(&self) -> Condition {
        let GeoCircle {
            latitude,
            longitude,
            radius_in_km,
        } = self.circle;
        let center = geo::unit_vector(latitude, longitude);
        let dot_product = [
            (Column::GlobeX, center.x),
            (Column::GlobeY, center.y),
            (Column::GlobeZ, center.z),
        ]
        .map(|(column, value)| Expr::col(column.as_column_ref()).mul(value))
        .into_iter()
        .reduce(ExprTrait::add);
        let reach = self.reach();
        Condition::all()
            .add(Column::GeoLat.between(latitude - reach, latitude + reach))
            .add_option(dot_product.map(|cosine| cosine.gte(geo::central_angle_cosine(radius_in_km))))
    }

    /// The radius in degrees of latitude, rounded up.
    fn reach(&self) -> f64 {
        self.circle.radius_in_km / KM_PER_DEGREE
    }
}

/// A range of all latitudes, so that the index on the position is used.
fn any_latitude() -> Expr {
    Column::GeoLat.between(-90.0, 90.0)
}

/// Selects the IDs of the published venues with coordinates.
pub(super) fn mapped_venues(now: i64) -> SelectStatement {
    with_coordinates()
        .filter(Visibility::published(now).condition::<Entity>())
        .into_query()
}

/// Whether the event of a row links to one of the venues. Checks the few links of the event instead of all events of the
/// venues.
pub(super) fn has_venue(table: &EventTable, venues: &SelectStatement) -> Expr {
    let other = EventTable::links::<event_venue::Entity>().aliased("other");
    let of_event = Condition::all().add(other.id().eq(table.id()));
    has_link_to(&other, of_event, venues)
}

/// Whether an earlier link of the same event also refers to one of the venues.
pub(super) fn has_earlier_link(links: &EventTable, venues: &SelectStatement) -> Expr {
    let other = links.aliased("other");
    let earlier = Condition::all()
        .add(other.id().eq(links.id()))
        .add(other.column("position").lt(links.column("position")));
    has_link_to(&other, earlier, venues)
}

/// Whether one of the links that meet the condition refers to one of the venues.
fn has_link_to(links: &EventTable, condition: Condition, venues: &SelectStatement) -> Expr {
    let mut some = links.select(condition.add(links_to(links, venues)));
    exists_unjoined(some.expr(Expr::val(1)).to_owned())
}

/// Whether a link refers to one of the venues.
pub(super) fn links_to(link: &EventTable, venues: &SelectStatement) -> Expr {
    let same = Expr::col(Column::Id.as_column_ref()).eq(link.column("target_id"));
    exists_unjoined(venues.clone().and_where(same).to_owned())
}

/// Whether a row exists, evaluated per outer row. `LIMIT … OFFSET` keeps PostgreSQL from turning the subquery into a join
/// with all venues, whose number it underestimates.
fn exists_unjoined(mut rows: SelectStatement) -> Expr {
    Expr::exists(rows.limit(1).offset(0).to_owned())
}

/// Whether a venue with coordinates is scheduled for publication, which is rare.
pub(super) async fn has_scheduled_venues(database: &impl ReadConnection, now: i64) -> Result<bool, DbErr> {
    let scheduled = Visibility {
        statuses: vec![Status::Future],
        unpublished_of: None,
        now,
    };
    let one = with_coordinates().filter(scheduled.condition::<Entity>()).limit(1);
    let one: Option<[i64; 1]> = database.row(&one.into_query()).await?;
    Ok(one.is_some())
}

fn with_coordinates() -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::GeoLat.is_not_null())
        .filter(Column::GeoLng.is_not_null())
}
