//! `almanac import tec`: imports a site with The Events Calendar over its REST interface.

mod client;
mod discovery;
mod event_status;
pub(crate) mod images;
mod read;
mod terms;
mod uids;
pub(crate) mod verify;
mod write;

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{
    ImportError, WHOLE,
    page::taken_id,
    run::{Report, Run},
};
use crate::{
    calendar::Kind,
    store::{imports, lookup},
};
pub(crate) use client::Site;
pub(crate) use event_status::StatusOf;
use read::ReadContext;
use terms::by_depth;

/// Objects per page. More is more than some versions allow.
const PER_PAGE: u64 = 50;
/// The order of the kinds: events refer to the others.
const ORDER: [Kind; 5] = [Kind::Category, Kind::Tag, Kind::Venue, Kind::Organizer, Kind::Event];
/// Passes over a list whose pages overlap: The Events Calendar does not order events with the same start.
const PASSES: u32 = 3;
/// What is reported of an object that this run has not found.
const GONE: &str = "is no longer at the source, or no longer visible there; it is kept here";

/// What to import.
#[derive(Clone, Debug)]
pub(crate) struct TecOptions {
    /// Only events that start on this day or later.
    pub since: Option<NaiveDate>,
    /// Users of this calendar by the IDs of authors.
    pub authors: HashMap<String, i64>,
    /// The events whose status is read.
    pub statuses: StatusOf,
    /// IDs of events that no list has.
    pub ids: Vec<i64>,
    /// The folder to which images are copied. None if they are linked.
    pub uploads: Option<PathBuf>,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Checkpoint {
    /// The place of the kind in [`ORDER`].
    stage: usize,
    /// The next page.
    page: u64,
    /// Events of other days are left out.
    since: Option<String>,
    /// Whether unpublished objects are imported, too. Lists have other pages then.
    has_credentials: bool,
    /// Whether the objects of the source have been compared with those of the calendar.
    is_checked: bool,
}

/// Imports the site.
pub(crate) async fn import(mut run: Run<'_>, site: &Site<'_>, options: &TecOptions) -> Result<Report, ImportError> {
    let since = options.since.map(|day| day.to_string());
    let has_credentials = site.has_credentials;
    let is_same = |found: &Checkpoint| found.since == since && found.has_credentials == has_credentials;
    let mut checkpoint = run.checkpoint::<Checkpoint>().filter(is_same).unwrap_or_default();
    checkpoint.since = since;
    checkpoint.has_credentials = has_credentials;
    let context = read_context(&run, options);
    let importer = Importer { site, options, context };
    if !checkpoint.is_checked && !run.options.renumber {
        importer.check_ids(&run).await?;
        checkpoint.is_checked = true;
    }
    while let Some(kind) = ORDER.get(checkpoint.stage).copied() {
        importer.import_kind(&mut run, kind, &mut checkpoint).await?;
        checkpoint = Checkpoint {
            stage: checkpoint.stage + 1,
            page: 0,
            ..checkpoint
        };
    }
    importer.import_ids(&mut run, &checkpoint).await?;
    importer.finish(run, &checkpoint).await
}

fn read_context(run: &Run<'_>, options: &TecOptions) -> ReadContext {
    ReadContext {
        authors: options.authors.clone(),
        site: run.options.site,
    }
}

/// The path of a list, and the member with its objects.
fn list_of(kind: Kind) -> (String, &'static str) {
    (format!("/{}", kind.plural()), kind.plural())
}

struct Importer<'a> {
    site: &'a Site<'a>,
    options: &'a TecOptions,
    context: ReadContext,
}

