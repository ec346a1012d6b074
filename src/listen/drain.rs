//! Shutdown.
//!
//! `Connection: close` in a response announces the end of a connection to the client. The server therefore first sends
//! it with every response, and still accepts connections; then it closes idle connections; then it waits for the
//! requests in progress.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

/// How the server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Announce the end of connections first, so that clients lose no request.
    Announced,
    /// Only finish the requests in progress.
    Soon,
}

/// Whether the server announces the end of connections.
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
