//! Detection of requests that a browser sends from a page of another site.
//!
//! Browsers store Basic credentials and add them to requests of other sites, too (cross-site request forgery). A
//! cross-site write with such credentials is therefore refused ([`crate::auth::Writer`]). Browsers do not store bearer
//! tokens: a page that sends one has received it.

use std::sync::Arc;

use poem::{
    Request,
    http::{HeaderName, header},
};
use url::Url;

use super::base_url::Address;
use crate::{Almanac, config::Settings};

/// The relation between the site of the page and the server (Fetch Metadata). Pages can't set it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Data of a request that a browser sends from another site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossSite;

/// Marks a cross-site request. Must run before the CORS layer, which removes origins that are not allowed.
pub(crate) fn mark(mut request: Request) -> Request {
    let almanac = request.data::<Arc<Almanac>>().cloned();
    if let Some(almanac) = almanac
        && request.headers().contains_key(header::AUTHORIZATION)
        && is_cross_site(&request, &almanac.settings)
    {
        request.set_data(CrossSite);
    }
    request
}

/// Whether a browser sends the request from another site that `--cors-origin` does not list. `*` lists none.
fn is_cross_site(request: &Request, settings: &Settings) -> bool {
    let text = |name| request.headers().get(name)?.to_str().ok();
    // An origin that is not text is foreign.
    let origin = request
        .headers()
        .get(header::ORIGIN)
        .map(|origin| origin.to_str().unwrap_or_default());
    match text(SEC_FETCH_SITE) {
        _ if origin.is_some_and(|origin| settings.cors_origin.lists(origin)) => false,
        // A browser knows its own origin better than a server behind a proxy.
        Some("same-origin") => false,
        Some("cross-site") => true,
        _ => origin.is_some_and(|origin| {
            let address = Address::known(request, settings);
            let hosts = [Some(address.host()), text(header::HOST)];
            !hosts.into_iter().flatten().any(|host| is_same_host(origin, host))
        }),
    }
}

/// Whether the origin has this host and port. The scheme is ignored: a proxy with TLS forwards requests over HTTP.
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

    fn is_marked(flags: &[&str], headers: &[(&str, &str)]) -> bool {
        let settings = Flags::parse_from(["almanac"].iter().chain(flags)).settings;
        let mut request = Request::builder().header("host", "calendar.example.org");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        is_cross_site(&request.finish(), &settings)
    }

    #[test]
    fn request_without_browser_headers_is_not_cross_site() {
        assert!(!is_marked(&[], &[]));
    }

    #[test]
    fn fetch_metadata_decides() {
        let foreign = ("origin", "https://other.example");
        for (site, without_origin, with_foreign_origin) in [
            ("cross-site", true, true),
            ("same-origin", false, false),
            ("same-site", false, true),
            ("none", false, true),
        ] {
            let site = ("sec-fetch-site", site);
            assert_eq!(is_marked(&[], &[site]), without_origin, "{site:?}");
            assert_eq!(is_marked(&[], &[site, foreign]), with_foreign_origin, "{site:?}");
        }
    }

    #[test]
    fn other_origins_are_cross_site() {
        for (origin, is_foreign) in [
            ("https://calendar.example.org", false),
            ("http://calendar.example.org", false),
            ("https://calendar.example.org:8443", true),
            ("https://example.org", true),
            ("https://calendar.example.org.evil.example", true),
            ("null", true),
            ("", true),
        ] {
            assert_eq!(is_marked(&[], &[("origin", origin)]), is_foreign, "{origin}");
        }
    }

    #[test]
    fn base_url_is_same_site() {
        let flags = ["--base-url", "https://public.example/calendar"];
        for (origin, is_foreign) in [
            ("https://public.example", false),
            ("https://calendar.example.org", false),
            ("https://other.example", true),
        ] {
            assert_eq!(is_marked(&flags, &[("origin", origin)]), is_foreign, "{origin}");
        }
    }

    #[test]
    fn listed_origins_are_trusted_unlike_the_wildcard() {
        let origin = ("origin", "https://one.example");
        let cross_site = ("sec-fetch-site", "cross-site");
        for (allowed, is_foreign) in [
            ("https://one.example,https://two.example", false),
            ("https://two.example", true),
            ("*", true),
        ] {
            let flags = ["--cors-origin", allowed];
            assert_eq!(is_marked(&flags, &[origin]), is_foreign, "{allowed}");
            assert_eq!(is_marked(&flags, &[origin, cross_site]), is_foreign, "{allowed}");
        }
    }
}
