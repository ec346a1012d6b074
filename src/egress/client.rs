//! A client that posts to addresses that others choose. It follows no redirects and uses no proxy.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{StatusCode, header::HeaderMap, redirect::Policy};
use tokio::time::timeout;
use url::Url;

use super::{AllowedNetworks, GuardedResolver, PrivateAddress, describe, literal_address, tls};

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
    Private(PrivateAddress),
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
            .tls_backend_preconfigured(tls().map_err(|error| EgressError::Failed(format!("TLS: {error}")))?)
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
        let failed = |error: reqwest::Error| match PrivateAddress::of(&error) {
            Some(refusal) => EgressError::Private(refusal.clone()),
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
        match literal_address(url).filter(|address| !self.allowed.allows(*address)) {
            Some(address) => Err(EgressError::Private(PrivateAddress { name: None, address })),
            None => Ok(()),
        }
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
