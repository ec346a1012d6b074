//! The pages of categories and tags.

use poem::{Request, Response, handler};

use super::{
    anonymous, html, slug,
    thing::{Thing, upcoming},
};
use crate::{
    store::{
        entity::{category as categories, tag as tags},
        term::{self, TermRow},
    },
    wire::{Freshness, Problem},
};

#[handler]
pub async fn category(request: &Request) -> Result<Response, Problem> {
    page::<categories::Entity>(request).await
}

#[handler]
pub async fn tag(request: &Request) -> Result<Response, Problem> {
    page::<tags::Entity>(request).await
}

async fn page<E: term::Term>(request: &Request) -> Result<Response, Problem> {
    let caller = anonymous(request)?;
    let database = caller.almanac.store.reader();
    let term = term::find_by_slug::<E>(database, &slug(request))
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?
        .frame();
    let events = upcoming(&caller, |filter| match E::PARENT {
        Some(_) => filter.categories = Some(vec![term.id]),
        None => filter.tags = Some(vec![term.id]),
    });
    html(
        &Thing {
            kind: E::KIND.name(),
            events: events.await?,
            title: term.name,
            image: None,
            facts: Vec::new(),
            description: term.description,
            json_ld: String::new(),
        },
        Freshness::TODAY,
    )
}
