//! What people see: the start page, the explorer, and the public pages that `url` fields name. Also what
//! machines ask that watch the server.

pub mod event;
pub mod explorer;
pub mod health;
pub mod host;
pub mod start;
pub mod term;
mod thing;

use std::sync::Arc;

use chrono::{SubsecRound, Utc};
use poem::{Request, Response};

use crate::{
    Almanac,
    auth::{Caller, Identity},
    edge::address::Address,
    wire::{Freshness, Problem},
};

/// A public page is read by nobody in particular.
fn anonymous(request: &Request) -> Result<Caller, Problem> {
    let almanac = request
        .data::<Arc<Almanac>>()
        .ok_or_else(|| Problem::internal("no service behind the page"))?;
    Ok(Caller {
        address: Address::known(request, &almanac.settings),
        almanac: almanac.clone(),
        identity: Identity::Anonymous,
        now: Utc::now().trunc_subsecs(0),
        uri: request.uri().clone(),
        if_match: None,
    })
}

/// The slug at the end of a page's address.
fn slug(request: &Request) -> String {
    let slug = request.raw_path_param("slug").unwrap_or_default();
    crate::calendar::text::line(slug).to_lowercase()
}

/// A page, and how long it stays right.
fn html(template: &impl askama::Template, freshness: Freshness) -> Result<Response, Problem> {
    let text = template.render().map_err(Problem::internal)?;
    let mut response = Response::builder()
        .content_type("text/html; charset=utf-8")
        .header("Content-Security-Policy", POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .body(text);
    response.set_data(freshness);
    Ok(response)
}

/// These pages need no script, and show images from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
