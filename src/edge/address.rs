//! Where a request came to, and where it came from.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use poem::{Request, http::header};

use crate::config::Settings;

/// Both ends of a request, as the reader sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The public address, without a slash at its end: `https://example.org`.
    pub base: String,
    /// Who sent the request, as far as trusted proxies tell.
    pub client: IpAddr,
}

impl Address {
    /// That of the request, as it was found out when the request came in.
    pub fn known(request: &Request, settings: &Settings) -> Arc<Self> {
        match request.data::<Arc<Self>>() {
            Some(address) => address.clone(),
            None => Arc::new(Self::of(request, settings)),
        }
    }

    /// The configured address; else what a trusted proxy says; else the `Host` header.
    pub fn of(request: &Request, settings: &Settings) -> Self {
        let peer = request
            .remote_addr()
            .as_socket_addr()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip());
        let is_trusted = |address: &IpAddr| {
            settings
                .trusted_proxies
                .iter()
                .any(|network| network.contains(address))
        };
        let forwarded = if is_trusted(&peer) {
            Forwarded::of(request, is_trusted)
        } else {
            Forwarded::default()
        };
        let base = settings
            .base_url
            .clone()
            .unwrap_or_else(|| base(request, &forwarded));
        Self {
            base,
            client: forwarded.client.unwrap_or(peer),
        }
    }

    /// Host and port of the public address.
    pub fn host(&self) -> &str {
        self.base
            .split_once("://")
            .map_or(self.base.as_str(), |(_, rest)| {
                rest.split('/').next().unwrap_or(rest)
            })
    }
}

fn base(request: &Request, forwarded: &Forwarded) -> String {
    let scheme = match forwarded.scheme.as_deref() {
        Some("https") => "https",
        _ => "http",
    };
    let host = forwarded
        .host
        .as_deref()
        .or_else(|| header_text(request, header::HOST.as_str()))
        .or_else(|| {
            request
                .uri()
                .authority()
                .map(|authority| authority.as_str())
        });
    // What is no host must not come back in addresses.
    let host = host
        .filter(|host| is_plain(host) || is_host(scheme, host))
        .map(str::to_ascii_lowercase)
        .or_else(|| {
            let local = request.local_addr().as_socket_addr()?;
            Some(local.to_string())
        });
    format!("{scheme}://{}", host.as_deref().unwrap_or("localhost"))
}

/// Whether it is, at first sight, a name or an IPv4 address with or without a port, as nearly all are.
fn is_plain(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() && !port.starts_with('+') => name,
        Some(_) => return false,
        None => host,
    };
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_lowercase())
            && !label.starts_with("xn--")
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    name.parse::<Ipv4Addr>().is_ok() || name.split('.').all(is_label)
}

fn is_host(scheme: &str, host: &str) -> bool {
    url::Url::parse(&format!("{scheme}://{host}/"))
        .is_ok_and(|url| url.path() == "/" && url.username().is_empty() && url.query().is_none())
        && !host.contains(['@', '/', '\\', '?', '#'])
}

fn header_text<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name)?.to_str().ok()
}

/// What proxies say of the request before them.
#[derive(Debug, Default)]
struct Forwarded {
    scheme: Option<String>,
    host: Option<String>,
    client: Option<IpAddr>,
}

impl Forwarded {
    /// Reads `Forwarded` (RFC 7239), else the older `X-Forwarded-*`. The client is the last address that is
    /// not itself a trusted proxy: those before it anybody may have written.
    fn of(request: &Request, is_trusted: impl Fn(&IpAddr) -> bool) -> Self {
        if let Some(header) = header_text(request, "forwarded") {
            let elements: Vec<_> = rfc7239::parse(header).filter_map(Result::ok).collect();
            let nearest = elements.last();
            return Self {
                scheme: nearest
                    .and_then(|element| element.protocol)
                    .map(|scheme| scheme.trim_matches('"').to_ascii_lowercase()),
                // One with a port stands in quotes.
                host: nearest
                    .and_then(|element| element.host)
                    .map(|host| host.trim_matches('"').to_owned()),
                client: elements
                    .iter()
                    .rev()
                    .filter_map(|element| match element.forwarded_for.as_ref()?.name {
                        rfc7239::NodeName::Ip(address) => Some(address),
                        _ => None,
                    })
                    .find(|address| !is_trusted(address)),
            };
        }
        let last = |name| {
            header_text(request, name)
                .and_then(|text| text.rsplit(',').next())
                .map(|text| text.trim().to_owned())
        };
        Self {
            scheme: last("x-forwarded-proto").map(|scheme| scheme.to_ascii_lowercase()),
            host: last("x-forwarded-host"),
            client: header_text(request, "x-forwarded-for").and_then(|text| {
                text.rsplit(',')
                    .filter_map(|address| address.trim().parse().ok())
                    .find(|address| !is_trusted(address))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_hosts_are_plain() {
        for host in [
            "localhost",
            "example.org:8080",
            "127.0.0.1",
            "127.0.0.1:80",
            "a-1.b2.c",
        ] {
            assert!(is_plain(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "a.",
            "a:b",
            "a:99999",
            "1.2.3.999",
            "[::1]",
            "xn--a",
            "a b",
            "a/b",
            "a:+8",
        ] {
            assert!(!is_plain(host), "{host}");
        }
    }

    proptest! {
        #[test]
        fn what_is_plain_is_a_host(host in "[a-f0-9x.:-]{1,20}") {
            prop_assert!(!is_plain(&host) || is_host("http", &host), "{}", host);
        }
    }
}
