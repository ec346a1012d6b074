//! The pages of categories and tags.

use std::sync::Arc;

use poem::{Request, Response, handler};
use serde_json::{Map, Value, json};

use super::{
    event_lists::{EventListItem, EventLists},
    layout::Layout,
    render,
    resource_page::{PropertyValue, ResourcePage, properties},
    slug,
};
use crate::{
    auth::Caller,
    calendar::html::text_content,
    error::Problem,
    store::{
        Snapshot, entity,
        events::EventFilter,
        term::{self, TermRow},
    },
    views::publishable::page_url,
};

#[handler]
pub(crate) async fn category_page(request: &Request) -> Result<Response, Problem> {
    page::<entity::category::Entity>(request).await
}

#[handler]
pub(crate) async fn tag_page(request: &Request) -> Result<Response, Problem> {
    page::<entity::tag::Entity>(request).await
}

async fn page<E: term::Term>(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller
        .read(|snapshot| render_page::<E>(request, &caller, snapshot))
        .await
}

async fn render_page<E: term::Term>(
    request: &Request,
    caller: &Caller,
    snapshot: Arc<Snapshot>,
) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let term = term::find_by_slug::<E>(snapshot, &slug(request))
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?
        .common_columns();
    let parent = match term.parent {
        0 => None,
        parent => term::find::<E>(snapshot, parent).await?,
    };
    let parent = parent.map(|parent| parent.common_columns());
    let parent = parent.map(|parent| PropertyValue::link(parent.name, page_url(caller, E::KIND, &parent.slug)));
    let filter = match E::PARENT {
        Some(_) => EventFilter::Categories(vec![term.id]),
        None => EventFilter::Tags(vec![term.id]),
    };
    let events = EventLists::of(caller, snapshot, filter).await?;
    let url = page_url(caller, E::KIND, &term.slug);
    let plain_text = text_content(&term.description);
    render(
        &ResourcePage {
            properties: properties([("Part of", parent.into_iter().collect())]),
            json_ld: collection_page(&term.name, &plain_text, &url, &events.upcoming),
            plain_text,
            description: term.description,
            events,
            ..ResourcePage::new(Layout::of(request)?, E::KIND, term.name, url)
        },
        EventLists::CACHE_POLICY,
    )
}

/// The term as a schema.org `CollectionPage` of the upcoming events. Empty members are omitted.
fn collection_page(name: &str, description: &str, url: &str, upcoming: &[EventListItem]) -> Map<String, Value> {
    let mut page = Map::new();
    page.insert("@context".to_owned(), "https://schema.org".into());
    page.insert("@type".to_owned(), "CollectionPage".into());
    page.insert("name".to_owned(), name.into());
    page.insert("url".to_owned(), url.into());
    if !description.is_empty() {
        page.insert("description".to_owned(), description.into());
    }
    if !upcoming.is_empty() {
        let mut items = Vec::new();
        for (position, event) in (1..).zip(upcoming) {
            items.push(json!({"@type": "ListItem", "position": position, "name": event.title, "url": event.url}));
        }
        let list = json!({"@type": "ItemList", "itemListElement": items});
        page.insert("mainEntity".to_owned(), list);
    }
    page
}
