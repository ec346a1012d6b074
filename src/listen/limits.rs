//! How many connections there may be, and how long they may take.

use std::{net::IpAddr, time::Duration};

use ipnet::IpNet;

use crate::{config::Settings, middleware::body_limit::BodyTimeout};

/// Open files that are left for everything but connections: the database, the log, requests to other servers.
const RESERVED_FILES: u64 = 128;
/// Connections where the limit on open files leaves hardly any, and where it leaves more than needed.
const DEFAULT_CONNECTIONS: (u64, u64) = (16, 8192);

/// The limits on connections.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections. When there are so many, the one that has been idle longest makes room.
    pub connections: usize,
    /// Open connections from one address. Loopback and trusted proxies are exempt.
    pub connections_per_address: usize,
    pub trusted_proxies: Vec<IpNet>,
    /// From the first byte of a request, or from the connection's beginning, to the end of the headers.
    pub headers: Duration,
    pub body: BodyTimeout,
    /// Between two requests. Longer than proxies keep their connections, so that it is they who close.
    pub idle: Duration,
    /// For the client to take the next part of a response.
    pub response: Duration,
    /// Bytes of responses that wait for clients which do not read, over all connections. A response counts when
    /// nothing of it was taken for so long as `stalled` says.
    pub unread: u64,
    pub stalled: Duration,
    /// For the client to read the last response and close its end, while what it still sends is thrown away.
    pub linger: Duration,
    /// After SIGTERM: how long clients are told to connect elsewhere before the server stops to accept.
    pub announce: Duration,
    /// After that: for connections whose first request is on its way.
    pub first_request: Duration,
    /// After that: for requests that are under way.
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

    /// How often to look whether a limit is reached.
    pub fn tick(&self) -> Duration {
        let shortest = self.headers.min(self.idle).min(self.response);
        (shortest.min(self.linger) / 4).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }

    /// By what the connections from an address are counted; nothing if they are exempt. A client of IPv6 usually has
    /// a whole /64 for itself.
    pub fn counting_key(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        let mut trusted = self.trusted_proxies.iter();
        if peer.is_loopback() || trusted.any(|network| network.contains(&peer)) {
            return None;
        }
        Some(match peer {
            IpAddr::V4(_) => peer,
            IpAddr::V6(address) => IpAddr::from((u128::from(address) >> 64 << 64).to_be_bytes()),
        })
    }
}

/// Raises the limit on open files as far as the system allows without being asked.
pub fn raise_open_files() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => tracing::debug!(limit, "raised the limit on open files"),
        Err(error) => tracing::warn!(%error, "cannot raise the limit on open files"),
    }
}

/// The connections for which a limit on open files leaves room.
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
