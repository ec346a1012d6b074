//! Reads the records of each kind.

use std::collections::{BTreeMap, HashMap, HashSet};

use sea_orm::EntityTrait;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::Reader;
use crate::{
    calendar::{Kind, status::Status, text::fold},
    store::{
        bulk_load::LoadedLinks,
        entity::{category, event, image, organizer, series, tag, user, venue},
        publishable::PublishableRow,
    },
    transfer::{
        batch::{Follower, FormerSlug, Line},
        kinds::{Record, RecordKind},
        plain_tables::PlainRow,
        record::{self, Members},
        validate,
    },
};

impl Reader {
    pub(super) fn read_record(&mut self, name: &str, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let Some(kind) = RecordKind::ALL.into_iter().find(|kind| kind.name() == name) else {
            let known = RecordKind::ALL.map(RecordKind::name);
            errors.push(format!(
                "the kind {name:?} is unknown; known ones are {}",
                known.join(", ")
            ));
            return;
        };
        if kind > RecordKind::Category {
            self.add_categories();
        }
        match kind {
            RecordKind::User => self.read_user(members, errors),
            RecordKind::Image => self.read_image(members, errors),
            RecordKind::Category => self.read_category(members, errors),
            RecordKind::Tag => self.read_tag(members, errors),
            RecordKind::Venue => self.read_venue(members, errors),
            RecordKind::Organizer => self.read_organizer(members, errors),
            RecordKind::Series => self.read_series(members, errors),
            RecordKind::Event => self.read_event(members, errors),
        }
        errors.extend(members.unknown());
        self.batch.lines += 1;
    }

    /// Reads a row of a table without a kind of record. Its values are those of a backup.
    pub(super) fn read_plain_row(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let table = members.take::<String>("table", "the name of a table");
        let values = members.take::<Box<RawValue>>("values", "an object");
        errors.extend(members.unknown());
        let columns = values.as_ref().ok().map(|values| {
            let values: Result<BTreeMap<String, IgnoredAny>, _> = serde_json::from_str(values.get());
            values.map(|values| values.into_keys().collect())
        });
        match (table, values, columns) {
            (Ok(name), Ok(values), Some(Ok(columns))) => {
                match self.contents.plain_tables().find(|table| table.name == name) {
                    Some(table) => {
                        *self.counts.entry(name).or_default() += 1;
                        self.batch.lines += 1;
                        self.batch.plain_rows.push(PlainRow { table, columns, values });
                    }
                    None => errors.push(format!("the table {name:?} must not be in this file")),
                }
            }
            (table, values, columns) => {
                errors.extend(table.err().into_iter().chain(values.err()));
                if columns.is_some_and(|columns| columns.is_err()) {
                    errors.push("the member values must be an object".to_owned());
                }
            }
        }
    }

    /// Counts a record, and checks its place in the file.
    fn note(&mut self, kind: RecordKind, id: i64, errors: &mut Vec<String>) {
        *self.counts.entry(kind.table().to_owned()).or_default() += 1;
        if let Some(last) = self.last
            && (kind, id) <= last
        {
            errors.push(format!(
                "records must be in the order in which `almanac export` writes them: after {} {} comes {} {id}",
                last.0.name(),
                last.1,
                kind.name()
            ));
        }
        self.last = Some((kind, id));
        if kind != RecordKind::Event {
            self.ids.entry(kind).or_default().insert(id);
        }
    }

    fn row<E: Record>(&self, members: &mut Members<'_>, errors: &mut Vec<String>) -> <E as EntityTrait>::Model {
        members.row::<E>(&record::columns::<E>(self.contents), errors)
    }

    /// Checks that no other row of the kind has the same value.
    fn check_unique(&mut self, kind: RecordKind, member: &'static str, value: &str, errors: &mut Vec<String>) {
        if !self.unique.insert((kind, member, value.to_owned())) {
            errors.push(format!("another {} has the same {member}, {value:?}", kind.name()));
        }
    }

