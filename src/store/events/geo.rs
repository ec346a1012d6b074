//! Conditions on the location of venues.

use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{CaseStatement, Expr, ExprTrait, Func, JoinType, SelectStatement},
};

use super::{GeoBox, GeoCircle, event_table::EventTable};
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

/// A part of the Earth's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GeoArea {
    Circle(GeoCircle),
    /// The points of a circle that are not in a smaller one around the same centre, whose radius is in kilometres.
    Ring(GeoCircle, f64),
    Box(GeoBox),
}

/// The published venues in an area.
#[derive(Clone, Copy, Debug)]
pub(super) struct VenueArea {
    pub area: GeoArea,
    /// The second at which the venues are published, since 1970 UTC.
    pub now: i64,
}

impl VenueArea {
    pub(super) fn new(area: GeoArea, now: i64) -> Self {
        Self { area, now }
    }

    /// Reduces the area to a part of it, if it is this circle.
    pub(super) fn narrow(&mut self, circle: GeoCircle, part: GeoArea) {
        if self.area == GeoArea::Circle(circle) {
            self.area = part;
        }
    }

    /// Selects the IDs of the venues in the area.
    pub(super) fn inside(&self) -> SelectStatement {
        mapped_venues(self.now)
            .cond_where(self.area.contains_venue())
            .to_owned()
    }

    /// Selects the IDs of all other published venues with coordinates.
    pub(super) fn outside(&self) -> SelectStatement {
        mapped_venues(self.now)
            .and_where(any_latitude())
            .cond_where(self.area.contains_venue().not())
            .to_owned()
    }

    /// Estimates whether the area has more than half of the published venues with coordinates, from the box around it.
    /// Selects one row with one column.
    pub(super) fn has_most_venues(&self) -> SelectStatement {
        let in_box: Expr = CaseStatement::new()
            .case(self.area.bounds().contains_venue(), 1)
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
}

impl GeoArea {
    /// The condition that the area contains a venue with coordinates.
    fn contains_venue(&self) -> Condition {
        match self {
            Self::Circle(circle) => circle.contains_venue(),
            Self::Ring(circle, inner_radius) => circle
                .contains_venue()
                .add(circle.cosine_of_venue().lt(geo::central_angle_cosine(*inner_radius))),
            Self::Box(area) => area.contains_venue(),
        }
    }

    /// A box around the area. It may be too large.
    fn bounds(&self) -> GeoBox {
        match self {
            Self::Circle(circle) | Self::Ring(circle, _) => circle.bounds(),
            Self::Box(area) => *area,
        }
    }
}

impl GeoCircle {
    /// By a range of latitudes, which an index serves, and within it by the angle between unit vectors.
    fn contains_venue(&self) -> Condition {
        let GeoBox { south, north, .. } = self.bounds();
        let closest = geo::central_angle_cosine(self.radius_in_km);
        Condition::all()
            .add(Column::GeoLat.between(south, north))
            .add(self.cosine_of_venue().gte(closest))
    }

    /// The cosine of the angle between the centre and a venue with coordinates. It is larger for shorter distances.
    fn cosine_of_venue(&self) -> Expr {
        let center = geo::unit_vector(self.latitude, self.longitude);
        let product = |column: Column, value: f64| Expr::col(column.as_column_ref()).mul(value);
        product(Column::GlobeX, center.x)
            .add(product(Column::GlobeY, center.y))
            .add(product(Column::GlobeZ, center.z))
    }

    /// A box around the circle, if it crosses neither a pole nor the 180th meridian.
    pub(super) fn bounds(&self) -> GeoBox {
        let height = self.radius_in_km / KM_PER_DEGREE;
        let width = height / self.latitude.to_radians().cos().max(f64::EPSILON);
        GeoBox {
            west: self.longitude - width,
            south: self.latitude - height,
            east: self.longitude + width,
            north: self.latitude + height,
        }
    }
}

impl GeoBox {
    fn contains_venue(&self) -> Condition {
        let Self {
            west,
            south,
            east,
            north,
        } = *self;
        let in_latitude = Column::GeoLat.between(south, north);
        let in_longitude = match west <= east {
            true => Condition::all().add(Column::GeoLng.between(west, east)),
            false => Condition::any()
                .add(Column::GeoLng.gte(west))
                .add(Column::GeoLng.lte(east)),
        };
        Condition::all().add(in_latitude).add(in_longitude)
    }
}

/// Selects the cosine of the angle between the centre of a circle and the nearest published venue of the event of a row.
pub(super) fn nearest_cosine(table: &EventTable, circle: GeoCircle, now: i64) -> SelectStatement {
    let other = EventTable::links::<event_venue::Entity>().aliased("other");
    let venue = Expr::col(Column::Id.as_column_ref());
    mapped_venues(now)
        .clear_selects()
        .expr(circle.cosine_of_venue().max())
        .join_as(
            JoinType::InnerJoin,
            event_venue::Entity,
            "other",
            Condition::all().add(other.column("target_id").eq(venue)),
        )
        .and_where(other.id().eq(table.id()))
        .to_owned()
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
/// with all its rows, whose number it underestimates.
pub(super) fn exists_unjoined(mut rows: SelectStatement) -> Expr {
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
