//! Closes connections that exceed a limit on time or memory.
//!
//! One task checks all connections at intervals. A timer for each would have to be set at each request.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{
    activity::{Phase, Snapshot},
    limits::Limits,
    registry::Registry,
};

/// Checks all connections at intervals.
pub(super) async fn watch(registry: Arc<Registry>) {
    let mut ticks = tokio::time::interval(registry.limits.tick());
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        close_overdue(&registry);
    }
}

fn close_overdue(registry: &Registry) {
    let limits = &registry.limits;
    let mut closed: HashMap<&'static str, u32> = HashMap::new();
    let mut unread = Vec::new();
    registry.close_where(|snapshot, closing_for| {
        let reason = close_reason(limits, snapshot, closing_for);
        match reason {
            Some(reason) => *closed.entry(reason).or_default() += 1,
            None if is_stalled(limits, snapshot) => unread.push((snapshot.age, snapshot.unread)),
            None => {}
        }
        reason
    });
    if let Some(age) = age_to_close_from(limits, unread) {
        registry.close_where(|snapshot, _| {
            let is_too_much = is_stalled(limits, snapshot) && snapshot.age >= age;
            is_too_much.then(|| {
                *closed.entry("unread").or_default() += 1;
                "unread"
            })
        });
    }
    for (reason, count) in closed {
        if matches!(reason, "no_request" | "idle" | "linger") {
            tracing::debug!(reason, count, "closed connections");
        } else {
            tracing::warn!(reason, count, "closed connections");
        }
    }
}

/// The reason to close a connection, or none if it is within its limits.
fn close_reason(limits: &Limits, snapshot: &Snapshot, closing_for: Option<Duration>) -> Option<&'static str> {
    if closing_for.is_some_and(|closing_for| closing_for > limits.finish) {
        return Some("unfinished");
    }
    let (limit, reason) = match snapshot.phase {
        Phase::New => (limits.headers, "no_request"),
        Phase::Headers => (limits.headers, "headers_timeout"),
        Phase::Response | Phase::Flush => (limits.response, "response_timeout"),
        Phase::Idle => (limits.idle, "idle"),
        Phase::Linger => (limits.linger, "linger"),
        // The request body and everything else that a request waits for have their own limits.
        Phase::Request => return None,
    };
    (snapshot.age > limit).then_some(reason)
}

/// Whether the client does not read a response.
fn is_stalled(limits: &Limits, snapshot: &Snapshot) -> bool {
    snapshot.unread > 0 && snapshot.age > limits.stalled
}

/// The age from which unread responses are aborted, if together they exceed the limit. `unread` contains the age and the
/// size of each response.
fn age_to_close_from(limits: &Limits, mut unread: Vec<(Duration, u64)>) -> Option<Duration> {
    unread.sort_unstable();
    let mut sum = 0;
    let first = unread.iter().find(|(_, size)| {
        sum += size;
        sum > limits.unread
    });
    first.map(|(age, _)| *age)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::config::Settings;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    fn limits() -> Limits {
        Limits::of(&Flags::parse_from(["almanac"]).settings)
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn phases_have_time_limits() {
        for (phase, age, expected) in [
            (Phase::New, 9, None),
            (Phase::New, 11, Some("no_request")),
            (Phase::Headers, 9, None),
            (Phase::Headers, 11, Some("headers_timeout")),
            (Phase::Request, 10_000, None),
            (Phase::Response, 29, None),
            (Phase::Response, 31, Some("response_timeout")),
            (Phase::Flush, 31, Some("response_timeout")),
            (Phase::Idle, 74, None),
            (Phase::Idle, 76, Some("idle")),
            (Phase::Linger, 1, None),
            (Phase::Linger, 3, Some("linger")),
        ] {
            let age = seconds(age);
            let snapshot = Snapshot { phase, age, unread: 0 };
            let found = close_reason(&limits(), &snapshot, None);
            assert_eq!(found, expected, "{phase:?} {age:?}");
            let closing_for = Some(seconds(11));
            assert_eq!(close_reason(&limits(), &snapshot, closing_for), Some("unfinished"));
        }
    }

    #[test]
    fn oldest_unread_responses_are_aborted() {
        let limits = Limits {
            unread: 100,
            ..limits()
        };
        for (unread, expected) in [
            (vec![], None),
            (vec![(seconds(9), 100)], None),
            (vec![(seconds(9), 60), (seconds(1), 60)], Some(seconds(9))),
            (
                vec![(seconds(3), 50), (seconds(1), 50), (seconds(2), 50)],
                Some(seconds(3)),
            ),
            (vec![(seconds(1), 101)], Some(seconds(1))),
        ] {
            assert_eq!(age_to_close_from(&limits, unread.clone()), expected, "{unread:?}");
        }
    }
}
