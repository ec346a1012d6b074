//! Series.

use std::{collections::HashMap, sync::Arc};

use poem_openapi::Object;
use serde::Serialize;

use super::{
    ROOT,
    dates::format_instant,
    event_links::{LinkTargets, resource_views, sorted_terms},
    image::ImageView,
    organizer::OrganizerView,
    shared::Shared,
    term::{CategoryView, TagView},
    venue::VenueView,
};
use crate::{
    auth::Caller,
    calendar::{
        Language,
        date::{format_local, instant_at},
        event_status::EventStatus,
        status,
    },
    error::Problem,
    extract::{JsonObject, selectable},
    response::{Nullable, Representation},
    store::{
        Snapshot,
        entity::{event, series as rows},
        linked_rows::LinkedRows,
        publishable::stored_status,
        series::{self, Overridden, Series, TEMPLATE, local_at},
    },
};

/// The place of an event in a series.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "EventSeries")]
pub(crate) struct EventSeriesView {
    /// ID of the series.
    pub id: i64,
    /// The URL of the series in this interface.
    pub rest_url: String,
    /// The start that the rule gives the event, in the time zone of the series, `YYYY-MM-DD HH:MM:SS`, even if the event
    /// has been moved.
    pub recurrence_id: String,
    /// The lines of the rule (RFC 5545), in local times.
    pub recurrence: Vec<String>,
    /// The rule in words, in the language of the response.
    pub text: String,
    /// The names of the fields that the event has changed on its own. Changes of the series do not affect them.
    pub overridden: Vec<String>,
    /// The local time up to which events exist, `YYYY-MM-DD HH:MM:SS`; null if the rule has an end, and all its events
    /// exist.
    pub expanded_until: Nullable<String>,
}

/// A series of events: its rule, and the fields that its events share. Times are those of the first event.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Series")]
pub(crate) struct SeriesView {
    /// The ID, unique among series and never reused.
    pub id: i64,
    /// The URL in this interface, for programs.
    pub rest_url: String,
    /// The URL of the list of its events in this interface.
    pub events_rest_url: String,
    /// The lines of the rule (RFC 5545), in local times: `RRULE`, `RDATE`, `EXDATE`.
    pub recurrence: Vec<String>,
    /// The rule in words, in the language of the response.
    pub text: String,
    /// The local time up to which events exist, `YYYY-MM-DD HH:MM:SS`; null if the rule has an end, and all its events
    /// exist.
    pub expanded_until: Nullable<String>,
    /// The identifier in the calendar that the series was imported from; null for others.
    pub uid: Nullable<String>,
    /// ID of the author; null if that user has been removed.
    pub author: Nullable<i64>,
    /// The status of new events, or `trash`.
    pub status: String,
    /// Publication in the site's time zone, `YYYY-MM-DD HH:MM:SS`.
    pub date: String,
    /// Publication in UTC, `YYYY-MM-DD HH:MM:SS`.
    pub date_utc: String,
    /// Publication, RFC 3339, with the offset of the site's time zone.
    pub published_at: String,
    /// Last change in the site's time zone, `YYYY-MM-DD HH:MM:SS`.
    pub modified: String,
    /// Last change in UTC, `YYYY-MM-DD HH:MM:SS`.
    pub modified_utc: String,
    /// Last change, RFC 3339, with the offset of the site's time zone.
    pub modified_at: String,
    /// The title, in plain text.
    pub title: String,
    /// Sanitised HTML; empty if there is none.
    pub description: String,
    /// The summary, as sanitised HTML; empty if there is none.
    pub excerpt: String,
    /// The start of the slugs of its events; their dates follow.
    pub slug: String,
    /// The featured image; null if there is none.
    pub image: Nullable<ImageView>,
    /// Whether the events last all day.
    pub all_day: bool,
    /// Start of the rule in `timezone`, `YYYY-MM-DD HH:MM:SS`.
    pub start_date: String,
    /// End of the first event in `timezone`, `YYYY-MM-DD HH:MM:SS`.
    pub end_date: String,
    /// The time zone of the rule: an IANA name, or an offset such as `UTC+5:30`.
    pub timezone: String,
    /// The price, as text for people; empty if unknown.
    pub cost: String,
    /// The URL of the website; empty if there is none.
    pub website: String,
    /// Whether pages should show a map of the venue.
    pub show_map: bool,
    /// Whether pages should link to a map of the venue.
    pub show_map_link: bool,
    /// Whether the events are hidden from lists.
    pub hide_from_listings: bool,
    /// Whether calendar views pin the events.
    pub sticky: bool,
    /// Whether the events are shown as featured.
    pub featured: bool,
    /// Whether there are tickets for the events.
    pub ticketed: bool,
    /// ID of the parent of the events; null if there is none.
    pub post_parent: Nullable<i64>,
    /// The categories, ordered by name; empty if there are none.
    pub categories: Vec<Shared<CategoryView>>,
    /// The tags, ordered by name; empty if there are none.
    pub tags: Vec<Shared<TagView>>,
    /// The venues that the reader may read.
    pub venue: Vec<Shared<VenueView>>,
    /// The organizers that the reader may read.
    pub organizer: Vec<Shared<OrganizerView>>,
    /// Arbitrary data that is stored with the events; an empty object if there is none.
    pub custom_fields: JsonObject,
    /// Whether the events take place as planned: `scheduled`, `canceled`, `postponed` or `moved_online`.
    pub event_status: String,
}

