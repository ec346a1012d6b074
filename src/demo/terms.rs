//! Generates categories and tags.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::{
    Size,
    event_type::EventType,
    random::Random,
    slugs::UniqueSlugs,
    words::{ADJECTIVES, CATEGORIES, NOUNS, STYLES, TAGS},
};
use crate::{
    calendar::slug::slugify,
    services,
    store::{
        Transaction, bulk_load,
        entity::{category, tag},
        term::{self, TermColumns, TermRow},
    },
};

/// Share of events that have a given additional category of their type.
const ADDITIONAL_CATEGORY_PER_MILLE: u32 = 400;
/// Share of assigned categories that are base categories, which are therefore far more popular than generated ones.
const BASE_CATEGORY_PER_MILLE: u32 = 500;

/// The IDs of the categories and tags that events may have.
#[derive(Default)]
pub(super) struct Terms {
    /// By name of a base category: its ID, followed by those of its generated subcategories.
    categories: HashMap<&'static str, Vec<i64>>,
    /// The ID of the parent of each category that has one.
    parents: HashMap<i64, i64>,
    /// Those of [`TAGS`] first, then the generated ones.
    tags: Vec<i64>,
}

impl Terms {
    /// Generates and inserts the terms.
    pub(super) async fn insert(transaction: &Transaction, size: &Size, today: i64) -> Result<Self, DbErr> {
        let mut parents = HashMap::new();
        Ok(Self {
            categories: insert_categories(transaction, size.categories, &mut parents, today).await?,
            parents,
            tags: insert_tags(transaction, size.tags, today).await?,
        })
    }

    /// Random categories for an event of the type: for its first category and some of the others, the base category or
    /// one of its generated subcategories.
    pub(super) fn categories(&self, random: &mut Random, event_type: &EventType) -> Vec<i64> {
        let mut chosen = Vec::new();
        for (index, name) in event_type.categories.iter().enumerate() {
            let is_chosen = index == 0 || random.per_mille(ADDITIONAL_CATEGORY_PER_MILLE);
            let (true, Some(group)) = (is_chosen, self.categories.get(name)) else {
                continue;
            };
            let category = if random.per_mille(BASE_CATEGORY_PER_MILLE) {
                group.first()
            } else {
                random.pick_popular(group)
            };
            chosen.extend(category);
        }
        chosen
    }

    /// The categories with all their ancestors, once each.
    pub(super) fn with_ancestors(&self, categories: &[i64]) -> Vec<i64> {
        let mut all = Vec::new();
        for category in categories {
            let mut next = Some(category);
            // The ancestors of a known category are known, too.
            while let Some(category) = next.filter(|category| !all.contains(*category)) {
                all.push(*category);
                next = self.parents.get(category);
            }
        }
        all
    }

    /// Random tags for an event: one or two of its type, and up to two others.
    pub(super) fn tags(&self, random: &mut Random, event_type: &EventType) -> Vec<i64> {
        let matching = if random.per_mille(600) { 1 } else { 2 };
        let mut chosen: Vec<i64> = random
            .sample(event_type.tags, matching)
            .filter_map(|name| TAGS.iter().position(|tag| tag == name))
            .filter_map(|index| self.tags.get(index).copied())
            .collect();
        for _ in 0..random.between(0..=2) {
            if let Some(popular) = random.pick_popular(&self.tags)
                && !chosen.contains(popular)
            {
                chosen.push(*popular);
            }
        }
        chosen
    }
}

/// Returns the groups of categories, and adds their parents to `parents`.
async fn insert_categories(
    transaction: &Transaction,
    count: u64,
    parents: &mut HashMap<i64, i64>,
    today: i64,
) -> Result<HashMap<&'static str, Vec<i64>>, DbErr> {
    let mut slugs = UniqueSlugs::default();
    let mut groups: HashMap<&str, Vec<i64>> = HashMap::new();
    let mut tree = Vec::new();
    for &(name, parent, description) in CATEGORIES.iter().take(to_usize(count)) {
        let parent = parent.and_then(|parent| groups.get(parent)?.first().copied());
        let mut columns = columns(&mut slugs, name.to_owned(), parent.unwrap_or(0), today);
        columns.description = description.to_owned();
        let stored = term::insert::<category::Entity>(transaction, columns).await?;
        parents.extend(parent.map(|parent| (stored.id, parent)));
        groups.insert(name, vec![stored.id]);
        tree.push((name, stored.id));
    }
    let additional: Vec<(&str, TermColumns)> = style_subcategories(&tree)
        .take(to_usize(count).saturating_sub(tree.len()))
        .map(|(parent_name, parent, name)| (parent_name, columns(&mut slugs, name, parent, today)))
        .collect();
    let rows = additional
        .iter()
        .map(|(_, columns)| category::Model::from_columns(columns.clone()));
    let ids = bulk_load::insert::<category::Entity>(transaction, rows.collect()).await?;
    for (id, (parent_name, columns)) in ids.zip(additional) {
        parents.insert(id, columns.parent);
        groups.entry(parent_name).or_default().push(id);
    }
    Ok(groups)
}

/// An endless iterator over subcategories of the base categories, such as `Nordic Jazz` of `Jazz`: name and ID of the
/// parent, and name of the subcategory.
fn style_subcategories<'tree>(
    tree: &'tree [(&'static str, i64)],
) -> impl Iterator<Item = (&'static str, i64, String)> + 'tree {
    (0..).flat_map(move |round| {
        STYLES.iter().flat_map(move |style| {
            tree.iter().map(move |&(parent_name, parent)| {
                (parent_name, parent, with_round(format!("{style} {parent_name}"), round))
            })
        })
    })
}

async fn insert_tags(transaction: &Transaction, count: u64, today: i64) -> Result<Vec<i64>, DbErr> {
    let mut slugs = UniqueSlugs::default();
    let pairs = (0..).flat_map(|round| {
        NOUNS.iter().flat_map(move |noun| {
            ADJECTIVES
                .iter()
                .map(move |adjective| with_round(format!("{adjective} {noun}").to_lowercase(), round))
        })
    });
    let names = TAGS.iter().map(|name| (*name).to_owned()).chain(pairs);
    let rows = names
        .take(to_usize(count))
        .map(|name| tag::Model::from_columns(columns(&mut slugs, name, 0, today)))
        .collect();
    Ok(bulk_load::insert::<tag::Entity>(transaction, rows).await?.collect())
}

/// Numbers the names of later rounds, in which they repeat.
fn with_round(name: String, round: u32) -> String {
    match round {
        0 => name,
        _ => format!("{name} {}", round + 1),
    }
}

/// A term that was last changed at `modified_at`, in Unix seconds.
fn columns(slugs: &mut UniqueSlugs, name: String, parent: i64, modified_at: i64) -> TermColumns {
    let mut columns = TermColumns {
        version: 1,
        modified_at,
        slug: slugs.next(&slugify(&name)),
        name,
        parent,
        ..TermColumns::default()
    };
    services::term::derive(&mut columns);
    columns
}

fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
