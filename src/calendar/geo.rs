//! Great-circle distances by geocentric coordinates.

/// The mean radius of the Earth, in kilometres (IUGG).
const EARTH_RADIUS_KM: f64 = 6371.0088;

/// A position as a unit vector from the centre of the Earth (an n-vector on a sphere). The dot product of two of them
/// is the cosine of their central angle, so that a database compares distances with products and sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitVector {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

/// The unit vector of a position in degrees.
pub(crate) fn unit_vector(latitude: f64, longitude: f64) -> UnitVector {
    let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
    UnitVector {
        x: latitude.cos() * longitude.cos(),
        y: latitude.cos() * longitude.sin(),
        z: latitude.sin(),
    }
}

/// The dot product of two equal vectors may be below 1 by rounding. Corresponds to about ten metres.
const ROUNDING_TOLERANCE: f64 = 1e-12;

/// The cosine of the central angle of a great-circle distance. It is larger for shorter distances.
pub(crate) fn central_angle_cosine(distance_km: f64) -> f64 {
    (distance_km / EARTH_RADIUS_KM).min(std::f64::consts::PI).cos() - ROUNDING_TOLERANCE
}

/// The great-circle distance of two positions, in kilometres, from the cosine of their central angle.
pub(crate) fn distance_km(cosine: f64) -> f64 {
    cosine.clamp(-1.0, 1.0).acos() * EARTH_RADIUS_KM
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(one: UnitVector, other: UnitVector) -> f64 {
        distance_km(one.x * other.x + one.y * other.y + one.z * other.z)
    }

    #[test]
    fn known_distances() {
        for (one, other, expected) in [
            ((52.52, 13.405), (52.52, 13.405), 0.0),
            ((0.0, 0.0), (0.0, 1.0), 111.195),
            ((52.52, 13.405), (48.8566, 2.3522), 877.5),
            ((-18.0, 179.9), (-18.0, -179.9), 21.15),
            ((90.0, 0.0), (-90.0, 0.0), 20015.1),
        ] {
            let found = distance(unit_vector(one.0, one.1), unit_vector(other.0, other.1));
            assert!((found - expected).abs() < 0.5, "{one:?} {other:?}: {found}");
        }
    }

    #[test]
    fn cosine_decreases_with_distance() {
        assert!(central_angle_cosine(39.0) > central_angle_cosine(40.0));
        assert!(central_angle_cosine(40_000.0) <= central_angle_cosine(20_000.0));
    }
}
