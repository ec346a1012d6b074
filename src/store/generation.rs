//! Whether anything has been written since: what a kept answer is compared by.

use std::{
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};
use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, DbErr,
    sqlx::{self, PgPool, Postgres, pool::PoolConnection, sqlite::SqliteConnectOptions},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{OpenError, upcoming::Upcoming};

/// A state of the data. Two that are equal were read with no write committed between them, by this process or by
/// any other. It is compared with others of the same [`Watch`] only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation(State);

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Version(i64),
    Snapshot(Arc<str>),
}

/// Who waits for a generation that is read after now.
type Waiting = oneshot::Sender<Option<Generation>>;

/// Readers that share one read on PostgreSQL, at most.
const TOGETHER: usize = 4096;
/// How long PostgreSQL may take to tell the generation before it counts as unknown.
const PATIENCE: Duration = Duration::from_secs(1);
/// One connection tells generations, the other one what is upcoming.
const CONNECTIONS: u32 = 2;

/// Connections of their own by which a database is watched: they answer however busy the others are.
#[derive(Clone, Debug)]
pub struct Watch(Source);

#[derive(Clone, Debug)]
enum Source {
    /// None once it is closed.
    Sqlite(Arc<Mutex<Option<Connection>>>),
    Postgres {
        waiting: mpsc::UnboundedSender<Waiting>,
        database: DatabaseConnection,
    },
}

impl Watch {
    /// Watches the SQLite file at `url`, which is there already.
    pub fn sqlite(url: &str) -> Result<Self, OpenError> {
        let options = SqliteConnectOptions::from_str(url)
            .map_err(|error| OpenError::Connect(DbErr::Custom(error.to_string())))?;
        let connection = open(options.get_filename()).map_err(OpenError::Watch)?;
        Ok(Self(Source::Sqlite(Arc::new(Mutex::new(Some(connection))))))
    }

    /// Watches a PostgreSQL database. It is connected to when it is first asked.
    pub async fn postgres(url: &str) -> Result<Self, OpenError> {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(CONNECTIONS)
            .min_connections(0)
            .connect_lazy(true)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .sqlx_logging(false)
            .set_application_name("almanac watch");
        let database = Database::connect(options).await;
        let database = database.map_err(OpenError::Connect)?;
        let (waiting, queue) = mpsc::unbounded_channel();
        let pool = database.get_postgres_connection_pool().clone();
        tokio::spawn(answer(pool, queue));
        Ok(Self(Source::Postgres { waiting, database }))
    }

    /// The state of the data now, or later than now. None if the database does not tell at once.
    pub async fn generation(&self) -> Option<Generation> {
        match &self.0 {
            Source::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                data_version(connection.as_ref()?).ok()
            }
            Source::Postgres { waiting, .. } => {
                let (sender, receiver) = oneshot::channel();
                waiting.send(sender).ok()?;
                receiver.await.ok()?
            }
        }
    }

    /// What changes next with time alone, after `now` in seconds since 1970 UTC. None if the database does not
    /// tell at once.
    pub async fn upcoming(&self, now: i64) -> Option<Upcoming> {
        match &self.0 {
            Source::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                Upcoming::on_sqlite(connection.as_ref()?, now).ok()
            }
            Source::Postgres { database, .. } => timeout(PATIENCE, Upcoming::on(database, now))
                .await
                .ok()?
                .ok(),
        }
    }

    /// Lets go of the database. From then on every generation is unknown.
    pub async fn close(self) -> Result<(), DbErr> {
        match self.0 {
            Source::Sqlite(connection) => {
                *connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
                Ok(())
            }
            Source::Postgres { database, .. } => database.close().await,
        }
    }
}

fn open(file: &std::path::Path) -> rusqlite::Result<Connection> {
    // Not read-only: who reads a write-ahead log writes to the index of it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.pragma_update(None, "query_only", true)?;
    // Nobody waits for a generation: where it is not to be had at once, it is unknown.
    connection.busy_timeout(Duration::ZERO)?;
    Ok(connection)
}

