//! Whether anything has been written since: what a kept answer is compared by.

mod invalidation_log;
mod postgres;
mod sqlite;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use sea_orm::{DatabaseConnection, DbErr};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use self::{
    invalidation_log::InvalidationLog,
    postgres::{POLL_TIMEOUT, PostgresPoller, Waiter},
};
use super::{
    OpenError, PostgresServer, circuit_breaker::CircuitBreaker, connection_renewal::ConnectionRenewal,
    upcoming::Upcoming,
};

pub use invalidation_log::{DataVersion, EventDependencies};

/// One connection tells generations, the other one what is upcoming.
const CONNECTIONS: u32 = 2;

/// Connections of their own by which a database is watched: they answer however busy the others are.
#[derive(Clone, Debug)]
pub struct ChangeLog(Backend);

#[derive(Clone, Debug)]
enum Backend {
    /// None once it is closed.
    Sqlite(Arc<Mutex<Option<sqlite::SqlitePoller>>>),
    Postgres {
        waiters: mpsc::UnboundedSender<Waiter>,
        log: Arc<Mutex<InvalidationLog>>,
        breaker: CircuitBreaker,
        database: DatabaseConnection,
    },
}

impl ChangeLog {
    /// Watches a SQLite file, which is there already.
    pub fn sqlite(file: &Path) -> Result<Self, OpenError> {
        let poller = sqlite::SqlitePoller::open(file).map_err(OpenError::ChangeLog)?;
        Ok(Self(Backend::Sqlite(Arc::new(Mutex::new(Some(poller))))))
    }

    /// Watches a PostgreSQL database. It is connected to when it is first asked.
    pub fn postgres(server: &PostgresServer, renewal: ConnectionRenewal, breaker: CircuitBreaker) -> Self {
        let pool = server.pool("almanac watch", CONNECTIONS, POLL_TIMEOUT, [], &renewal);
        let (waiters, queue) = mpsc::unbounded_channel();
        let log = Arc::<Mutex<InvalidationLog>>::default();
        let database = pool.clone().into();
        let poller = PostgresPoller::new(pool, renewal, breaker.clone());
        tokio::spawn(postgres::poll(poller, log.clone(), queue));
        Self(Backend::Postgres {
            waiters,
            log,
            breaker,
            database,
        })
    }

    /// The state of the data now, or later than now. None if the database does not tell at once.
    pub async fn data_version(&self) -> Option<DataVersion> {
        match &self.0 {
            Backend::Sqlite(poller) => lock(poller).as_mut()?.poll().ok(),
            Backend::Postgres { waiters, .. } => {
                let (sender, receiver) = oneshot::channel();
                waiters.send(sender).ok()?;
                receiver.await.ok()?
            }
        }
    }

    /// Whether what was made of the data in that generation, or later, would be the same in the one that was asked for
    /// last.
    pub fn is_unchanged(&self, since: DataVersion, events: &EventDependencies) -> bool {
        match &self.0 {
            Backend::Sqlite(poller) => lock(poller)
                .as_ref()
                .is_some_and(|poller| poller.log.is_unchanged(since, events)),
            Backend::Postgres { log, .. } => lock(log).is_unchanged(since, events),
        }
    }

    /// What changes next with time alone, after `now` in seconds since 1970 UTC. None if the database does not
    /// tell at once.
    pub async fn upcoming(&self, now: i64) -> Option<Upcoming> {
        match &self.0 {
            Backend::Sqlite(poller) => Upcoming::on_sqlite(&lock(poller).as_ref()?.connection, now).ok(),
            Backend::Postgres { breaker, database, .. } => {
                timeout(POLL_TIMEOUT, breaker.run(Upcoming::on(database, now)))
                    .await
                    .ok()?
                    .ok()
            }
        }
    }

    /// Lets go of the database. From then on every generation is unknown.
    pub async fn close(self) -> Result<(), DbErr> {
        match self.0 {
            Backend::Sqlite(poller) => {
                *lock(&poller) = None;
                Ok(())
            }
            Backend::Postgres { database, .. } => database.close().await,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
