//! Accepts connections, and backs off when the system has no resources for more.

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use metrics::counter;
use tokio::{
    net::{TcpListener, TcpStream},
    time::{Instant, sleep},
};

use super::registry::{AdmissionError, Admitted, Registry};

/// The shortest and the longest pause after an error.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// Counts connections that were refused because their address has too many.
const REFUSED: &str = "almanac_connections_refused_total";
/// Counts errors while accepting.
const ERRORS: &str = "almanac_accept_errors_total";

/// The minimum interval between two log lines about refused connections.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// A listener with its backoff.
pub(super) struct Acceptor {
    listener: TcpListener,
    registry: Arc<Registry>,
    backoff: Duration,
    /// When the last line was logged, and the number of lines that were suppressed since.
    last_logged: Option<Instant>,
    suppressed: u32,
}

/// A connection that was admitted.
pub(super) type Accepted = (TcpStream, SocketAddr, Admitted);

impl Acceptor {
    pub(super) fn new(listener: TcpListener, registry: Arc<Registry>) -> Self {
        // Alerts miss the first increase of a counter unless it was exported at 0 before.
        for counter in [REFUSED, ERRORS] {
            counter!(counter).increment(0);
        }
        Self {
            listener,
            registry,
            backoff: BACKOFF.0,
            last_logged: None,
            suppressed: 0,
        }
    }

    /// Waits for the next connection that is admitted.
    pub(super) async fn accept(&mut self) -> Accepted {
        loop {
            self.registry.closing_settled().await;
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    self.backoff = BACKOFF.0;
                    if let Some(admitted) = self.admit(peer).await {
                        return (stream, peer, admitted);
                    }
                }
                Err(error) => self.back_off(&error).await,
            }
        }
    }

    /// Stops listening. Returns the connections that the system has already accepted.
    pub(super) fn close(self) -> io::Result<Vec<Accepted>> {
        let listener = self.listener.into_std()?;
        let mut accepted = Vec::new();
        // The listener is non-blocking and fails when no connection is left.
        while let Ok((stream, peer)) = listener.accept() {
            stream.set_nonblocking(true)?;
            if let Ok(admitted) = self.registry.admit(peer.ip()) {
                accepted.push((TcpStream::from_std(stream)?, peer, admitted));
            }
        }
        Ok(accepted)
    }

    /// Admits a connection from this peer. Waits while all connections are busy. `None` if it is refused.
    async fn admit(&mut self, peer: SocketAddr) -> Option<Admitted> {
        loop {
            match self.registry.admit(peer.ip()) {
                Ok(admitted) => return Some(admitted),
                Err(AdmissionError::AddressFull) => {
                    counter!(REFUSED).increment(1);
                    self.log_limited(&format!("too many connections from {}", peer.ip()));
                    return None;
                }
                Err(AdmissionError::Full) => {
                    self.log_limited("all connections are busy");
                    self.registry.connection_closed().await;
                }
            }
        }
    }

    /// Evicts a connection after an error for lack of resources, and pauses, since the error would repeat immediately.
    async fn back_off(&mut self, error: &io::Error) {
        // These concern a single connection, which is already closed.
        if matches!(
            error.kind(),
            ErrorKind::ConnectionAborted
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionRefused
                | ErrorKind::Interrupted
        ) {
            return;
        }
        counter!(ERRORS).increment(1);
        self.log_limited(&error.to_string());
        self.registry.evict("accept_error");
        sleep(self.backoff).await;
        self.backoff = (self.backoff * 2).min(BACKOFF.1);
    }

    /// Logs a warning, unless one was logged recently.
    fn log_limited(&mut self, reason: &str) {
        let now = Instant::now();
        if self.last_logged.is_some_and(|last| now < last + LOG_INTERVAL) {
            self.suppressed += 1;
            return;
        }
        let (open, suppressed) = (self.registry.count(), self.suppressed);
        tracing::warn!(reason, open, suppressed, "a connection could not be accepted");
        self.last_logged = Some(now);
        self.suppressed = 0;
    }
}
