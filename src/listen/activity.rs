//! The phase of a connection, and when it started.
//!
//! The connection records it without locks or timers. The watchdog reads it at intervals.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Accepted; nothing has been received.
    New,
    /// The headers of a request are being received. For the first request, this phase starts when the connection is
    /// accepted.
    Headers,
    /// A request is in progress: its body is being received, or its response is being produced.
    Request,
    /// The response is being sent. The phase restarts with each write.
    Response,
    /// The response has been handed to the connection completely, but not yet to the system.
    Flush,
    /// Between two requests.
    Idle,
    /// The last response has been sent, and the client has not closed the connection yet.
    Linger,
}

impl Phase {
    const ALL: [Self; 7] = [
        Self::New,
        Self::Headers,
        Self::Request,
        Self::Response,
        Self::Flush,
        Self::Idle,
        Self::Linger,
    ];
}

/// The activity of a connection. The fields are independent of each other, so that relaxed memory ordering suffices.
#[derive(Debug)]
pub(super) struct Activity {
    epoch: Instant,
    /// The phase in the lowest eight bits, and above them its start, in milliseconds since the epoch.
    state: AtomicU64,
    /// The number of requests in progress: at most one, except with HTTP/2.
    requests: AtomicU32,
    is_http2: AtomicBool,
    has_served: AtomicBool,
    is_last_response: AtomicBool,
    /// The size of the responses that are held in memory for the client, in bytes.
    unread: AtomicU64,
}

/// The activity of a connection at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snapshot {
    pub phase: Phase,
    /// The time since the phase started.
    pub age: Duration,
    /// The size of the responses that the client has not read completely, in bytes. A response is in memory until then.
    pub unread: u64,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            epoch: Instant::now(),
            state: AtomicU64::new(Phase::New as u64),
            requests: AtomicU32::new(0),
            is_http2: AtomicBool::new(false),
            has_served: AtomicBool::new(false),
            is_last_response: AtomicBool::new(false),
            unread: AtomicU64::new(0),
        })
    }

    fn phase(&self) -> Phase {
        phase(self.state.load(Relaxed))
    }

    fn enter(&self, phase: Phase) {
        let milliseconds = self.epoch.elapsed().as_millis() as u64;
        self.state.store(milliseconds << 8 | phase as u64, Relaxed);
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let state = self.state.load(Relaxed);
        let (phase, start) = (phase(state), Duration::from_millis(state >> 8));
        Snapshot {
            phase,
            age: self.epoch.elapsed().saturating_sub(start),
            unread: self.unread.load(Relaxed),
        }
    }

    /// Whether at least one request was received.
    pub(super) fn has_served(&self) -> bool {
        self.has_served.load(Relaxed)
    }

    /// Whether the protocol is HTTP/2, which announces the end of a connection with a frame.
    pub(super) fn is_http2(&self) -> bool {
        self.is_http2.load(Relaxed)
    }

    /// Records that bytes were received. Between two requests of HTTP/2, they may belong to any frame.
    pub(super) fn on_read(&self) {
        match self.phase() {
            Phase::New => self.enter_without_restart(Phase::Headers),
            Phase::Idle if !self.is_http2() => self.enter(Phase::Headers),
            _ => {}
        }
    }

    /// Records that the system has accepted bytes, which it does as the client reads.
    pub(super) fn on_write(&self) {
        if let phase @ (Phase::Response | Phase::Flush) = self.phase() {
            self.enter(phase);
        }
    }

    /// Records that everything has been written.
    pub(super) fn on_flush(&self) {
        if self.phase() == Phase::Flush {
            let has_next = self.requests.load(Relaxed) > 0;
            self.enter(if has_next { Phase::Request } else { Phase::Idle });
            if !self.is_http2() {
                self.unread.store(0, Relaxed);
            }
        }
    }

    /// Whether the end of the connection was announced to the client, which may still be sending.
    pub(super) fn is_last_response(&self) -> bool {
        self.is_last_response.load(Relaxed)
    }

    /// Records that the connection is closed once the client has read the last response.
    pub(super) fn linger(&self) {
        self.enter(Phase::Linger);
    }

    /// Records that the headers of a request are complete.
    pub(super) fn begin_request(self: &Arc<Self>, is_http2: bool) -> ActiveRequest {
        if !self.has_served() {
            self.has_served.store(true, Relaxed);
            self.is_http2.store(is_http2, Relaxed);
        }
        self.requests.fetch_add(1, Relaxed);
        // A pipelined request waits until the previous response is written.
        if self.phase() != Phase::Flush {
            self.enter(Phase::Request);
        }
        ActiveRequest {
            activity: self.clone(),
            size: 0,
        }
    }

    fn begin_response(&self, size: u64) {
        self.unread.fetch_add(size, Relaxed);
        self.enter(Phase::Response);
    }

    fn end_request(&self, size: u64) {
        if self.is_http2() {
            self.unread.fetch_sub(size, Relaxed);
        }
        let is_last = self.requests.fetch_sub(1, Relaxed) == 1;
        self.enter_without_restart(if is_last { Phase::Flush } else { Phase::Request });
    }

    /// Changes the phase, but keeps the start of the current one.
    fn enter_without_restart(&self, phase: Phase) {
        let start = self.state.load(Relaxed) & !0xff;
        self.state.store(start | phase as u64, Relaxed);
    }
}

