//! HTTP requests to addresses that others control: limited in size and time, and kept away from private networks.
//!
//! An address that the operator has typed as a number may be private, since that is a decision. A name, or a redirect,
//! that leads to a private address is refused unless its network is allowed: whoever controls a name or a server could
//! otherwise let this program read internal services. Names are checked when they are resolved for the connection, so
//! that a second resolution can't differ.

use std::{
    error::Error as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use ipnet::IpNet;
use reqwest::{
    StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::HeaderMap,
    redirect::{Attempt, Policy},
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use thiserror::Error;
use tokio::net::lookup_host;
use url::{Host, Url};

use super::ImportError;

/// The maximum size of a response, in bytes. Responses are not compressed: none is asked for.
pub(crate) const MAX_BODY: usize = 20 * 1024 * 1024;
/// The time limit of a request with its response.
const TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 5;

/// The networks that names and redirects may lead to although they are private.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedNetworks(pub Arc<[IpNet]>);

impl AllowedNetworks {
    fn contains(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.iter().any(|network| network.contains(&address))
    }
}

/// Whether the address is that of a host in the internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => is_public_v4(embedded),
            None => is_public_v6(address),
        },
    }
}

/// The special ranges of RFC 6890 and its updates.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        // Shared address space (RFC 6598).
        || (first == 100 && second & 0xc0 == 64)
        // Protocol assignments and benchmarks.
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && second & 0xfe == 18);
    !is_special
}

/// Global unicast addresses are in 2000::/3.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_documentation = first == 0x2001 && second == 0xdb8;
    // Teredo and ORCHID, which embed or encode other addresses.
    let is_protocol = first == 0x2001 && second < 0x200;
    first & 0xe000 == 0x2000 && !is_documentation && !is_protocol
}

/// The IPv4 address that traffic to this one reaches: mapped and compatible ones, NAT64 and 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let from = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(from(high, low)),
        [0x2002, high, low, ..] => Some(from(high, low)),
        _ => None,
    }
}

/// Resolves names to the addresses that connections may use.
struct GuardedResolver(AllowedNetworks);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = lookup_host((name.as_str(), 0)).await?.collect();
            let usable: Vec<SocketAddr> = addresses
                .iter()
                .copied()
                .filter(|address| allowed.contains(address.ip()))
                .collect();
            if let ([private, ..], []) = (&addresses[..], &usable[..]) {
                return Err(Refusal::new(name.as_str(), private.ip()).into());
            }
            Ok(Box::new(usable.into_iter()) as Addrs)
        })
    }
}

/// A name or a redirect leads to a private address.
#[derive(Debug, Error)]
#[error("{name} leads to the private address {address}; pass --allow {address} if that is intended")]
struct Refusal {
    name: String,
    address: IpAddr,
}

impl Refusal {
    fn new(name: &str, address: IpAddr) -> Self {
        Self {
            name: name.to_owned(),
            address,
        }
    }
}

/// Whether the cause of an error is a refusal, which another attempt would repeat.
fn is_refusal(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<Refusal>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Follows redirects within the limits. `given` is the host that the operator has named.
fn redirect(attempt: Attempt, allowed: &AllowedNetworks, given: Option<&Host<String>>) -> reqwest::redirect::Action {
    if attempt.previous().len() > MAX_REDIRECTS {
        return attempt.error(format!("more than {MAX_REDIRECTS} redirects"));
    }
    let is_downgrade = attempt.url().scheme() != "https"
        && attempt
            .previous()
            .last()
            .is_some_and(|before| before.scheme() == "https");
    if is_downgrade {
        return attempt.error("a redirect from https to http");
    }
    let host = attempt.url().host().map(|host| host.to_owned());
    let address = match &host {
        Some(Host::Ipv4(address)) => Some(IpAddr::V4(*address)),
        Some(Host::Ipv6(address)) => Some(IpAddr::V6(*address)),
        _ => None,
    };
    match address {
        Some(address) if host.as_ref() != given && !allowed.contains(address) => {
            attempt.error(Refusal::new("a redirect", address))
        }
        _ => attempt.follow(),
    }
}

/// A user name and an application password.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub user: String,
    pub password: String,
}