impl Representation for SeriesView {}

selectable!(SeriesView, "id", "recurrence", "text");

/// What a rule means: the first of its events.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "SeriesPreview")]
pub(crate) struct SeriesPreviewView {
    /// The lines of the rule (RFC 5545) as they would be stored, in local times.
    pub recurrence: Vec<String>,
    /// The rule in words, in the language of the response.
    pub text: String,
    /// The number of events; null if the rule has no end.
    pub total: Nullable<u64>,
    /// The first events, at most 50.
    pub events: Vec<OccurrenceView>,
}

impl Representation for SeriesPreviewView {}

/// The times of an event that is not stored.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Occurrence")]
pub(crate) struct OccurrenceView {
    /// The start that the rule gives the event, `YYYY-MM-DD HH:MM:SS`. It differs from `start_date` if clocks skip this
    /// time.
    pub recurrence_id: String,
    /// Start in the time zone of the series, `YYYY-MM-DD HH:MM:SS`.
    pub start_date: String,
    /// End in the time zone of the series, `YYYY-MM-DD HH:MM:SS`.
    pub end_date: String,
    /// Start, RFC 3339.
    pub starts_at: String,
    /// End, RFC 3339.
    pub ends_at: String,
}

/// The URL of a series in this interface.
pub(crate) fn rest_url(caller: &Caller, id: i64) -> String {
    format!("{}{ROOT}/series/{id}", caller.address.base)
}

/// What events show of their series.
#[derive(Clone)]
pub(crate) struct SeriesSummary(Arc<Summary>);

struct Summary {
    recurrence: Vec<String>,
    /// The rule in words, in both languages.
    texts: [String; 2],
    expanded_until: Option<String>,
}

impl SeriesSummary {
    fn of(row: &rows::Model) -> Result<Self, Problem> {
        let rule = Series::rule(row)?;
        let mut texts = [String::new(), String::new()];
        for language in [Language::En, Language::Es] {
            texts[language as usize] = rule.in_words(language);
        }
        Ok(Self(Arc::new(Summary {
            recurrence: rule.lines(),
            texts,
            expanded_until: row.expanded_until.map(|until| format_local(local_at(until))),
        })))
    }

    /// The rule in words.
    pub(crate) fn text(&self, language: Language) -> &str {
        &self.0.texts[language as usize]
    }

    fn bytes(&self) -> usize {
        let Summary { recurrence, texts, .. } = &*self.0;
        size_of::<Summary>() + recurrence.iter().chain(texts).map(String::len).sum::<usize>()
    }

    /// The member `series` of an event.
    pub(super) fn of_event(&self, caller: &Caller, event: &event::Model) -> Option<EventSeriesView> {
        let (id, slot) = event.series_id.zip(event.recurrence_id)?;
        Some(EventSeriesView {
            id,
            rest_url: rest_url(caller, id),
            recurrence_id: format_local(local_at(slot)),
            recurrence: self.0.recurrence.clone(),
            text: self.text(caller.language).to_owned(),
            overridden: Overridden::of(event).names().map(str::to_owned).collect(),
            expanded_until: self.0.expanded_until.clone().into(),
        })
    }
}

