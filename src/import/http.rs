//! HTTP requests to addresses that others control: limited in size and time, and kept away from private networks.
//!
//! An address that the operator has typed as a number may be private, since that is a decision. A name, or a redirect,
//! that leads to a private address is refused unless its network is allowed: whoever controls a name or a server could
//! otherwise let this program read internal services. Names are checked when they are resolved for the connection, so
//! that a second resolution can't differ.

use std::time::Duration;

use reqwest::{
    StatusCode,
    header::HeaderMap,
    redirect::{Attempt, Policy},
};
use url::{Host, Url};

use super::ImportError;
use crate::egress::{AllowedNetworks, GuardedResolver, PrivateAddress, describe, literal_address, tls};

/// The maximum size of a response, in bytes. Responses are not compressed: none is asked for.
pub(crate) const MAX_BODY: usize = 20 * 1024 * 1024;
/// The time limit of a request with its response.
const TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 5;

/// The message of a name or a redirect that leads to a private address.
fn refusal(PrivateAddress { name, address }: &PrivateAddress) -> String {
    let name = name.as_deref().unwrap_or("a redirect");
    format!("{name} leads to the private address {address}; pass --allow {address} if that is intended")
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
    let is_given = attempt.url().host().map(|host| host.to_owned()).as_ref() == given;
    match literal_address(attempt.url()) {
        Some(address) if !is_given && !allowed.allows(address) => attempt.error(PrivateAddress { name: None, address }),
        _ => attempt.follow(),
    }
}

/// The scheme and host of a URL, as logs and messages show it. The rest may be a secret: whoever knows the URL of a
/// private calendar can read it.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
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
            .tls_backend_preconfigured(tls().map_err(|error| ImportError::Source(format!("TLS: {error}")))?)
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
        let failed = |error: reqwest::Error| {
            let private = PrivateAddress::of(&error);
            FetchError {
                is_temporary: !error.is_redirect() && !error.is_builder() && private.is_none(),
                message: format!(
                    "can't read {}: {}",
                    origin(url),
                    private.map_or_else(|| describe(&error), refusal)
                ),
            }
        };
        let mut response = request.send().await.map_err(failed)?;
        let too_large = || FetchError {
            message: format!(
                "the response of {} is larger than {} MB",
                origin(url),
                MAX_BODY / 1024 / 1024
            ),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn name_of_a_private_address_is_refused() {
        let url = Url::parse("http://localhost:1/").expect("a URL");
        let client = Client::new(&url, &AllowedNetworks::default()).expect("a client");
        let error = client.get(&url, &[]).await.expect_err("no connection");
        assert!(error.message.contains("--allow"), "{}", error.message);
        assert!(!error.is_temporary);
    }
    #[tokio::test]
    async fn messages_have_scheme_and_host_only() {
        let url = Url::parse("http://ann:secret@localhost:1/secret/a.ics?token=secret").expect("a URL");
        let client = Client::new(&url, &AllowedNetworks::default()).expect("a client");
        let error = client.get(&url, &[]).await.expect_err("no connection");
        let start = "can't read http://localhost:1: ";
        assert!(error.message.starts_with(start), "{}", error.message);
        assert!(!error.message.contains("secret"), "{}", error.message);
    }
}
