//! A limit on failed logins, by the address from which they come.

use std::{
    collections::HashMap,
    net::IpAddr,
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use poem::http::StatusCode;

use crate::wire::Problem;

/// Failures that may come at once; then one a second.
const FAILURES: NonZeroU32 = NonZeroU32::new(60).expect("sixty is not zero");
const EVERY: Duration = Duration::from_secs(1);

/// Who has failed too often of late.
pub struct Logins {
    failures: DefaultKeyedRateLimiter<IpAddr>,
    blocked: Mutex<HashMap<IpAddr, Instant>>,
}

impl Default for Logins {
    fn default() -> Self {
        let quota = Quota::with_period(EVERY)
            .expect("a second is not zero")
            .allow_burst(FAILURES);
        Self {
            failures: RateLimiter::keyed(quota),
            blocked: Mutex::default(),
        }
    }
}

impl Logins {
    /// Runs a login. Those who failed too often wait before their credentials are looked at again.
    pub async fn guard<T, F>(&self, client: IpAddr, login: impl FnOnce() -> F) -> Result<T, Problem>
    where
        F: Future<Output = Result<T, Problem>>,
    {
        let until = {
            let blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
            blocked.get(&client).copied()
        };
        if let Some(wait) = until.and_then(|until| until.checked_duration_since(Instant::now())) {
            return Err(Problem::too_many_requests(wait.as_secs() + 1));
        }
        let outcome = login().await;
        match outcome {
            Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {
                self.note_failure(client);
                Err(problem)
            }
            outcome => outcome,
        }
    }

    fn note_failure(&self, client: IpAddr) {
        if let Err(not_until) = self.failures.check_key(&client) {
            let now = Instant::now();
            let wait = not_until.wait_time_from(self.failures.clock().now());
            let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
            blocked.retain(|_, until| *until > now);
            blocked.insert(client, now + wait);
            self.failures.retain_recent();
        }
    }
}
