//! A client that posts to addresses that others choose. It follows no redirects and uses no proxy.

use std::{
    error::Error,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use reqwest::{
    StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::HeaderMap,
    redirect::Policy,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::{net::lookup_host, time::timeout};
use url::{Host, Url};

use super::AllowedNetworks;

/// The time limit of a request with its response.
const TIMEOUT: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of bytes that are read of a response.
const MAX_RESPONSE: usize = 1024;
/// How long an unused connection stays open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Why there is no response.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum EgressError {
    /// The address is private. Another attempt may succeed, since names can get other addresses.
    #[error("{0}")]
    Private(String),
    #[error("no response within {} seconds", TIMEOUT.as_secs())]
    Timeout,
    #[error("{0}")]
    Failed(String),
}

/// A request with a body.
#[derive(Debug)]
pub(crate) struct Post {
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The beginning of a response.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub status: StatusCode,
    pub body: String,
}

/// A client.
#[derive(Clone, Debug)]
pub(crate) struct PostClient {
    client: reqwest::Client,
    allowed: AllowedNetworks,
}

impl PostClient {
    /// A client that connects to public addresses, and to those of these networks.
    pub(crate) fn new(allowed: AllowedNetworks) -> Result<Self, EgressError> {
        let client = reqwest::Client::builder()
            .user_agent(concat!("almanac/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .dns_resolver(GuardedResolver(allowed.clone()))
            .tls_backend_preconfigured(tls()?)
            .build()
            .map_err(|error| EgressError::Failed(describe(&error)))?;
        Ok(Self { client, allowed })
    }

    /// Sends the request, and reads the beginning of the response.
    pub(crate) async fn send(&self, post: Post) -> Result<Received, EgressError> {
        self.check_literal(&post.url)?;
        timeout(TIMEOUT, self.exchange(post))
            .await
            .map_err(|_| EgressError::Timeout)?
    }

    async fn exchange(&self, Post { url, headers, body }: Post) -> Result<Received, EgressError> {
        let failed = |error: reqwest::Error| match private_address(&error) {
            Some(refusal) => EgressError::Private(refusal),
            None => EgressError::Failed(describe(&error)),
        };
        let request = self.client.post(url).headers(headers).body(body);
        let mut response = request.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while body.len() < MAX_RESPONSE {
            // The status has arrived, and an incomplete body does not change it.
            let Ok(Some(chunk)) = response.chunk().await else { break };
            body.extend_from_slice(&chunk[..chunk.len().min(MAX_RESPONSE - body.len())]);
        }
        Ok(Received {
            status: response.status(),
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    /// Addresses in a URL are not resolved.
    pub(crate) fn check_literal(&self, url: &Url) -> Result<(), EgressError> {
        let address: IpAddr = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            _ => return Ok(()),
        };
        match self.allowed.contains(address) {
            true => Ok(()),
            false => Err(EgressError::Private(format!("{address} is a private address"))),
        }
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
            match (addresses.first(), usable.is_empty()) {
                (Some(private), true) => {
                    let refusal = format!("{} has the private address {}", name.as_str(), private.ip());
                    Err(PrivateAddress(refusal).into())
                }
                _ => Ok(Box::new(usable.into_iter()) as Addrs),
            }
        })
    }
}

/// The error of a name that has private addresses only.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct PrivateAddress(String);

/// The refusal of the resolver among the causes of an error.
fn private_address(error: &reqwest::Error) -> Option<String> {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = cause {
        if let Some(PrivateAddress(refusal)) = error.downcast_ref() {
            return Some(refusal.clone());
        }
        cause = error.source();
    }
    None
}

/// TLS with the root certificates of Mozilla, which are part of the program: containers have none.
pub(crate) fn tls() -> Result<ClientConfig, EgressError> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| EgressError::Failed(format!("TLS: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The messages of an error and of its causes, without the URL, which may contain a secret.
fn describe(error: &reqwest::Error) -> String {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    let mut messages = Vec::new();
    while let Some(error) = cause {
        messages.push(error.to_string());
        cause = error.source();
    }
    messages.dedup();
    match messages.is_empty() {
        true => "the request failed".to_owned(),
        false => messages.join(": "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn post(url: &str, allowed: &[&str]) -> Result<Received, EgressError> {
        let networks = allowed.iter().map(|network| network.parse().expect("a network"));
        let client = PostClient::new(AllowedNetworks::from(networks.collect::<Vec<_>>())).expect("a client");
        let post = Post {
            url: url.parse().expect("a URL"),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        client.send(post).await
    }

    #[tokio::test]
    async fn private_addresses_are_refused() {
        for url in [
            "http://localhost:1/",
            "http://127.0.0.1:1/",
            "http://2130706433:1/",
            "http://0x7f.1:1/",
            "http://[::1]:1/",
            "http://[::ffff:127.0.0.1]:1/",
            "http://[::ffff:7f00:1]:1/",
        ] {
            let refused = post(url, &[]).await;
            assert!(matches!(refused, Err(EgressError::Private(_))), "{url}: {refused:?}");
        }
    }

    #[tokio::test]
    async fn allowed_networks_are_reached() {
        let refused = post("http://127.0.0.1:1/", &["127.0.0.0/8"]).await;
        assert!(matches!(refused, Err(EgressError::Failed(_))), "{refused:?}");
    }
}
