//! `almanac import ics`: iCalendar files (RFC 5545), and addresses that a server imports again and again.

mod properties;
mod read;
mod recurrence;
mod replacements;
mod shape;
mod times;
mod zones;

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};

use super::{
    Authority, ImportError, WHOLE,
    fit::Fit,
    names,
    page::{Identity, Page, SeriesSource, times_at},
    records::{EventRecord, ImageRecord, OrganizerRecord, VenueRecord},
    run::{Report, Run},
};
use crate::{
    calendar::{Kind, event_status::EventStatus, status::Status},
    store::{
        entity::{category, organizer, venue},
        imports,
        series::Shape,
    },
};
use read::{File, FileEvent};
use shape::{MAX_SERIES_EVENTS, shape};

/// Events per transaction.
const EVENTS: usize = 100;
/// The number of characters of a rule that notes show.
const SHOWN: usize = 200;
/// What is reported of an event that has disappeared, but was here before its source was imported.
const KEPT: &str = "is no longer at the source; kept, because it was here before";
/// The name of the source of all files. An event in several files is one event.
pub(crate) const FILES: &str = "files";

/// How iCalendar data are imported. It is stored with a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IcsOptions {
    pub authority: Authority,
    /// Names of categories that all events get.
    pub categories: Vec<String>,
    /// The name of the status of new events.
    pub status: String,
    /// The ID of the author.
    pub author: Option<i64>,
    /// Networks that names and redirects may lead to although they are private.
    pub allow: Vec<String>,
}

/// Imports the events of iCalendar data.
///
/// `is_complete` tells whether they are all events of their source, so that upcoming ones which have disappeared from
/// it are moved to the trash.
pub(crate) async fn import(
    mut run: Run<'_>,
    content: &[u8],
    options: &IcsOptions,
    is_complete: bool,
) -> Result<Report, ImportError> {
    let File { events, notes } = read::read(content, run.options.site)?;
    run.progress.begin("importing events", Some(events.len() as u64));
    let write = run.options.clone();
    let mut done = 0;
    let mut room = MAX_SERIES_EVENTS;
    for events in events.chunks(EVENTS) {
        let mut attempt = 0;
        room = loop {
            match write_events(&mut run, events, options, room).await {
                Ok(rest) => break rest,
                Err(error) => run.wait_for_retry(error, &mut attempt).await?,
            }
        };
        done += events.len() as u64;
        run.progress.advance_to(done);
    }
    let mut page = run.page(&write).await?;
    page.note(Kind::Event, WHOLE, notes);
    if is_complete && options.authority != Authority::Once && !write.dry_run {
        for item in imports::missing_items(&page.transaction, page.source, Kind::Event, page.run).await? {
            match item.created_by {
                _ if item.is_gone => {}
                Some(_) => _ = page.trash_gone(item).await?,
                // Whoever can write a source could otherwise remove the events of others, whose identifiers are public.
                None => page.note(Kind::Event, &item.key, [KEPT.to_owned()]),
            }
        }
    }
    run.commit(page, &serde_json::json!({})).await?;
    run.finish().await
}

/// Writes events in one transaction. `room` is the number of events that series may still have; returns what is left.
async fn write_events(
    run: &mut Run<'_>,
    events: &[FileEvent],
    options: &IcsOptions,
    mut room: usize,
) -> Result<usize, ImportError> {
    let write = run.options.clone();
    let mut page = run.page(&write).await?;
    let all = events.iter().flat_map(|event| {
        let replacements = event.overrides.iter().map(|(_, replacement)| replacement);
        replacements.chain([event])
    });
    let keys: Vec<String> = all.map(|event| event.key.clone()).collect();
    page.load(Kind::Event, &keys).await?;
    for event in events {
        write_event(&mut page, event, options, &mut room).await?;
    }
    // Each run begins with the first event: those that have not changed cost little.
    run.commit(page, &serde_json::json!({})).await?;
    Ok(room)
}

