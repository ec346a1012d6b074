//! Parses the values of flags.

use std::{
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    num::NonZeroU32,
};

use ipnet::IpNet;
use url::Url;

use crate::calendar::currency::SiteCurrency;

pub(super) fn listen(text: &str) -> Result<SocketAddr, String> {
    text.to_socket_addrs()
        .ok()
        .and_then(|mut addresses| addresses.next())
        .ok_or_else(|| "must be an address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Parses an `http` or `https` URL without credentials, query or fragment, and removes trailing slashes.
pub(crate) fn base_url(text: &str) -> Result<String, String> {
    let message = "must be a URL such as https://calendar.example.org, without credentials, a query or a fragment";
    web_url(text)
        .filter(|url| url.username().is_empty() && url.password().is_none())
        .filter(|url| url.query().is_none() && url.fragment().is_none())
        .map(|url| url.as_str().trim_end_matches('/').to_owned())
        .ok_or_else(|| message.to_owned())
}

/// Parses an `http` or `https` URL.
pub(super) fn web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Parses a network or a single address.
pub(crate) fn network(text: &str) -> Result<IpNet, String> {
    text.parse()
        .or_else(|_| text.parse().map(|address: IpAddr| address.into()))
        .map_err(|_| "must be a network such as 10.0.0.0/8, or an address".to_owned())
}

pub(super) fn currency(text: &str) -> Result<SiteCurrency, String> {
    SiteCurrency::parse(text).ok_or_else(|| "must be a currency code (ISO 4217), such as USD".to_owned())
}

pub(super) fn radius(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(radius) if (0.0..=20_000.0).contains(&radius) => Ok(radius),
        _ => Err("must be a number from 0 to 20000".to_owned()),
    }
}

pub(super) fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("must be an integer of at least 1".to_owned()),
    }
}

/// Requests per second: `20/s`, or `20`.
pub(crate) fn rate(text: &str) -> Result<NonZeroU32, String> {
    text.strip_suffix("/s")
        .unwrap_or(text)
        .parse()
        .map_err(|_| "must be an integer of at least 1, in requests per second, such as 20/s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        for (text, expected) in [
            ("20/s", Some(20)),
            ("20", Some(20)),
            ("0/s", None),
            ("20/s/s", None),
            ("20/m", None),
            ("/s", None),
        ] {
            assert_eq!(rate(text).ok().map(u32::from), expected, "{text}");
        }
    }

    #[test]
    fn base_urls() {
        for (text, expected) in [
            ("https://Example.org/", Some("https://example.org")),
            ("https://example.org/calendar/\n", Some("https://example.org/calendar")),
            ("https://ann:secret@example.org", None),
            ("https://example.org/?a=1", None),
            ("ftp://example.org", None),
        ] {
            assert_eq!(base_url(text).ok().as_deref(), expected, "{text:?}");
        }
    }
}
