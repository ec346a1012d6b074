//! The limits on connections: their number, their time and their memory.

use std::{net::IpAddr, time::Duration};

use ipnet::IpNet;

use crate::{
    config::Settings,
    middleware::{base_url, body_limit::BodyTimeout},
};

/// Open files that are reserved for everything but connections: the database, the log, requests to other servers.
const RESERVED_FILES: u64 = 128;
/// The minimum and the maximum of the default number of connections.
const DEFAULT_CONNECTIONS: (u64, u64) = (16, 8192);

/// The limits on connections.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The number of open connections. At the limit, the connection that has been idle longest is evicted.
    pub connections: usize,
    /// The number of open connections from one address. Loopback and trusted proxies are exempt.
    pub connections_per_address: usize,
    /// The addresses of proxies.
    pub trusted_proxies: Vec<IpNet>,
    /// The time from the first byte of a request, or from the start of the connection, to the end of the headers.
    pub headers: Duration,
    /// The time for the body of a request.
    pub body: BodyTimeout,
    /// The time between two requests. Longer than that of most proxies, so that the proxy closes the connection.
    pub idle: Duration,
    /// The time until the client reads the next part of a response.
    pub response: Duration,
    /// The size of all responses that clients do not read, in bytes. A response is counted once the client has read
    /// nothing for the time `stalled`.
    pub unread: u64,
    /// The time without progress after which a response counts towards `unread`.
    pub stalled: Duration,
    /// The time for the client to read the last response and close the connection, while its input is discarded.
    pub linger: Duration,
    /// After SIGTERM: how long the end of connections is announced before the server stops accepting.
    pub announce: Duration,
    /// After that: the time for connections whose first request is being sent.
    pub first_request: Duration,
    /// After that: the time for requests in progress.
    pub finish: Duration,
}

impl Limits {
    /// The limits of a server with these settings.
    pub fn of(settings: &Settings) -> Self {
        let open_files = rlimit::getrlimit(rlimit::Resource::NOFILE).map_or(1024, |(soft, _)| soft);
        let connections = default_connections(open_files);
        Self {
            connections: settings.max_connections.unwrap_or(connections),
            connections_per_address: 256,
            trusted_proxies: settings.trusted_proxies.clone(),
            headers: Duration::from_secs(10),
            body: BodyTimeout::DEFAULT,
            idle: Duration::from_secs(75),
            response: Duration::from_secs(30),
            unread: 64 * 1024 * 1024,
            stalled: Duration::from_millis(500),
            linger: Duration::from_secs(2),
            announce: Duration::from_secs(3),
            first_request: Duration::from_secs(1),
            finish: Duration::from_secs(10),
        }
    }

    /// The interval at which the watchdog checks the limits.
    pub fn tick(&self) -> Duration {
        let shortest = self.headers.min(self.idle).min(self.response);
        (shortest.min(self.linger) / 4).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }

    /// The address by which connections are counted, or none if they are exempt.
    pub fn counting_key(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        let mut trusted = self.trusted_proxies.iter();
        if peer.is_loopback() || trusted.any(|network| network.contains(&peer)) {
            return None;
        }
        Some(base_url::network(peer))
    }
}

/// Raises the soft limit on open files to the hard limit.
pub(crate) fn raise_open_files() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => tracing::debug!(limit, "raised the limit on open files"),
        Err(error) => tracing::warn!(%error, "can't raise the limit on open files"),
    }
}

/// The number of connections that a limit on open files allows.
fn default_connections(open_files: u64) -> usize {
    let (min, max) = DEFAULT_CONNECTIONS;
    let connections = open_files.saturating_sub(RESERVED_FILES).clamp(min, max);
    usize::try_from(connections).expect("it is at most 8,192")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    fn limits(flags: &[&str]) -> Limits {
        let flags = ["almanac"].iter().chain(flags);
        Limits::of(&Flags::parse_from(flags).settings)
    }

    #[test]
    fn open_files_limit_connections() {
        for (open_files, expected) in [
            (20, 16),
            (256, 128),
            (1024, 896),
            (8320, 8192),
            (1_048_576, 8192),
            (u64::MAX, 8192),
        ] {
            assert_eq!(default_connections(open_files), expected, "{open_files}");
        }
    }

    #[test]
    fn flag_sets_connections() {
        assert_eq!(limits(&["--max-connections", "7"]).connections, 7);
    }

    #[test]
    fn loopback_and_proxies_are_not_counted() {
        let limits = limits(&["--trusted-proxy", "10.0.0.0/8,2001:db8::/32"]);
        for (peer, expected) in [
            ("127.0.0.1", None),
            ("::1", None),
            ("::ffff:127.0.0.1", None),
            ("10.1.2.3", None),
            ("::ffff:10.1.2.3", None),
            ("2001:db8::5", None),
            ("192.0.2.1", Some("192.0.2.1")),
            ("::ffff:192.0.2.1", Some("192.0.2.1")),
            ("2001:470:1:2:3:4:5:6", Some("2001:470:1:2::")),
        ] {
            let peer: IpAddr = peer.parse().expect("an address");
            let expected = expected.map(|address| address.parse().expect("an address"));
            assert_eq!(limits.counting_key(peer), expected, "{peer}");
        }
    }
}