async fn write_event(
    page: &mut Page<'_>,
    event: &FileEvent,
    options: &IcsOptions,
    room: &mut usize,
) -> Result<(), ImportError> {
    let mut fit = Fit::default();
    adopt(page, event).await?;
    let shape = match shape(page, event, room) {
        Some(Ok(shape)) => Some(shape),
        Some(Err(reason)) => {
            let rule = event.recurrence.as_deref().unwrap_or_default();
            let rule: String = rule.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
            fit.note(format!(
                "repeats by {rule}; only its first date is imported, because a series can't have this rule: {reason}"
            ));
            None
        }
        None => None,
    };
    let alone = match &shape {
        // A whole series does not fit on the stack of a thread.
        Some(shape) => Box::pin(write_series(page, event, shape, options, &mut fit)).await?,
        None => {
            write_single(page, event, options, &mut fit).await?;
            event.overrides.iter().map(|(_, replacement)| replacement).collect()
        }
    };
    for replacement in alone {
        let mut fit = Fit::default();
        write_single(page, replacement, options, &mut fit).await?;
        page.note(Kind::Event, &replacement.key, fit.notes);
    }
    let replacements = event.overrides.iter().map(|(_, replacement)| replacement);
    for FileEvent { key, notes, .. } in replacements.chain([event]) {
        page.note(Kind::Event, key, notes.iter().cloned());
    }
    page.note(Kind::Event, &event.key, fit.notes);
    Ok(())
}

/// Finds the event that another import has brought here, or that comes back to its own calendar.
async fn adopt(page: &mut Page<'_>, event: &FileEvent) -> Result<(), ImportError> {
    let Some(uid) = event
        .uid
        .as_deref()
        .filter(|_| page.target(Kind::Event, &event.key).is_none())
    else {
        return Ok(());
    };
    let found = match imports::event_with_uid(&page.transaction, uid).await? {
        Some(id) => Some(id),
        None => imports::event_of_series_with_uid(&page.transaction, uid).await?,
    };
    if let Some(id) = found {
        page.adopt(Kind::Event, &event.key, id);
    }
    Ok(())
}

/// Writes an event with a rule as a series. Returns the events that replace none of its events.
async fn write_series<'a>(
    page: &mut Page<'_>,
    event: &'a FileEvent,
    shape: &Shape,
    options: &IcsOptions,
    fit: &mut Fit,
) -> Result<Vec<&'a FileEvent>, ImportError> {
    let mut replacements = BTreeMap::new();
    let mut alone = Vec::new();
    for (slot, replacement) in &event.overrides {
        let is_place = shape.rule.slots(Some(*slot), None).next() == Some(*slot);
        if is_place && !replacements.contains_key(slot) {
            let values = Values::of(page, replacement, options, fit).await?;
            replacements.insert(*slot, values);
        } else {
            alone.push(replacement);
        }
    }
    let values = Values::of(page, event, options, fit).await?;
    let before = page.existing_shared(&event.key).await?;
    let mut shared = before.unwrap_or_else(|| EventRecord::new(event.times.clone(), &options.status));
    values.apply(&mut shared);
    shared.times = times_at(shape, shape.rule.start());
    let set_values = |slot: NaiveDateTime, record: &mut EventRecord| {
        match replacements.get(&slot) {
            Some(replacement) => replacement.apply(record),
            None => {
                values.apply(record);
                record.times = times_at(shape, slot);
            }
        }
        // The series has it.
        record.uid = None;
    };
    let source = SeriesSource {
        key: &event.key,
        shared,
        shape: shape.clone(),
        overrides: replacements.keys().copied().collect(),
        set_values: &set_values,
    };
    page.series(source).await?;
    Ok(alone)
}

async fn write_single(
    page: &mut Page<'_>,
    event: &FileEvent,
    options: &IcsOptions,
    fit: &mut Fit,
) -> Result<(), ImportError> {
    if !page.make_single(&event.key, event.start).await? {
        return Ok(());
    }
    let before: Option<EventRecord> = match page.target(Kind::Event, &event.key) {
        Some(id) => page.existing(id).await?,
        None => None,
    };
    let mut record = before.unwrap_or_else(|| EventRecord::new(event.times.clone(), &options.status));
    Values::of(page, event, options, fit).await?.apply(&mut record);
    let identity = Identity {
        key: &event.key,
        id: None,
    };
    page.event(identity, record).await?;
    Ok(())
}

