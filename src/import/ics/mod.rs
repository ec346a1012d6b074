//! `almanac import ics`: iCalendar files (RFC 5545), and addresses that a server imports again and again.

mod properties;
mod read;
mod times;
mod zones;

use serde::{Deserialize, Serialize};

use super::{
    Authority, ImportError,
    fit::Fit,
    names,
    page::{Identity, Page},
    records::{EventRecord, ImageRecord, OrganizerRecord, VenueRecord},
    run::{Report, Run},
};
use crate::{
    calendar::{Kind, event_status::EventStatus, status::Status},
    store::{
        entity::{category, organizer, venue},
        imports,
    },
};
use read::{File, FileEvent};

/// Events per transaction.
const EVENTS: usize = 100;
/// The key of notes that are not on single events.
const WHOLE: &str = "*";
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
    for events in events.chunks(EVENTS) {
        let mut attempt = 0;
        while let Err(error) = write_events(&mut run, events, options).await {
            run.wait_for_retry(error, &mut attempt).await?;
        }
        done += events.len() as u64;
        run.progress.advance_to(done);
    }
    let mut page = run.page(&write).await?;
    page.note(Kind::Event, WHOLE, notes);
    if is_complete && options.authority != Authority::Once && !write.dry_run {
        for item in imports::missing_items(&page.transaction, page.source, Kind::Event, page.run).await? {
            if !item.is_gone {
                page.trash_gone(item).await?;
            }
        }
    }
    run.commit(page, &serde_json::json!({})).await?;
    run.finish().await
}

/// Writes events in one transaction.
async fn write_events(run: &mut Run<'_>, events: &[FileEvent], options: &IcsOptions) -> Result<(), ImportError> {
    let write = run.options.clone();
    let mut page = run.page(&write).await?;
    let keys: Vec<String> = events.iter().map(|event| event.key.clone()).collect();
    page.load(Kind::Event, &keys).await?;
    for event in events {
        write_event(&mut page, event, options).await?;
    }
    // Each run begins with the first event: those that have not changed cost little.
    run.commit(page, &serde_json::json!({})).await
}

async fn write_event(page: &mut Page<'_>, event: &FileEvent, options: &IcsOptions) -> Result<(), ImportError> {
    let mut fit = Fit::default();
    // An event that another import has brought here, or that comes back to its own calendar.
    if page.target(Kind::Event, &event.key).is_none()
        && let Some(uid) = &event.uid
        && let Some(id) = imports::event_with_uid(&page.transaction, uid).await?
    {
        page.adopt(Kind::Event, &event.key, id);
    }
    let before: Option<EventRecord> = match page.target(Kind::Event, &event.key) {
        Some(id) => page.existing(id).await?,
        None => None,
    };
    // Once a series is a resource, it is created here from the rule, and the event becomes its first occurrence.
    if let Some(rule) = &event.rule {
        fit.note(format!("repeats by the rule {rule}; only its first date is imported"));
    }
    let mut categories = Vec::new();
    for name in options.categories.iter().chain(&event.categories) {
        let id = names::term::<category::Entity>(page, name).await?;
        if !categories.contains(&id) {
            categories.push(id);
        }
    }
    categories.sort_unstable();
    let venues = venue(page, event, &mut fit).await?.into_iter().collect();
    let organizers = organizer(page, event).await?.into_iter().collect();
    // What iCalendar data do not have stays as it is here.
    let mut record = before.unwrap_or_else(|| EventRecord::new(event.times.clone(), &options.status));
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
    record.venues = venues;
    record.organizers = organizers;
    record.categories = categories;
    let identity = Identity {
        key: &event.key,
        id: None,
    };
    page.event(identity, record).await?;
    page.note(Kind::Event, &event.key, event.notes.iter().cloned().chain(fit.notes));
    Ok(())
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
