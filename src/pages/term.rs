//! The pages of categories and tags.

use poem::{Request, Response, handler};
use serde_json::{Map, Value, json};

use super::{
    events::{Events, Line},
    html,
    resource_page::{Item, ResourcePage, told},
    site::Site,
    slug,
};
use crate::{
    auth::Caller,
    calendar::html::text_content,
    error::Problem,
    store::{
        entity::{category as categories, tag as tags},
        events::EventFilter,
        term::{self, TermRow},
    },
    views::publishable::page_url,
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
    let caller = Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let term = term::find_by_slug::<E>(database, &slug(request))
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?
        .common_columns();
    let parent = match term.parent {
        0 => None,
        parent => term::find::<E>(database, parent).await?,
    };
    let above = parent.map(|parent| parent.common_columns());
    let above = above.map(|above| Item::link(above.name, page_url(&caller, E::KIND, &above.slug)));
    let filter = match E::PARENT {
        Some(_) => EventFilter::Categories(vec![term.id]),
        None => EventFilter::Tags(vec![term.id]),
    };
    let events = Events::of(&caller, database, filter).await?;
    let url = page_url(&caller, E::KIND, &term.slug);
    let text = text_content(&term.description);
    html(
        &ResourcePage {
            facts: told([("Part of", above.into_iter().collect())]),
            json_ld: collection(&term.name, &text, &url, &events.ahead),
            text,
            description: term.description,
            events,
            ..ResourcePage::new(Site::of(request)?, E::KIND, term.name, url)
        },
        Events::FRESHNESS,
    )
}

/// The term as a schema.org CollectionPage of the events ahead. What is empty is left out.
fn collection(name: &str, description: &str, url: &str, ahead: &[Line]) -> Map<String, Value> {
    let mut page = Map::new();
    page.insert("@context".to_owned(), "https://schema.org".into());
    page.insert("@type".to_owned(), "CollectionPage".into());
    page.insert("name".to_owned(), name.into());
    page.insert("url".to_owned(), url.into());
    if !description.is_empty() {
        page.insert("description".to_owned(), description.into());
    }
    if !ahead.is_empty() {
        let item = |(position, line): (usize, &Line)| json!({"@type": "ListItem", "position": position, "name": line.title, "url": line.url});
        let items: Vec<Value> = (1..).zip(ahead).map(item).collect();
        let list = json!({"@type": "ItemList", "itemListElement": items});
        page.insert("mainEntity".to_owned(), list);
    }
    page
}
