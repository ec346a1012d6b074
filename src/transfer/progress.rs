//! How far a transfer is.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use super::TransferError;

/// The state of a transfer, which a command shows while the transfer runs.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// 0 while it is unknown.
    total: AtomicU64,
    done: AtomicU64,
    is_cancelled: AtomicBool,
    activity: Mutex<&'static str>,
}

impl Progress {
    /// Begins a part of the transfer. `total` is in any unit; 0 if it is unknown.
    pub(crate) fn begin(&self, activity: &'static str, total: u64) {
        *self.activity.lock().unwrap_or_else(PoisonError::into_inner) = activity;
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// What the transfer does at present.
    pub(crate) fn activity(&self) -> &'static str {
        *self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks the transfer to stop at the next opportunity.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Fails if the transfer has to stop.
    pub(crate) fn check(&self) -> Result<(), TransferError> {
        match self.is_cancelled() {
            true => Err(TransferError::Interrupted),
            false => Ok(()),
        }
    }
}