    /// Checks that no other row of the kind has the same ID in another system.
    fn check_external_id(
        &mut self,
        kind: RecordKind,
        source: Option<&String>,
        id: Option<&String>,
        errors: &mut Vec<String>,
    ) {
        let Some((source, id)) = source.zip(id) else {
            return;
        };
        // Texts have no U+0000.
        let hash = Sha256::digest(format!("{}\0{source}\0{id}", kind.name()));
        let mut key = [0; 16];
        key.copy_from_slice(&hash[..16]);
        if !self.external_ids.insert(key) {
            errors.push(format!(
                "another {} has the same external_source and external_id, {source:?} and {id:?}",
                kind.name()
            ));
        }
    }

    /// Checks that the records exist to which a member refers.
    fn check_references(&self, member: &str, kind: RecordKind, ids: &[i64], errors: &mut Vec<String>) {
        let known = self.ids.get(&kind);
        for id in ids {
            if !known.is_some_and(|known| known.contains(id)) {
                errors.push(format!(
                    "the member {member} refers to {} {id}, which the file does not have",
                    kind.name()
                ));
            }
        }
        let distinct: HashSet<&i64> = ids.iter().collect();
        if distinct.len() < ids.len() {
            errors.push(format!("the member {member} has an ID more than once"));
        }
    }

    fn check_author_and_image(&self, author: Option<i64>, image: Option<i64>, errors: &mut Vec<String>) {
        self.check_references("author_id", RecordKind::User, author.as_slice(), errors);
        self.check_references("image_id", RecordKind::Image, image.as_slice(), errors);
    }

    fn read_former_slugs(&mut self, kind: Kind, id: i64, members: &mut Members<'_>, errors: &mut Vec<String>) {
        match members.take::<Vec<String>>("former_slugs", "a list of texts") {
            Ok(slugs) => {
                let rows = slugs.into_iter().map(|slug| FormerSlug {
                    kind,
                    slug,
                    target_id: id,
                });
                self.batch.former_slugs.extend(rows);
            }
            Err(error) => errors.push(error),
        }
    }

    fn read_user(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let row = self.row::<user::Entity>(members, errors);
        validate::user(&row, errors);
        self.note(RecordKind::User, row.id, errors);
        self.check_unique(RecordKind::User, "name", &row.name, errors);
        self.batch.users.push(row);
    }

    fn read_image(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let row = self.row::<image::Entity>(members, errors);
        validate::image(&row, errors);
        self.note(RecordKind::Image, row.id, errors);
        self.check_unique(RecordKind::Image, "url", &row.url, errors);
        self.batch.images.push(row);
    }

    fn read_category(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let row = self.row::<category::Entity>(members, errors);
        validate::category(&row, errors);
        self.note(RecordKind::Category, row.id, errors);
        self.check_unique(RecordKind::Category, "slug", &row.slug, errors);
        let name = format!("{}/{}", row.parent, fold(&row.name));
        self.check_unique(RecordKind::Category, "parent and name", &name, errors);
        self.read_former_slugs(Kind::Category, row.id, members, errors);
        self.parents.insert(row.id, row.parent);
        let number = self.line;
        self.categories.insert(row.id, Line { number, row });
    }

    /// Adds all categories to the batch, parents before their children.
    pub(super) fn add_categories(&mut self) {
        let mut remaining = std::mem::take(&mut self.categories);
        let mut children: HashMap<i64, Vec<i64>> = HashMap::new();
        for (id, line) in &remaining {
            children.entry(line.row.parent).or_default().push(*id);
        }
        let mut next = vec![0];
        while let Some(parent) = next.pop() {
            for child in children.remove(&parent).unwrap_or_default() {
                self.batch
                    .categories
                    .extend(remaining.remove(&child).map(|line| line.row));
                next.push(child);
            }
        }
        for (id, line) in remaining {
            self.errors.add(
                line.number,
                &format!("category {id} has no root: its parent does not exist, or is below it"),
            );
            // So that the ancestors of each category can be followed.
            self.parents.insert(id, 0);
        }
    }

    fn read_tag(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let row = self.row::<tag::Entity>(members, errors);
        validate::tag(&row, errors);
        self.note(RecordKind::Tag, row.id, errors);
        self.check_unique(RecordKind::Tag, "slug", &row.slug, errors);
        self.check_unique(RecordKind::Tag, "name", &fold(&row.name), errors);
        self.read_former_slugs(Kind::Tag, row.id, members, errors);
        self.batch.tags.push(row);
    }

