//! `almanac import tec --verify`: compares a random sample of the site with the calendar.

use serde_json::Value;

use super::{
    super::{
        ImportError, WriteOptions,
        fit::Fit,
        records::{EventRecord, OrganizerRecord, Record, TermRecord, VenueRecord, stored_record},
        run::Progress,
    },
    StatusOf, TecOptions,
    client::Site,
    read::{self, ReadContext},
    uids,
};
use crate::{
    calendar::Kind,
    store::{
        Store, Term,
        entity::{category, import_item, tag},
        imports,
        publishable::{self, Key},
        term::{self, TermRow},
    },
};

/// The number of objects of each kind in the sample.
const SAMPLE: u64 = 100;

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Verification {
    /// The number of objects compared.
    pub compared: u64,
    /// One line each.
    pub differences: Vec<String>,
    /// Objects of the sample that can't be read at the site.
    pub unseen: Vec<String>,
}

/// Compares a sample of what was imported from a source.
pub(crate) async fn verify(
    store: &Store,
    source: i64,
    site: &Site<'_>,
    options: &TecOptions,
    write: &WriteOptions,
    progress: &dyn Progress,
) -> Result<Verification, ImportError> {
    let verifier = Verifier {
        store,
        source,
        site,
        context: ReadContext {
            authors: options.authors.clone(),
            site: write.site,
        },
        statuses: options.statuses,
    };
    let mut result = Verification::default();
    for kind in Kind::ALL {
        let items = imports::random_items(store.reader(), source, kind, SAMPLE).await?;
        progress.begin(&format!("comparing {}", kind.plural()), Some(items.len() as u64));
        for (done, item) in (1..).zip(items) {
            verifier.compare(kind, &item, &mut result).await?;
            progress.advance_to(done);
        }
    }
    Ok(result)
}

struct Verifier<'a> {
    store: &'a Store,
    source: i64,
    site: &'a Site<'a>,
    context: ReadContext,
    statuses: StatusOf,
}

impl Verifier<'_> {
    async fn compare(
        &self,
        kind: Kind,
        item: &import_item::Model,
        result: &mut Verification,
    ) -> Result<(), ImportError> {
        let name = format!("{} {}", kind.name(), item.key);
        let Some(object) = self.site.object(&format!("/{}/{}", kind.plural(), item.key)).await? else {
            result.unseen.push(name);
            return Ok(());
        };
        result.compared += 1;
        if item.target_id.to_string() != item.key {
            result.differences.push(format!("{name}: id: {} here", item.target_id));
        }
        let mut fit = Fit::default();
        let both = match kind {
            Kind::Category => self.term::<category::Entity>(item, &object, &mut fit).await?,
            Kind::Tag => self.term::<tag::Entity>(item, &object, &mut fit).await?,
            Kind::Venue => {
                self.row::<VenueRecord>(item, read::venue(&object, &self.context, &mut fit))
                    .await?
            }
            Kind::Organizer => {
                let record = read::organizer(&object, &self.context, &mut fit);
                self.row::<OrganizerRecord>(item, record).await?
            }
            Kind::Event => {
                let record = self.event(&object, &mut fit).await?;
                self.row::<EventRecord>(item, record).await?
            }
        };
        match both {
            Some((there, here)) => result.differences.extend(differences(&name, &there, &here)),
            None => result.differences.push(format!("{name}: does not exist here")),
        }
        Ok(())
    }

    /// The event at the source, with the IDs that its links have here.
    async fn event(&self, object: &Value, fit: &mut Fit) -> Result<EventRecord, ImportError> {
        let mut record = read::event(object, &self.context, fit);
        if !self.statuses.includes(object) {
            record.event_status = None;
        }
        let id = read::id(object).unwrap_or_default();
        let host = self.site.home.host_str().unwrap_or_default();
        let found = uids::of_events(self.site, &[object]).await?.remove(&id);
        record.uid = Some(found.unwrap_or_else(|| read::generated_uid(id, &record.times, host)));
        let references = read::references(object);
        record.venues = self.targets(Kind::Venue, &references.venues).await?;
        record.organizers = self.targets(Kind::Organizer, &references.organizers).await?;
        record.categories = self.targets(Kind::Category, &references.categories).await?;
        record.tags = self.targets(Kind::Tag, &references.tags).await?;
        record.categories.sort_unstable();
        record.tags.sort_unstable();
        Ok(record)
    }

    /// The IDs here of objects of the source. Those that were not imported count as 0, which no object has.
    async fn targets(&self, kind: Kind, keys: &[String]) -> Result<Vec<i64>, ImportError> {
        let items = imports::items(self.store.reader(), self.source, kind, keys).await?;
        Ok(keys
            .iter()
            .map(|key| items.get(key).map_or(0, |item| item.target_id))
            .collect())
    }

    /// The record of the source, and that of the stored row.
    async fn row<R: Record>(
        &self,
        item: &import_item::Model,
        record: R,
    ) -> Result<Option<(Value, Value)>, ImportError> {
        let database = self.store.reader();
        let Some(row) = publishable::find::<R::Entity>(database, &Key::Id(item.target_id)).await? else {
            return Ok(None);
        };
        let stored = stored_record(database, &row, self.context.site, Some(&record)).await?;
        Ok(Some((value(&record), value(&stored))))
    }

    async fn term<E: Term>(
        &self,
        item: &import_item::Model,
        object: &Value,
        fit: &mut Fit,
    ) -> Result<Option<(Value, Value)>, ImportError> {
        let mut record: TermRecord = read::term(object, fit);
        let parents = self.targets(E::KIND, &[record.parent.to_string()]).await?;
        record.parent = match E::PARENT {
            Some(_) => parents.first().copied().unwrap_or_default(),
            None => 0,
        };
        let found = term::find::<E>(self.store.reader(), item.target_id).await?;
        Ok(found.map(|row| {
            let stored = TermRecord::stored(&row.common_columns(), Some(&record));
            (value(&record), value(&stored))
        }))
    }
}

fn value(record: &impl serde::Serialize) -> Value {
    serde_json::to_value(record).unwrap_or_default()
}

/// One line for each member that differs.
fn differences(name: &str, there: &Value, here: &Value) -> Vec<String> {
    let members = there.as_object().into_iter().flatten();
    members
        .filter(|(member, value)| here[member.as_str()] != **value)
        .map(|(member, value)| format!("{name}: {member}: {value} at the site, {} here", here[member.as_str()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_by_member() {
        let there = json!({"title": "A", "slug": "a", "venues": [1]});
        let here = json!({"title": "B", "slug": "a", "venues": []});
        assert_eq!(
            differences("event 1", &there, &here),
            [
                "event 1: title: \"A\" at the site, \"B\" here",
                "event 1: venues: [1] at the site, [] here"
            ]
        );
    }
}
