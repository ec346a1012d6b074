//! Changes of objects, for copies of the calendar.

use std::collections::HashMap;

use poem_openapi::Object;
use serde::Serialize;

use super::{
    Detail, Represented,
    event::{EventFields, represent_fields},
    term,
};
use crate::{
    auth::Caller,
    calendar::{Kind, date::format_local, status::Status},
    error::Problem,
    extract::{JsonText, selectable},
    response::{Nullable, Representation, raw_members::RawMembers},
    store::{
        Snapshot,
        entity::{category, event_category, event_organizer, event_tag, event_venue, organizer, tag, venue},
        links::LinkedEvent,
        publishable::{self as rows, CommonColumns, PublishableRow, find_events},
        series::{Overridden, local_at},
        term::{TermRow, find_all},
        term_list::Counted,
    },
};

/// The last change of an object.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Change")]
pub(crate) struct ChangeView {
    /// The type of the object: `event`, `venue`, `organizer`, `category` or `tag`.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the object.
    pub id: i64,
    /// The version of the object, which increases with each write; null if it was deleted.
    pub version: Nullable<i64>,
    /// `changed`: the object is new or has another content. `deleted`: it no longer exists, is in the trash, or is not
    /// visible to the reader. An object that the reader has never seen can be deleted, too.
    pub change: String,
    /// The object as when it is read by itself, but with IDs in place of the objects that it links to, and without
    /// `json_ld` and `count`. Of the series of an event, it has `id`, `recurrence_id` and `overridden`. Null if it was
    /// deleted.
    pub object: Nullable<JsonText>,
}

/// Changes of objects, and where to continue.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Changes")]
pub(crate) struct ChangesView {
    /// The changes in their order. Each object occurs with its current state, whatever its earlier changes were.
    pub changes: Vec<ChangeView>,
    /// The token to continue with: the parameter `since` of the next request.
    pub token: String,
    /// Whether there are more changes already. Otherwise wait before the next request.
    pub more: bool,
}

impl Representation for ChangesView {
    const ITEMS: Option<&'static str> = Some("changes");
}

selectable!(ChangeView, "type", "id", "change");

impl ChangeView {
    /// Whether the object is gone, or was never there for the reader.
    pub(crate) fn is_deletion(&self) -> bool {
        self.object.0.is_none()
    }
}

/// The current state of objects, in their order. Each of them occurs once.
pub(crate) async fn represent(
    caller: &Caller,
    snapshot: &Snapshot,
    objects: &[(Kind, i64)],
) -> Result<Vec<ChangeView>, Problem> {
    let mut found = HashMap::new();
    for kind in Kind::ALL {
        let ids: Vec<i64> = objects
            .iter()
            .filter(|(of, _)| *of == kind)
            .map(|(_, id)| *id)
            .collect();
        if ids.is_empty() {
            continue;
        }
        let states = match kind {
            Kind::Event => events(caller, snapshot, &ids).await?,
            Kind::Venue => linked_resources::<venue::Entity>(caller, snapshot, &ids).await?,
            Kind::Organizer => linked_resources::<organizer::Entity>(caller, snapshot, &ids).await?,
            Kind::Category => terms::<category::Entity>(caller, snapshot, &ids).await?,
            Kind::Tag => terms::<tag::Entity>(caller, snapshot, &ids).await?,
        };
        found.extend(states.into_iter().map(|state| ((kind, state.id), state)));
    }
    let changes = objects.iter().map(|(kind, id)| {
        let state = found.remove(&(*kind, *id));
        ChangeView {
            kind: kind.name().to_owned(),
            id: *id,
            version: state.as_ref().map(|state| state.version).into(),
            change: if state.is_some() { "changed" } else { "deleted" }.to_owned(),
            object: state.map(|state| state.object).into(),
        }
    });
    Ok(changes.collect())
}

/// An object that the reader may read.
struct State {
    id: i64,
    version: i64,
    object: JsonText,
}

impl State {
    fn new(id: i64, version: i64, object: serde_json::Result<JsonText>) -> Result<Self, Problem> {
        let object = object.map_err(Problem::internal)?;
        Ok(Self { id, version, object })
    }
}