/// SQLite counts what it sees others commit, for each connection by itself. This one never writes, so that it
/// sees the commits of all the others: our own and those of other processes.
fn data_version(connection: &Connection) -> rusqlite::Result<Generation> {
    connection
        .prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))
        .map(|version| Generation(State::Version(version)))
}

/// Reads a generation for all who wait, again and again, until the pool is closed or nobody can ask any more. Who
/// comes while one is read waits for the next: the one under way may have begun before a write that the newcomer
/// knows of.
async fn answer(pool: PgPool, mut queue: mpsc::UnboundedReceiver<Waiting>) {
    let mut waiting = Vec::new();
    // Held for good: a connection that goes back to its pool is tried out each time.
    let mut connection = None;
    loop {
        let arrived = tokio::select! {
            arrived = queue.recv_many(&mut waiting, TOGETHER) => arrived,
            () = pool.close_event() => return,
        };
        if arrived == 0 {
            return;
        }
        let read = timeout(PATIENCE, snapshot(&pool, &mut connection)).await;
        let generation = read.ok().and_then(Result::ok);
        if generation.is_none()
            && let Some(mut broken) = connection.take()
        {
            broken.close_on_drop();
        }
        for reader in waiting.drain(..) {
            // A reader that has gone away needs no answer.
            let _ = reader.send(generation.clone());
        }
    }
}

/// Which transactions are visible: the first one that is under way, the first one to come, and those under way
/// between. The others have ended for good, so that equal texts see the same commits. Reads have no number and
/// don't change it, and no row is written for it on which writers would have to queue.
async fn snapshot(
    pool: &PgPool,
    connection: &mut Option<PoolConnection<Postgres>>,
) -> Result<Generation, sqlx::Error> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(pool.acquire().await?),
    };
    let text: String = sqlx::query_scalar("SELECT pg_current_snapshot()::text")
        .fetch_one(&mut **connection)
        .await?;
    Ok(Generation(State::Snapshot(text.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in the mode that the server uses, with a connection that writes.
    fn watched() -> (tempfile::TempDir, Connection, Connection) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("almanac.db");
        let writer = Connection::open(&file).expect("a new file");
        writer
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER)")
            .expect("a table");
        let watch = open(&file).expect("the file is there");
        (folder, writer, watch)
    }

    fn version(watch: &Connection) -> Generation {
        data_version(watch).expect("a version")
    }

    #[test]
    fn a_generation_stays_while_nobody_writes() {
        let (_folder, writer, watch) = watched();
        let before = version(&watch);
        let count: i64 = writer
            .query_row("SELECT COUNT(*) FROM numbers", [], |row| row.get(0))
            .expect("a count");
        assert_eq!(count, 0);
        assert_eq!(version(&watch), before);
    }

    #[test]
    fn each_commit_of_another_connection_makes_a_new_generation() {
        let (_folder, writer, watch) = watched();
        let mut seen = vec![version(&watch)];
        for number in 0..100 {
            writer
                .execute("INSERT INTO numbers VALUES (?1)", [number])
                .expect("an insert");
            let next = version(&watch);
            assert!(!seen.contains(&next), "{number}");
            seen.push(next);
        }
    }

    #[test]
    fn a_write_counts_from_its_commit_on() {
        let (_folder, writer, watch) = watched();
        let before = version(&watch);
        writer
            .execute_batch("BEGIN IMMEDIATE; INSERT INTO numbers VALUES (1)")
            .expect("an insert");
        assert_eq!(version(&watch), before);
        writer.execute_batch("COMMIT").expect("a commit");
        assert_ne!(version(&watch), before);
        let after = version(&watch);
        writer
            .execute_batch("BEGIN IMMEDIATE; INSERT INTO numbers VALUES (2); ROLLBACK")
            .expect("a rollback");
        assert_eq!(version(&watch), after);
    }

    #[test]
    fn the_watch_itself_can_not_write() {
        let (_folder, _writer, watch) = watched();
        assert!(watch.execute("INSERT INTO numbers VALUES (1)", []).is_err());
    }
}
