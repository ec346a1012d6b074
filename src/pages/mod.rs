//! HTML pages: the start page, the explorer, and the public pages of resources, to which `url` members point. Also the
//! endpoints for health checks and metrics.

pub(crate) mod assets;
pub(crate) mod event;
mod event_dates;
mod event_lists;
pub(crate) mod explorer;
pub(crate) mod health;
mod layout;
pub(crate) mod linked_resource;
pub(crate) mod not_found;
mod resource_page;
pub(crate) mod start;
pub(crate) mod term;

pub(crate) use layout::{HeadElement, PageAdditions, StartLink};

use crate::{
    auth::Caller,
    error::Problem,
    response::{CachePolicy, ResponseMeta},
    store::{
        Publishable, Snapshot,
        publishable::{self, Key, PublishableRow},
    },
};
use poem::{Request, Response};

/// Finds the published object of the requested page. 404 if there is none.
async fn published<E: Publishable>(
    caller: &Caller,
    snapshot: &Snapshot,
    request: &Request,
) -> Result<E::Model, Problem> {
    publishable::find::<E>(snapshot, &Key::Slug(slug(request)))
        .await?
        .filter(|row| caller.identity.may_read(&row.common_columns(), caller.timestamp()))
        .ok_or_else(|| Problem::not_found(E::KIND))
}

/// The slug in the path of a page.
fn slug(request: &Request) -> String {
    let slug = request.raw_path_param("slug").unwrap_or_default();
    crate::calendar::text::clean_line(slug).to_lowercase()
}

/// Renders a page without scripts.
fn render(template: &impl askama::Template, cache_policy: CachePolicy) -> Result<Response, Problem> {
    let mut response = render_with_policy(template, CONTENT_SECURITY_POLICY)?;
    let meta = ResponseMeta {
        cache_policy: Some(cache_policy),
        ..ResponseMeta::default()
    };
    meta.attach_to(&mut response);
    Ok(response)
}

/// Renders a page with a Content Security Policy.
fn render_with_policy(template: &impl askama::Template, policy: &str) -> Result<Response, Problem> {
    let text = template.render().map_err(Problem::internal)?;
    Ok(Response::builder()
        .content_type("text/html; charset=utf-8")
        .header("Content-Security-Policy", policy)
        .header("Referrer-Policy", "strict-origin-when-cross-origin")
        .body(text))
}

/// The policy of pages without scripts. Images of events may be on any host.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' https: http: data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
