//! Writes categories and tags.

use super::{
    Identity, Page,
    decision::{Decision, ItemState, decide_values},
};
use crate::{
    import::{
        ImportError,
        records::{TermRecord, digest},
        slugs,
    },
    services,
    store::{
        Term,
        locks::{self, AdvisoryLock},
        slugs::{self as taken_slugs, Slugs},
        term::{self, TermColumns, TermRow},
    },
};

impl Page<'_> {
    /// Writes a category or a tag. Returns its ID.
    pub(in crate::import) async fn term<E: Term>(
        &mut self,
        identity: Identity<'_>,
        mut record: TermRecord,
    ) -> Result<i64, ImportError> {
        let key = identity.key;
        if E::PARENT.is_none() {
            record.parent = 0;
        }
        let Some(mut item) = self.items.get(&(E::KIND, key.to_owned())).cloned() else {
            return self.insert_term::<E>(identity, record).await;
        };
        item.seen_by = self.run;
        let Some(before) = term::find_for_update::<E>(&self.transaction, item.target_id).await? else {
            self.keep_deleted(item, E::KIND);
            return Ok(0);
        };
        let mut columns = before.common_columns();
        let stored = TermRecord::stored(&columns, Some(&record));
        let source_digest = digest(&record);
        let state = ItemState {
            is_gone: false,
            is_new_at_source: item.digest != source_digest,
            is_as_imported: digest(&TermRecord::stored(&columns, None)) == item.stored,
        };
        let decision = decide_values(self.options.authority, state, stored == record);
        item.digest = source_digest;
        let target = item.target_id;
        match decision {
            Decision::Unchanged => self.keep_unchanged(item, E::KIND),
            Decision::Keep => self.keep_changed(item, E::KIND),
            Decision::Update(()) => {
                record.store(&mut columns);
                self.make_unique::<E>(key, &mut columns, &record).await?;
                let row = term::update::<E>(&self.transaction, &before, columns, self.now).await?;
                item.stored = digest(&TermRecord::stored(&row.common_columns(), None));
                self.counts.updated += 1;
                self.save_item(item, E::KIND);
            }
        }
        Ok(target)
    }

    async fn insert_term<E: Term>(&mut self, identity: Identity<'_>, record: TermRecord) -> Result<i64, ImportError> {
        let Identity { key, id } = identity;
        let mut columns = TermColumns {
            version: 1,
            modified_at: self.now,
            ..TermColumns::default()
        };
        record.store(&mut columns);
        if let Some(id) = id {
            match term::find::<E>(&self.transaction, id).await? {
                Some(_) => self.renumbered(E::KIND, key, id)?,
                None => columns.id = id,
            }
        }
        self.make_unique::<E>(key, &mut columns, &record).await?;
        let row = match columns.id {
            0 => term::insert::<E>(&self.transaction, columns).await?,
            _ => {
                self.numbered.insert(E::KIND.plural());
                term::insert_with_id::<E>(&self.transaction, columns).await?
            }
        };
        let columns = row.common_columns();
        let stored = digest(&TermRecord::stored(&columns, None));
        let item = self.new_item(E::KIND, key, columns.id, digest(&record), stored);
        self.save_item(item, E::KIND);
        self.counts.created += 1;
        Ok(columns.id)
    }

    /// Sets the slug of a term, and changes name and slug if another term has them.
    async fn make_unique<E: Term>(
        &mut self,
        key: &str,
        columns: &mut TermColumns,
        record: &TermRecord,
    ) -> Result<(), ImportError> {
        let parent = E::PARENT.map(|_| columns.parent);
        let name = AdvisoryLock::of_name(E::KIND, &columns.name_key);
        locks::take(&self.transaction, [name]).await?;
        let same_name = term::find_by_name::<E>(&self.transaction, &columns.name_key, parent).await?;
        if same_name.is_some_and(|other| other.common_columns().id != columns.id) {
            let unique = format!("{} ({key})", columns.name);
            let note = format!("has the name {unique}, because another {} has its name", E::KIND.name());
            self.note(E::KIND, key, [note]);
            columns.name = unique;
        }
        let base = match (record.slug.as_str(), columns.slug.as_str()) {
            ("", "") => slugs::fallback("", &columns.name),
            ("", slug) => slug.to_owned(),
            (slug, _) => slug.to_owned(),
        };
        let base = match base.is_empty() {
            true => format!("{}-{key}", E::KIND.name()),
            false => base,
        };
        taken_slugs::lock_slug(&self.transaction, E::KIND, &base).await?;
        columns.slug = Slugs::<E>::of_terms(columns.id)
            .find_free(&self.transaction, &base)
            .await?;
        if columns.slug != base && !record.slug.is_empty() {
            let note = format!(
                "has the slug {}, because another {} has {base}",
                columns.slug,
                E::KIND.name()
            );
            self.note(E::KIND, key, [note]);
        }
        services::term::derive(columns);
        Ok(())
    }
}
