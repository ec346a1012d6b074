//! Events.

use poem_openapi::Object;
use serde::Serialize;

use super::{
    Detail, Represented,
    dates::{DateDetails, format_instant},
    event_json_ld::{Descriptions, EventJsonLd},
    event_links::{LinkTargets, Linked, resource_views, sorted_terms},
    json_ld, only,
    organizer::OrganizerView,
    publishable::{self, Images, PublishableView},
    series::{self, EventSeriesView, SeriesSummary},
    shared::Shared,
    term::{CategoryView, TagView},
    venue::VenueView,
};
use crate::{
    auth::Caller,
    calendar::{cost::Cost, date::instant_at, event_status::EventStatus},
    error::Problem,
    extract::{JsonObject, JsonText, selectable},
    response::{Nullable, Representation},
    store::{
        Snapshot,
        calendar_uuid::event_uid,
        entity::event,
        linked_rows::LinkedRows,
        links::{self, LinkedEvent, LinkedIds},
        publishable::{CommonColumns, Key, PublishableRow, find_event},
    },
};

/// An event. Every field is always present; unknown texts are empty.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Event")]
pub(crate) struct EventView {
    #[oai(flatten)]
    #[serde(flatten)]
    pub fields: EventFields,
    /// Its categories, ordered by name; empty if it has none.
    pub categories: Vec<Shared<CategoryView>>,
    /// Its tags, ordered by name; empty if it has none.
    pub tags: Vec<Shared<TagView>>,
    /// The venues that the reader may read: usually one, sometimes several or none.
    pub venue: Vec<Shared<VenueView>>,
    /// The organizers that the reader may read; empty if there are none.
    pub organizer: Vec<Shared<OrganizerView>>,
    /// Its place in a series; null if it is not part of one.
    pub series: Nullable<EventSeriesView>,
    /// The event as a schema.org Event, for pages that show it; null in lists.
    pub json_ld: Nullable<JsonText>,
    /// True if the event has a venue, even one that the caller may not read. This field is not serialised.
    #[oai(skip)]
    #[serde(skip)]
    pub has_venue: bool,
}

/// The members of an event that its row and its image determine.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct EventFields {
    #[oai(flatten)]
    #[serde(flatten)]
    pub common: PublishableView,
    /// The title, in plain text. Escape it in HTML: characters that look like markup are text.
    pub title: String,
    /// The summary, as sanitised HTML; empty if there is none.
    pub excerpt: String,
    /// Whether it lasts all day, from 00:00:00 to 23:59:59.
    pub all_day: bool,
    /// Start in the event's own `timezone`, `YYYY-MM-DD HH:MM:SS`.
    pub start_date: String,
    /// The parts of `start_date`.
    pub start_date_details: DateDetails,
    /// End in the event's own `timezone`, `YYYY-MM-DD HH:MM:SS`; never before `start_date`.
    pub end_date: String,
    /// The parts of `end_date`.
    pub end_date_details: DateDetails,
    /// Start in UTC, `YYYY-MM-DD HH:MM:SS`.
    pub utc_start_date: String,
    /// The parts of `utc_start_date`.
    pub utc_start_date_details: DateDetails,
    /// End in UTC, `YYYY-MM-DD HH:MM:SS`.
    pub utc_end_date: String,
    /// The parts of `utc_end_date`.
    pub utc_end_date_details: DateDetails,
    /// Start, RFC 3339, with the offset of the event's time zone at that time of the year.
    pub starts_at: String,
    /// End, RFC 3339, with the offset of the event's time zone at that time of the year.
    pub ends_at: String,
    /// The time zone of `start_date` and `end_date`: an IANA name, or an offset such as `UTC+5:30`.
    pub timezone: String,
    /// The zone's abbreviation at the start, such as `CET`.
    pub timezone_abbr: String,
    /// The price, as text for people; empty if unknown.
    pub cost: String,
    /// The parts of `cost`, for programs.
    pub cost_details: CostDetails,
    /// The URL of its website; empty if it has none.
    pub website: String,
    /// Whether pages should show a map of the venue; false by default.
    pub show_map: bool,
    /// Whether pages should link to a map of the venue; false by default.
    pub show_map_link: bool,
    /// Whether it is hidden from lists, except from those that name it in `include`.
    pub hide_from_listings: bool,
    /// Whether calendar views pin it.
    pub sticky: bool,
    /// Whether it is shown as featured.
    pub featured: bool,
    /// Whether there are tickets for it.
    pub ticketed: bool,
    /// ID of the parent, such as the first event of a series; null if there is none.
    pub post_parent: Nullable<i64>,
    /// Arbitrary data that its writers store with it, as sent; an empty object if there is none.
    pub custom_fields: JsonObject,
    /// Whether it takes place as planned: `scheduled`, `canceled`, `postponed` or `moved_online`.
    pub event_status: String,
    /// Its identifier in iCalendar feeds. Imported events keep that of the calendar that they come from.
    pub uid: String,
}

/// The parts of a price.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct CostDetails {
    /// Such as `€`; empty if the price has none. An amount without a currency is in the site's currency, if that is
    /// configured.
    pub currency_symbol: String,
    /// ISO 4217 code; empty if unknown.
    pub currency_code: String,
    /// `prefix` or `postfix`; empty if there is no currency.
    pub currency_position: String,
    /// Amounts with a decimal point.
    pub values: Vec<String>,
}

impl From<Cost> for CostDetails {
    fn from(cost: Cost) -> Self {
        Self {
            currency_symbol: cost.currency_symbol,
            currency_code: cost.currency_code,
            currency_position: cost.position.as_str().to_owned(),
            values: cost.values,
        }
    }
}

impl Representation for EventView {}

selectable!(EventView, "id", "title", "start_date");

