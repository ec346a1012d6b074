//! Requests that a browser sends from another site.
//!
//! Browsers keep Basic credentials, and add them to requests that pages of other sites make. A write with such
//! credentials is therefore refused where it comes from another site ([`crate::auth::Writer`]). Browsers keep no
//! tokens: a page that sends one was given it.

use std::sync::Arc;

use poem::{
    Request, Result,
    http::{HeaderName, header},
};
use url::Url;

use super::base_url::Address;
use crate::{Almanac, config::Settings};

/// Browsers say by it how the site of a page relates to the server (Fetch Metadata). Pages can't set it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Marks a request that a browser sends from another site.
#[derive(Clone, Copy, Debug)]
pub struct CrossSite;

/// Marks the request where it comes from another site. The layer of CORS removes the origins that it does not know, so
/// this must happen before.
pub async fn mark(mut request: Request) -> Result<Request> {
    let almanac = request.data::<Arc<Almanac>>().cloned();
    if let Some(almanac) = almanac
        && request.headers().contains_key(header::AUTHORIZATION)
        && is_cross_site(&request, &almanac.settings)
    {
        request.set_data(CrossSite);
    }
    Ok(request)
}

/// Whether a browser sends the request from a page of another site that `--cors-origin` does not name. `*` names none.
fn is_cross_site(request: &Request, settings: &Settings) -> bool {
    let text = |name| request.headers().get(name)?.to_str().ok();
    // An origin that is no text is nobody's.
    let origin = request
        .headers()
        .get(header::ORIGIN)
        .map(|origin| origin.to_str().unwrap_or_default());
    let is_allowed = |origin: &str| {
        let mut allowed = settings.cors_origin.split(',');
        allowed.any(|allowed| allowed.trim() == origin)
    };
    match text(SEC_FETCH_SITE) {
        _ if origin.is_some_and(is_allowed) => false,
        // The browser knows the address that it sends to better than a server behind a proxy.
        Some("same-origin") => false,
        Some("cross-site") => true,
        _ => origin.is_some_and(|origin| {
            let address = Address::known(request, settings);
            let hosts = [Some(address.host()), text(header::HOST)];
            !hosts.into_iter().flatten().any(|host| is_same_host(origin, host))
        }),
    }
}

/// Whether the origin is at this host and port. The scheme does not count: a server behind a proxy with TLS is asked by
/// HTTP.
fn is_same_host(origin: &str, host: &str) -> bool {
    let Ok(origin) = Url::parse(origin) else {
        return false;
    };
    Url::parse(&format!("{}://{host}", origin.scheme()))
        .is_ok_and(|own| origin.origin().is_tuple() && own.origin() == origin.origin())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    fn sent(flags: &[&str], headers: &[(&str, &str)]) -> bool {
        let settings = Flags::parse_from(["almanac"].iter().chain(flags)).settings;
        let mut request = Request::builder().header("host", "calendar.example.org");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        is_cross_site(&request.finish(), &settings)
    }

    #[test]
    fn requests_without_marks_of_a_browser_come_from_no_site() {
        assert!(!sent(&[], &[]));
    }

    #[test]
    fn the_relation_that_the_browser_tells_decides() {
        let foreign = ("origin", "https://other.example");
        for (site, without_origin, with_foreign_origin) in [
            ("cross-site", true, true),
            ("same-origin", false, false),
            ("same-site", false, true),
            ("none", false, true),
        ] {
            let site = ("sec-fetch-site", site);
            assert_eq!(sent(&[], &[site]), without_origin, "{site:?}");
            assert_eq!(sent(&[], &[site, foreign]), with_foreign_origin, "{site:?}");
        }
    }

    #[test]
    fn an_origin_is_foreign_unless_it_is_the_servers_own() {
        for (origin, is_foreign) in [
            ("https://calendar.example.org", false),
            ("http://calendar.example.org", false),
            ("https://calendar.example.org:8443", true),
            ("https://example.org", true),
            ("https://calendar.example.org.evil.example", true),
            ("null", true),
            ("", true),
        ] {
            assert_eq!(sent(&[], &[("origin", origin)]), is_foreign, "{origin}");
        }
    }

    #[test]
    fn the_base_url_is_the_servers_own() {
        let flags = ["--base-url", "https://public.example/calendar"];
        for (origin, is_foreign) in [
            ("https://public.example", false),
            ("https://calendar.example.org", false),
            ("https://other.example", true),
        ] {
            assert_eq!(sent(&flags, &[("origin", origin)]), is_foreign, "{origin}");
        }
    }

    #[test]
    fn origins_that_are_named_are_trusted_and_the_star_names_none() {
        let origin = ("origin", "https://one.example");
        let cross_site = ("sec-fetch-site", "cross-site");
        for (allowed, is_foreign) in [
            ("https://one.example,https://two.example", false),
            ("https://two.example", true),
            ("*", true),
        ] {
            let flags = ["--cors-origin", allowed];
            assert_eq!(sent(&flags, &[origin]), is_foreign, "{allowed}");
            assert_eq!(sent(&flags, &[origin, cross_site]), is_foreign, "{allowed}");
        }
    }
}
