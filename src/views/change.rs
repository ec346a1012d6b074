//! Changes of objects, for copies of the calendar.

use std::collections::HashMap;

use poem_openapi::Object;
use serde::Serialize;
use serde_json::json;

use super::{Detail, Represented, event, term};
use crate::{
    auth::Caller,
    calendar::{Kind, status::Status},
    error::Problem,
    extract::{JsonText, selectable},
    response::{Nullable, Representation, raw_members::RawMembers},
    store::{
        Snapshot,
        entity::{category, event_category, event_organizer, event_tag, event_venue, organizer, tag, venue},
        links::LinkedEvent,
        publishable::{self as rows, CommonColumns, PublishableRow, find_events},
        series::TargetIds,
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
    /// The members of the view, of which `change` adapts some.
    fn new(
        id: i64,
        version: i64,
        view: &impl Serialize,
        change: impl FnOnce(&mut RawMembers<'_>) -> serde_json::Result<()>,
    ) -> Result<Self, Problem> {
        let object = || {
            let text = serde_json::to_string(view)?;
            let mut members: RawMembers<'_> = serde_json::from_str(&text)?;
            change(&mut members)?;
            JsonText::of(&members)
        };
        Ok(Self {
            id,
            version,
            object: object().map_err(Problem::internal)?,
        })
    }
}

/// Removes a member.
fn without(name: &str) -> impl FnOnce(&mut RawMembers<'_>) -> serde_json::Result<()> {
    move |members| {
        members.retain(|other| other != name);
        Ok(())
    }
}

/// Whether the reader may read the object. What is in the trash counts as deleted, even if the reader may restore it.
fn is_visible(caller: &Caller, columns: &CommonColumns) -> bool {
    columns.status != Status::Trash && caller.identity.may_read(columns, caller.timestamp())
}

async fn events(caller: &Caller, snapshot: &Snapshot, ids: &[i64]) -> Result<Vec<State>, Problem> {
    let mut events = find_events(snapshot, ids).await?;
    events.retain(|event| is_visible(caller, &event.common_columns()));
    let keys: Vec<(i64, TargetIds)> = events.iter().map(|event| (event.version, target_ids(event))).collect();
    let rows = events.into_iter().map(|event| event.row).collect();
    let views = event::represent_without_links(caller, snapshot, rows).await?;
    let states = views.iter().zip(keys).map(|(view, (version, links))| {
        State::new(view.common.id, version, view, |members| {
            members.retain(|name| name != "json_ld");
            members.set("categories", &links.categories)?;
            members.set("tags", &links.tags)?;
            members.set("venue", &links.venues)?;
            members.set("organizer", &links.organizers)?;
            // The rest of it belongs to the series, and changes with it.
            let series = view.series.0.as_ref().map(
                |series| json!({"id": series.id, "recurrence_id": series.recurrence_id, "overridden": series.overridden}),
            );
            members.set("series", &series)
        })
    });
    states.collect()
}

/// The IDs of what the event links to, those of terms in ascending order.
fn target_ids(event: &LinkedEvent) -> TargetIds {
    let sorted = |ids: &[i64]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids
    };
    TargetIds {
        venues: event.targets::<event_venue::Entity>().to_vec(),
        organizers: event.targets::<event_organizer::Entity>().to_vec(),
        categories: sorted(event.targets::<event_category::Entity>()),
        tags: sorted(event.targets::<event_tag::Entity>()),
    }
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
        .map(|(view, (id, version))| State::new(id, version, view, without("json_ld")))
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
        State::new(columns.id, columns.version, &view, without("count"))
    });
    states.collect()
}
