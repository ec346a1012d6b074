//! When to try again.

use std::time::Duration;

const SECOND: u64 = 1;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// The pauses after the first failure, the second one, and so on, in seconds. The last one repeats.
const DELAYS: [u64; 9] = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];
/// The largest deviation from a pause, so that endpoints that fail together are not tried together.
const JITTER: f64 = 0.2;
/// An endpoint is disabled when all attempts have failed for this long.
pub(super) const GIVE_UP_AFTER: Duration = Duration::from_secs(5 * 24 * HOUR);

/// The pause after this number of failures in a row, in seconds.
pub(super) fn delay(failures: i64) -> i64 {
    delay_with(failures, rand::random())
}

/// `random` is from 0 to 1.
fn delay_with(failures: i64, random: f64) -> i64 {
    let index = usize::try_from(failures - 1).unwrap_or(0).min(DELAYS.len() - 1);
    let factor = 1.0 + JITTER * (2.0 * random - 1.0);
    let delay = Duration::from_secs(DELAYS[index]).mul_f64(factor);
    delay.as_secs().max(1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow() {
        for (failures, seconds) in [(1, 5), (2, 300), (3, 1_800), (9, 86_400), (10, 86_400), (1_000, 86_400)] {
            assert_eq!(delay_with(failures, 0.5), seconds, "{failures}");
        }
    }

    #[test]
    fn delays_deviate_by_a_fifth() {
        assert_eq!(delay_with(2, 0.0), 240);
        assert_eq!(delay_with(2, 1.0), 360);
    }
}