/// The values of an event of a file, with the IDs of what it links to.
struct Values<'a> {
    event: &'a FileEvent,
    venues: Vec<i64>,
    organizers: Vec<i64>,
    /// Sorted.
    categories: Vec<i64>,
}

impl<'a> Values<'a> {
    /// Finds or creates what the event links to.
    async fn of(
        page: &mut Page<'_>,
        event: &'a FileEvent,
        options: &IcsOptions,
        fit: &mut Fit,
    ) -> Result<Self, ImportError> {
        let mut categories = Vec::new();
        for name in options.categories.iter().chain(&event.categories) {
            let id = names::term::<category::Entity>(page, name).await?;
            if !categories.contains(&id) {
                categories.push(id);
            }
        }
        categories.sort_unstable();
        Ok(Self {
            event,
            venues: venue(page, event, fit).await?.into_iter().collect(),
            organizers: organizer(page, event).await?.into_iter().collect(),
            categories,
        })
    }

    /// Sets the values in a record. What iCalendar data do not have stays as it is here.
    fn apply(&self, record: &mut EventRecord) {
        let Self {
            event,
            venues,
            organizers,
            categories,
        } = self;
        record.common.title.clone_from(&event.title);
        record.common.description.clone_from(&event.description);
        record.common.slug = String::new();
        record.common.published_at = None;
        record.common.modified_at = event.modified_at;
        if event.is_private && record.common.status == Status::Publish.as_str() {
            record.common.status = Status::Private.as_str().to_owned();
        }
        if !event.image.is_empty() {
            record.common.image = Some(ImageRecord {
                url: event.image.clone(),
                id: None,
                size: None,
            });
        }
        if !event.website.is_empty() {
            record.website.clone_from(&event.website);
        }
        record.uid.clone_from(&event.uid);
        record.times = event.times.clone();
        record.event_status = event_status(event, record.event_status);
        record.venues.clone_from(venues);
        record.organizers.clone_from(organizers);
        record.categories.clone_from(categories);
    }
}

/// Whether the event takes place. A file says only whether it is canceled; what else is known here stays.
fn event_status(event: &FileEvent, before: Option<&'static str>) -> Option<&'static str> {
    let canceled = EventStatus::Canceled.as_str();
    match before {
        _ if event.is_canceled => Some(canceled),
        Some(status) if status != canceled => Some(status),
        _ => Some(EventStatus::Scheduled.as_str()),
    }
}

/// The venue with the name of the location, which is the text before the first comma.
async fn venue(page: &mut Page<'_>, event: &FileEvent, fit: &mut Fit) -> Result<Option<i64>, ImportError> {
    let location = event.location.trim();
    if location.is_empty() {
        return Ok(None);
    }
    let (name, address) = location.split_once([',', '\n']).unwrap_or((location, ""));
    let (name, address) = match name.trim() {
        "" => (location, ""),
        name => (name, address),
    };
    let address = fit.line("LOCATION", &address.trim().replace('\n', ", "));
    let position = event.position;
    let new = |common| VenueRecord {
        common,
        address,
        position,
        show_map: true,
        show_map_link: true,
        ..VenueRecord::default()
    };
    Ok(Some(
        names::linked_resource::<VenueRecord, venue::Entity>(page, name, new).await?,
    ))
}

async fn organizer(page: &mut Page<'_>, event: &FileEvent) -> Result<Option<i64>, ImportError> {
    let Some((name, email)) = event.organizer.clone() else {
        return Ok(None);
    };
    let new = |common| OrganizerRecord {
        common,
        email,
        ..OrganizerRecord::default()
    };
    Ok(Some(
        names::linked_resource::<OrganizerRecord, organizer::Entity>(page, &name, new).await?,
    ))
}
