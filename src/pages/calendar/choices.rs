//! The categories and venues that the filter bar offers, in memory until the data change.

use std::{collections::HashMap, ops::Range, sync::Arc};

use super::options::Options;
use crate::{
    auth::Caller,
    calendar::slug::encoded,
    error::Problem,
    store::{
        Snapshot,
        choices::{self, CategoryNode, VenueName},
        versioned_cache::VersionedCache,
    },
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
    /// The categories by their slugs, indented.
    pub category_options: Options,
    /// Sorted by name; empty if there are too many.
    pub venues: Vec<VenueName>,
    /// The venues by their IDs.
    pub venue_options: Options,
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
    /// A cache for the choices. They must fit into one of its parts, of which there are up to 64.
    pub(crate) fn cache() -> ChoicesCache {
        VersionedCache::with_bytes(64 * 1024 * 1024)
    }

    /// The current choices.
    pub(in crate::pages) async fn of(caller: &Caller, snapshot: &Snapshot) -> Result<Arc<Self>, Problem> {
        let now = caller.timestamp();
        let version = snapshot.list_version();
        let cache = &caller.almanac.choices;
        if let Some((_, known)) = cache.get(version, &()).filter(|(valid, _)| valid.contains(&now)) {
            return Ok(known);
        }
        let mut venues = choices::venues(snapshot, now, MAX_VENUES).await?;
        venues.sort_unstable_by(|one, other| (&one.name_key, one.id).cmp(&(&other.name_key, other.id)));
        let mut venue_options = Options::default();
        for venue in &venues {
            venue_options.add(&venue.id.to_string(), &venue.name);
        }
        let categories = tree(choices::categories(snapshot).await?);
        let mut category_options = Options::default();
        for CategoryChoice { slug, name, depth, .. } in &categories {
            category_options.add(slug, &format!("{}{name}", "\u{2003}".repeat(*depth)));
        }
        let known = Arc::new(Self {
            categories,
            category_options,
            venues,
            venue_options,
        });
        let until = snapshot.next_publication(now).await.unwrap_or(now);
        cache.insert(version, (), (now..until, known.clone()), known.bytes());
        Ok(known)
    }

    /// The category with this slug or ID.
    pub(super) fn category(&self, value: &str) -> Option<&CategoryChoice> {
        let id: Option<i64> = value.parse().ok();
        let mut categories = self.categories.iter();
        categories.find(|category| Some(category.id) == id || category.slug.eq_ignore_ascii_case(value))
    }

    /// The ancestors of a category, from the top level down.
    pub(super) fn ancestors(&self, id: i64) -> Vec<&CategoryChoice> {
        let position = self.categories.iter().position(|category| category.id == id);
        let before = position.map_or(&[][..], |position| &self.categories[..=position]);
        let mut before = before.iter().rev();
        let mut ancestors = Vec::new();
        let mut depth = before.next().map_or(0, |category| category.depth);
        // In the order of the tree, the parent is the nearest category before it that is less deep.
        for category in before {
            if category.depth < depth {
                depth = category.depth;
                ancestors.push(category);
            }
        }
        ancestors.reverse();
        ancestors
    }

    /// The venue with this ID.
    pub(super) fn venue(&self, value: &str) -> Option<&VenueName> {
        let id: Option<i64> = value.parse().ok();
        self.venues.iter().find(|venue| Some(venue.id) == id)
    }

    /// The approximate size.
    fn bytes(&self) -> usize {
        const ROW: usize = 96;
        let categories = self.categories.iter();
        let categories = categories.map(|category| ROW + 2 * category.slug.len() + category.name.len());
        let venues = self.venues.iter();
        let venues = venues.map(|venue| ROW + venue.name.len() + venue.name_key.len());
        let options = self.category_options.bytes() + self.venue_options.bytes();
        options + categories.chain(venues).sum::<usize>()
    }
}

/// The categories in the order of the tree: each before its descendants, siblings in the given order.
fn tree(rows: Vec<CategoryNode>) -> Vec<CategoryChoice> {
    let mut choices = Vec::with_capacity(rows.len());
    let mut children: HashMap<i64, Vec<CategoryNode>> = HashMap::new();
    for row in rows {
        children.entry(row.parent).or_default().push(row);
    }
    add_children(&mut children, 0, 0, &mut choices);
    choices
}

fn add_children(
    children: &mut HashMap<i64, Vec<CategoryNode>>,
    parent: i64,
    depth: usize,
    choices: &mut Vec<CategoryChoice>,
) {
    for CategoryNode { id, slug, name, .. } in children.remove(&parent).unwrap_or_default() {
        choices.push(CategoryChoice {
            id,
            path: format!("/events/category/{}", encoded(&slug)),
            slug,
            name,
            depth,
        });
        add_children(children, id, depth + 1, choices);
    }
}
