//! A circuit breaker: while a database can't be connected to, whoever needs it fails at once instead of waiting.
//!
//! It learns that something is wrong from those who use the database: one of them has waited for [`PATIENCE`], or has
//! lost a connection. It then connects by itself. Only where that fails too does it open, so that a slow statement or a
//! busy pool opens nothing. While it is open it goes on connecting, and closes as soon as that succeeds.

use std::{fmt::Display, future::Future, time::Duration};

use metrics::{counter, gauge};
use sea_orm::{DbErr, RuntimeErr};
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};

use super::sqlstate;

/// How long somebody waits before the database is suspected. With [`CONNECT_LIMIT`], the first who need a database that
/// has stopped answering wait less than a second.
const SUSPICION_DELAY: Duration = Duration::from_millis(150);
/// How long the breaker waits for a connection of its own.
pub const CONNECT_TIMEOUT: Duration = Duration::from_millis(700);
/// The pause between two attempts to connect.
const PROBE_INTERVAL: Duration = Duration::from_millis(200);

/// 1 while the database can't be connected to.
const OPEN: &str = "almanac_circuit_breaker_open";
/// How often it has become so.
const OPENINGS: &str = "almanac_circuit_breaker_openings_total";

/// Guards all that waits for one database. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct CircuitBreaker(Option<Guard>);

#[derive(Clone, Debug)]
struct Guard {
    is_open: watch::Receiver<bool>,
    suspicions: mpsc::Sender<()>,
}

impl CircuitBreaker {
    /// A breaker that connects by `probe`, and calls `opened` whenever it opens. One that is made by `default` never
    /// opens.
    pub fn new<P, F, E>(probe: P, opened: impl Fn() + Send + 'static) -> Self
    where
        P: Fn() -> F + Send + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + Send + 'static,
    {
        gauge!(OPEN).set(0);
        counter!(OPENINGS).increment(0);
        let (state, is_open) = watch::channel(false);
        // One suspicion that waits stands for all.
        let (suspicions, suspected) = mpsc::channel(1);
        tokio::spawn(supervise(probe, opened, state, suspected));
        Self(Some(Guard { is_open, suspicions }))
    }

    /// Runs what needs the database. Drops it, and fails, once the database can't be connected to.
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

    /// Takes note of an error: one that ended a connection raises a suspicion.
    pub fn note_failure(&self, error: &DbErr) {
        if let Some(guard) = &self.0
            && sqlstate::is_connection_lost(error)
        {
            guard.suspect();
        }
    }
}

/// Becomes 503 for those who ask.
fn unavailable() -> DbErr {
    let cause = "the database can't be connected to; the server goes on trying";
    DbErr::Conn(RuntimeErr::Internal(cause.to_owned()))
}

impl Guard {
    /// Done once the breaker is open. Raises a suspicion now and then until it is.
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
        // Where there is no room, a suspicion waits already.
        let _ = self.suspicions.try_send(());
    }
}

/// Follows up suspicions, until nobody has the breaker any more.
async fn supervise<P, F, E>(probe: P, opened: impl Fn(), state: watch::Sender<bool>, mut suspected: mpsc::Receiver<()>)
where
    P: Fn() -> F,
    F: Future<Output = Result<(), E>>,
    E: Display,
{
    while suspected.recv().await.is_some() {
        if let Err(cause) = probe().await {
            tracing::error!(%cause, "database lost");
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
            tracing::info!("database found again");
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

    /// Far longer than a breaker takes on any machine.
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

        /// What becomes of somebody who waits for ever.
        async fn wait(&self) -> Result<(), DbErr> {
            self.breaker.run(pending()).await
        }
    }

    #[tokio::test]
    async fn who_waits_fails_once_probes_fail() {
        let fixture = Fixture::new(false);
        let waited = timeout(LONG, fixture.wait()).await.expect("it ends");
        assert!(waited.is_err());
        assert_eq!(fixture.openings.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn an_open_breaker_fails_without_running_the_work() {
        let fixture = Fixture::new(false);
        timeout(LONG, fixture.wait()).await.expect("it ends").unwrap_err();
        let work = async { panic!("it runs") };
        let result: Result<(), DbErr> = fixture.breaker.run(work).await;
        assert!(result.is_err());
    }

    #[tokio::test]
    async fn slow_work_goes_on_while_probes_succeed() {
        let fixture = Fixture::new(true);
        let slow = async {
            sleep(SUSPICION_DELAY * 4).await;
            Ok::<_, DbErr>(7)
        };
        assert_eq!(fixture.breaker.run(slow).await.expect("it ends well"), 7);
        assert_eq!(fixture.openings.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn it_closes_again() {
        let fixture = Fixture::new(false);
        timeout(LONG, fixture.wait()).await.expect("it ends").unwrap_err();
        fixture.is_up.store(true, Ordering::Relaxed);
        let closed = async {
            while fixture.breaker.run(async { Ok::<_, DbErr>(()) }).await.is_err() {
                sleep(PROBE_INTERVAL).await;
            }
        };
        timeout(LONG, closed).await.expect("it closes");
    }

    #[tokio::test]
    async fn one_without_a_probe_never_opens() {
        let work = async {
            sleep(SUSPICION_DELAY * 2).await;
            Ok::<_, DbErr>(7)
        };
        let result = CircuitBreaker::default().run(work).await;
        assert_eq!(result.expect("it ends well"), 7);
    }
}
