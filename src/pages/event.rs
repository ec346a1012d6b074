//! The page of an event.

use poem::{Request, Response, handler};

use super::{
    anonymous, html, slug,
    thing::{Fact, Thing, script},
};
use crate::{
    calendar::Kind,
    store::{
        entity::event,
        post::{self, Key, PostRow},
    },
    view,
    wire::{Freshness, Problem},
};

#[handler]
pub async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = anonymous(request)?;
    let database = caller.almanac.store.reader();
    let row = post::find::<event::Entity>(database, &Key::Slug(slug(request)))
        .await?
        .filter(|row| caller.identity.may_read(&row.frame(), caller.timestamp()))
        .ok_or_else(|| Problem::not_found(Kind::Event))?;
    let event = view::one::<event::Entity>(&caller, database, row).await?;
    let day = |date: &str| date.get(..10).unwrap_or(date).to_owned();
    let time = |date: &str| date.get(..16).unwrap_or(date).to_owned();
    let when = match (
        event.all_day,
        day(&event.start_date) == day(&event.end_date),
    ) {
        (true, true) => day(&event.start_date),
        (true, false) => format!("{} – {}", day(&event.start_date), day(&event.end_date)),
        (false, _) => format!(
            "{} – {} ({})",
            time(&event.start_date),
            time(&event.end_date),
            event.timezone
        ),
    };
    let mut facts: Vec<Fact> = Fact::new("When", when).into_iter().collect();
    for venue in &event.venue {
        let place = [venue.venue.as_str(), &venue.address, &venue.city];
        let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
        facts.extend(Fact::link("Where", place.join(", "), &venue.post.url));
        if let (Some(latitude), Some(longitude)) = (venue.geo_lat.0, venue.geo_lng.0) {
            let map = format!(
                "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"
            );
            facts.extend(Fact::link("Map", "OpenStreetMap", &map));
        }
    }
    for organizer in &event.organizer {
        facts.extend(Fact::link(
            "By",
            organizer.organizer.clone(),
            &organizer.post.url,
        ));
    }
    facts.extend(Fact::new("Price", event.cost.clone()));
    facts.extend(Fact::link("Website", event.website.clone(), &event.website));
    for category in &event.categories {
        facts.extend(Fact::link(
            "Category",
            category.term.name.clone(),
            &category.term.url,
        ));
    }
    html(
        &Thing {
            kind: "event",
            json_ld: script(&event.json_ld),
            image: event.post.image.0.map(|image| image.url),
            title: event.title,
            facts,
            description: event.post.description,
            events: Vec::new(),
        },
        Freshness::LASTING,
    )
}
