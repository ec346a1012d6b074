//! The query of lists of events.

use almanac_derive::Parameters;
use poem_openapi::registry::MetaSchema;
use sea_orm::ConnectionTrait;
use serde_json::json;

use crate::{
    api::{
        paging::Paging,
        publishable::{visibility, visible_ids},
    },
    auth::Caller,
    calendar::{
        date::{CacheLifetime, DateTimeInput},
        window::{Bounds, window},
    },
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        MaybeUndefined,
        choice::StatusList,
        lenient_bool::LenientBool,
        number::{Id, Ids, Number, list_of_integers_from},
        references::{Reference, References},
        text::Search,
    },
    services::term_references::find_term,
    store::{
        PageRequest, Publishable, Term,
        entity::{category, organizer, tag, venue},
        events::{self, EventFilter, GeoCircle, Scope},
    },
};

const START_DATE_A: &str = "Only events that start at this date or later. A date without a time counts from its 00:00. Read in the \
         site's time zone, unless it carries an offset. Default: today. Forms: `2027-03-01`, `2027-03-01 09:00`, \
         `2027-03-01 09:00:00`, slashes for hyphens, `T` for the space, RFC 3339 with `Z` or an offset, or \
         relative, as `now`, `tomorrow 9am`, `+1 day` or `next monday`.";

const START_DATE_B: &str = "Only events that start on this date or later. Its whole day counts, from 00:00, whatever time is given; \
         with `strict_dates` the exact time does. Read in the site's time zone, unless it carries an offset. \
         Default: today, or no bound if `starts_before`, `starts_after`, `ends_before` or `ends_after` is given. \
         Forms: `2027-03-01`, `2027-03-01 09:00`, `2027-03-01 09:00:00`, slashes for hyphens, `T` for the space, \
         RFC 3339 with `Z` or an offset, or relative, as `now`, `tomorrow 9am`, `+1 day` or `next monday`.";

const END_DATE_A: &str = "Only events that start at this date or earlier; they may end later. A date without a time takes its whole \
         day in. Default: two years after today. Forms and time zone as for `start_date`.";

const END_DATE_B: &str = "Only events that end on this date or earlier. Its whole day counts, to 23:59:59, whatever time is given; \
         with `strict_dates` the exact time does, if there is one. Default: two years after today, or no bound if \
         `starts_before`, `starts_after`, `ends_before` or `ends_after` is given. Forms and time zone as for \
         `start_date`.";

/// IDs of which unknown ones are refused: 0 is none.
fn ids_of_existing(_schema: MetaSchema) -> MetaSchema {
    list_of_integers_from(1)
}

