//! The meaning of filters and orders for one event. Only the folding of titles is that of the server.

use almanac::testing::{calendar::text::fold, store::events::GeoBox};

/// Whether the box contains the point in degrees north and east.
pub(crate) fn is_in(area: GeoBox, (north, east): (f64, f64)) -> bool {
    let is_between = |west, east_end| west <= east && east <= east_end;
    let in_longitude = match area.west <= area.east {
        true => is_between(area.west, area.east),
        false => is_between(area.west, 180.0) || is_between(-180.0, area.east),
    };
    in_longitude && area.south <= north && north <= area.north
}

/// The lowest and highest amount of a cost of the demo in hundredths.
pub(crate) fn amounts(cost: &str) -> Option<(i64, i64)> {
    if cost == "Free" {
        return Some((0, 0));
    }
    let amounts = cost.split('–').filter_map(|part| {
        let number = part.replace(',', ".");
        let number = number.trim_matches(|letter: char| !letter.is_ascii_digit());
        let amount: f64 = number.parse().ok()?;
        Some((amount * 100.0).round() as i64)
    });
    let amounts: Vec<i64> = amounts.collect();
    amounts.iter().min().copied().zip(amounts.iter().max().copied())
}

/// Titles as in a dictionary: without accents and case, and then with accents.
pub(crate) fn sort_title(title: &str) -> (String, String) {
    let lower = title.to_lowercase();
    let folded = fold(title);
    let accents = if lower == folded { String::new() } else { lower };
    (folded, accents)
}

/// The haversine distance of two points in degrees north and east.
pub(crate) fn distance_in_km(one: (f64, f64), other: (f64, f64)) -> f64 {
    let half = |one: f64, other: f64| ((other - one).to_radians() / 2.0).sin().powi(2);
    let along = one.0.to_radians().cos() * other.0.to_radians().cos() * half(one.1, other.1);
    2.0 * 6371.0088 * (half(one.0, other.0) + along).sqrt().asin()
}
