//! HTML pages: the start page, the views of the calendar, the public pages of resources, to which `url` members point,
//! and those for developers. Also what search engines and monitoring read.

mod add_to_calendar;
pub(crate) mod assets;
pub(crate) mod calendar;
mod dates;
pub(crate) mod demo_image;
pub(crate) mod developers;
pub(crate) mod error_page;
pub(crate) mod event;
mod event_items;
mod event_lists;
pub(crate) mod explorer;
pub(crate) mod former_slug;
pub(crate) mod health;
mod json_ld;
mod layout;
pub(crate) mod linked_resource;
mod resource_page;
pub(crate) mod robots;
pub(crate) mod sitemap;
pub(crate) mod start;
pub(crate) mod texts;
pub(crate) mod theme;
pub(crate) mod uploads;

pub(crate) use layout::{DeveloperLink, HeadElement, PageAdditions};

use crate::{
    calendar::slug::decoded,
    error::Problem,
    response::{CachePolicy, ResponseMeta},
};
use poem::{Request, Response};

/// The slug in the path of a page.
fn slug(request: &Request) -> String {
    decoded(request.raw_path_param("slug").unwrap_or_default())
}

/// Renders a page. It is cached if it has a policy.
fn render(template: &impl askama::Template, cache_policy: impl Into<Option<CachePolicy>>) -> Result<Response, Problem> {
    render_in(template, cache_policy, PAGE_SECURITY_POLICY)
}

/// Renders a page with a Content Security Policy. It is cached if it has a cache policy.
fn render_in(
    template: &impl askama::Template,
    cache_policy: impl Into<Option<CachePolicy>>,
    security_policy: &str,
) -> Result<Response, Problem> {
    let mut response = render_uncached(template, security_policy)?;
    let meta = ResponseMeta {
        cache_policy: cache_policy.into(),
        ..ResponseMeta::default()
    };
    meta.attach_to(&mut response);
    Ok(response)
}

/// Renders a page with a Content Security Policy, which is not cached.
fn render_uncached(template: &impl askama::Template, security_policy: &str) -> Result<Response, Problem> {
    let text = template.render().map_err(Problem::internal)?;
    Ok(Response::builder()
        .content_type("text/html; charset=utf-8")
        .header("Content-Security-Policy", security_policy)
        .header("Referrer-Policy", "strict-origin-when-cross-origin")
        .body(text))
}

/// A response that depends on the data, and is not a page.
fn data_response(media_type: &str, body: Vec<u8>, cache_policy: CachePolicy) -> Response {
    let mut response = Response::builder().content_type(media_type).body(body);
    let meta = ResponseMeta {
        cache_policy: Some(cache_policy),
        ..ResponseMeta::default()
    };
    meta.attach_to(&mut response);
    response
}

/// The Content Security Policy of pages. Images of events may be on any host.
const PAGE_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' https: http: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The Content Security Policy of embeds, which any site may show in a frame.
const EMBED_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' https: http: data:; base-uri 'none'; form-action 'none'; frame-ancestors *";