/// A client for one site.
#[derive(Clone)]
pub(crate) struct Client {
    client: reqwest::Client,
    credentials: Option<Credentials>,
}

/// A response with its whole body.
#[derive(Debug)]
pub(crate) struct Response {
    pub status: StatusCode,
    /// After redirects.
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Response {
    /// A header, or the empty string.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// Why there is no response.
#[derive(Debug)]
pub(crate) struct FetchError {
    pub message: String,
    /// Whether another attempt may succeed.
    pub is_temporary: bool,
}

impl From<FetchError> for ImportError {
    fn from(error: FetchError) -> Self {
        Self::Source(error.message)
    }
}

impl Client {
    /// A client for the host of this URL.
    pub(crate) fn new(url: &Url, allowed: &AllowedNetworks) -> Result<Self, ImportError> {
        let given = url.host().map(|host| host.to_owned());
        let (for_redirects, for_names) = (allowed.clone(), allowed.clone());
        let client = reqwest::Client::builder()
            .user_agent(concat!("almanac/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .timeout(TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(Policy::custom(move |attempt| {
                redirect(attempt, &for_redirects, given.as_ref())
            }))
            .dns_resolver(GuardedResolver(for_names))
            .tls_backend_preconfigured(tls()?)
            .build()
            .map_err(|error| ImportError::Source(describe(&error)))?;
        Ok(Self {
            client,
            credentials: None,
        })
    }

    /// The client, which sends these credentials. Redirects to other hosts do not get them.
    pub(crate) fn with_credentials(self, credentials: Credentials) -> Self {
        Self {
            credentials: Some(credentials),
            ..self
        }
    }

    /// Sends a request and reads its response.
    pub(crate) async fn get(&self, url: &Url, headers: &[(&str, &str)]) -> Result<Response, FetchError> {
        let mut request = self.client.get(url.clone());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(Credentials { user, password }) = &self.credentials {
            request = request.basic_auth(user, Some(password));
        }
        let failed = |error: reqwest::Error| FetchError {
            is_temporary: !error.is_redirect() && !error.is_builder() && !is_refusal(&error),
            message: format!("can't read {url}: {}", describe(&error)),
        };
        let mut response = request.send().await.map_err(failed)?;
        let too_large = || FetchError {
            message: format!("the response of {url} is larger than {} MB", MAX_BODY / 1024 / 1024),
            is_temporary: false,
        };
        if response.content_length().is_some_and(|length| length > MAX_BODY as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response {
            status: response.status(),
            url: response.url().clone(),
            headers: response.headers().clone(),
            body,
        })
    }
}

/// TLS with the root certificates of Mozilla, which are part of the program: containers have none.
fn tls() -> Result<ClientConfig, ImportError> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ImportError::Source(format!("TLS: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The messages of an error and of its causes, without the URL, which may contain a secret.
fn describe(error: &reqwest::Error) -> String {
    let mut cause: Option<&dyn std::error::Error> = error.source();
    let mut messages = Vec::new();
    if cause.is_none() || error.is_timeout() {
        messages.push(if error.is_timeout() {
            "timeout".to_owned()
        } else {
            error.to_string()
        });
    }
    while let Some(error) = cause {
        messages.push(error.to_string());
        cause = error.source();
    }
    messages.dedup();
    messages.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn private_addresses() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "2001:db8::1",
        ] {
            assert!(!is_public(address(private)), "{private}");
        }
        for public in ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"] {
            assert!(is_public(address(public)), "{public}");
        }
    }

    #[test]
    fn allowed_networks() {
        let networks: Arc<[IpNet]> = ["10.0.0.0/8".parse().expect("a network")].into();
        let allowed = AllowedNetworks(networks);
        assert!(allowed.contains(address("10.1.2.3")));
        assert!(!allowed.contains(address("192.168.1.1")));
    }

    #[tokio::test]
    async fn name_of_a_private_address_is_refused() {
        let url = Url::parse("http://localhost:1/").expect("a URL");
        let client = Client::new(&url, &AllowedNetworks::default()).expect("a client");
        let error = client.get(&url, &[]).await.expect_err("no connection");
        assert!(error.message.contains("--allow"), "{}", error.message);
        assert!(!error.is_temporary);
    }
}
