//! What a connection is doing, and since when.
//!
//! The connection writes it down as it goes, without locks and without timers; the watchdog reads it now and then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// What happens on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// It has been accepted, and nothing has come.
    New,
    /// The headers of a request have begun to come. Those of the first count from the connection's beginning.
    Headers,
    /// A request is under way: its body arrives, or it waits for its response.
    Request,
    /// The client is to take the response. It begins anew with each part that is taken.
    Response,
    /// The whole response has been handed to the connection, and not all of it to the system.
    Flush,
    /// Nothing, between two requests.
    Idle,
    /// The last response has been sent; the client is to read it.
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

/// The phase of a connection. All parts are independent of each other, so that no order of memory is needed.
#[derive(Debug)]
pub struct Activity {
    epoch: Instant,
    /// The phase in the lowest eight bits, and above them the milliseconds from the epoch to its beginning.
    state: AtomicU64,
    /// Requests under way: at most one, except by HTTP/2.
    requests: AtomicU32,
    is_http2: AtomicBool,
    has_served: AtomicBool,
    is_last_response: AtomicBool,
    /// Bytes of the responses that are in memory for the client.
    unread: AtomicU64,
}

/// What a connection was doing at one time.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    pub phase: Phase,
    /// For how long.
    pub age: Duration,
    /// Bytes of the responses that the client has not taken to their end. A response is in memory as a whole until then.
    pub unread: u64,
}

impl Activity {
    pub fn new() -> Arc<Self> {
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

    pub fn snapshot(&self) -> Snapshot {
        let state = self.state.load(Relaxed);
        let (phase, start) = (phase(state), Duration::from_millis(state >> 8));
        Snapshot {
            phase,
            age: self.epoch.elapsed().saturating_sub(start),
            unread: self.unread.load(Relaxed),
        }
    }

    /// Whether at least one request has come on it.
    pub fn has_served(&self) -> bool {
        self.has_served.load(Relaxed)
    }

    /// Whether it speaks HTTP/2, which has a message of its own for its end.
    pub fn is_http2(&self) -> bool {
        self.is_http2.load(Relaxed)
    }

    /// Something has arrived. Between two requests of HTTP/2, that may be anything.
    pub fn on_read(&self) {
        match self.phase() {
            Phase::New => self.enter_without_restart(Phase::Headers),
            Phase::Idle if !self.is_http2() => self.enter(Phase::Headers),
            _ => {}
        }
    }

    /// Bytes have been taken by the system, which makes room for them as the client reads.
    pub fn on_write(&self) {
        if let phase @ (Phase::Response | Phase::Flush) = self.phase() {
            self.enter(phase);
        }
    }

    /// Everything that was to be written has been.
    pub fn on_flush(&self) {
        if self.phase() == Phase::Flush {
            let has_next = self.requests.load(Relaxed) > 0;
            self.enter(if has_next { Phase::Request } else { Phase::Idle });
            if !self.is_http2() {
                self.unread.store(0, Relaxed);
            }
        }
    }

    /// Whether the client was told that the connection ends, though it may be sending.
    pub fn is_last_response(&self) -> bool {
        self.is_last_response.load(Relaxed)
    }

    /// The connection ends as soon as the client has read what was sent.
    pub fn linger(&self) {
        self.enter(Phase::Linger);
    }

    /// The headers of a request are complete.
    pub fn begin_request(self: &Arc<Self>, is_http2: bool) -> ActiveRequest {
        if !self.has_served() {
            self.has_served.store(true, Relaxed);
            self.is_http2.store(is_http2, Relaxed);
        }
        self.requests.fetch_add(1, Relaxed);
        // A request that comes before the last response was taken waits for that.
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

    /// Changes the phase, which counts from the beginning of the present one.
    fn enter_without_restart(&self, phase: Phase) {
        let start = self.state.load(Relaxed) & !0xff;
        self.state.store(start | phase as u64, Relaxed);
    }
}

/// The phase in a state.
fn phase(state: u64) -> Phase {
    // Whatever writes a state writes a phase into it.
    let phase = Phase::ALL.get((state & 0xff) as usize);
    phase.copied().unwrap_or(Phase::New)
}

/// A request from its headers to the end of its response.
#[derive(Debug)]
pub struct ActiveRequest {
    activity: Arc<Activity>,
    /// Of its response, in bytes.
    size: u64,
}

impl ActiveRequest {
    /// The response is made, and has a body of so many bytes.
    pub fn begin_response(&mut self, size: u64) {
        self.size = size;
        self.activity.begin_response(size);
    }

    /// The response tells the client that the connection ends after it.
    pub fn mark_last_response(&self) {
        self.activity.is_last_response.store(true, Relaxed);
    }

    /// Whether the request came by HTTP/2.
    pub fn is_http2(&self) -> bool {
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
    fn pipelined_request_waits_for_the_response_before_it() {
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
    fn requests_of_http2_are_under_way_together() {
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
    fn age_counts_from_the_change_of_phase() {
        let activity = Activity::new();
        std::thread::sleep(Duration::from_millis(30));
        assert!(activity.snapshot().age >= Duration::from_millis(30));
        let _request = activity.begin_request(false);
        assert!(activity.snapshot().age < Duration::from_secs(10));
    }
}