/// The query parameters of lists of events.
#[derive(Debug, Parameters)]
pub struct EventQuery {
    #[param(flatten)]
    pub paging: Paging,
    #[param(description_in(A, START_DATE_A))]
    #[param(description_in(B, START_DATE_B))]
    #[param(example = "2027-03-01 00:00:00")]
    pub start_date: MaybeUndefined<DateTimeInput>,
    #[param(description_in(A, END_DATE_A))]
    #[param(description_in(B, END_DATE_B))]
    #[param(example = "2027-03-31 23:59:59")]
    pub end_date: MaybeUndefined<DateTimeInput>,
    /// Only events that start before this date, or on its day: `2027-03-01` takes all of 1 March in. With
    /// `strict_dates`, only those that start before the exact time. Forms and time zone as for `start_date`.
    #[param(only(B), example = "2027-04-01 00:00:00")]
    pub starts_before: MaybeUndefined<DateTimeInput>,
    /// Only events that start after the day of this date: `2027-03-01` gives those from 2 March 00:00 on. With
    /// `strict_dates`, those that start later than the exact time. Forms and time zone as for `start_date`.
    #[param(only(B), example = "2027-03-01 09:00:00")]
    pub starts_after: MaybeUndefined<DateTimeInput>,
    /// Only events that end before this date, or on its day: `2027-03-01` takes all of 1 March in. With `strict_dates`,
    /// only those that end before the exact time. Forms and time zone as for `start_date`.
    #[param(only(B), example = "2027-04-01 00:00:00")]
    pub ends_before: MaybeUndefined<DateTimeInput>,
    /// Only events that end after the day of this date: `2027-03-01` gives those from 2 March 00:00 on. With
    /// `strict_dates`, those that end later than the exact time. Forms and time zone as for `start_date`.
    #[param(only(B), example = "2027-03-01 09:00:00")]
    pub ends_after: MaybeUndefined<DateTimeInput>,
    /// Take all date filters at the exact times given. Otherwise each of them covers whole days, and its time of day
    /// does not count.
    #[param(default = false, only(B), example = true)]
    pub strict_dates: MaybeUndefined<LenientBool>,
    /// Only events whose title or description contains every one of these words, in any order, and every phrase in
    /// quotes, as `"jazz night"`. A `-` in front of a word or a phrase excludes what contains it; exclusions alone are
    /// answered with 400. Parts of words match; letter case, accents and markup do not count.
    #[param(example = "concert")]
    pub search: MaybeUndefined<Search>,
    /// Only events in at least one of these categories or their subcategories. IDs or slugs, as `1,2` or by repeating
    /// the parameter; an unknown one is answered with 400.
    #[param(example = json!([1]))]
    pub categories: MaybeUndefined<References>,
    /// Only events with at least one of these tags. IDs or slugs, as `1,2` or by repeating the parameter; an unknown
    /// one is answered with 400.
    #[param(example = json!([1]))]
    pub tags: MaybeUndefined<References>,
    /// Only events at one of these venues. IDs, as `1,2` or by repeating the parameter; an unknown one is answered with
    /// 400, and one that you may not read matches nothing.
    #[param(schema(ids_of_existing), example = json!([1]))]
    pub venue: MaybeUndefined<Ids>,
    /// Only events by at least one of these organizers. IDs, as `1,2` or by repeating the parameter; an unknown one is
    /// answered with 400, and one that you may not read matches nothing.
    #[param(schema(ids_of_existing), example = json!([1]))]
    pub organizer: MaybeUndefined<Ids>,
    /// `true`: only featured events. `false`: only those that are not. Absent: both.
    #[param(example = true)]
    pub featured: MaybeUndefined<LenientBool>,
    pub status: MaybeUndefined<StatusList>,
    /// `true`: only events at a venue with coordinates. `false`: only those without one. Needs no extension.
    #[param(example = true)]
    pub geoloc: MaybeUndefined<LenientBool>,
    /// Latitude, in decimal degrees, of a place to look around: only events with a venue near it, within 40 km unless
    /// the server is configured otherwise. `geoloc_lng` must be given too. Needs no extension.
    #[param(example = 52.52)]
    pub geoloc_lat: MaybeUndefined<Number<-90, 90>>,
    /// Longitude, in decimal degrees, east positive, of the place to look around. `geoloc_lat` must be given too. Needs
    /// no extension.
    #[param(example = 13.405)]
    pub geoloc_lng: MaybeUndefined<Number<-180, 180>>,
    /// Only these events, even where they are hidden from listings. IDs, as `1,2` or by repeating the parameter;
    /// unknown ones are left out. All date filters are then ignored, the default ones too.
    #[param(example = json!([1, 2]))]
    pub include: MaybeUndefined<Ids>,
    /// Only events whose `post_parent` is this ID. An ID that nothing has gives an empty list.
    #[param(example = 1)]
    pub post_parent: MaybeUndefined<Id>,
    /// `true`: only events with tickets. `false`: only events without. Absent: both.
    #[param(only(B), example = true)]
    pub ticketed: MaybeUndefined<LenientBool>,
}