/// The phase in the lowest bits of a state.
fn phase(state: u64) -> Phase {
    // Every stored state contains a phase.
    let phase = Phase::ALL.get((state & 0xff) as usize);
    phase.copied().unwrap_or(Phase::New)
}

/// A request in progress, from its headers to the end of its response.
#[derive(Debug)]
pub(super) struct ActiveRequest {
    activity: Arc<Activity>,
    /// The size of its response in bytes.
    size: u64,
}

impl ActiveRequest {
    /// Records that the response starts, with a body of this size in bytes.
    pub(super) fn begin_response(&mut self, size: u64) {
        self.size = size;
        self.activity.begin_response(size);
    }

    /// Records that the response announces the end of the connection.
    pub(super) fn mark_last_response(&self) {
        self.activity.is_last_response.store(true, Relaxed);
    }

    /// Whether the request uses HTTP/2.
    pub(super) fn is_http2(&self) -> bool {
        self.activity.is_http2()
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.activity.end_request(self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_a_request() {
        let activity = Activity::new();
        assert_eq!(activity.snapshot().phase, Phase::New);
        activity.on_read();
        assert_eq!(activity.snapshot().phase, Phase::Headers);
        for _ in 0..2 {
            let mut request = activity.begin_request(false);
            assert_eq!(activity.snapshot().phase, Phase::Request);
            request.begin_response(100);
            activity.on_write();
            assert_eq!(activity.snapshot().phase, Phase::Response);
            assert_eq!(activity.snapshot().unread, 100);
            drop(request);
            assert_eq!(activity.snapshot().phase, Phase::Flush);
            assert_eq!(activity.snapshot().unread, 100);
            activity.on_flush();
            assert_eq!(activity.snapshot().phase, Phase::Idle);
            assert_eq!(activity.snapshot().unread, 0);
            activity.on_read();
            assert_eq!(activity.snapshot().phase, Phase::Headers);
        }
    }

    #[test]
    fn pipelined_request_waits_for_the_previous_response() {
        let activity = Activity::new();
        let mut first = activity.begin_request(false);
        first.begin_response(100);
        drop(first);
        let _second = activity.begin_request(false);
        assert_eq!(activity.snapshot().phase, Phase::Flush);
        assert_eq!(activity.snapshot().unread, 100);
        activity.on_flush();
        assert_eq!(activity.snapshot().phase, Phase::Request);
        assert_eq!(activity.snapshot().unread, 0);
    }

    #[test]
    fn http2_requests_are_concurrent() {
        let activity = Activity::new();
        let (mut first, mut second) = (activity.begin_request(true), activity.begin_request(true));
        first.begin_response(10);
        assert_eq!(activity.snapshot().unread, 10);
        drop(first);
        assert_eq!(activity.snapshot().unread, 0);
        activity.on_flush();
        assert_eq!(activity.snapshot().phase, Phase::Request);
        second.begin_response(20);
        drop(second);
        activity.on_flush();
        assert_eq!(activity.snapshot().phase, Phase::Idle);
        activity.on_read();
        assert_eq!(activity.snapshot().phase, Phase::Idle);
    }

    #[test]
    fn age_starts_with_the_phase() {
        let activity = Activity::new();
        std::thread::sleep(Duration::from_millis(30));
        assert!(activity.snapshot().age >= Duration::from_millis(30));
        let _request = activity.begin_request(false);
        assert!(activity.snapshot().age < Duration::from_secs(10));
    }
}
