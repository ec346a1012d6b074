//! `/robots.txt` (RFC 9309) and `/.well-known/security.txt` (RFC 9116).

use chrono::{NaiveTime, TimeDelta, Utc};
use poem::{Request, Response, handler};

use crate::{Almanac, calendar::date::format_utc, error::Problem, middleware::base_url::Address, views::ROOT};

/// Crawlers may read pages and feeds. Filtered lists and embeds repeat what other pages have, and the interface has no
/// pages.
#[handler]
pub(crate) fn robots(request: &Request) -> Result<Response, Problem> {
    let settings = &Almanac::of(request)?.settings;
    let base = &Address::known(request, settings).base;
    Ok(text(format!(
        "User-agent: *\nDisallow: /embed/\nDisallow: {ROOT}/\nDisallow: /events?*search=\nAllow: /\n\n\
         Sitemap: {base}/sitemap.xml\n"
    )))
}

/// With `--security-contact`. It expires half a year after the current day.
#[handler]
pub(crate) fn security(request: &Request) -> Result<Response, Problem> {
    let settings = &Almanac::of(request)?.settings;
    let contact = settings.branding.security_contact.as_ref();
    let contact = contact.ok_or_else(Problem::no_route)?;
    let base = &Address::known(request, settings).base;
    let midnight = Utc::now().date_naive().and_time(NaiveTime::MIN).and_utc();
    let expires = format_utc(midnight + TimeDelta::days(182));
    Ok(text(format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, es\n\
         Canonical: {base}/.well-known/security.txt\n"
    )))
}

fn text(body: String) -> Response {
    Response::builder().content_type("text/plain; charset=utf-8").body(body)
}