impl EventQuery {
    /// Resolves the parameters to a query of the store, once all of them are right. Returns the requested page too, and
    /// for how long the response is the same.
    pub async fn resolve(
        self,
        reader: &Caller,
        database: &impl ConnectionTrait,
        mut errors: ValidationErrors,
    ) -> Result<(PageRequest, events::EventQuery, CacheLifetime), Problem> {
        // Destructured, so that the compiler finds a parameter that is not used.
        let Self {
            paging,
            start_date,
            end_date,
            starts_before,
            starts_after,
            ends_before,
            ends_after,
            strict_dates,
            search,
            categories,
            tags,
            venue,
            organizer,
            featured,
            status,
            geoloc,
            geoloc_lat,
            geoloc_lng,
            include,
            post_parent,
            ticketed,
        } = self;
        let settings = &reader.almanac.settings;
        let flag = |field: MaybeUndefined<LenientBool>| field.take().map(|flag| flag.0);
        let bounds = Bounds {
            start_date: start_date.take(),
            end_date: end_date.take(),
            starts_before: starts_before.take(),
            starts_after: starts_after.take(),
            ends_before: ends_before.take(),
            ends_after: ends_after.take(),
            strict: flag(strict_dates).unwrap_or(false),
        };
        let window = window(&bounds, reader.variant, &settings.site.zone, reader.now);
        let near = circle(&mut errors, geoloc_lat, geoloc_lng, settings.geoloc_radius_km);
        let categories = term_ids::<category::Entity>(database, &mut errors, categories).await?;
        let tags = term_ids::<tag::Entity>(database, &mut errors, tags).await?;
        let venues = linked_ids::<venue::Entity>(reader, database, &mut errors, venue).await?;
        let organizers = linked_ids::<organizer::Entity>(reader, database, &mut errors, organizer).await?;
        errors.into_result()?;
        let filters = [
            flag(featured).map(EventFilter::Featured),
            flag(ticketed).map(EventFilter::Ticketed),
            flag(geoloc).map(EventFilter::Located),
            search.take().map(|search| EventFilter::Search(search.0)),
            categories.map(EventFilter::Categories),
            tags.map(EventFilter::Tags),
            venues.map(EventFilter::Venues),
            organizers.map(EventFilter::Organizers),
            near.map(EventFilter::Near),
            post_parent.take().map(|id| EventFilter::Parent(id.0)),
        ];
        let query = events::EventQuery {
            visibility: visibility(reader, status)?,
            scope: match include.take() {
                Some(ids) => Scope::Ids(ids.0),
                None => Scope::Listed(window),
            },
            filters: filters.into_iter().flatten().collect(),
        };
        Ok((paging.request(reader), query, bounds.cache_lifetime(reader.variant)))
    }
}

/// The circle around a position, of which both coordinates are needed.
fn circle(
    errors: &mut ValidationErrors,
    latitude: MaybeUndefined<Number<-90, 90>>,
    longitude: MaybeUndefined<Number<-180, 180>>,
    radius_in_km: f64,
) -> Option<GeoCircle> {
    match (latitude.take(), longitude.take()) {
        (Some(latitude), Some(longitude)) => {
            return Some(GeoCircle {
                latitude: latitude.0,
                longitude: longitude.0,
                radius_in_km,
            });
        }
        (None, None) => {}
        (Some(_), None) => errors.add("geoloc_lng", FieldError::invalid("is needed beside geoloc_lat")),
        (None, Some(_)) => errors.add("geoloc_lat", FieldError::invalid("is needed beside geoloc_lng")),
    }
    None
}

/// The IDs of the terms of a filter, which must exist.
async fn term_ids<E: Term>(
    database: &impl ConnectionTrait,
    errors: &mut ValidationErrors,
    references: MaybeUndefined<References>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(references) = references.take() else {
        return Ok(None);
    };
    let mut ids = Vec::new();
    let mut unknown = Vec::new();
    for reference in references.0 {
        match find_term::<E>(database, &reference).await? {
            Some(id) => ids.push(id),
            None => unknown.push(match reference {
                Reference::Id(id) => id.to_string(),
                Reference::Name(name) => name,
            }),
        }
    }
    if !unknown.is_empty() {
        let plural = E::KIND.plural();
        let expected = format!("must be IDs or slugs of existing {plural}");
        errors.add(plural, FieldError::unknown_references(&expected, &unknown));
    }
    Ok(Some(ids))
}

/// The IDs of the venues or organizers of a filter that the reader may see. All must exist.
async fn linked_ids<E: Publishable>(
    reader: &Caller,
    database: &impl ConnectionTrait,
    errors: &mut ValidationErrors,
    ids: MaybeUndefined<Ids>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(ids) = ids.take() else {
        return Ok(None);
    };
    let ids = visible_ids::<E>(reader, database, errors, E::KIND.name(), &ids.0).await?;
    Ok(Some(ids))
}