impl Represented for event::Entity {
    type View = EventView;

    async fn represent(
        caller: &Caller,
        snapshot: &Snapshot,
        rows: Vec<event::Model>,
        detail: Detail,
    ) -> Result<Vec<EventView>, Problem> {
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let links = links::of_events(snapshot, &ids).await?;
        represent_with_links(caller, snapshot, rows, &links, LinkedRows::default(), detail).await
    }

    async fn find_view(
        caller: &Caller,
        snapshot: &Snapshot,
        key: &Key,
        check: fn(&Caller, &CommonColumns) -> Result<(), Problem>,
    ) -> Result<Option<(CommonColumns, EventView)>, Problem> {
        let Some(event) = find_event(snapshot, key).await? else {
            return Ok(None);
        };
        let columns = event.common_columns();
        check(caller, &columns)?;
        let views = represent_linked(caller, snapshot, vec![event], LinkedRows::default(), Detail::Single).await?;
        Ok(Some((columns, only(views)?)))
    }
}

/// The representations of events in their order. `linked` has venues and organizers that need not be read.
pub(crate) async fn represent_linked(
    caller: &Caller,
    snapshot: &Snapshot,
    events: Vec<LinkedEvent>,
    linked: LinkedRows,
    detail: Detail,
) -> Result<Vec<EventView>, Problem> {
    let links = LinkedIds::from_events(&events);
    let rows = events.into_iter().map(|event| event.row).collect();
    represent_with_links(caller, snapshot, rows, &links, linked, detail).await
}

/// The fields of events, in their order. The iterator builds them one at a time, which saves memory.
pub(crate) async fn represent_fields(
    caller: &Caller,
    snapshot: &Snapshot,
    rows: Vec<event::Model>,
) -> Result<impl Iterator<Item = EventFields>, Problem> {
    let calendar = caller.almanac.calendar_uuid.get(snapshot).await?;
    let images = publishable::images(caller, snapshot, rows.iter().map(|row| row.image_id)).await?;
    let fields = move |row| EventFields::of(caller, row, calendar, &images);
    Ok(rows.into_iter().map(fields))
}

#[tracing::instrument(level = "trace", skip_all)]
async fn represent_with_links(
    caller: &Caller,
    snapshot: &Snapshot,
    rows: Vec<event::Model>,
    links: &LinkedIds,
    linked: LinkedRows,
    detail: Detail,
) -> Result<Vec<EventView>, Problem> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let calendar = caller.almanac.calendar_uuid.get(snapshot).await?;
    let image_ids = rows.iter().map(|row| row.image_id).collect();
    let targets = LinkTargets::find(caller, snapshot, links, linked, image_ids).await?;
    let series = series::of_events(caller, snapshot, rows.iter()).await?;
    let represent = |row: event::Model| {
        let linked = targets.of(row.id);
        let series = row.series_id.and_then(|id| series.get(&id));
        represent(caller, row, calendar, &targets.images, series, detail, linked)
    };
    Ok(rows.into_iter().map(represent).collect())
}

fn represent(
    caller: &Caller,
    row: event::Model,
    calendar: &str,
    images: &Images,
    series: Option<&SeriesSummary>,
    detail: Detail,
    linked: Linked<'_>,
) -> EventView {
    let series = series.and_then(|series| series.of_event(caller, &row));
    let descriptions = (detail == Detail::Single).then(|| Descriptions::of(&row, &linked));
    let mut view = EventView {
        fields: EventFields::of(caller, row, calendar, images),
        categories: sorted_terms(linked.categories),
        tags: sorted_terms(linked.tags),
        venue: resource_views(&linked.venues),
        organizer: resource_views(&linked.organizers),
        series: series.into(),
        json_ld: Nullable(None),
        has_venue: linked.has_venue,
    };
    if let Some(descriptions) = descriptions {
        let document = json_ld::document(&EventJsonLd::of(&view).with(&descriptions));
        view.json_ld = Nullable(Some(document));
    }
    view
}

impl EventFields {
    fn of(caller: &Caller, row: event::Model, calendar: &str, images: &Images) -> Self {
        let common = publishable::represent::<event::Entity>(caller, row.common_columns(), images);
        let uid = event_uid(calendar, &row);
        let site = &caller.almanac.settings.site.zone;
        let times = row.times(site);
        let starts_at = instant_at(row.starts_at);
        let start = format_instant(starts_at, times.start.local);
        let end = format_instant(instant_at(row.ends_at), times.end.local);
        let cost = Cost::parse(&row.cost).in_currency(caller.almanac.settings.currency.as_ref());
        Self {
            common,
            title: row.title,
            excerpt: row.excerpt,
            all_day: row.all_day,
            start_date_details: DateDetails::of(&start.local),
            start_date: start.local,
            end_date_details: DateDetails::of(&end.local),
            end_date: end.local,
            utc_start_date_details: DateDetails::of(&start.utc),
            utc_start_date: start.utc,
            utc_end_date_details: DateDetails::of(&end.utc),
            utc_end_date: end.utc,
            starts_at: start.rfc3339,
            ends_at: end.rfc3339,
            timezone: times.zone.name(),
            timezone_abbr: times.zone.abbreviation(starts_at),
            cost_details: cost.into(),
            cost: row.cost,
            website: row.website,
            show_map: row.show_map,
            show_map_link: row.show_map_link,
            hide_from_listings: row.hide_from_listings,
            sticky: row.sticky,
            featured: row.featured,
            ticketed: row.ticketed,
            post_parent: row.post_parent.into(),
            custom_fields: JsonObject(serde_json::from_str(&row.custom_fields).unwrap_or_default()),
            event_status: EventStatus::stored(&row.event_status).as_str().to_owned(),
            uid,
        }
    }
}
