//! The objects that events link to: venues, organizers, terms and images. Those that are in memory are not read again.

use std::collections::HashMap;

use futures_util::{TryFutureExt, future::try_join3};

use super::{
    publishable::{self, Images},
    shared::{self, LinkedResources, ShareableResource, ShareableTerm, Shared, SharedResource, SharedTerm},
};
use crate::{
    auth::Caller,
    error::Problem,
    store::{
        Snapshot,
        entity::{
            category, event_category, event_organizer, event_tag, event_venue, organizer as organizers, tag,
            venue as venues,
        },
        linked_rows::LinkedRows,
        links::LinkedIds,
    },
};

/// The objects that several events link to.
pub(super) struct LinkTargets<'a> {
    links: &'a LinkedIds,
    /// The images of the events.
    pub images: Images,
    venues: HashMap<i64, SharedResource<venues::Entity>>,
    organizers: HashMap<i64, SharedResource<organizers::Entity>>,
    categories: HashMap<i64, SharedTerm<category::Entity>>,
    tags: HashMap<i64, SharedTerm<tag::Entity>>,
}

impl<'a> LinkTargets<'a> {
    /// Finds what the links lead to, and the images of the events. `linked` has rows that need not be read.
    pub(super) async fn find(
        caller: &Caller,
        snapshot: &Snapshot,
        links: &'a LinkedIds,
        linked: LinkedRows,
        image_ids: Vec<Option<i64>>,
    ) -> Result<Self, Problem> {
        let (venues, missing_venues) =
            LinkedResources::known::<event_venue::Entity>(caller, snapshot, links, linked.venues);
        let (organizers, missing_organizers) =
            LinkedResources::known::<event_organizer::Entity>(caller, snapshot, links, linked.organizers);
        // PostgreSQL runs the statements at the same time, on connections of their own.
        let (loaded, categories, tags) = try_join3(
            LinkedRows::find(snapshot, &missing_venues, &missing_organizers).map_err(Problem::from),
            shared::terms::<category::Entity>(caller, snapshot, links),
            shared::terms::<tag::Entity>(caller, snapshot, links),
        )
        .await?;
        let venues = venues.with_loaded(loaded.venues);
        let organizers = organizers.with_loaded(loaded.organizers);
        let image_ids = image_ids
            .into_iter()
            .chain(venues.image_ids())
            .chain(organizers.image_ids());
        let images = publishable::images(caller, snapshot, image_ids).await?;
        Ok(Self {
            links,
            venues: venues.represent(caller, snapshot, &images)?,
            organizers: organizers.represent(caller, snapshot, &images)?,
            categories,
            tags,
            images,
        })
    }

    /// The objects that an event links to.
    pub(super) fn of(&self, event: i64) -> Linked<'_> {
        let venue_links = self.links.of::<event_venue::Entity>();
        Linked {
            has_venue: venue_links.binary_search_by_key(&event, |(from, _)| *from).is_ok(),
            venues: linked_to(venue_links, event, &self.venues),
            organizers: linked_to(self.links.of::<event_organizer::Entity>(), event, &self.organizers),
            categories: linked_to(self.links.of::<event_category::Entity>(), event, &self.categories),
            tags: linked_to(self.links.of::<event_tag::Entity>(), event, &self.tags),
        }
    }
}

/// The objects that an event links to.
pub(super) struct Linked<'a> {
    /// Whether it has a venue, even if the reader may not read it.
    pub has_venue: bool,
    pub venues: Vec<&'a SharedResource<venues::Entity>>,
    pub organizers: Vec<&'a SharedResource<organizers::Entity>>,
    pub categories: Vec<&'a SharedTerm<category::Entity>>,
    pub tags: Vec<&'a SharedTerm<tag::Entity>>,
}

/// The targets that an event links to. `links` is ordered by event.
fn linked_to<'a, T>(links: &[(i64, i64)], event: i64, targets: &'a HashMap<i64, T>) -> Vec<&'a T> {
    let first = links.partition_point(|(of, _)| *of < event);
    links[first..]
        .iter()
        .take_while(|(of, _)| *of == event)
        .filter_map(|(_, target)| targets.get(target))
        .collect()
}

/// The terms, sorted by name.
pub(super) fn sorted_terms<E: ShareableTerm>(mut terms: Vec<&SharedTerm<E>>) -> Vec<Shared<E::View>> {
    terms.sort_unstable_by(|one, other| one.sort_key.cmp(&other.sort_key));
    terms.into_iter().map(|term| term.view.clone()).collect()
}

pub(super) fn resource_views<E: ShareableResource>(resources: &[&SharedResource<E>]) -> Vec<Shared<E::View>> {
    resources.iter().map(|resource| resource.view.clone()).collect()
}
