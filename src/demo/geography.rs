//! The fictional city and towns of the demo calendar, and the regions of its online events.

use crate::calendar::zone::Zone;

/// A town, with the coordinates of its centre in degrees.
pub(super) struct Town {
    pub name: &'static str,
    pub latitude: f64,
    pub longitude: f64,
    /// The prefix of its postal codes.
    pub postal_area: &'static str,
}

impl Town {
    const fn new(name: &'static str, latitude: f64, longitude: f64, postal_area: &'static str) -> Self {
        Self {
            name,
            latitude,
            longitude,
            postal_area,
        }
    }
}

pub(super) const CITY: Town = Town::new("Port Corrigan", 51.902, -8.468, "P81");

/// The towns around the city. The last one is more than 40 km away.
pub(super) const TOWNS: [Town; 5] = [
    Town::new("Saltmarsh", 51.915, -8.173, "P82"),
    Town::new("Kilbrannock", 51.815, -8.391, "P83"),
    Town::new("Ballyferrin", 52.023, -8.612, "P84"),
    Town::new("Gullhaven", 51.707, -8.522, "P85"),
    Town::new("Dún Rois", 51.621, -8.889, "P86"),
];

pub(super) const PROVINCE: &str = "Munster";
pub(super) const COUNTRY: &str = "Ireland";

/// The currency of prices.
#[derive(Clone, Copy)]
pub(super) struct Currency {
    pub sign: &'static str,
    /// Whether prices read `10,50 €` rather than `€10.50`.
    pub is_postfix: bool,
    /// Its approximate exchange rate.
    pub units_per_euro: i64,
}

impl Currency {
    const fn new(sign: &'static str, units_per_euro: i64) -> Self {
        Self {
            sign,
            is_postfix: false,
            units_per_euro,
        }
    }
}

/// A time zone and a currency.
#[derive(Clone, Copy)]
pub(super) struct Region {
    zone: &'static str,
    pub currency: Currency,
}

impl Region {
    const fn new(zone: &'static str, currency: Currency) -> Self {
        Self { zone, currency }
    }

    /// The time zone; UTC if the active time zone rules lack it.
    pub(super) fn zone(&self) -> Zone {
        Zone::parse(self.zone).unwrap_or(Zone::UTC)
    }
}

const EURO: Currency = Currency::new("€", 1);
const POSTFIX_EURO: Currency = Currency {
    is_postfix: true,
    ..EURO
};
const POUND: Currency = Currency::new("£", 1);
const DOLLAR: Currency = Currency::new("$", 1);
const RUPEE: Currency = Currency::new("₹", 90);
const YEN: Currency = Currency::new("¥", 160);

/// The region of the city and the towns.
pub(super) const HOME_REGION: Region = Region::new("Europe/Dublin", EURO);

/// The regions of online events.
pub(super) const ONLINE_REGIONS: [Region; 7] = [
    Region::new("America/New_York", DOLLAR),
    Region::new("Europe/London", POUND),
    Region::new("Asia/Tokyo", YEN),
    Region::new("Asia/Kolkata", RUPEE),
    Region::new("Europe/Berlin", POSTFIX_EURO),
    Region::new("America/Los_Angeles", DOLLAR),
    Region::new("Australia/Sydney", DOLLAR),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region_zones_exist() {
        for region in ONLINE_REGIONS.iter().chain([&HOME_REGION]) {
            assert_eq!(region.zone().name(), region.zone);
        }
    }
}
