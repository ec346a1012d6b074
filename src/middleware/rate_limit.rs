//! Rate limits of clients, and `--rate-limit`: the one on requests, by the network of the client.

use std::{convert::Infallible, hash::Hash, net::IpAddr, num::NonZeroU32, sync::Arc};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter, clock::Clock};
use poem::{Request, Result};
use quick_cache::sync::Cache;

use super::base_url::{Address, network};
use crate::{Almanac, error::Problem};

/// The number of keys that are stored. Clients may have many networks and invent names; old keys are evicted.
const MAX_KEYS: usize = 16_384;

/// A rate limit for each key, such as the network of a client.
pub struct Limiter<K> {
    quota: Quota,
    limiters: Cache<K, Arc<DefaultDirectRateLimiter>>,
}

impl<K: Clone + Eq + Hash> Limiter<K> {
    pub(super) fn new(quota: Quota) -> Self {
        Self {
            quota,
            limiters: Cache::new(MAX_KEYS),
        }
    }

    /// Counts requests. Returns 429 if they exceed the limit, and 413 if they always will.
    pub(super) fn count(&self, key: &K, requests: NonZeroU32) -> Result<(), Problem> {
        let limiter = || Ok::<_, Infallible>(Arc::new(RateLimiter::direct(self.quota)));
        let Ok(limiter) = self.limiters.get_or_insert_with(key, limiter);
        match limiter.check_n(requests) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not_until)) => {
                let wait = not_until.wait_time_from(limiter.clock().now());
                Err(Problem::too_many_requests(wait.as_secs() + 1))
            }
            Err(capacity) => Err(Problem::batch_exceeds_rate_limit(capacity.0)),
        }
    }
}

impl Limiter<IpAddr> {
    /// Allows this number of requests per second to each client.
    pub(crate) fn per_second(requests: NonZeroU32) -> Self {
        Self::new(Quota::per_second(requests))
    }

    /// Counts requests of a client, like [`count`](Self::count).
    pub(crate) fn count_client(&self, client: IpAddr, requests: NonZeroU32) -> Result<(), Problem> {
        self.count(&network(client), requests)
    }
}

/// Responds with 429 to a client that exceeds the limit.
pub(crate) fn limit(request: Request) -> Result<Request> {
    if let Some(almanac) = request.data::<Arc<Almanac>>()
        && let Some(limiter) = &almanac.rate_limiter
    {
        let client = Address::known(&request, &almanac.settings).client;
        limiter.count_client(client, NonZeroU32::MIN)?;
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_bounded() {
        let limiter = Limiter::new(Quota::per_second(NonZeroU32::MIN));
        for key in 0..4 * MAX_KEYS {
            limiter.count(&key, NonZeroU32::MIN).expect("it is the first request");
        }
        assert!(limiter.limiters.len() <= MAX_KEYS);
    }
}