/// The JSON of the view without this member.
fn without(name: &str, view: &impl Serialize) -> serde_json::Result<JsonText> {
    let text = serde_json::to_string(view)?;
    let mut members: RawMembers<'_> = serde_json::from_str(&text)?;
    members.retain(|other| other != name);
    JsonText::of(&members)
}

/// Whether the reader may read the object. What is in the trash counts as deleted, even if the reader may restore it.
fn is_visible(caller: &Caller, columns: &CommonColumns) -> bool {
    columns.status != Status::Trash && caller.identity.may_read(columns, caller.timestamp())
}

/// An event with the IDs of the objects that it links to.
#[derive(Serialize)]
struct ChangedEvent {
    #[serde(flatten)]
    fields: EventFields,
    #[serde(flatten)]
    relations: Relations,
}

/// The IDs of the objects that an event links to, and its place in a series. IDs of terms are in ascending order. Those
/// of objects that the reader may not read are included: the publication of a venue is no change of its events, so that
/// copies would never learn of the link.
#[derive(Serialize)]
struct Relations {
    categories: Vec<i64>,
    tags: Vec<i64>,
    venue: Vec<i64>,
    organizer: Vec<i64>,
    series: Option<ChangedEventSeries>,
}

/// The members of `series` that belong to the event. The others belong to the series itself, and are not repeated in
/// each event.
#[derive(Serialize)]
struct ChangedEventSeries {
    id: i64,
    recurrence_id: String,
    overridden: Vec<&'static str>,
}

impl Relations {
    fn of(event: &LinkedEvent) -> Self {
        let sorted = |ids: &[i64]| {
            let mut ids = ids.to_vec();
            ids.sort_unstable();
            ids
        };
        let series = event.row.series_id.zip(event.row.recurrence_id);
        Self {
            categories: sorted(event.targets::<event_category::Entity>()),
            tags: sorted(event.targets::<event_tag::Entity>()),
            venue: event.targets::<event_venue::Entity>().to_vec(),
            organizer: event.targets::<event_organizer::Entity>().to_vec(),
            series: series.map(|(id, slot)| ChangedEventSeries {
                id,
                recurrence_id: format_local(local_at(slot)),
                overridden: Overridden::of(&event.row).names().collect(),
            }),
        }
    }
}

async fn events(caller: &Caller, snapshot: &Snapshot, ids: &[i64]) -> Result<Vec<State>, Problem> {
    let mut events = find_events(snapshot, ids).await?;
    events.retain(|event| is_visible(caller, &event.common_columns()));
    let others: Vec<(i64, Relations)> = events
        .iter()
        .map(|event| (event.version, Relations::of(event)))
        .collect();
    let rows = events.into_iter().map(|event| event.row).collect();
    let fields = represent_fields(caller, snapshot, rows).await?;
    let states = fields.zip(others).map(|(fields, (version, relations))| {
        let id = fields.common.id;
        State::new(id, version, JsonText::of(&ChangedEvent { fields, relations }))
    });
    states.collect()
}

async fn linked_resources<E: Represented>(
    caller: &Caller,
    snapshot: &Snapshot,
    ids: &[i64],
) -> Result<Vec<State>, Problem> {
    let mut rows = rows::find_all::<E>(snapshot, ids).await?;
    rows.retain(|row| is_visible(caller, &row.common_columns()));
    let keys: Vec<(i64, i64)> = rows
        .iter()
        .map(|row| {
            let columns = row.common_columns();
            (columns.id, columns.version)
        })
        .collect();
    let views = E::represent(caller, snapshot, rows, Detail::Item).await?;
    let states = views.iter().zip(keys);
    states
        .map(|(view, (id, version))| State::new(id, version, without("json_ld", view)))
        .collect()
}

async fn terms<E: term::RepresentedTerm>(
    caller: &Caller,
    snapshot: &Snapshot,
    ids: &[i64],
) -> Result<Vec<State>, Problem> {
    let rows = find_all::<E>(snapshot, ids).await?;
    let states = rows.into_iter().map(|row| {
        let columns = row.common_columns();
        // The number of events follows from the events, and its changes are not changes of the term.
        let view = term::represent::<E>(caller, &Counted { row, events: 0 });
        State::new(columns.id, columns.version, without("count", &view))
    });
    states.collect()
}
