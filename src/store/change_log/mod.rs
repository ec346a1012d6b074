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
    postgres::{PATIENCE, Seen, Waiting},
};
use super::{
    OpenError, PostgresServer, circuit_breaker::CircuitBreaker, connection_renewal::Renewal, upcoming::Upcoming,
};

pub use invalidation_log::{DataVersion, EventDependencies};

/// One connection tells generations, the other one what is upcoming.
const CONNECTIONS: u32 = 2;

/// Connections of their own by which a database is watched: they answer however busy the others are.
#[derive(Clone, Debug)]
pub struct ChangeLog(Source);

#[derive(Clone, Debug)]
enum Source {
    /// None once it is closed.
    Sqlite(Arc<Mutex<Option<sqlite::Seen>>>),
    Postgres {
        waiting: mpsc::UnboundedSender<Waiting>,
        history: Arc<Mutex<InvalidationLog>>,
        breaker: CircuitBreaker,
        database: DatabaseConnection,
    },
}

impl ChangeLog {
    /// Watches a SQLite file, which is there already.
    pub fn sqlite(file: &Path) -> Result<Self, OpenError> {
        let seen = sqlite::Seen::open(file).map_err(OpenError::ChangeLog)?;
        Ok(Self(Source::Sqlite(Arc::new(Mutex::new(Some(seen))))))
    }

    /// Watches a PostgreSQL database. It is connected to when it is first asked.
    pub fn postgres(server: &PostgresServer, renewal: Renewal, breaker: CircuitBreaker) -> Self {
        let pool = server.pool("almanac watch", CONNECTIONS, PATIENCE, [], &renewal);
        let (waiting, queue) = mpsc::unbounded_channel();
        let history = Arc::<Mutex<InvalidationLog>>::default();
        let database = pool.clone().into();
        let seen = Seen::by(pool, renewal, breaker.clone());
        tokio::spawn(postgres::look(seen, history.clone(), queue));
        Self(Source::Postgres {
            waiting,
            history,
            breaker,
            database,
        })
    }

    /// The state of the data now, or later than now. None if the database does not tell at once.
    pub async fn data_version(&self) -> Option<DataVersion> {
        match &self.0 {
            Source::Sqlite(seen) => lock(seen).as_mut()?.look().ok(),
            Source::Postgres { waiting, .. } => {
                let (sender, receiver) = oneshot::channel();
                waiting.send(sender).ok()?;
                receiver.await.ok()?
            }
        }
    }

    /// Whether what was made of the data in that generation, or later, would be the same in the one that was asked for
    /// last.
    pub fn is_unchanged(&self, since: DataVersion, texts: &EventDependencies) -> bool {
        match &self.0 {
            Source::Sqlite(seen) => lock(seen)
                .as_ref()
                .is_some_and(|seen| seen.history.is_unchanged(since, texts)),
            Source::Postgres { history, .. } => lock(history).is_unchanged(since, texts),
        }
    }

    /// What changes next with time alone, after `now` in seconds since 1970 UTC. None if the database does not
    /// tell at once.
    pub async fn upcoming(&self, now: i64) -> Option<Upcoming> {
        match &self.0 {
            Source::Sqlite(seen) => Upcoming::on_sqlite(&lock(seen).as_ref()?.connection, now).ok(),
            Source::Postgres { breaker, database, .. } => timeout(PATIENCE, breaker.run(Upcoming::on(database, now)))
                .await
                .ok()?
                .ok(),
        }
    }

    /// Lets go of the database. From then on every generation is unknown.
    pub async fn close(self) -> Result<(), DbErr> {
        match self.0 {
            Source::Sqlite(seen) => {
                *lock(&seen) = None;
                Ok(())
            }
            Source::Postgres { database, .. } => database.close().await,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
