//! Waiting for a state.

use tokio::time::{Duration, Instant, sleep};

/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(20);
/// Timeout, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until the condition is met. Fails after 30 seconds.
pub(crate) async fn wait_until(state: &str, mut is_met: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_met().await {
        assert!(Instant::now() < end, "not after {TIMEOUT:?}: {state}");
        sleep(PAUSE).await;
    }
}
