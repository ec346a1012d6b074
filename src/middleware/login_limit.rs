//! A limit on failed logins, by the network that they come from and the user name together.
//!
//! Only wrong credentials are counted, and only wrong ones are refused with 429. Right ones are always accepted: those
//! who share an address behind a proxy must not be locked out by the failures of others, even of others who try the
//! same name. This gives nothing away. Passwords and tokens have more than 128 random bits, so that guessing is
//! hopeless at any rate; the limit slows down clients that repeat an old password and keeps them visible. A 429 says no
//! more than a 401 does: names that nobody has are counted like all others.

use std::{
    convert::Infallible,
    hash::{BuildHasher, RandomState},
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter, clock::Clock};
use poem::http::StatusCode;
use quick_cache::sync::Cache;

use crate::error::Problem;

/// Failures that may come at once; then one a second.
const BURST: NonZeroU32 = NonZeroU32::new(60).expect("sixty is not zero");
const REPLENISH_INTERVAL: Duration = Duration::from_secs(1);
/// Combinations of network and user name that are remembered. Anybody may invent names; older ones make room.
const MAX_KEYS: usize = 16_384;

/// Who has failed of late.
pub struct FailedLogins {
    quota: Quota,
    /// By a hash, so that long names take no more memory than short ones. Where two combinations have one hash, the
    /// wrong credentials of both count together.
    limiters: Cache<u64, Arc<DefaultDirectRateLimiter>>,
    hasher: RandomState,
}

impl Default for FailedLogins {
    fn default() -> Self {
        Self {
            quota: Quota::with_period(REPLENISH_INTERVAL)
                .expect("a second is not zero")
                .allow_burst(BURST),
            limiters: Cache::new(MAX_KEYS),
            hasher: RandomState::new(),
        }
    }
}

impl FailedLogins {
    /// The refusal of a login: the 401 as it is, or 429 after too many of them. Credentials without a user name, which
    /// are tokens and malformed ones, count together. Other problems are not failed logins, and stay as they are.
    pub fn limit(&self, client: IpAddr, user: Option<&str>, problem: Problem) -> Problem {
        if problem.status() != StatusCode::UNAUTHORIZED {
            return problem;
        }
        let key = self.hasher.hash_one((network(client), user));
        let limiter = || Ok::<_, Infallible>(Arc::new(RateLimiter::direct(self.quota)));
        let Ok(limiter) = self.limiters.get_or_insert_with(&key, limiter);
        match limiter.check() {
            Ok(()) => problem,
            Err(not_until) => {
                let wait = not_until.wait_time_from(limiter.clock().now());
                Problem::too_many_requests(wait.as_secs() + 1)
            }
        }
    }
}

/// What one client can choose its address from: with IPv6 a network of 64 bits.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::wrong_password;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    /// How many wrong logins are answered with 401 until one is answered with 429.
    fn failures_until_limited(failed_logins: &FailedLogins, client: &str, user: Option<&str>) -> usize {
        let is_limited = |_: &usize| {
            let problem = failed_logins.limit(address(client), user, wrong_password());
            problem.status() == StatusCode::TOO_MANY_REQUESTS
        };
        (0..1000).find(is_limited).expect("it is refused at last")
    }

    #[test]
    fn failures_count_by_address_and_name_together() {
        let failed_logins = FailedLogins::default();
        assert!(failures_until_limited(&failed_logins, "192.0.2.1", Some("ann")) >= 60);
        for (client, user) in [
            ("192.0.2.1", Some("ben")),
            ("192.0.2.1", None),
            ("192.0.2.2", Some("ann")),
        ] {
            let failures = failures_until_limited(&failed_logins, client, user);
            assert!(failures >= 60, "{client} {user:?}: {failures}");
        }
    }

    #[test]
    fn one_client_has_one_network() {
        for (one, other, is_same) in [
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
        ] {
            let networks = [one, other].map(|text| network(address(text)));
            assert_eq!(networks[0] == networks[1], is_same, "{one} {other}");
        }
    }

    #[test]
    fn invented_names_take_no_more_memory_than_there_is() {
        let failed_logins = FailedLogins::default();
        for number in 0..4 * MAX_KEYS {
            let name = format!("nobody-{number}");
            failed_logins.limit(address("192.0.2.1"), Some(&name), wrong_password());
        }
        assert!(failed_logins.limiters.len() <= MAX_KEYS);
    }

    #[test]
    fn other_problems_are_no_failed_logins() {
        let failed_logins = FailedLogins::default();
        for _ in 0..100 {
            let problem = failed_logins.limit(address("192.0.2.1"), None, Problem::no_route());
            assert_eq!(problem.status(), StatusCode::NOT_FOUND);
        }
    }
}
