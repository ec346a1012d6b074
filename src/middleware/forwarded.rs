//! The client, scheme and host of a request from the headers of trusted proxies.
//!
//! A proxy appends to these headers and forwards the existing values, which anybody may have set. They are therefore
//! read from the right: the rightmost address that is not a trusted proxy is the client, and everything left of it is
//! ignored. Only one family of headers is read (`--proxy-headers`), because a proxy that sets one family forwards the
//! other one as the client sent it.

use std::net::{IpAddr, SocketAddr};

use poem::http::HeaderMap;

use crate::config::ProxyHeaders;

/// The client, scheme and host that trusted proxies forward.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Forwarded {
    /// The rightmost address that is not a trusted proxy, or the address of the proxy that hides it.
    pub client: IpAddr,
    pub scheme: Option<String>,
    pub host: Option<String>,
}

impl Forwarded {
    /// Reads the headers of a request from `peer`, which is a trusted proxy.
    pub(crate) fn read(
        family: ProxyHeaders,
        headers: &HeaderMap,
        peer: IpAddr,
        is_trusted: impl Fn(IpAddr) -> bool,
    ) -> Self {
        match family {
            ProxyHeaders::XForwarded => Self::x_forwarded(headers, peer, is_trusted),
            ProxyHeaders::Forwarded => Self::rfc_7239(headers, peer, is_trusted),
        }
    }

    fn x_forwarded(headers: &HeaderMap, peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Self {
        let addresses = joined(headers, "x-forwarded-for");
        let mut client = peer;
        for address in addresses.rsplit(',').map(node_address) {
            // A value that is not an address hides the hop. The values left of it are not trusted.
            let Some(address) = address else { break };
            client = address;
            if !is_trusted(address) {
                break;
            }
        }
        let rightmost = |name| {
            let values = joined(headers, name);
            let value = values.rsplit(',').next().map(str::trim).unwrap_or_default();
            (!value.is_empty()).then(|| value.to_owned())
        };
        Self {
            client,
            scheme: rightmost("x-forwarded-proto"),
            host: rightmost("x-forwarded-host"),
        }
    }

    fn rfc_7239(headers: &HeaderMap, peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Self {
        let mut known = Self {
            client: peer,
            scheme: None,
            host: None,
        };
        // The parser does not allow a space after the semicolon, which some proxies write.
        let header = joined(headers, "forwarded").replace("; ", ";");
        for element in rfc7239::parse(&header).rev() {
            let Ok(element) = element else { break };
            // An element is written by the hop in the element to its right, which is trusted. The leftmost of these
            // elements is written by the proxy that clients connect to.
            let value = |text: Option<&str>| text.map(|text| text.trim_matches('"').to_owned());
            known.scheme = value(element.protocol).or(known.scheme);
            known.host = value(element.host).or(known.host);
            let node = element.forwarded_for.as_ref();
            let Some(address) = node.and_then(|node| node.ip()) else {
                break;
            };
            known.client = address.to_canonical();
            if !is_trusted(known.client) {
                break;
            }
        }
        known
    }
}

/// All lines of a header as one list (RFC 9110, section 5.3).
fn joined(headers: &HeaderMap, name: &str) -> String {
    let lines: Vec<&str> = headers
        .get_all(name)
        .iter()
        // A line that is not text counts as a hidden hop. Without it, values left of it would be trusted.
        .map(|line| line.to_str().unwrap_or("unknown"))
        .collect();
    lines.join(",")
}

/// Parses an address with an optional port. An IPv6 address may have brackets.
fn node_address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    bare.unwrap_or(text)
        .parse()
        .or_else(|_| text.parse().map(|address: SocketAddr| address.ip()))
        .map(|address: IpAddr| address.to_canonical())
        .ok()
}

#[cfg(test)]
mod tests {
    use poem::http::{HeaderName, HeaderValue};

    use super::*;

