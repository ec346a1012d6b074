//! The query parameters of lists of events for their venues' coordinates.

use almanac_derive::Parameters;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use serde_json::json;

use crate::{
    error::{FieldError, ValidationErrors},
    extract::{FromInput, InputValue, MaybeUndefined, lenient_bool::LenientBool, number::Number},
    store::events::{EventFilter, GeoBox, GeoCircle},
};

/// The query parameters of lists of events for their venues' coordinates.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct PlaceQuery {
    /// `true`: only events at a venue with coordinates. `false`: only events without such a venue. Requires no
    /// extension.
    #[param(example = true)]
    pub geoloc: MaybeUndefined<LenientBool>,
    /// Latitude of the centre of a search, in decimal degrees: only events with a venue within `geoloc_radius`.
    /// Requires `geoloc_lng`. Requires no extension.
    #[param(example = 52.52)]
    pub geoloc_lat: MaybeUndefined<Number<-90, 90>>,
    /// Longitude of the centre of a search, in decimal degrees, east positive. Requires `geoloc_lat`. Requires no
    /// extension.
    #[param(example = 13.405)]
    pub geoloc_lng: MaybeUndefined<Number<-180, 180>>,
    /// Radius of a search in kilometres. Default: the configured radius (by default 40 km). Requires `geoloc_lat` and
    /// `geoloc_lng`.
    #[param(example = 25)]
    pub geoloc_radius: MaybeUndefined<Number<0, 500>>,
    /// Only events with a venue in this box: west, south, east and north, in decimal degrees. A box whose west is
    /// greater than its east crosses the 180th meridian.
    #[param(example = json!([13.0, 52.3, 13.8, 52.7]))]
    pub geoloc_box: MaybeUndefined<BoxInput>,
}

impl PlaceQuery {
    /// The filters, and the centre of the search, if there is one.
    pub(super) fn resolve(
        self,
        errors: &mut ValidationErrors,
        default_radius_in_km: f64,
    ) -> (Vec<EventFilter>, Option<GeoCircle>) {
        // Destructured so that the compiler reports unused parameters.
        let Self {
            geoloc,
            geoloc_lat,
            geoloc_lng,
            geoloc_radius,
            geoloc_box,
        } = self;
        let radius = geoloc_radius.take().map(|radius| radius.0);
        let circle = match (geoloc_lat.take(), geoloc_lng.take()) {
            (Some(latitude), Some(longitude)) => Some(GeoCircle {
                latitude: latitude.0,
                longitude: longitude.0,
                radius_in_km: radius.unwrap_or(default_radius_in_km),
            }),
            (latitude, longitude) => {
                let centre = [("geoloc_lat", latitude.is_some()), ("geoloc_lng", longitude.is_some())];
                let given = centre.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name);
                if let Some(given) = given.or(radius.map(|_| "geoloc_radius")) {
                    for (missing, _) in centre.iter().filter(|(_, is_given)| !is_given) {
                        errors.add(missing, FieldError::invalid(format!("is required with {given}")));
                    }
                }
                None
            }
        };
        let filters = [
            geoloc.take().map(|flag| EventFilter::Located(flag.0)),
            circle.map(EventFilter::Near),
            geoloc_box.take().map(|area| EventFilter::InBox(area.0)),
        ];
        (filters.into_iter().flatten().collect(), circle)
    }
}

/// A box on the Earth's surface: west, south, east and north.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoxInput(GeoBox);

impl FromInput for BoxInput {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        let degrees = MetaSchema {
            minimum: Some(-180.0),
            maximum: Some(180.0),
            ..MetaSchema::new_with_format("number", "double")
        };
        MetaSchema {
            items: Some(Box::new(MetaSchemaRef::Inline(Box::new(degrees)))),
            min_items: Some(4),
            max_items: Some(4),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let items = input.items();
        let degrees: Vec<f64> = items
            .iter()
            .filter_map(|value| value.as_str()?.trim().parse().ok())
            .collect();
        match degrees[..] {
            [west, south, east, north]
                if items.len() == 4
                    && [west, east]
                        .iter()
                        .all(|longitude| (-180.0..=180.0).contains(longitude))
                    && -90.0 <= south
                    && south <= north
                    && north <= 90.0 =>
            {
                Ok(Self(GeoBox {
                    west,
                    south,
                    east,
                    north,
                }))
            }
            _ => Err(FieldError::invalid(
                "must be west,south,east,north in degrees, with longitudes from -180 to 180 and south <= north from -90 to 90",
            )),
        }
    }
}
