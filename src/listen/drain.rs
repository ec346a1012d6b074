//! How a server stops.
//!
//! A client that keeps its connection learns that it ends from `Connection: close` in a response. So the server first
//! announces its end with every response, and goes on accepting; then it closes what is idle; then it waits for the
//! requests that are under way.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

/// How a server is told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Announce it first, so that clients with open connections lose no request.
    Announced,
    /// Finish what is under way, and announce nothing.
    Soon,
}

/// Whether the server announces its end.
#[derive(Clone, Debug, Default)]
pub struct Draining(Arc<AtomicBool>);

impl Draining {
    pub fn begin(&self) {
        self.0.store(true, Relaxed);
    }

    pub fn has_begun(&self) -> bool {
        self.0.load(Relaxed)
    }
}
