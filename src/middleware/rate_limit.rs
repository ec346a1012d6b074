//! `--rate-limit`: the rate limit on requests, by the network of the client.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use poem::{Request, Result};

use super::base_url::{Address, network};
use crate::{Almanac, error::Problem};

/// Counts requests by network.
pub(crate) type Limiter = DefaultKeyedRateLimiter<IpAddr>;

/// A limiter that allows `requests` per second.
pub(crate) fn limiter(requests: NonZeroU32) -> Limiter {
    RateLimiter::keyed(Quota::per_second(requests))
}

/// Responds with 429 to a client that exceeds the limit.
pub(crate) fn limit(request: Request) -> Result<Request> {
    if let Some(almanac) = request.data::<Arc<Almanac>>()
        && let Some(limiter) = &almanac.rate_limiter
    {
        let client = Address::known(&request, &almanac.settings).client;
        count(limiter, client, NonZeroU32::MIN)?;
    }
    Ok(request)
}

/// Counts requests of a client. Returns 429 if they exceed the limit, and 413 if they always will.
pub(crate) fn count(limiter: &Limiter, client: IpAddr, requests: NonZeroU32) -> Result<(), Problem> {
    match limiter.check_key_n(&network(client), requests) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(not_until)) => {
            let wait = not_until.wait_time_from(limiter.clock().now());
            Err(Problem::too_many_requests(wait.as_secs() + 1))
        }
        Err(capacity) => Err(Problem::batch_exceeds_rate_limit(capacity.0)),
    }
}
