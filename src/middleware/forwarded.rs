//! What trusted proxies say of a request: its client, scheme and host.
//!
//! A proxy appends to these headers, and passes on what came before. Anybody may have written that, so that they are
//! read from the right: the rightmost address that is no trusted proxy is the client, and what stands left of it is
//! ignored. Only one family of headers is read (`--proxy-headers`), because a proxy that sets one family passes the
//! other on as the client sent it.

use std::net::{IpAddr, SocketAddr};

use poem::http::HeaderMap;

use crate::config::ProxyHeaders;

/// What the trusted proxies know of the hop before them.
#[derive(Debug, PartialEq, Eq)]
pub struct Forwarded {
    /// The rightmost address that is no trusted proxy. Where a proxy hides it, the proxy's own.
    pub client: IpAddr,
    pub scheme: Option<String>,
    pub host: Option<String>,
}

impl Forwarded {
    /// Reads the headers of a request that came from `peer`, which is a trusted proxy.
    pub fn read(family: ProxyHeaders, headers: &HeaderMap, peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Self {
        match family {
            ProxyHeaders::XForwarded => Self::x_forwarded(headers, peer, is_trusted),
            ProxyHeaders::Forwarded => Self::rfc_7239(headers, peer, is_trusted),
        }
    }

    fn x_forwarded(headers: &HeaderMap, peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Self {
        let addresses = joined(headers, "x-forwarded-for");
        let mut client = peer;
        for address in addresses.rsplit(',').map(node_address) {
            // What is no address hides the hop, and what stands left of it nobody vouches for.
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
        // The parser takes no space around the semicolon, which some proxies write.
        let header = joined(headers, "forwarded").replace("; ", ";");
        for element in rfc7239::parse(&header).rev() {
            let Ok(element) = element else { break };
            // Each element is written by the hop that the one to its right names, and that one is trusted. The
            // leftmost of them is the one that clients see.
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

/// All lines of a header as one list, as RFC 9110, section 5.3 says they mean.
fn joined(headers: &HeaderMap, name: &str) -> String {
    let lines: Vec<&str> = headers
        .get_all(name)
        .iter()
        // A line that is no text can't be trusted to end where the proxy's part begins: it counts as unreadable.
        .map(|line| line.to_str().unwrap_or("unknown"))
        .collect();
    lines.join(",")
}

/// An address, with or without a port, an IPv6 address with or without brackets.
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

    /// The proxies are 10.0.0.0/8, and the request came from 10.0.0.1.
    fn read(family: ProxyHeaders, lines: &[(&'static str, &str)]) -> Forwarded {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let value = HeaderValue::from_str(value).expect("a value");
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
            // The client wrote the first part.
            (&[("x-forwarded-for", "6.6.6.6, 192.0.2.1")], ("192.0.2.1", "", "")),
            (
                &[("x-forwarded-for", "6.6.6.6, 192.0.2.1, 10.0.0.2")],
                ("192.0.2.1", "", ""),
            ),
            // Several lines are one list, whichever of them the client sent.
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
            // All are proxies: the request comes from the leftmost.
            (&[("x-forwarded-for", "10.0.0.3, 10.0.0.2")], ("10.0.0.3", "", "")),
            // A hop that is hidden ends what is known.
            (&[("x-forwarded-for", "6.6.6.6, unknown")], ("10.0.0.1", "", "")),
            (
                &[("x-forwarded-for", "6.6.6.6, unknown, 10.0.0.2")],
                ("10.0.0.2", "", ""),
            ),
            (&[("x-forwarded-for", "192.0.2.1:4711")], ("192.0.2.1", "", "")),
            (&[("x-forwarded-for", "[2001:db8::1]:4711")], ("2001:db8::1", "", "")),
            (&[("x-forwarded-for", "[2001:db8::1]")], ("2001:db8::1", "", "")),
            (&[("x-forwarded-for", "::ffff:192.0.2.1")], ("192.0.2.1", "", "")),
            // The other family is the client's own.
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
            // The outer proxy knows what the client asked for, the inner one what the outer one did.
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