    /// Reads headers of a request from 10.0.0.1, with the trusted proxies 10.0.0.0/8.
    fn read(family: ProxyHeaders, lines: &[(&'static str, &str)]) -> Forwarded {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let value = HeaderValue::from_str(value).expect("a header value");
            headers.append(HeaderName::from_static(name), value);
        }
        let is_proxy = |address| matches!(address, IpAddr::V4(address) if address.octets()[0] == 10);
        Forwarded::read(family, &headers, IpAddr::from([10, 0, 0, 1]), is_proxy)
    }

    fn check(family: ProxyHeaders, lines: &[(&'static str, &str)], expected: (&str, &str, &str)) {
        let read = read(family, lines);
        let found = (
            read.client.to_string(),
            read.scheme.unwrap_or_default(),
            read.host.unwrap_or_default(),
        );
        let (client, scheme, host) = expected;
        assert_eq!(
            found,
            (client.to_owned(), scheme.to_owned(), host.to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn x_forwarded_is_read_from_the_right() {
        for (lines, expected) in [
            (&[][..], ("10.0.0.1", "", "")),
            (&[("x-forwarded-for", "192.0.2.1")], ("192.0.2.1", "", "")),
            // The client sent the first part.
            (&[("x-forwarded-for", "6.6.6.6, 192.0.2.1")], ("192.0.2.1", "", "")),
            (
                &[("x-forwarded-for", "6.6.6.6, 192.0.2.1, 10.0.0.2")],
                ("192.0.2.1", "", ""),
            ),
            // Several lines are one list.
            (
                &[("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "192.0.2.1")],
                ("192.0.2.1", "", ""),
            ),
            (
                &[
                    ("x-forwarded-host", "evil.example"),
                    ("x-forwarded-host", "example.org"),
                ],
                ("10.0.0.1", "", "example.org"),
            ),
            (
                &[
                    ("x-forwarded-proto", "https,http"),
                    ("x-forwarded-host", "a.example , b.example"),
                ],
                ("10.0.0.1", "http", "b.example"),
            ),
            // All are proxies: the leftmost one is the client.
            (&[("x-forwarded-for", "10.0.0.3, 10.0.0.2")], ("10.0.0.3", "", "")),
            // Values left of a hidden hop are ignored.
            (&[("x-forwarded-for", "6.6.6.6, unknown")], ("10.0.0.1", "", "")),
            (
                &[("x-forwarded-for", "6.6.6.6, unknown, 10.0.0.2")],
                ("10.0.0.2", "", ""),
            ),
            (&[("x-forwarded-for", "192.0.2.1:4711")], ("192.0.2.1", "", "")),
            (&[("x-forwarded-for", "[2001:db8::1]:4711")], ("2001:db8::1", "", "")),
            (&[("x-forwarded-for", "[2001:db8::1]")], ("2001:db8::1", "", "")),
            (&[("x-forwarded-for", "::ffff:192.0.2.1")], ("192.0.2.1", "", "")),
            // The other family is ignored.
            (
                &[("forwarded", "for=6.6.6.6;host=evil.example;proto=https")],
                ("10.0.0.1", "", ""),
            ),
        ] {
            check(ProxyHeaders::XForwarded, lines, expected);
        }
    }

    #[test]
    fn forwarded_is_read_from_the_right() {
        for (lines, expected) in [
            (&[][..], ("10.0.0.1", "", "")),
            (
                &[("forwarded", "for=192.0.2.1;proto=https;host=example.org")],
                ("192.0.2.1", "https", "example.org"),
            ),
            (
                &[("forwarded", "for=192.0.2.1; proto=https; host=\"example.org:8443\"")],
                ("192.0.2.1", "https", "example.org:8443"),
            ),
            (
                &[(
                    "forwarded",
                    "for=6.6.6.6;host=evil.example, for=192.0.2.1;host=example.org",
                )],
                ("192.0.2.1", "", "example.org"),
            ),
            (
                &[
                    ("forwarded", "for=6.6.6.6;host=evil.example"),
                    ("forwarded", "for=192.0.2.1"),
                ],
                ("192.0.2.1", "", ""),
            ),
            // The outer proxy forwards the request of the client, the inner one that of the outer proxy.
            (
                &[(
                    "forwarded",
                    "for=192.0.2.1;proto=https;host=example.org, for=10.0.0.2;proto=http;host=inner",
                )],
                ("192.0.2.1", "https", "example.org"),
            ),
            (&[("forwarded", "for=6.6.6.6, for=unknown")], ("10.0.0.1", "", "")),
            (
                &[("forwarded", "for=6.6.6.6, for=_hidden;proto=https")],
                ("10.0.0.1", "https", ""),
            ),
            (&[("forwarded", "for=6.6.6.6, nonsense")], ("10.0.0.1", "", "")),
            (&[("forwarded", "for=\"[2001:db8::1]:4711\"")], ("2001:db8::1", "", "")),
            (
                &[("x-forwarded-for", "6.6.6.6"), ("x-forwarded-host", "evil.example")],
                ("10.0.0.1", "", ""),
            ),
        ] {
            check(ProxyHeaders::Forwarded, lines, expected);
        }
    }
}
