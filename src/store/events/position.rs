//! Tests whether positions in memory are in an area, by the same rules as the conditions in `geo`.

use sea_orm::DbErr;

use super::{GeoBox, GeoCircle, geo::GeoArea};
use crate::{
    calendar::geo::{UnitVector, central_angle_cosine, unit_vector},
    store::{entity::venue::Column, row::Row},
};

/// The coordinates of a venue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Degrees north.
    latitude: f64,
    /// Degrees east.
    longitude: f64,
    /// The same place.
    globe: UnitVector,
}

impl Position {
    /// The columns of [`Self::from_row`].
    pub(super) const COLUMNS: [Column; 5] = [
        Column::GeoLat,
        Column::GeoLng,
        Column::GlobeX,
        Column::GlobeY,
        Column::GlobeZ,
    ];

    /// Reads the columns, which begin at the index `first`.
    pub(super) fn from_row(row: &Row<'_>, first: usize) -> Result<Self, DbErr> {
        let [latitude, longitude, x, y, z] = [0, 1, 2, 3, 4].map(|column| row.real(first + column));
        Ok(Self {
            latitude: latitude?,
            longitude: longitude?,
            globe: UnitVector { x: x?, y: y?, z: z? },
        })
    }
}

impl GeoArea {
    /// Returns a test whether the area contains a position.
    pub(super) fn test(&self) -> Box<dyn Fn(&Position) -> bool> {
        match *self {
            Self::Circle(circle) => Box::new(circle.test()),
            Self::Ring(circle, inner_radius) => {
                let (is_inside, cosine) = (circle.test(), circle.cosine());
                let inner = central_angle_cosine(inner_radius);
                Box::new(move |position| is_inside(position) && cosine(position) < inner)
            }
            Self::Box(area) => Box::new(move |position| area.contains(position)),
        }
    }
}

impl GeoCircle {
    /// Returns a test whether the circle contains a position.
    pub(super) fn test(&self) -> impl Fn(&Position) -> bool + use<> {
        let GeoBox { south, north, .. } = self.bounds();
        let (cosine, closest) = (self.cosine(), central_angle_cosine(self.radius_in_km));
        move |position| (south..=north).contains(&position.latitude) && cosine(position) >= closest
    }

    /// Returns a function for the cosine of the angle between the centre and a position.
    pub(super) fn cosine(&self) -> impl Fn(&Position) -> f64 + use<> {
        let center = unit_vector(self.latitude, self.longitude);
        // Summed up in the same order as by the database, so that the results are equal.
        move |Position { globe, .. }| globe.x * center.x + globe.y * center.y + globe.z * center.z
    }
}

impl GeoBox {
    fn contains(&self, position: &Position) -> bool {
        let longitude = position.longitude;
        let is_in_longitude = match self.west <= self.east {
            true => (self.west..=self.east).contains(&longitude),
            false => longitude >= self.west || longitude <= self.east,
        };
        (self.south..=self.north).contains(&position.latitude) && is_in_longitude
    }
}
