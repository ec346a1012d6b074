//! The query of lists of events.

use std::iter::zip;

use almanac_derive::Parameters;
use serde_json::json;

use super::{
    order::{self, EventSortName},
    place::PlaceQuery,
    price::PriceQuery,
    recurrences::RecurrencesName,
};
use crate::{
    api::{
        external_id::ExternalIdQuery,
        modification::Modification,
        paging::Paging,
        publishable::{visibility, visible_ids},
    },
    auth::Caller,
    calendar::{
        date::{CacheLifetime, DateTimeInput},
        title_key::title_key,
        window::{Bounds, DefaultWindow, Span},
    },
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        MaybeUndefined,
        authors::{Author, Authors},
        choice::{EventStatusList, OrderDirection, StatusList},
        lenient_bool::LenientBool,
        number::{Id, Ids},
        references::{ExistingIds, References},
        text::{Search, Title},
    },
    store::{
        PageRequest, Publishable, Term,
        entity::{category, event, organizer, tag, venue},
        events::{self, EventFilter, Scope},
        read_connection::ReadConnection,
        series::{self, Series},
        term,
    },
};

const START_DATE_A: &str = "Only events that start at this date or later. A date without a time means its 00:00. \
         Interpreted in the site's time zone, unless it has an offset. Default: today. Formats: `2027-03-01`, \
         `2027-03-01 09:00`, `2027-03-01 09:00:00`, slashes instead of hyphens, `T` instead of the space, RFC 3339 \
         with `Z` or an offset, or relative, such as `now`, `tomorrow 9am`, `+1 day` or `next monday`.";

const START_DATE_B: &str = "Only events that start on this date or later. The whole day is included, from 00:00, \
         regardless of the given time; with `strict_dates`, the exact time applies. Interpreted in the site's time \
         zone, unless it has an offset. Default: today, or no bound if `starts_before`, `starts_after`, `ends_before` \
         or `ends_after` is given. Formats: `2027-03-01`, `2027-03-01 09:00`, `2027-03-01 09:00:00`, slashes instead \
         of hyphens, `T` instead of the space, RFC 3339 with `Z` or an offset, or relative, such as `now`, `tomorrow \
         9am`, `+1 day` or `next monday`.";

const END_DATE_A: &str = "Only events that start at this date or earlier; they may end later. A date without a time \
    includes the whole day. Default: two years after today. Formats and time zone as for `start_date`.";

const END_DATE_B: &str = "Only events that end on this date or earlier. The whole day is included, to 23:59:59, \
         regardless of the given time; with `strict_dates`, the exact time applies, if there is one. Default: two \
         years after today, or no bound if `starts_before`, `starts_after`, `ends_before` or `ends_after` is given. \
         Formats and time zone as for `start_date`.";

