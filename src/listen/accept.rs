//! Accepts connections, also when the system has no more room for them.

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

/// The pause after the first of several errors, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// Connections from addresses that have too many.
const REFUSED: &str = "almanac_connections_refused_total";
/// Failures to accept a connection.
const ERRORS: &str = "almanac_accept_errors_total";

/// How often the log tells at most that there is no room.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// A listener, and what became of its last attempts.
pub struct Acceptor {
    listener: TcpListener,
    registry: Arc<Registry>,
    backoff: Duration,
    /// When the log told last that there is no room, and how often it was so since.
    last_logged: Option<Instant>,
    suppressed: u32,
}

/// A connection that was let in.
pub type Accepted = (TcpStream, SocketAddr, Admitted);

impl Acceptor {
    pub fn new(listener: TcpListener, registry: Arc<Registry>) -> Self {
        // An alert notices the first increase only of a counter that exists already.
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

    /// Waits for the next connection that is let in.
    pub async fn accept(&mut self) -> Accepted {
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

    /// Stops listening. Returns the connections that the system has accepted already.
    pub fn close(self) -> io::Result<Vec<Accepted>> {
        let listener = self.listener.into_std()?;
        let mut accepted = Vec::new();
        // The listener does not block: it fails when there is none left.
        while let Ok((stream, peer)) = listener.accept() {
            stream.set_nonblocking(true)?;
            if let Ok(admitted) = self.registry.admit(peer.ip()) {
                accepted.push((TcpStream::from_std(stream)?, peer, admitted));
            }
        }
        Ok(accepted)
    }

    /// A place for a connection from there; none if it is refused. Where all others are busy, it waits.
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

    /// After an error: makes room, if it is room that is missing, and pauses. The error would come again at once.
    async fn back_off(&mut self, error: &io::Error) {
        // Of one connection, which is gone.
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

    /// A line in the log, unless there was one just now.
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
