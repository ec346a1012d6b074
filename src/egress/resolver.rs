//! Resolves names to addresses that connections may use.

use std::{
    error::Error,
    fmt,
    net::{IpAddr, SocketAddr},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;

use super::AllowedNetworks;

/// Resolves names to the addresses that connections may use.
pub(crate) struct GuardedResolver(pub(crate) AllowedNetworks);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = lookup_host((name.as_str(), 0)).await?.collect();
            let usable: Vec<SocketAddr> = addresses
                .iter()
                .copied()
                .filter(|address| allowed.allows(address.ip()))
                .collect();
            match (addresses.first(), usable.is_empty()) {
                (Some(private), true) => {
                    let refusal = PrivateAddress {
                        name: Some(name.as_str().to_owned()),
                        address: private.ip(),
                    };
                    Err(refusal.into())
                }
                _ => Ok(Box::new(usable.into_iter()) as Addrs),
            }
        })
    }
}

/// A private address, which connections may not use.
#[derive(Clone, Debug)]
pub(crate) struct PrivateAddress {
    /// The name that was resolved.
    pub name: Option<String>,
    pub address: IpAddr,
}

impl Error for PrivateAddress {}

impl fmt::Display for PrivateAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address } = self;
        match name {
            Some(name) => write!(formatter, "{name} has the private address {address}"),
            None => write!(formatter, "{address} is a private address"),
        }
    }
}

impl PrivateAddress {
    /// The private address among the causes of an error.
    pub(crate) fn of(error: &reqwest::Error) -> Option<&Self> {
        let mut cause: Option<&(dyn Error + 'static)> = error.source();
        while let Some(error) = cause {
            if let Some(refusal) = error.downcast_ref() {
                return Some(refusal);
            }
            cause = error.source();
        }
        None
    }
}

/// The messages of an error and of its causes, without the URL, which may contain a secret.
pub(crate) fn describe(error: &reqwest::Error) -> String {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    let mut messages = Vec::new();
    if error.is_timeout() {
        messages.push("timeout".to_owned());
    }
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
