//! `--rate-limit`: the rate limit on requests, by the address of the client.

use std::{num::NonZeroU32, sync::Arc};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use poem::{Endpoint, Request, Response, Result};

use super::base_url::Address;
use crate::{Almanac, error::Problem};

/// Counts requests by address.
pub(crate) type Limiter = DefaultKeyedRateLimiter<std::net::IpAddr>;

/// A limiter that allows `requests` per second.
pub(crate) fn limiter(requests: NonZeroU32) -> Limiter {
    RateLimiter::keyed(Quota::per_second(requests))
}

/// Responds with 429 to a client that exceeds the limit.
pub(crate) async fn limit<E: Endpoint<Output = Response>>(next: Arc<E>, request: Request) -> Result<Response> {
    if let Some(almanac) = request.data::<Arc<Almanac>>()
        && let Some(limiter) = &almanac.rate_limiter
    {
        let client = Address::known(&request, &almanac.settings).client;
        if let Err(not_until) = limiter.check_key(&client) {
            let wait = not_until.wait_time_from(limiter.clock().now());
            return Err(Problem::too_many_requests(wait.as_secs() + 1).into());
        }
    }
    next.call(request).await
}
