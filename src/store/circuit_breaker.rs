//! A circuit breaker: while a database is unreachable, everything that needs it fails immediately instead of waiting.
//!
//! Work that has waited for [`SUSPICION_DELAY`] or has lost a connection raises a suspicion. The breaker then probes the
//! database with a connection of its own, and only opens if that fails, so that a slow statement or a busy pool does not
//! open it. While it is open it continues probing, and closes as soon as a probe succeeds.

use std::{fmt::Display, future::Future, time::Duration};

use metrics::{counter, gauge};
use sea_orm::{DbErr, RuntimeErr};
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};

use super::sqlstate;

/// How long work waits before the database is suspected to be unreachable. Together with [`CONNECT_TIMEOUT`], the first
/// work on a database that has stopped responding waits less than a second.
const SUSPICION_DELAY: Duration = Duration::from_millis(150);
/// The time limit of a probe.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_millis(700);
/// The pause between two probes.
const PROBE_INTERVAL: Duration = Duration::from_millis(200);

/// 1 while the breaker is open.
const OPEN: &str = "almanac_circuit_breaker_open";
/// How often the breaker has opened.
const OPENINGS: &str = "almanac_circuit_breaker_openings_total";

/// The circuit breaker of one database. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct CircuitBreaker(Option<Guard>);

#[derive(Clone, Debug)]
struct Guard {
    is_open: watch::Receiver<bool>,
    suspicions: mpsc::Sender<()>,
}

impl CircuitBreaker {
    /// Creates a breaker that probes with `probe` and calls `opened` when it opens. The default breaker never opens.
    pub fn new<P, F, E>(probe: P, opened: impl Fn() + Send + 'static) -> Self
    where
        P: Fn() -> F + Send + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + Send + 'static,
    {
        gauge!(OPEN).set(0);
        counter!(OPENINGS).increment(0);
        let (state, is_open) = watch::channel(false);
        // One pending suspicion is enough.
        let (suspicions, suspected) = mpsc::channel(1);
        tokio::spawn(supervise(probe, opened, state, suspected));
        Self(Some(Guard { is_open, suspicions }))
    }

    /// Runs work that needs the database. Drops it and fails once the breaker is open.
    pub async fn run<T, E: From<DbErr>>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let Some(guard) = &self.0 else {
            return work.await;
        };
        tokio::select! {
            biased;
            () = guard.opened() => Err(unavailable().into()),
            result = work => result,
        }
    }

    /// Raises a suspicion if the error ended a connection.
    pub fn note_failure(&self, error: &DbErr) {
        if let Some(guard) = &self.0
            && sqlstate::is_connection_lost(error)
        {
            guard.suspect();
        }
    }
}

/// The error while the breaker is open. It becomes a 503.
fn unavailable() -> DbErr {
    let cause = "the database is unreachable; the server keeps trying to connect";
    DbErr::Conn(RuntimeErr::Internal(cause.to_owned()))
}

impl Guard {
    /// Completes once the breaker is open. Raises suspicions at intervals until then.
    async fn opened(&self) {
        let mut is_open = self.is_open.clone();
        while timeout(SUSPICION_DELAY, is_open.wait_for(|is_open| *is_open))
            .await
            .is_err()
        {
            self.suspect();
        }
    }

    fn suspect(&self) {
        // If the channel is full, a suspicion is pending.
        let _ = self.suspicions.try_send(());
    }
}

/// Probes the database after each suspicion, until all clones of the breaker are dropped.
async fn supervise<P, F, E>(probe: P, opened: impl Fn(), state: watch::Sender<bool>, mut suspected: mpsc::Receiver<()>)
where
    P: Fn() -> F,
    F: Future<Output = Result<(), E>>,
    E: Display,
{
    while suspected.recv().await.is_some() {
        if let Err(cause) = probe().await {
            tracing::error!(%cause, "database unreachable");
            gauge!(OPEN).set(1);
            counter!(OPENINGS).increment(1);
            opened();
            state.send_replace(true);
            loop {
                sleep(PROBE_INTERVAL).await;
                if suspected.is_closed() || probe().await.is_ok() {
                    break;
                }
            }
            state.send_replace(false);
            gauge!(OPEN).set(0);
            tracing::info!("database reachable again");
        }
        sleep(PROBE_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::{
            Arc,
            atomic::{AtomicBool, AtomicU32, Ordering},
        },
    };

    use super::*;

    /// Far longer than the breaker takes on any machine.
    const LONG: Duration = Duration::from_secs(30);

    struct Fixture {
        breaker: CircuitBreaker,
        is_up: Arc<AtomicBool>,
        openings: Arc<AtomicU32>,
    }

    impl Fixture {
        fn new(is_up: bool) -> Self {
            let is_up = Arc::new(AtomicBool::new(is_up));
            let openings = Arc::<AtomicU32>::default();
            let (probed, counted) = (is_up.clone(), openings.clone());
            let probe = move || {
                let is_up = probed.load(Ordering::Relaxed);
                async move { if is_up { Ok(()) } else { Err("down") } }
            };
            let opened = move || _ = counted.fetch_add(1, Ordering::Relaxed);
            Self {
                breaker: CircuitBreaker::new(probe, opened),
                is_up,
                openings,
            }
        }

        /// Runs work that never completes.
        async fn wait(&self) -> Result<(), DbErr> {
            self.breaker.run(pending()).await
        }
    }

    #[tokio::test]
    async fn failed_probe_fails_waiting_work() {
        let fixture = Fixture::new(false);
        let waited = timeout(LONG, fixture.wait()).await.expect("it completes");
        assert!(waited.is_err());
        assert_eq!(fixture.openings.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn open_breaker_does_not_run_work() {
        let fixture = Fixture::new(false);
        timeout(LONG, fixture.wait()).await.expect("it completes").unwrap_err();
        let work = async { panic!("it runs") };
        let result: Result<(), DbErr> = fixture.breaker.run(work).await;
        assert!(result.is_err());
    }

    #[tokio::test]
    async fn successful_probe_lets_slow_work_continue() {
        let fixture = Fixture::new(true);
        let slow = async {
            sleep(SUSPICION_DELAY * 4).await;
            Ok::<_, DbErr>(7)
        };
        assert_eq!(fixture.breaker.run(slow).await.expect("it succeeds"), 7);
        assert_eq!(fixture.openings.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn successful_probe_closes_the_breaker() {
        let fixture = Fixture::new(false);
        timeout(LONG, fixture.wait()).await.expect("it completes").unwrap_err();
        fixture.is_up.store(true, Ordering::Relaxed);
        let closed = async {
            while fixture.breaker.run(async { Ok::<_, DbErr>(()) }).await.is_err() {
                sleep(PROBE_INTERVAL).await;
            }
        };
        timeout(LONG, closed).await.expect("it closes");
    }

    #[tokio::test]
    async fn default_breaker_never_opens() {
        let work = async {
            sleep(SUSPICION_DELAY * 2).await;
            Ok::<_, DbErr>(7)
        };
        let result = CircuitBreaker::default().run(work).await;
        assert_eq!(result.expect("it succeeds"), 7);
    }
}