    fn read_venue(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let mut row = self.row::<venue::Entity>(members, errors);
        validate::venue(&row, errors);
        self.note(RecordKind::Venue, row.id, errors);
        self.check_author_and_image(row.author_id, row.image_id, errors);
        if !row.is_in_trash() {
            self.check_unique(RecordKind::Venue, "slug", &row.slug, errors);
        }
        if row.status == Status::Publish.as_str() && row.geo_lat.is_some() && row.geo_lng.is_some() {
            self.located.insert(row.id);
        }
        let (source, id) = (row.external_source.as_ref(), row.external_id.as_ref());
        self.check_external_id(RecordKind::Venue, source, id, errors);
        self.read_former_slugs(Kind::Venue, row.id, members, errors);
        self.follow(RecordKind::Venue, row.id, row.follows_event_id.take());
        let number = self.line;
        self.batch.venues.push(Line { number, row });
    }

    fn read_organizer(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let mut row = self.row::<organizer::Entity>(members, errors);
        validate::organizer(&row, errors);
        self.note(RecordKind::Organizer, row.id, errors);
        self.check_author_and_image(row.author_id, row.image_id, errors);
        if !row.is_in_trash() {
            self.check_unique(RecordKind::Organizer, "slug", &row.slug, errors);
        }
        let (source, id) = (row.external_source.as_ref(), row.external_id.as_ref());
        self.check_external_id(RecordKind::Organizer, source, id, errors);
        self.read_former_slugs(Kind::Organizer, row.id, members, errors);
        self.follow(RecordKind::Organizer, row.id, row.follows_event_id.take());
        let number = self.line;
        self.batch.organizers.push(Line { number, row });
    }

    fn follow(&mut self, kind: RecordKind, id: i64, event: Option<i64>) {
        if let Some(event_id) = event {
            self.followed.insert(event_id);
            self.followers.push(Follower {
                kind,
                id,
                event_id,
                line: self.line,
            });
        }
    }

    fn read_series(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let row = self.row::<series::Entity>(members, errors);
        validate::series(&row, errors);
        self.note(RecordKind::Series, row.id, errors);
        self.check_references("author_id", RecordKind::User, row.author_id.as_slice(), errors);
        let number = self.line;
        self.batch.series.push(Line { number, row });
    }

    fn read_event(&mut self, members: &mut Members<'_>, errors: &mut Vec<String>) {
        let mut row = self.row::<event::Entity>(members, errors);
        validate::event(&row, errors);
        self.note(RecordKind::Event, row.id, errors);
        self.check_author_and_image(row.author_id, row.image_id, errors);
        self.check_references("series_id", RecordKind::Series, row.series_id.as_slice(), errors);
        let (source, id) = (row.external_source.as_ref(), row.external_id.as_ref());
        self.check_external_id(RecordKind::Event, source, id, errors);
        self.followed.remove(&row.id);
        let mut targets = |member: &str, kind: RecordKind| {
            let ids: Vec<i64> = members.take(member, "a list of IDs").unwrap_or_else(|error| {
                errors.push(error);
                Vec::new()
            });
            self.check_references(member, kind, &ids, errors);
            ids
        };
        let venues = targets("venues", RecordKind::Venue);
        let organizers = targets("organizers", RecordKind::Organizer);
        let categories = targets("categories", RecordKind::Category);
        let tags = targets("tags", RecordKind::Tag);
        row.located = venues.iter().any(|venue| self.located.contains(venue));
        let links = LoadedLinks {
            category_closure: self.with_ancestors(&categories),
            venues,
            organizers,
            categories,
            tags,
        };
        self.read_former_slugs(Kind::Event, row.id, members, errors);
        let number = self.line;
        self.batch.events.push(Line {
            number,
            row: (row, links),
        });
    }

    /// The categories with all their ancestors, once each.
    fn with_ancestors(&self, categories: &[i64]) -> Vec<i64> {
        let mut all = Vec::new();
        for category in categories {
            let mut next = Some(*category);
            // The ancestors of a known category are known, too.
            while let Some(category) = next.filter(|category| *category != 0 && !all.contains(category)) {
                all.push(category);
                next = self.parents.get(&category).copied();
            }
        }
        all
    }
}