/// The series of events, by ID. Those that are in memory are not read again.
pub(crate) async fn of_events<'a>(
    caller: &Caller,
    snapshot: &Snapshot,
    events: impl Iterator<Item = &'a event::Model>,
) -> Result<HashMap<i64, SeriesSummary>, Problem> {
    let cache = &caller.almanac.shared_views.series;
    let version = snapshot.list_version();
    let (known, mut missing) = cache.split(version, events.filter_map(|event| event.series_id));
    let mut found: HashMap<i64, SeriesSummary> = known.into_iter().collect();
    missing.sort_unstable();
    missing.dedup();
    for row in series::find_all(snapshot, &missing).await? {
        let summary = SeriesSummary::of(&row)?;
        cache.insert(version, row.id, summary.clone(), summary.bytes());
        found.insert(row.id, summary);
    }
    Ok(found)
}

/// The representation of a series.
pub(crate) async fn represent(caller: &Caller, snapshot: &Snapshot, row: rows::Model) -> Result<SeriesView, Problem> {
    let series = Series::of(row)?;
    let template = series.template();
    let links = series.template_links();
    let targets = LinkTargets::find(caller, snapshot, &links, LinkedRows::default(), vec![template.image_id]).await?;
    let linked = targets.of(TEMPLATE);
    let Series { row, fields, shape } = &series;
    let site = &caller.almanac.settings.site.zone;
    let at_site = |second| {
        let instant = instant_at(second);
        format_instant(instant, site.to_local(instant))
    };
    let (published, modified) = (at_site(row.published_at), at_site(row.modified_at));
    let times = template.times(site);
    let rest_url = rest_url(caller, row.id);
    Ok(SeriesView {
        id: row.id,
        events_rest_url: format!("{rest_url}/events"),
        rest_url,
        recurrence: shape.rule.lines(),
        text: shape.rule.in_words(caller.language),
        expanded_until: row.expanded_until.map(|until| format_local(local_at(until))).into(),
        uid: row.uid.clone().into(),
        author: row.author_id.into(),
        status: status::effective(stored_status(&row.status), instant_at(row.published_at), caller.now)
            .as_str()
            .to_owned(),
        date: published.local,
        date_utc: published.utc,
        published_at: published.rfc3339,
        modified: modified.local,
        modified_utc: modified.utc,
        modified_at: modified.rfc3339,
        title: template.title,
        description: template.description,
        excerpt: template.excerpt,
        slug: fields.slug.clone(),
        image: template.image_id.and_then(|id| targets.images.get(&id).cloned()).into(),
        all_day: shape.all_day,
        start_date: format_local(times.start.local),
        end_date: format_local(times.end.local),
        timezone: shape.zone.name(),
        cost: template.cost,
        website: template.website,
        show_map: template.show_map,
        show_map_link: template.show_map_link,
        hide_from_listings: template.hide_from_listings,
        sticky: template.sticky,
        featured: template.featured,
        ticketed: template.ticketed,
        post_parent: template.post_parent.into(),
        categories: sorted_terms(linked.categories),
        tags: sorted_terms(linked.tags),
        venue: resource_views(&linked.venues),
        organizer: resource_views(&linked.organizers),
        custom_fields: JsonObject(serde_json::from_str(&template.custom_fields).unwrap_or_default()),
        event_status: EventStatus::stored(&template.event_status).as_str().to_owned(),
    })
}

/// The representation of a series that is not stored.
pub(crate) fn preview(
    caller: &Caller,
    shape: &series::Shape,
    slots: &[chrono::NaiveDateTime],
    total: Option<usize>,
) -> SeriesPreviewView {
    let occurrence = |slot: &chrono::NaiveDateTime| {
        let times = shape.times(*slot);
        let [start, end] = [times.start, times.end].map(|time| format_instant(time.instant(&times.zone), time.local));
        OccurrenceView {
            recurrence_id: format_local(*slot),
            start_date: start.local,
            end_date: end.local,
            starts_at: start.rfc3339,
            ends_at: end.rfc3339,
        }
    };
    SeriesPreviewView {
        recurrence: shape.rule.lines(),
        text: shape.rule.in_words(caller.language),
        total: total.map(|total| total as u64).into(),
        events: slots.iter().map(occurrence).collect(),
    }
}
