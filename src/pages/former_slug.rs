//! Redirects from addresses that have changed: those with former slugs, and the former addresses of categories and
//! tags.

use poem::{
    Request, Response, handler,
    http::{StatusCode, header},
};

use super::{calendar::CalendarAddress, calendar::Frame, slug};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::Problem,
    store::{
        Publishable, Snapshot, Term,
        entity::{category, tag},
        former_slugs,
        publishable::{self, Key, PublishableRow},
        term::{self, TermColumns, TermRow},
    },
    views::publishable::page_url,
};

/// The object of an address.
pub(super) enum Found<T> {
    /// The object with the slug.
    Here(T),
    /// The current slug of the object that had the slug.
    Moved(String),
}

/// The published object with the slug, or that had it.
pub(super) async fn published<E: Publishable>(
    caller: &Caller,
    snapshot: &Snapshot,
    slug: String,
) -> Result<Found<E::Model>, Problem> {
    let may_read = |row: &E::Model| caller.identity.may_read(&row.common_columns(), caller.timestamp());
    let not_found = || Problem::not_found(E::KIND);
    if let Some(row) = publishable::find::<E>(snapshot, &Key::Slug(slug.clone())).await? {
        return Some(row).filter(may_read).map(Found::Here).ok_or_else(not_found);
    }
    let id = former_slugs::find(snapshot, E::KIND, &slug)
        .await?
        .ok_or_else(not_found)?;
    let moved = publishable::find::<E>(snapshot, &Key::Id(id)).await?.filter(may_read);
    let moved = moved.ok_or_else(not_found)?;
    Ok(Found::Moved(moved.common_columns().slug))
}

/// The term with the slug, or that had it.
pub(super) async fn term<E: Term>(snapshot: &Snapshot, slug: &str) -> Result<Found<TermColumns>, Problem> {
    let not_found = || Problem::not_found(E::KIND);
    if let Some(term) = term::find_by_slug::<E>(snapshot, slug).await? {
        return Ok(Found::Here(term.common_columns()));
    }
    let id = former_slugs::find(snapshot, E::KIND, slug)
        .await?
        .ok_or_else(not_found)?;
    let moved = term::find::<E>(snapshot, id).await?.ok_or_else(not_found)?;
    Ok(Found::Moved(moved.common_columns().slug))
}

/// 301 to the page of an object.
pub(super) fn redirect_to_object(caller: &Caller, kind: Kind, slug: &str) -> Response {
    redirect(&page_url(caller, kind, slug))
}

/// 301. Clients must not store it: another object may take the former slug.
pub(super) fn redirect(url: &str) -> Response {
    Response::builder()
        .status(StatusCode::MOVED_PERMANENTLY)
        .header(header::LOCATION, url)
        .header(header::CACHE_CONTROL, "public, no-cache")
        .finish()
}

/// `/category/{slug}`, where earlier releases had the page of a category.
#[handler]
pub(crate) async fn category_page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    let slug = &slug(request);
    let found = caller
        .read(|snapshot| async move { term::<category::Entity>(&snapshot, slug).await })
        .await?;
    Ok(redirect_to_view(
        &caller,
        CalendarAddress {
            category: Some(current_slug(found)),
            ..CalendarAddress::new(Frame::Page)
        },
    ))
}

/// `/tag/{slug}`, where earlier releases had the page of a tag.
#[handler]
pub(crate) async fn tag_page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    let slug = &slug(request);
    let found = caller
        .read(|snapshot| async move { term::<tag::Entity>(&snapshot, slug).await })
        .await?;
    Ok(redirect_to_view(
        &caller,
        CalendarAddress {
            tag: Some(current_slug(found)),
            ..CalendarAddress::new(Frame::Page)
        },
    ))
}

fn current_slug(found: Found<TermColumns>) -> String {
    match found {
        Found::Here(term) => term.slug,
        Found::Moved(slug) => slug,
    }
}

/// 301 to a view of the calendar.
pub(super) fn redirect_to_view(caller: &Caller, address: CalendarAddress) -> Response {
    redirect(&format!("{}{}", caller.address.base, address.path()))
}