/// The query parameters of lists of events.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct EventQuery {
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
    /// Only events that start on or before this date: `2027-03-01` includes all of 1 March. With `strict_dates`, only
    /// events that start before the exact time. Formats and time zone as for `start_date`.
    #[param(only(B), example = "2027-04-01 00:00:00")]
    pub starts_before: MaybeUndefined<DateTimeInput>,
    /// Only events that start after the day of this date: `2027-03-01` selects events from 2 March 00:00 on. With
    /// `strict_dates`, events that start after the exact time. Formats and time zone as for `start_date`.
    #[param(only(B), example = "2027-03-01 09:00:00")]
    pub starts_after: MaybeUndefined<DateTimeInput>,
    /// Only events that end on or before this date: `2027-03-01` includes all of 1 March. With `strict_dates`, only
    /// events that end before the exact time. Formats and time zone as for `start_date`.
    #[param(only(B), example = "2027-04-01 00:00:00")]
    pub ends_before: MaybeUndefined<DateTimeInput>,
    /// Only events that end after the day of this date: `2027-03-01` selects events from 2 March 00:00 on. With
    /// `strict_dates`, events that end after the exact time. Formats and time zone as for `start_date`.
    #[param(only(B), example = "2027-03-01 09:00:00")]
    pub ends_after: MaybeUndefined<DateTimeInput>,
    /// Apply all date filters at the exact times given. Otherwise, each covers whole days, and its time of day is
    /// ignored.
    #[param(default = false, only(B), example = true)]
    pub strict_dates: MaybeUndefined<LenientBool>,
    /// Full-text search in title and description. Every word, in any order, and every quoted phrase, such as `"jazz
    /// night"`, must occur. A `-` before a word or phrase excludes matches, up to 8 times; exclusions alone return 400.
    /// Parts of words match; letter case, accents and markup are ignored.
    #[param(example = "concert")]
    pub search: MaybeUndefined<Search>,
    /// Only events in at least one of these categories or their subcategories. IDs or slugs, as `1,2` or by repeating
    /// the parameter; an unknown one returns 400.
    #[param(example = json!([1]))]
    pub categories: MaybeUndefined<References>,
    /// Only events with at least one of these tags. IDs or slugs, as `1,2` or by repeating the parameter; an unknown
    /// one returns 400.
    #[param(example = json!([1]))]
    pub tags: MaybeUndefined<References>,
    /// Only events at one of these venues. IDs, as `1,2` or by repeating the parameter; an unknown ID returns 400, one
    /// that you may not read matches nothing.
    #[param(example = json!([1]))]
    pub venue: MaybeUndefined<ExistingIds>,
    /// Only events by at least one of these organizers. IDs, as `1,2` or by repeating the parameter; an unknown ID
    /// returns 400, one that you may not read matches nothing.
    #[param(example = json!([1]))]
    pub organizer: MaybeUndefined<ExistingIds>,
    /// `true`: only featured events. `false`: only events that are not featured. Absent: both.
    #[param(example = true)]
    pub featured: MaybeUndefined<LenientBool>,
    pub status: MaybeUndefined<StatusList>,
    #[param(flatten)]
    pub place: PlaceQuery,
    /// Only these events, even if they are hidden from listings. IDs, as `1,2` or by repeating the parameter; unknown
    /// IDs are ignored. All date filters are then ignored, including their defaults.
    #[param(example = json!([1, 2]))]
    pub include: MaybeUndefined<Ids>,
    /// Only events whose `post_parent` is this ID. An unknown ID yields an empty list.
    #[param(example = 1)]
    pub post_parent: MaybeUndefined<Id>,
    /// `true`: only events with tickets. `false`: only events without tickets. Absent: both.
    #[param(only(B), example = true)]
    pub ticketed: MaybeUndefined<LenientBool>,
    /// Only events with this title. Letter case is ignored; parts of titles do not match.
    #[param(example = "Spring concert")]
    pub title: MaybeUndefined<Title>,
    /// Only events by one of these authors: IDs of users, or `me` for your own, which requires credentials. As `1,2` or
    /// by repeating the parameter; unknown IDs match nothing.
    #[param(example = json!(["1"]))]
    pub author: MaybeUndefined<Authors>,
    /// Only events with one of these statuses, as `canceled,postponed` or by repeating the parameter.
    #[param(example = json!(["scheduled", "moved_online"]))]
    pub event_status: MaybeUndefined<EventStatusList>,
    /// Only events of one of these series. IDs, as `1,2` or by repeating the parameter; an unknown ID returns 400, one
    /// that you may not read matches nothing.
    #[param(example = json!([1]))]
    pub series: MaybeUndefined<ExistingIds>,
    /// `all`: all events of a series. `next`: of each series, only the first event between the dates of the query; other
    /// filters apply to these events.
    #[param(default = "all", example = "next")]
    pub recurrences: MaybeUndefined<RecurrencesName>,
    #[param(flatten)]
    pub price: PriceQuery,
    #[param(flatten)]
    pub modification: Modification,
    #[param(flatten)]
    pub external: ExternalIdQuery,
    /// Sort key. `date`, for which `start_date` and `event_date` are synonyms: by start, then by ID. `title`: by title,
    /// then by start and ID. `modified`: by the time of the last change, then by ID. `distance`: by the distance of the
    /// nearest venue from `geoloc_lat` and `geoloc_lng`, which it requires, then by start and ID.
    #[param(default = "date", example = "title")]
    pub orderby: MaybeUndefined<EventSortName>,
    /// Sort direction: `asc` for smallest or A first, `desc` for the reverse. Letter case is ignored.
    #[param(default = "asc", example = "desc")]
    pub order: MaybeUndefined<OrderDirection>,
}

