//! The public URL at which a request arrived, and the address of its client.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use poem::{Request, http::header};

use super::forwarded::Forwarded;
use crate::config::Settings;

/// Both ends of a request, as the client sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The public URL, without a trailing slash: `https://example.org`.
    pub base: String,
    /// The address of the client, from the headers of trusted proxies.
    pub client: IpAddr,
}

impl Address {
    /// The address of the request, which the access log layer has attached to it.
    pub(crate) fn known(request: &Request, settings: &Settings) -> Arc<Self> {
        match request.data::<Arc<Self>>() {
            Some(address) => address.clone(),
            None => Arc::new(Self::of(request, settings)),
        }
    }

    /// Determines the address. The base is, in this order: `--base-url`, the host that a trusted proxy forwards, the
    /// authority of the request target, the `Host` header.
    pub(crate) fn of(request: &Request, settings: &Settings) -> Self {
        let peer = request
            .remote_addr()
            .as_socket_addr()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip().to_canonical());
        let forwarded = settings.is_trusted_proxy(peer).then(|| {
            let is_trusted = |address| settings.is_trusted_proxy(address);
            Forwarded::read(settings.proxy_headers, request.headers(), peer, is_trusted)
        });
        let base = match &settings.base_url {
            Some(base) => base.clone(),
            None => base(request, forwarded.as_ref()),
        };
        Self {
            base,
            client: forwarded.map_or(peer, |forwarded| forwarded.client),
        }
    }

    /// Host and port of the public URL.
    pub(crate) fn host(&self) -> &str {
        self.base
            .split_once("://")
            .map_or(self.base.as_str(), |(_, rest)| rest.split('/').next().unwrap_or(rest))
    }
}

/// The network from which a client can choose its address: a /64 with IPv6. Limits count all of it as one client.
pub(crate) fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address => address,
    }
}

fn base(request: &Request, forwarded: Option<&Forwarded>) -> String {
    let is_secure = forwarded
        .and_then(|forwarded| forwarded.scheme.as_deref())
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
    let scheme = if is_secure { "https" } else { "http" };
    let host = forwarded
        .and_then(|forwarded| forwarded.host.as_deref())
        // The authority of the target takes precedence over the header (RFC 9112, section 3.2.2).
        .or_else(|| {
            let authority = request.uri().authority()?;
            Some(authority.as_str())
        })
        .or_else(|| request.headers().get(header::HOST)?.to_str().ok());
    // An invalid host must not appear in URLs of the response.
    let host = host
        .filter(|host| is_host(host))
        .map(str::to_ascii_lowercase)
        .or_else(|| {
            let local = request.local_addr().as_socket_addr()?;
            Some(local.to_string())
        });
    format!("{scheme}://{}", host.as_deref().unwrap_or("localhost"))
}

/// Whether the host is a lower-case name or an IPv4 address, with an optional port. Almost all hosts are, and parsing a
/// URL is slower.
fn is_simple(host: &str) -> bool {
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

/// Whether the text is a host with an optional port.
pub(crate) fn is_host(host: &str) -> bool {
    is_simple(host) || is_host_of_url(host)
}

fn is_host_of_url(host: &str) -> bool {
    url::Url::parse(&format!("http://{host}/"))
        .is_ok_and(|url| url.path() == "/" && url.username().is_empty() && url.query().is_none())
        && !host.contains(['@', '/', '\\', '?', '#'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_hosts_are_simple() {
        for host in ["localhost", "example.org:8080", "127.0.0.1", "127.0.0.1:80", "a-1.b2.c"] {
            assert!(is_simple(host), "{host}");
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
            assert!(!is_simple(host), "{host}");
        }
    }

    #[test]
    fn ipv6_addresses_have_a_network() {
        for (client, expected) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::9", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("192.0.2.1", "192.0.2.1"),
        ] {
            let [client, expected] = [client, expected].map(|text| text.parse::<IpAddr>().expect("an address"));
            assert_eq!(network(client), expected, "{client}");
        }
    }

    proptest! {
        #[test]
        fn simple_hosts_are_valid_in_urls(host in "[a-f0-9x.:-]{1,20}") {
            prop_assert!(!is_simple(&host) || is_host_of_url(&host), "{}", host);
        }
    }
}
