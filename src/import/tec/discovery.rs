//! Finds the interface of The Events Calendar at a site.

use serde_json::Value;
use url::Url;

use super::super::http::Response;

/// The namespace of the interface.
const NAMESPACE: &str = "tribe/events/v1";

/// The root of the interface, to which paths are appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// Such as `https://site.example/wp-json/tribe/events/v1`.
    Path(Url),
    /// Such as `https://site.example/?rest_route=/tribe/events/v1`, for sites without readable addresses. The value is
    /// the URL without the parameter.
    Query(Url),
}

impl Root {
    /// Recognises both forms.
    pub(super) fn parse(url: &Url) -> Self {
        match url.query_pairs().any(|(name, _)| name == "rest_route") {
            true => {
                let mut base = url.clone();
                base.set_query(None);
                Self::Query(base)
            }
            false => Self::Path(url.clone()),
        }
    }

    /// The URL of a path such as `/events`, with these parameters.
    pub(super) fn url(&self, path: &str, parameters: &[(&str, String)]) -> Url {
        let mut url = match self {
            Self::Path(root) => {
                let mut url = root.clone();
                url.set_path(&format!("{}{path}", root.path().trim_end_matches('/')));
                url.set_query(None);
                url
            }
            Self::Query(base) => {
                let mut url = base.clone();
                url.query_pairs_mut()
                    .append_pair("rest_route", &format!("/{NAMESPACE}{path}"));
                url
            }
        };
        if !parameters.is_empty() {
            let mut pairs = url.query_pairs_mut();
            for (name, value) in parameters {
                pairs.append_pair(name, value);
            }
        }
        url
    }
}

/// The address with scheme and port of the site, whose own settings may be older than its encryption. None for another
/// host.
pub(super) fn at_host_of(mut address: Url, home: &Url) -> Option<Url> {
    let is_same = address.host_str() == home.host_str()
        && address.set_scheme(home.scheme()).is_ok()
        && address.set_port(home.port()).is_ok();
    is_same.then_some(address)
}

/// The host without `www.`, and the port unless it is that of the scheme.
pub(super) fn site_name(url: &Url) -> (&str, Option<u16>) {
    let host = url.host_str().unwrap_or_default();
    (host.strip_prefix("www.").unwrap_or(host), url.port())
}

/// Where the interface may be, most likely first: where the page says that it is, then the usual places.
pub(super) fn candidates(page: &Response) -> Vec<Url> {
    let mut found = Vec::new();
    found.extend(Url::parse(page.header("x-tec-api-root")).ok());
    for value in page.headers.get_all("link") {
        let links = value.to_str().unwrap_or_default().split(',');
        let api = links.filter(|link| link.contains("https://api.w.org/"));
        for link in api {
            let address = link.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
            let root = address.and_then(|(address, _)| Url::parse(address).ok());
            found.extend(root.map(|root| below_api(&root)));
        }
    }
    let mut folder = page.url.clone();
    folder.set_query(None);
    folder.set_fragment(None);
    let base = folder.path().trim_end_matches('/').to_owned();
    for path in [format!("{base}/wp-json/{NAMESPACE}"), format!("/wp-json/{NAMESPACE}")] {
        let mut url = folder.clone();
        url.set_path(&path);
        found.push(url);
    }
    let mut query = folder;
    query.set_query(Some(&format!("rest_route=/{NAMESPACE}")));
    found.push(query);
    found
}

/// The root of the interface below that of WordPress.
fn below_api(root: &Url) -> Url {
    let mut url = root.clone();
    if root.query_pairs().any(|(name, _)| name == "rest_route") {
        url.set_query(Some(&format!("rest_route=/{NAMESPACE}")));
    } else {
        url.set_path(&format!("{}/{NAMESPACE}", root.path().trim_end_matches('/')));
    }
    url
}

/// Whether the response is the index of the interface.
pub(super) fn is_index(response: &Response) -> bool {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    response.status.is_success() && body["namespace"] == NAMESPACE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn urls_below_both_roots() {
        let parameters = [("page", "2".to_owned()), ("status", "publish,draft".to_owned())];
        let path = Root::parse(&url("https://site.example/blog/wp-json/tribe/events/v1"));
        assert_eq!(
            path.url("/events", &parameters).as_str(),
            "https://site.example/blog/wp-json/tribe/events/v1/events?page=2&status=publish%2Cdraft"
        );
        let query = Root::parse(&url("https://site.example/?rest_route=/tribe/events/v1"));
        assert_eq!(
            query.url("/events", &parameters[..1]).as_str(),
            "https://site.example/?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents&page=2"
        );
    }

    #[test]
    fn addresses_of_a_site() {
        let home = url("https://site.example/blog/");
        let found = at_host_of(url("http://site.example/wp-json/"), &home);
        assert_eq!(found, Some(url("https://site.example/wp-json/")));
        assert_eq!(at_host_of(url("https://other.example/wp-json/"), &home), None);
        assert_eq!(site_name(&url("http://www.site.example/")), site_name(&home));
        assert_ne!(site_name(&url("https://site.example:8443/")), site_name(&home));
    }

    #[test]
    fn root_below_that_of_wordpress() {
        for (root, expected) in [
            (
                "https://site.example/wp-json/",
                "https://site.example/wp-json/tribe/events/v1",
            ),
            (
                "https://site.example/index.php?rest_route=/",
                "https://site.example/index.php?rest_route=/tribe/events/v1",
            ),
        ] {
            assert_eq!(below_api(&url(root)), url(expected));
        }
    }
}