impl EventQuery {
    /// Resolves the parameters to the requested page, a filter and the lifetime of the response. All validation errors
    /// are reported together.
    pub(crate) async fn resolve(
        self,
        reader: &Caller,
        database: &impl ReadConnection,
        mut errors: ValidationErrors,
        default_window: DefaultWindow,
    ) -> Result<(PageRequest, events::EventQuery, CacheLifetime), Problem> {
        // Destructured so that the compiler reports unused parameters.
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
            place,
            include,
            post_parent,
            ticketed,
            title,
            author,
            event_status,
            series,
            recurrences,
            price,
            modification,
            external,
            orderby,
            order,
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
        let (window, window_lifetime) = bounds.resolve(default_window, reader.variant, &settings.site.zone, reader.now);
        let (modified, modified_lifetime) = modification.resolve(reader);
        let authors = author_ids(reader, author)?;
        let (place_filters, circle) = place.resolve(&mut errors, settings.geoloc_radius_km);
        let price_filters = price.resolve(&mut errors);
        let external = external.resolve(&mut errors);
        let order = order::resolve(&mut errors, orderby, order, circle);
        let categories = term_ids::<category::Entity>(database, &mut errors, categories).await?;
        let tags = term_ids::<tag::Entity>(database, &mut errors, tags).await?;
        let venues = linked_ids::<venue::Entity>(reader, database, &mut errors, venue).await?;
        let organizers = linked_ids::<organizer::Entity>(reader, database, &mut errors, organizer).await?;
        let series = series_ids(reader, database, &mut errors, series).await?;
        errors.into_result()?;
        let visibility = visibility(reader, status)?;
        let scope = match include.take() {
            Some(ids) => Scope::Ids(ids.0),
            None => Scope::Listed(window),
        };
        let next = (recurrences.take() == Some(RecurrencesName::Next))
            .then(|| EventFilter::NextOfSeries(visibility.clone(), scope.clone()));
        let filters = [
            next,
            series.map(EventFilter::Series),
            flag(featured).map(EventFilter::Featured),
            flag(ticketed).map(EventFilter::Ticketed),
            search.take().map(|search| EventFilter::Search(search.0)),
            categories.map(EventFilter::Categories),
            tags.map(EventFilter::Tags),
            venues.map(EventFilter::Venues),
            organizers.map(EventFilter::Organizers),
            authors.map(EventFilter::Authors),
            event_status
                .take()
                .map(|statuses| EventFilter::EventStatuses(statuses.0)),
            title
                .take()
                .map(|title| EventFilter::Equals(event::Column::TitleKey, title_key(&title.0).into())),
            external.map(|(source, id)| EventFilter::External { source, id }),
            (modified != Span::default()).then_some(EventFilter::Modified(modified)),
            post_parent
                .take()
                .map(|id| EventFilter::Equals(event::Column::PostParent, id.0.into())),
        ];
        let query = events::EventQuery {
            visibility,
            scope,
            filters: filters
                .into_iter()
                .flatten()
                .chain(place_filters)
                .chain(price_filters)
                .collect(),
            order,
        };
        Ok((paging.request(reader), query, window_lifetime.max(modified_lifetime)))
    }
}

/// The IDs of the authors. `me` requires credentials.
fn author_ids(reader: &Caller, authors: MaybeUndefined<Authors>) -> Result<Option<Vec<i64>>, Problem> {
    let Some(authors) = authors.take() else {
        return Ok(None);
    };
    let id = |author: &Author| match author {
        Author::Id(id) => Some(*id),
        Author::Me => reader.identity.user(),
    };
    let ids: Option<Vec<i64>> = authors.0.iter().map(id).collect();
    ids.map(Some).ok_or_else(Problem::not_logged_in)
}

/// Resolves the terms of a filter to IDs. Unknown terms are validation errors.
async fn term_ids<E: Term>(
    database: &impl ReadConnection,
    errors: &mut ValidationErrors,
    references: MaybeUndefined<References>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(references) = references.take() else {
        return Ok(None);
    };
    let mut ids = Vec::new();
    let mut unknown = Vec::new();
    let resolved = term::resolve::<E>(database, &references.0).await?;
    for (reference, id) in zip(&references.0, resolved) {
        match id {
            Some(id) => ids.push(id),
            None => unknown.push(reference.to_string()),
        }
    }
    if !unknown.is_empty() {
        let plural = E::KIND.plural();
        let expected = format!("must be IDs or slugs of existing {plural}");
        errors.add(plural, FieldError::unknown_references(&expected, &unknown));
    }
    Ok(Some(ids))
}

/// Filters the IDs of series to those that the reader may see. Unknown IDs are validation errors.
async fn series_ids(
    reader: &Caller,
    database: &impl ReadConnection,
    errors: &mut ValidationErrors,
    ids: MaybeUndefined<ExistingIds>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(ExistingIds(ids)) = ids.take() else {
        return Ok(None);
    };
    let found = series::find_all(database, &ids).await?;
    let is_known = |id: &&i64| found.iter().any(|row| row.id == **id);
    let unknown: Vec<String> = ids.iter().filter(|id| !is_known(id)).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        let error = FieldError::unknown_references("must be IDs of existing series", &unknown);
        errors.add("series", error);
    }
    let columns = found.iter().map(Series::columns_of);
    let visible = columns.filter(|columns| reader.identity.may_see(columns, reader.timestamp()));
    Ok(Some(visible.map(|columns| columns.id).collect()))
}

/// Filters the IDs of venues or organizers to those that the reader may see. Unknown IDs are validation errors.
async fn linked_ids<E: Publishable>(
    reader: &Caller,
    database: &impl ReadConnection,
    errors: &mut ValidationErrors,
    ids: MaybeUndefined<ExistingIds>,
) -> Result<Option<Vec<i64>>, Problem> {
    let Some(ExistingIds(ids)) = ids.take() else {
        return Ok(None);
    };
    let ids = visible_ids::<E>(reader, database, errors, E::KIND.name(), &ids).await?;
    Ok(Some(ids))
}
