//! The categories and venues that the filter bar offers, in memory until the data change.

use std::{ops::Range, sync::Arc};

use crate::{
    auth::Caller,
    error::Problem,
    store::{Snapshot, choices, entity::category, versioned_cache::VersionedCache},
};

/// More venues are not offered: the list would be too long to choose from.
const MAX_VENUES: usize = 200;

/// The choices, and when they are valid, as Unix timestamps: until the next scheduled publication.
pub(crate) type ChoicesCache = VersionedCache<(), (Range<i64>, Arc<Choices>)>;

/// The choices of the filter bar.
#[derive(Debug)]
pub(crate) struct Choices {
    /// In the order of the tree.
    pub categories: Vec<CategoryChoice>,
    /// IDs and names, sorted by name; empty if there are too many.
    pub venues: Vec<(i64, String)>,
}

/// A category in the tree.
#[derive(Debug)]
pub(crate) struct CategoryChoice {
    pub id: i64,
    pub slug: String,
    pub name: String,
    /// The number of ancestors.
    pub depth: usize,
    /// The path to its page below the base URL.
    pub path: String,
}

impl Choices {
    /// A cache for the choices.
    pub(crate) fn cache() -> ChoicesCache {
        VersionedCache::with_bytes(1024 * 1024)
    }

    /// The current choices.
    pub(in crate::pages) async fn of(caller: &Caller, snapshot: &Snapshot) -> Result<Arc<Self>, Problem> {
        let now = caller.timestamp();
        let version = snapshot.list_version();
        let cache = &caller.almanac.choices;
        if let Some((_, known)) = cache.get(version, &()).filter(|(valid, _)| valid.contains(&now)) {
            return Ok(known);
        }
        let venues = choices::venues(snapshot, now, MAX_VENUES).await?;
        let mut venues: Vec<_> = venues
            .into_iter()
            .map(|venue| (venue.name_key, venue.id, venue.title))
            .collect();
        venues.sort_unstable();
        let known = Arc::new(Self {
            categories: tree(choices::categories(snapshot).await?),
            venues: venues.into_iter().map(|(_, id, name)| (id, name)).collect(),
        });
        let until = snapshot.next_publication(now).await.unwrap_or(now);
        cache.insert(version, (), (now..until, known.clone()), known.bytes());
        Ok(known)
    }

    /// The approximate size.
    fn bytes(&self) -> usize {
        const ROW: usize = 96;
        let categories = self.categories.iter();
        let categories = categories.map(|category| ROW + 2 * category.slug.len() + category.name.len());
        let venues = self.venues.iter().map(|(_, name)| ROW + name.len());
        categories.chain(venues).sum()
    }
}

/// The categories in the order of the tree: each before its descendants, siblings in the given order.
fn tree(rows: Vec<category::Model>) -> Vec<CategoryChoice> {
    let mut choices = Vec::with_capacity(rows.len());
    add_children(&rows, 0, 0, &mut choices);
    choices
}

fn add_children(rows: &[category::Model], parent: i64, depth: usize, choices: &mut Vec<CategoryChoice>) {
    // The tree has no cycles, and at most as many levels as categories.
    for row in rows.iter().filter(|row| row.parent == parent) {
        choices.push(CategoryChoice {
            id: row.id,
            slug: row.slug.clone(),
            name: row.name.clone(),
            depth,
            path: format!("/events/category/{}", row.slug),
        });
        add_children(rows, row.id, depth + 1, choices);
    }
}
