//! The change log, which invalidates entries of the response cache.
//!
//! Triggers write it in the transaction of each write. It is polled for each cached request: a poll returns the current
//! [`DataVersion`], and adds the changes since the last poll to the [`InvalidationLog`].

pub(crate) mod epoch;
mod invalidation_log;
mod known_upcoming;
mod postgres;
mod sqlite;
mod wal_index;

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use sea_orm::{DatabaseConnection, DbErr};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use self::{
    invalidation_log::InvalidationLog,
    known_upcoming::KnownUpcoming,
    postgres::{POLL_TIMEOUT, PostgresPoller, Waiter},
    sqlite::SqliteChangeLog,
};
use super::{
    OpenError, PostgresServer, circuit_breaker::CircuitBreaker, connection_renewal::ConnectionRenewal, mutex::lock,
    upcoming::Upcoming,
};

pub(crate) use invalidation_log::{DataVersion, EventDependencies, ListVersion};

/// One connection polls, the other one reads upcoming changes.
const CONNECTIONS: u32 = 2;

/// The settings of these connections on PostgreSQL. Each of their statements has one good plan for all parameters, and
/// planning a poll takes longer than running it. The plan of the first poll is kept, and must use the index although the
/// change log may still be empty.
const SETTINGS: [(&str, &str); 2] = [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")];

/// The change log of a database. It has its own connections, so that it does not wait for other work.
#[derive(Clone, Debug)]
pub struct ChangeLog {
    backend: Backend,
    /// The next changes over time that were read last.
    upcoming: Arc<Mutex<Option<KnownUpcoming>>>,
}

#[derive(Clone, Debug)]
enum Backend {
    Sqlite(Arc<SqliteChangeLog>),
    Postgres {
        waiters: mpsc::UnboundedSender<Waiter>,
        log: Arc<Mutex<InvalidationLog>>,
        breaker: CircuitBreaker,
        database: DatabaseConnection,
    },
}

impl ChangeLog {
    /// Opens the change log in a SQLite file, which must exist.
    pub fn sqlite(file: &Path) -> Result<Self, OpenError> {
        let change_log = SqliteChangeLog::open(file).map_err(OpenError::ChangeLog)?;
        Ok(Self::new(Backend::Sqlite(Arc::new(change_log))))
    }

    fn new(backend: Backend) -> Self {
        Self {
            backend,
            upcoming: Arc::default(),
        }
    }

    /// Opens the change log in a PostgreSQL database. Connects at the first poll.
    pub fn postgres(server: &PostgresServer, renewal: ConnectionRenewal, breaker: CircuitBreaker) -> Self {
        let pool = server.pool("almanac change log", CONNECTIONS, POLL_TIMEOUT, SETTINGS, &renewal);
        let (waiters, queue) = mpsc::unbounded_channel();
        let log = Arc::<Mutex<InvalidationLog>>::default();
        let database = pool.clone().into();
        let poller = PostgresPoller::new(pool, renewal, breaker.clone());
        tokio::spawn(postgres::poll(poller, log.clone(), queue));
        Self::new(Backend::Postgres {
            waiters,
            log,
            breaker,
            database,
        })
    }

    /// Polls the current data version, which includes all commits before the call. None if the database does not respond in
    /// time.
    #[tracing::instrument(level = "trace", skip_all)]
    pub async fn data_version(&self) -> Option<DataVersion> {
        match &self.backend {
            Backend::Sqlite(change_log) => change_log.poll(),
            Backend::Postgres { waiters, .. } => {
                let (sender, receiver) = oneshot::channel();
                waiters.send(sender).ok()?;
                receiver.await.ok()?
            }
        }
    }

    /// Whether a response that was produced at this data version or later is unchanged at the version polled last.
    pub fn is_unchanged(&self, since: DataVersion, events: &EventDependencies) -> bool {
        match &self.backend {
            Backend::Sqlite(change_log) => change_log.is_unchanged(since, events),
            Backend::Postgres { log, .. } => lock(log).is_unchanged(since, events),
        }
    }

    /// The next times after `now`, a Unix timestamp, at which responses of this data version change without a write. None
    /// if the database does not respond in time.
    pub async fn upcoming(&self, data_version: DataVersion, now: i64) -> Option<Upcoming> {
        let known = self.known_upcoming();
        if let Some(known) = known.filter(|known| known.is_valid_at(now)) {
            return Some(known.upcoming);
        }
        let upcoming = self.read_upcoming(now).await?;
        *lock(&self.upcoming) = Some(KnownUpcoming {
            data_version,
            read_at: now,
            same_publications_since: same_publications_since(known, now),
            upcoming,
        });
        Some(upcoming)
    }

    /// The earliest second that is known to have the same published objects as `now`: since then, no scheduled object was
    /// published, and nothing that lists depend on was written. Both are Unix timestamps.
    pub fn same_publications_since(&self, now: i64) -> i64 {
        same_publications_since(self.known_upcoming(), now)
    }

    fn known_upcoming(&self) -> Option<KnownUpcoming> {
        let known = *lock(&self.upcoming);
        known.filter(|known| self.is_unchanged(known.data_version, &EventDependencies::NONE))
    }

    #[tracing::instrument(level = "trace", skip_all)]
    async fn read_upcoming(&self, now: i64) -> Option<Upcoming> {
        match &self.backend {
            Backend::Sqlite(change_log) => change_log.read(|connection| Upcoming::on_sqlite(connection, now)),
            Backend::Postgres { breaker, database, .. } => {
                timeout(POLL_TIMEOUT, breaker.run(Upcoming::on(database, now)))
                    .await
                    .ok()?
                    .ok()
            }
        }
    }

    /// Closes the connections. The data version is unknown from then on.
    pub async fn close(self) -> Result<(), DbErr> {
        match self.backend {
            Backend::Sqlite(change_log) => {
                change_log.close();
                Ok(())
            }
            Backend::Postgres { database, .. } => database.close().await,
        }
    }
}

fn same_publications_since(known: Option<KnownUpcoming>, now: i64) -> i64 {
    let known = known.filter(|known| known.has_no_publication_until(now));
    known.map_or(now, |known| known.same_publications_since)
}