impl Importer<'_> {
    /// The parameters of a page of a list, from 1.
    fn parameters(&self, kind: Kind, page: u64) -> Vec<(&'static str, String)> {
        let mut parameters = vec![("page", page.to_string()), ("per_page", PER_PAGE.to_string())];
        if kind.is_term() {
            parameters.push(("hide_empty", "0".to_owned()));
            return parameters;
        }
        if kind == Kind::Event {
            let since = self
                .options
                .since
                .map_or_else(|| "1900-01-01".to_owned(), |day| day.to_string());
            parameters.push(("start_date", format!("{since} 00:00:00")));
            parameters.push(("end_date", "2100-12-31 23:59:59".to_owned()));
        }
        if self.site.has_credentials {
            parameters.push(("status", "publish,future,draft,pending,private".to_owned()));
        }
        parameters
    }

    /// Fails before anything is written if other objects have IDs of the source.
    async fn check_ids(&self, run: &Run<'_>) -> Result<(), ImportError> {
        let database = run.store().reader();
        for kind in ORDER {
            if !imports::has_others(database, run.source(), kind).await? {
                continue;
            }
            run.progress
                .begin(&format!("comparing the IDs of {}", kind.plural()), None);
            let (path, member) = list_of(kind);
            let mut taken = Vec::new();
            let mut page = 1;
            loop {
                let list = self.site.list(&path, member, &self.parameters(kind, page)).await?;
                let ids: Vec<i64> = list.items.iter().filter_map(read::id).collect();
                let own = imports::targets(database, run.source(), kind, &ids).await?;
                let existing = lookup::existing(database, kind, &ids).await?;
                taken.extend(existing.into_iter().filter(|id| !own.contains(id)));
                if page >= list.pages || list.items.is_empty() {
                    break;
                }
                page += 1;
            }
            if !taken.is_empty() {
                taken.sort_unstable();
                return Err(ImportError::Conflict(taken_id(kind, &taken)));
            }
        }
        Ok(())
    }

    /// Imports all objects of a kind, from the page of the checkpoint.
    async fn import_kind(&self, run: &mut Run<'_>, kind: Kind, checkpoint: &mut Checkpoint) -> Result<(), ImportError> {
        let (path, member) = list_of(kind);
        // Parents precede their children, which may be on an earlier page.
        let mut terms = Vec::new();
        let begins_in_the_middle = checkpoint.page > 1 && !kind.is_term();
        let mut seen = HashSet::new();
        let mut pass = 1;
        let mut page = if begins_in_the_middle { checkpoint.page } else { 1 };
        loop {
            let mut list = self.site.list(&path, member, &self.parameters(kind, page)).await?;
            if page == 1 && pass == 1 || begins_in_the_middle && seen.is_empty() {
                run.progress
                    .begin(&format!("importing {}", kind.plural()), Some(list.total));
            }
            seen.extend(list.items.iter().filter_map(read::id));
            let is_last = page >= list.pages || list.items.is_empty();
            if kind.is_term() {
                terms.extend(list.items);
            } else {
                if kind == Kind::Event {
                    event_status::complete(self.site, &mut list.items, self.options.statuses).await?;
                }
                checkpoint.page = page + 1;
                self.write_page(run, kind, &list.items, checkpoint).await?;
                let before = if begins_in_the_middle {
                    list.total.saturating_sub(seen.len() as u64)
                } else {
                    0
                };
                run.progress.advance_to((before + seen.len() as u64).min(list.total));
            }
            page += 1;
            if !is_last {
                continue;
            }
            if begins_in_the_middle || seen.len() as u64 >= list.total {
                break;
            }
            if pass == PASSES {
                let missing = list.total - seen.len() as u64;
                self.note_whole(
                    run,
                    kind,
                    checkpoint,
                    &format!(
                        "the site counts {} {}, but its pages have {missing} fewer; import again to look for them",
                        list.total,
                        kind.plural(),
                    ),
                )
                .await?;
                break;
            }
            pass += 1;
            page = 1;
        }
        for terms in by_depth(terms).chunks(PER_PAGE as usize) {
            self.write_page(run, kind, terms, checkpoint).await?;
        }
        Ok(())
    }

    /// Imports events by their IDs.
    async fn import_ids(&self, run: &mut Run<'_>, checkpoint: &Checkpoint) -> Result<(), ImportError> {
        if self.options.ids.is_empty() {
            return Ok(());
        }
        run.progress
            .begin("importing the events of --ids", Some(self.options.ids.len() as u64));
        let mut done = 0;
        for ids in self.options.ids.chunks(PER_PAGE as usize) {
            let mut found = Vec::new();
            let mut missing = Vec::new();
            for id in ids {
                match self.site.object(&format!("/events/{id}")).await? {
                    Some(event) => found.push(event),
                    None => missing.push(*id),
                }
                done += 1;
                run.progress.advance_to(done);
            }
            self.write_page(run, Kind::Event, &found, checkpoint).await?;
            for id in missing {
                let text = format!("the event {id} of --ids does not exist, or may not be read");
                self.note_whole(run, Kind::Event, checkpoint, &text).await?;
            }
        }
        Ok(())
    }

    /// Adds a note that is not on a single object.
    async fn note_whole(
        &self,
        run: &mut Run<'_>,
        kind: Kind,
        checkpoint: &Checkpoint,
        text: &str,
    ) -> Result<(), ImportError> {
        let options = run.options.clone();
        let mut page = run.page(&options).await?;
        page.note(kind, WHOLE, [text.to_owned()]);
        run.commit(page, checkpoint).await
    }

    /// Reports what is no longer at the source and what can't be seen, and ends the run.
    async fn finish(&self, mut run: Run<'_>, checkpoint: &Checkpoint) -> Result<Report, ImportError> {
        let options = run.options.clone();
        let mut page = run.page(&options).await?;
        if self.options.since.is_none() && !options.dry_run {
            for kind in ORDER {
                for item in imports::missing_items(&page.transaction, page.source, kind, page.run).await? {
                    page.note(kind, &item.key, [GONE.to_owned()]);
                }
            }
        }
        if !self.site.has_credentials {
            let text = "drafts, pending, private and scheduled objects can't be seen without --user";
            page.note(Kind::Event, WHOLE, [text.to_owned()]);
        }
        if self.options.ids.is_empty() {
            let text = "the site does not list events that are hidden from listings; --ids FILE imports them";
            page.note(Kind::Event, WHOLE, [text.to_owned()]);
        }
        if self.options.statuses == StatusOf::Upcoming {
            let text =
                "whether past events were canceled, postponed or moved online is not read; --status-of all reads it";
            page.note(Kind::Event, WHOLE, [text.to_owned()]);
        }
        if self.options.uploads.is_none() {
            let host = self.site.home.host_str().unwrap_or_default();
            let text = format!(
                "images are linked, not copied: those on {host} disappear when that name leads to this server, unless \
                 --images copy stores them"
            );
            page.note(Kind::Event, WHOLE, [text]);
        }
        run.commit(page, checkpoint).await?;
        run.finish().await
    }
}
