//! Writes the objects of a site.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    super::{
        ImportError, WHOLE,
        fit::Fit,
        page::{Identity, Page},
        run::Run,
    },
    Checkpoint, Importer, images,
    read::{self, References},
    uids,
};
use crate::{
    calendar::Kind,
    store::entity::{category, tag},
};

impl Importer<'_> {
    /// Writes objects of one kind in one transaction.
    pub(super) async fn write_page(
        &self,
        run: &mut Run<'_>,
        kind: Kind,
        items: &[Value],
        checkpoint: &Checkpoint,
    ) -> Result<(), ImportError> {
        let unique = without_duplicates(items);
        let mut notes: HashMap<i64, Vec<String>> = HashMap::new();
        if let Some(folder) = self.options.uploads.as_deref().filter(|_| !run.options.dry_run) {
            for item in &unique {
                let found = images::copy(self.site, item, folder).await?;
                notes.insert(read::id(item).unwrap_or_default(), found);
            }
        }
        let identifiers = match kind {
            Kind::Event => uids::of_events(self.site, &unique).await?,
            _ => HashMap::new(),
        };
        let mut attempt = 0;
        while let Err(error) = self
            .try_page(run, kind, &unique, &identifiers, &notes, checkpoint)
            .await
        {
            run.wait_for_retry(error, &mut attempt).await?;
        }
        Ok(())
    }

    async fn try_page(
        &self,
        run: &mut Run<'_>,
        kind: Kind,
        items: &[&Value],
        identifiers: &HashMap<i64, String>,
        notes: &HashMap<i64, Vec<String>>,
        checkpoint: &Checkpoint,
    ) -> Result<(), ImportError> {
        let options = run.options.clone();
        let mut page = run.page(&options).await?;
        self.load(&mut page, kind, items).await?;
        for item in items {
            let Some(id) = read::id(item) else {
                page.note(kind, WHOLE, ["an object without a usable ID was left out".to_owned()]);
                continue;
            };
            page.note(kind, &id.to_string(), notes.get(&id).into_iter().flatten().cloned());
            let uid = identifiers.get(&id).cloned();
            self.write(&mut page, kind, id, item, uid).await?;
        }
        run.commit(page, checkpoint).await
    }

    /// Loads what was imported of these objects and of those that they refer to.
    async fn load(&self, page: &mut Page<'_>, kind: Kind, items: &[&Value]) -> Result<(), ImportError> {
        let keys: Vec<String> = items
            .iter()
            .filter_map(|item| read::id(item))
            .map(|id| id.to_string())
            .collect();
        page.load(kind, &keys).await?;
        match kind {
            Kind::Category => {
                let parents = items.iter().filter_map(|item| item["parent"].as_i64());
                let parents: Vec<String> = parents.map(|id| id.to_string()).collect();
                page.load(kind, &parents).await?;
            }
            Kind::Event => {
                let mut all = References::default();
                for item in items {
                    let References {
                        venues,
                        organizers,
                        categories,
                        tags,
                    } = read::references(item);
                    all.venues.extend(venues);
                    all.organizers.extend(organizers);
                    all.categories.extend(categories);
                    all.tags.extend(tags);
                }
                page.load(Kind::Venue, &all.venues).await?;
                page.load(Kind::Organizer, &all.organizers).await?;
                page.load(Kind::Category, &all.categories).await?;
                page.load(Kind::Tag, &all.tags).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes one object. Returns its ID in this calendar.
    async fn write(
        &self,
        page: &mut Page<'_>,
        kind: Kind,
        id: i64,
        item: &Value,
        uid: Option<String>,
    ) -> Result<i64, ImportError> {
        let key = id.to_string();
        let identity = Identity {
            key: &key,
            id: Some(id),
        };
        let mut fit = Fit::default();
        let target = match kind {
            Kind::Category | Kind::Tag => {
                let mut record = read::term(item, &mut fit);
                if record.parent != 0 {
                    let parent = page.target(kind, &record.parent.to_string());
                    // A dry run stores no parents.
                    if parent.is_none() && !page.options.dry_run {
                        fit.note(format!(
                            "its parent {} does not exist; stored at the top level",
                            record.parent
                        ));
                    }
                    record.parent = parent.unwrap_or_default();
                }
                match kind {
                    Kind::Category => page.term::<category::Entity>(identity, record).await?,
                    _ => page.term::<tag::Entity>(identity, record).await?,
                }
            }
            Kind::Venue => {
                let record = read::venue(item, &self.context, &mut fit);
                page.linked_resource(identity, record).await?
            }
            Kind::Organizer => {
                let record = read::organizer(item, &self.context, &mut fit);
                page.linked_resource(identity, record).await?
            }
            Kind::Event => {
                let mut record = read::event(item, &self.context, &mut fit);
                let host = self.site.home.host_str().unwrap_or_default();
                record.uid = Some(uid.unwrap_or_else(|| read::generated_uid(id, &record.times, host)));
                record.venues = self.targets(page, Kind::Venue, item).await?;
                record.organizers = self.targets(page, Kind::Organizer, item).await?;
                record.categories = self.targets(page, Kind::Category, item).await?;
                record.tags = self.targets(page, Kind::Tag, item).await?;
                record.categories.sort_unstable();
                record.tags.sort_unstable();
                page.event(identity, record).await?
            }
        };
        page.note(kind, &key, fit.notes);
        Ok(target)
    }

    /// The IDs in this calendar of the objects that an event contains. Those that no list has, such as unpublished
    /// ones, are imported from the event.
    async fn targets(&self, page: &mut Page<'_>, kind: Kind, event: &Value) -> Result<Vec<i64>, ImportError> {
        let member = match kind {
            Kind::Venue => "venue",
            Kind::Organizer => "organizer",
            _ => kind.plural(),
        };
        let mut targets = Vec::new();
        if page.options.dry_run {
            // What earlier pages have imported is not stored.
            return Ok(targets);
        }
        for object in read::objects(&event[member]) {
            let Some(id) = read::id(object) else {
                continue;
            };
            let target = match page.target(kind, &id.to_string()) {
                Some(target) => target,
                None => Box::pin(self.write(page, kind, id, object, None)).await?,
            };
            if target != 0 && !targets.contains(&target) {
                targets.push(target);
            }
        }
        Ok(targets)
    }
}

/// The objects of a page, once each.
fn without_duplicates(items: &[Value]) -> Vec<&Value> {
    let mut seen = HashSet::new();
    items
        .iter()
        .filter(|item| read::id(item).is_none_or(|id| seen.insert(id)))
        .collect()
}
