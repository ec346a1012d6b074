//! A rate limit on failed logins, by the network of the client and the user name together.
//!
//! Only wrong credentials are counted and refused with 429. Correct credentials are always accepted: users who share an
//! address behind a proxy must not be locked out by the failures of others, even under the same name. This is safe.
//! Passwords and tokens have more than 128 random bits, so that they can't be guessed at any rate; the limit slows down
//! clients that repeat an outdated password, and makes them visible. A 429 reveals no more than a 401: unknown names are
//! counted like all others.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    num::NonZeroU32,
    time::Duration,
};

use governor::Quota;
use poem::http::StatusCode;

use super::{base_url::network, rate_limit::Limiter};
use crate::error::Problem;

/// The number of failures that are allowed at once. One more is allowed per interval.
const BURST: NonZeroU32 = NonZeroU32::new(60).expect("sixty is not zero");
const REPLENISH_INTERVAL: Duration = Duration::from_secs(1);

/// The recent failed logins.
pub struct FailedLogins {
    /// By a hash of the network and the name, so that long names need no more memory than short ones. The failures of
    /// two combinations with the same hash are counted together.
    limiter: Limiter<u64>,
    hasher: RandomState,
}

impl Default for FailedLogins {
    fn default() -> Self {
        let quota = Quota::with_period(REPLENISH_INTERVAL)
            .expect("a second is not zero")
            .allow_burst(BURST);
        Self {
            limiter: Limiter::new(quota),
            hasher: RandomState::new(),
        }
    }
}

impl FailedLogins {
    /// Counts a failed login and returns its problem, or 429 after too many. Credentials without a user name (tokens and
    /// malformed ones) are counted together. Problems other than 401 are returned unchanged.
    pub fn limit(&self, client: IpAddr, user: Option<&str>, problem: Problem) -> Problem {
        if problem.status() != StatusCode::UNAUTHORIZED {
            return problem;
        }
        let key = self.hasher.hash_one((network(client), user));
        match self.limiter.count(&key, NonZeroU32::MIN) {
            Ok(()) => problem,
            Err(too_many) => too_many,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::wrong_password;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    /// The number of wrong logins that get a 401 before the first 429.
    fn failures_until_limited(failed_logins: &FailedLogins, client: &str, user: Option<&str>) -> usize {
        let is_limited = |_: &usize| {
            let problem = failed_logins.limit(address(client), user, wrong_password());
            problem.status() == StatusCode::TOO_MANY_REQUESTS
        };
        (0..1000).find(is_limited).expect("a 429")
    }

    #[test]
    fn failures_are_counted_by_address_and_name() {
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
    fn other_problems_are_not_limited() {
        let failed_logins = FailedLogins::default();
        for _ in 0..100 {
            let problem = failed_logins.limit(address("192.0.2.1"), None, Problem::no_route());
            assert_eq!(problem.status(), StatusCode::NOT_FOUND);
        }
    }
}
