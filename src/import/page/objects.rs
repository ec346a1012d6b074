//! Writes events, venues and organizers.

use sea_orm::EntityTrait;

use super::{
    Identity, Page,
    decision::{Decision, ItemState, decide},
    taken_id,
};
use crate::{
    calendar::{Kind, slug::slugify, status::Status},
    import::{
        ImportError,
        records::{Common, EventRecord, ImageRecord, Record, digest},
    },
    store::{
        Publishable, Transaction,
        batch::Batch,
        entity::{event, event_category, event_organizer, event_tag, event_venue, import_item},
        images,
        links::{self, LinkedIds},
        locks,
        publishable::{self, Key, PublishableRow},
        slugs::{self as taken_slugs, Slugs},
    },
};

/// An object that was updated: its item, its row and its new record.
type Updated<R> = (import_item::Model, <<R as Record>::Entity as EntityTrait>::Model, R);

impl Page<'_> {
    /// Writes an event, and its links. Returns its ID.
    pub(in crate::import) async fn event(
        &mut self,
        identity: Identity<'_>,
        record: EventRecord,
    ) -> Result<i64, ImportError> {
        let key = identity.key;
        let Some(item) = self.items.get(&(Kind::Event, key.to_owned())).cloned() else {
            let row = self.insert(identity, &record).await?;
            let row = self.save_links(row, &LinkedIds::default(), &record).await?;
            self.finish_insert::<EventRecord>(key, &record, &row).await?;
            return Ok(row.id);
        };
        let before = links::of_events(&self.transaction, &[item.target_id]).await?;
        if let Some((item, row, record)) = self.update(item, record).await? {
            let row = self.save_links(row, &before, &record).await?;
            self.finish_update::<EventRecord>(item, &row).await?;
        }
        Ok(self.target(Kind::Event, key).unwrap_or_default())
    }

    /// Writes a venue or an organizer. Returns its ID.
    pub(in crate::import) async fn linked_resource<R: Record>(
        &mut self,
        identity: Identity<'_>,
        record: R,
    ) -> Result<i64, ImportError> {
        let kind = R::Entity::KIND;
        let key = identity.key;
        let Some(item) = self.items.get(&(kind, key.to_owned())).cloned() else {
            let row = self.insert(identity, &record).await?;
            self.finish_insert::<R>(key, &record, &row).await?;
            return Ok(row.id());
        };
        if let Some((item, row, _)) = self.update(item, record).await? {
            self.finish_update::<R>(item, &row).await?;
        }
        Ok(self.target(kind, key).unwrap_or_default())
    }

    /// Inserts a row for a record.
    async fn insert<R: Record>(
        &mut self,
        identity: Identity<'_>,
        record: &R,
    ) -> Result<<R::Entity as EntityTrait>::Model, ImportError> {
        let kind = R::Entity::KIND;
        let mut row = self.new_row(record).await?;
        let mut columns = row.common_columns();
        columns.id = self.free_id::<R::Entity>(identity).await?;
        columns.slug = self
            .free_slug::<R::Entity>(identity.key, record.common(), columns.id)
            .await?;
        let needs_id_slug = columns.slug.is_empty();
        if needs_id_slug {
            columns.slug = taken_slugs::temporary();
        }
        row.set_common_columns(columns);
        let stored = publishable::insert::<R::Entity>(&self.transaction, row).await?;
        self.counts.created += 1;
        if !needs_id_slug {
            return Ok(stored);
        }
        let mut named = stored.clone();
        let mut columns = named.common_columns();
        columns.slug = format!("{}-{}", kind.name(), columns.id);
        let modified_at = columns.modified_at;
        named.set_common_columns(columns);
        Ok(publishable::update::<R::Entity>(&self.transaction, &stored, named, modified_at).await?)
    }

    /// A row for a record that is not stored yet, without ID and slug.
    pub(super) async fn new_row<R: Record>(
        &mut self,
        record: &R,
    ) -> Result<<R::Entity as EntityTrait>::Model, ImportError> {
        let mut row = <R::Entity as EntityTrait>::Model::default();
        let mut columns = row.common_columns();
        columns.version = 1;
        columns.published_at = self.now;
        columns.author_id = self.options.author;
        // Differs from the default, so that the text is stored.
        columns.description_text = Some(String::new());
        row.set_common_columns(columns);
        self.set_values(&mut row, record).await?;
        let mut columns = row.common_columns();
        columns.modified_at = record.common().modified_at.unwrap_or(self.now);
        row.set_common_columns(columns);
        Ok(row)
    }

    /// Stores the values of a record in a row, except slug and links.
    pub(super) async fn set_values<R: Record>(
        &mut self,
        row: &mut <R::Entity as EntityTrait>::Model,
        record: &R,
    ) -> Result<(), ImportError> {
        record.store(row, self.now);
        let image = self.image(record.common().image.as_ref()).await?;
        let mut columns = row.common_columns();
        columns.image_id = image;
        row.set_common_columns(columns);
        Ok(())
    }

    /// The ID that a new object gets: its own one, or 0 for the next one.
    async fn free_id<E: Publishable>(&mut self, identity: Identity<'_>) -> Result<i64, ImportError> {
        let Some(id) = identity.id else {
            return Ok(0);
        };
        let taken = publishable::find::<E>(&self.transaction, &Key::Id(id)).await?.is_some();
        if taken {
            self.renumbered(E::KIND, identity.key, id)?;
            return Ok(0);
        }
        self.numbered.insert(E::KIND.plural());
        Ok(id)
    }

    /// An object can't keep its ID: another one has it.
    pub(super) fn renumbered(&mut self, kind: Kind, key: &str, id: i64) -> Result<(), ImportError> {
        if !self.options.renumber {
            return Err(ImportError::Conflict(taken_id(kind, &[id])));
        }
        let note = format!("has a new ID, because another {} has the ID {id}", kind.name());
        self.note(kind, key, [note]);
        Ok(())
    }

    /// The slug of a new object: that of the record, with a number if another object has it. Empty if it has to be made
    /// from the ID, which is not known yet.
    async fn free_slug<E: Publishable>(&mut self, key: &str, common: &Common, id: i64) -> Result<String, ImportError> {
        let base = match common.slug.as_str() {
            "" => slugify(&common.title),
            slug => slug.to_owned(),
        };
        if base.is_empty() {
            return Ok(match id {
                0 => String::new(),
                id => format!("{}-{id}", E::KIND.name()),
            });
        }
        if common.status == Status::Trash.as_str() {
            return Ok(base);
        }
        taken_slugs::lock_slug(&self.transaction, E::KIND, &base).await?;
        let free = Slugs::<E>::of_publishable(id)
            .find_free(&self.transaction, &base)
            .await?;
        if free != base && !common.slug.is_empty() {
            let note = format!("has the slug {free}, because another {} has {base}", E::KIND.name());
            self.note(E::KIND, key, [note]);
        }
        Ok(free)
    }

    async fn image(&mut self, image: Option<&ImageRecord>) -> Result<Option<i64>, ImportError> {
        let Some(ImageRecord { url, id, size }) = image else {
            return Ok(None);
        };
        if id.is_some() {
            self.numbered.insert("images");
        }
        Ok(Some(images::save(&self.transaction, *id, url, *size).await?))
    }

    async fn finish_insert<R: Record>(
        &mut self,
        key: &str,
        record: &R,
        row: &<R::Entity as EntityTrait>::Model,
    ) -> Result<(), ImportError> {
        let stored = self.stored::<R>(row, None).await?;
        let kind = R::Entity::KIND;
        let item = self.new_item(kind, key, row.id(), digest(record), digest(&stored));
        self.save_item(item, kind);
        Ok(())
    }

    async fn finish_update<R: Record>(
        &mut self,
        mut item: import_item::Model,
        row: &<R::Entity as EntityTrait>::Model,
    ) -> Result<(), ImportError> {
        item.stored = digest(&self.stored::<R>(row, None).await?);
        self.save_item(item, R::Entity::KIND);
        Ok(())
    }

    /// Decides what becomes of an object that was imported before, and updates its row. Returns its item, its row and
    /// its new record if it was updated.
    async fn update<R: Record>(
        &mut self,
        mut item: import_item::Model,
        record: R,
    ) -> Result<Option<Updated<R>>, ImportError> {
        let kind = R::Entity::KIND;
        item.seen_by = self.run;
        let found = publishable::find_for_update::<R::Entity>(&self.transaction, &Key::Id(item.target_id)).await?;
        let Some(before) = found.filter(|row| item.is_gone || !row.is_in_trash()) else {
            self.keep_deleted(item, kind);
            return Ok(None);
        };
        let stored = self.stored(&before, Some(&record)).await?;
        let is_as_imported = digest(&self.stored::<R>(&before, None).await?) == item.stored;
        let source_digest = digest(&record);
        let state = ItemState {
            is_gone: item.is_gone,
            is_new_at_source: item.digest != source_digest,
            is_as_imported,
        };
        let decision = decide(self.options.authority, state, stored, record);
        item.digest = source_digest;
        let record = match decision {
            Decision::Update(record) => record,
            Decision::Unchanged => {
                self.keep_unchanged(item, kind);
                return Ok(None);
            }
            Decision::Keep => {
                self.keep_changed(item, kind);
                return Ok(None);
            }
        };
        item.is_gone = false;
        let row = self.store_update(&item.key, before, &record).await?;
        Ok(Some((item, row, record)))
    }

    /// Stores the values of a record in an existing row.
    pub(super) async fn store_update<R: Record>(
        &mut self,
        key: &str,
        before: <R::Entity as EntityTrait>::Model,
        record: &R,
    ) -> Result<<R::Entity as EntityTrait>::Model, ImportError> {
        let mut after = before.clone();
        self.set_values(&mut after, record).await?;
        let mut columns = after.common_columns();
        let slug = record.common().slug.as_str();
        let is_restored = before.is_in_trash() && columns.status != Status::Trash;
        if is_restored || !slug.is_empty() && columns.slug != slug {
            let wanted = Common {
                slug: if slug.is_empty() {
                    columns.slug.clone()
                } else {
                    slug.to_owned()
                },
                ..record.common().clone()
            };
            columns.slug = self.free_slug::<R::Entity>(key, &wanted, columns.id).await?;
        }
        after.set_common_columns(columns);
        self.counts.updated += 1;
        if after == before {
            // Only links differ.
            return Ok(before);
        }
        let modified_at = record.common().modified_at.unwrap_or(self.now);
        Ok(publishable::update::<R::Entity>(&self.transaction, &before, after, modified_at).await?)
    }

    /// Replaces the links of a stored event.
    pub(super) async fn save_links(
        &mut self,
        row: event::Model,
        before: &LinkedIds,
        record: &EventRecord,
    ) -> Result<event::Model, ImportError> {
        if self.options.dry_run {
            // What the links refer to may not be stored.
            return Ok(row);
        }
        let mut targets = before.of_event::<event_venue::Entity>(row.id);
        targets.extend(&record.venues);
        locks::lock_targets::<event_venue::Entity>(&self.transaction, targets).await?;
        let mut targets = before.of_event::<event_organizer::Entity>(row.id);
        targets.extend(&record.organizers);
        locks::lock_targets::<event_organizer::Entity>(&self.transaction, targets).await?;
        let mut batch = Batch::new(&self.transaction);
        let mut changed = false;
        changed |= links::replace::<event_venue::Entity>(&mut batch, &row, before, Some(record.venues.clone()));
        changed |= links::replace::<event_organizer::Entity>(&mut batch, &row, before, Some(record.organizers.clone()));
        changed |= links::replace::<event_category::Entity>(&mut batch, &row, before, Some(record.categories.clone()));
        changed |= links::replace::<event_tag::Entity>(&mut batch, &row, before, Some(record.tags.clone()));
        if changed {
            batch.run(&self.transaction).await?;
        }
        Ok(row)
    }

    /// Moves the target of an item, or its upcoming events, to the trash, because the source no longer has it.
    pub(in crate::import) async fn trash_gone(&mut self, mut item: import_item::Model) -> Result<bool, ImportError> {
        if let Some(series) = self.series_of(&item).await? {
            if !self.trash_series(&series).await? {
                return Ok(false);
            }
        } else {
            let key = Key::Id(item.target_id);
            let found = publishable::find_for_update::<event::Entity>(&self.transaction, &key).await?;
            let Some(before) = found.filter(|row| !row.is_in_trash() && row.ends_at > self.now) else {
                return Ok(false);
            };
            trash::<event::Entity>(&self.transaction, &before, self.now).await?;
        }
        self.note(
            Kind::Event,
            &item.key,
            ["is no longer at the source; moved to the trash".to_owned()],
        );
        item.is_gone = true;
        self.changed.push(item);
        Ok(true)
    }
}

/// Moves an object to the trash.
pub(in crate::import) async fn trash<E: Publishable>(
    transaction: &Transaction,
    before: &E::Model,
    now: i64,
) -> Result<(), ImportError> {
    let mut columns = before.common_columns();
    columns.set_status(Status::Trash, now);
    let mut after = before.clone();
    after.set_common_columns(columns);
    publishable::update::<E>(transaction, before, after, now).await?;
    Ok(())
}
