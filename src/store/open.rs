//! Opening and migrating a database.

mod current_schema;
mod sqlite_connections;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr, sqlx};
use thiserror::Error;

use super::{
    ChangeLog, PostgresServer, Store, Unreachable,
    circuit_breaker::CircuitBreaker,
    connection_renewal::ConnectionRenewal,
    failure::is_locked,
    file::{DatabaseFile, FileError},
    group_commit::GroupCommit,
    known_results::KnownResults,
    schema::{self, SchemaError},
    sqlite, sqlite_options,
    writer::Writer,
};
use current_schema::{check_current, with_current_schema};
use sqlite_connections::{Role, SQLITE_IMPORTER, SQLITE_LOADER, SQLITE_READERS, SQLITE_WRITER, sqlite_connect_options};

pub(crate) use current_schema::{applied_steps, check_steps, is_schema_current};

/// The number of connections that read.
const READERS: u32 = 8;
/// The number of connections that write to PostgreSQL. SQLite has one writer.
const WRITERS: u32 = 8;
/// How long a writer waits for another one, in this or in another process.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a statement of a read takes at most: less than clients wait, since a disconnect does not cancel it.
const READ_LIMIT: Duration = Duration::from_secs(25);
/// How long opening waits for a file that another process has locked, such as a bulk load.
const LOCKED_TIMEOUT: Duration = Duration::from_secs(60);
/// Statements are many and short, so that parallel workers and just-in-time compilation cost more than they save. Lists
/// with a wide radius sort in memory.
const POSTGRES_SETTINGS: [(&str, &str); 3] = [
    ("max_parallel_workers_per_gather", "0"),
    ("jit", "off"),
    ("work_mem", "32MB"),
];
/// A writer waits no longer for locks than for a connection.
const POSTGRES_WRITER_SETTINGS: [(&str, &str); 1] = [("lock_timeout", "10s")];
/// The pause between two attempts to connect or open.
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(250);

/// The error of opening a database.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages describe the variants")]
pub enum OpenError {
    #[error("the URL of the database must start with sqlite:// or postgres://")]
    Scheme,
    #[error("invalid URL of the database: {0}")]
    Url(sqlx::Error),
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    #[error("can't open the database: {0}")]
    Connect(DbErr),
    /// On SQLite.
    #[error("the file {} {error}", path.display())]
    File { path: PathBuf, error: FileError },
    #[error("can't read the change log of the database: {0}")]
    ChangeLog(rusqlite::Error),
    #[error("can't migrate the database: {0}")]
    Migrate(DbErr),
    #[error("the schema of the database is outdated; run `almanac migrate`, or start without --no-migrate")]
    OldSchema,
    #[error("the database has no schema yet; run `almanac migrate`, or start without --no-migrate")]
    NoSchema,
    #[error("the database {0}")]
    Schema(#[from] SchemaError),
}

/// Opens the database at `url` (`sqlite://FILE` or `postgres://…`). Migrates an empty or outdated schema if `migrate`
/// is set, and fails otherwise.
pub async fn open(url: &str, migrate: bool) -> Result<Store, OpenError> {
    with_current_schema(connect(url).await?, migrate).await
}

/// Waits until the PostgreSQL server at `url` is reachable, for no longer than `limit`. Reports the first error. Does not
/// wait for a SQLite file.
pub(crate) async fn wait_until_reachable(
    url: &str,
    limit: Duration,
    report: impl Fn(&Unreachable),
) -> Result<(), OpenError> {
    if !is_postgres(url) {
        return Ok(());
    }
    let server: PostgresServer = url.parse().map_err(OpenError::Url)?;
    let started = Instant::now();
    let mut is_reported = false;
    loop {
        match server.probe().await {
            Ok(()) => return Ok(()),
            Err(reason) if !reason.is_temporary() || started.elapsed() >= limit => {
                return Err(reason.into());
            }
            Err(reason) if !is_reported => {
                report(&reason);
                is_reported = true;
            }
            Err(_) => {}
        }
        tokio::time::sleep(ATTEMPT_INTERVAL).await;
    }
}

/// Opens the database at `url` for a bulk load, otherwise like [`open`]. On SQLite, the file has a rollback journal instead
/// of the write-ahead log, unless another process has it open. With the journal, a transaction blocks other readers.
pub async fn open_to_load(url: &str, migrate: bool) -> Result<Store, OpenError> {
    open_without_log(SQLITE_LOADER, url, migrate).await
}

/// Opens the database at `url` for an import or a restore, like [`open_to_load`], but with little memory. Migrates an
/// empty or outdated schema.
pub(crate) async fn open_to_import(url: &str) -> Result<Store, OpenError> {
    open_without_log(SQLITE_IMPORTER, url, true).await
}

async fn open_without_log(options: sqlite::WriterOptions, url: &str, migrate: bool) -> Result<Store, OpenError> {
    let store = match scheme(url) {
        Some("sqlite") => {
            let file = DatabaseFile::prepare(url)?;
            let reader = Pool::sqlite(url, Role::Loader, &file).await?;
            let without_log = "PRAGMA journal_mode = DELETE";
            if let Err(refusal) = reader.database.execute_unprepared(without_log).await {
                tracing::debug!(%refusal, "another process has the file open");
            }
            on_sqlite(reader.clone(), reader, file, Some(options))?
        }
        _ => connect(url).await?,
    };
    with_current_schema(store, migrate).await
}

/// Opens the database at `url` for reads only. It must exist and have the current schema: nothing is created or migrated.
pub(crate) async fn open_to_read(url: &str) -> Result<Store, OpenError> {
    let store = match scheme(url) {
        Some("sqlite") => {
            let file = DatabaseFile::existing(url)?;
            let reader = Pool::sqlite(url, Role::Reader, &file).await?;
            on_sqlite(reader.clone(), reader, file, None)?
        }
        _ => connect(url).await?,
    };
    let state = schema::state(&store.reader).await.map_err(OpenError::Connect)?;
    check_current(&state)?;
    Ok(store)
}

async fn connect(url: &str) -> Result<Store, OpenError> {
    match scheme(url) {
        Some("sqlite") => {
            let file = DatabaseFile::prepare(url)?;
            // The writer comes first: it enables the write-ahead log.
            let writer = Pool::sqlite(url, Role::Writer, &file).await?;
            let reader = Pool::sqlite(url, Role::Reader, &file).await?;
            sqlite_options::check(&reader.database)
                .await
                .map_err(OpenError::Connect)?;
            let mut store = on_sqlite(reader, writer, file.clone(), Some(SQLITE_WRITER))?;
            let readers = sqlite::Readers::open(file, SQLITE_READERS, store.statement_count.clone());
            store.sqlite_readers = Some(readers.map_err(OpenError::Connect)?);
            Ok(store)
        }
        _ if is_postgres(url) => {
            let server: PostgresServer = url.parse().map_err(OpenError::Url)?;
            server.probe().await?;
            Ok(on_postgres(&server))
        }
        _ => Err(OpenError::Scheme),
    }
}

/// The store on a file, without a circuit breaker: a file is always reachable. With `group_commit`, a connection with
/// these options writes instead of `writer`, which only migrates.
fn on_sqlite(
    reader: Pool,
    writer: Pool,
    file: DatabaseFile,
    group_commit: Option<sqlite::WriterOptions>,
) -> Result<Store, OpenError> {
    let change_log = ChangeLog::sqlite(file.path())?;
    let statement_count = Arc::default();
    let group_commit = group_commit.map(|options| {
        let renewal = writer.renewal.clone();
        GroupCommit::open(file.clone(), options, renewal, Arc::clone(&statement_count))
    });
    let group_commit = group_commit.transpose().map_err(OpenError::Connect)?;
    Ok(new_store(reader, writer, statement_count, change_log, |writer| {
        Writer::new(
            writer.database,
            writer.renewal,
            CircuitBreaker::default(),
            group_commit,
            Some(file),
        )
    }))
}

/// The store on a server. All connections are renewed when the circuit breaker opens, since their sockets may never
/// respond again.
fn on_postgres(server: &PostgresServer) -> Store {
    let renewal = ConnectionRenewal::default();
    let breaker = {
        let (server, renewal) = (server.clone(), renewal.clone());
        let probe = move || {
            let server = server.clone();
            async move { server.probe().await }
        };
        CircuitBreaker::new(probe, move || renewal.renew())
    };
    let pool = |connections, settings: &[(&str, &str)]| {
        let settings = POSTGRES_SETTINGS.iter().chain(settings).copied();
        Pool {
            database: server
                .pool("almanac", connections, ACQUIRE_TIMEOUT, settings, &renewal)
                .into(),
            renewal: renewal.clone(),
        }
    };
    let read_limit = format!("{}s", READ_LIMIT.as_secs());
    // Readers can't write, and read one snapshot.
    let reader_settings = [
        ("default_transaction_read_only", "on"),
        ("default_transaction_isolation", "repeatable read"),
        ("statement_timeout", read_limit.as_str()),
    ];
    let reader = pool(READERS, &reader_settings);
    let writer = pool(WRITERS, &POSTGRES_WRITER_SETTINGS);
    let change_log = ChangeLog::postgres(server, renewal, breaker.clone());
    new_store(reader, writer, Arc::default(), change_log, |writer| {
        Writer::new(writer.database, writer.renewal, breaker, None, None)
    })
}

fn is_postgres(url: &str) -> bool {
    matches!(scheme(url), Some("postgres" | "postgresql"))
}

fn scheme(url: &str) -> Option<&str> {
    url.split_once("://").map(|(scheme, _)| scheme)
}

/// The connections for one role.
#[derive(Clone)]
struct Pool {
    database: DatabaseConnection,
    renewal: ConnectionRenewal,
}

impl Pool {
    async fn sqlite(url: &str, role: Role, file: &DatabaseFile) -> Result<Self, OpenError> {
        let mut options = sqlite_connect_options(url, role);
        let renewal = ConnectionRenewal::default();
        let (renewing, file) = (renewal.clone(), file.clone());
        options.map_sqlx_sqlite_pool_opts(move |pool| file.clone().guard(renewing.apply_to(pool)));
        let database = connect_when_unlocked(options).await.map_err(OpenError::Connect)?;
        Ok(Self { database, renewal })
    }
}

/// Opens a file, and retries while another process has locked it. SQLite's busy timeout does not apply to a connection
/// that switches to the write-ahead log while another one writes: it gets SQLITE_BUSY immediately.
async fn connect_when_unlocked(options: ConnectOptions) -> Result<DatabaseConnection, DbErr> {
    let started = Instant::now();
    let mut is_reported = false;
    loop {
        match Database::connect(options.clone()).await {
            Err(error) if is_locked(&error) && started.elapsed() < LOCKED_TIMEOUT => {
                if !is_reported {
                    tracing::warn!("waiting for another process that has locked the database");
                    is_reported = true;
                }
            }
            result => return result,
        }
        tokio::time::sleep(ATTEMPT_INTERVAL).await;
    }
}

/// A store that counts the statements of its connections.
fn new_store(
    mut reader: Pool,
    mut writer: Pool,
    statement_count: Arc<AtomicU64>,
    change_log: ChangeLog,
    new_writer: impl FnOnce(Pool) -> Arc<Writer>,
) -> Store {
    for connection in [&mut reader.database, &mut writer.database] {
        let statement_count = statement_count.clone();
        connection.set_metric_callback(move |_| {
            statement_count.fetch_add(1, Ordering::Relaxed);
        });
    }
    Store {
        reader: reader.database,
        reader_renewal: reader.renewal,
        sqlite_readers: None,
        writer: new_writer(writer),
        statement_count,
        change_log,
        known_results: Some(Arc::new(KnownResults::default())),
        enclosing: None,
    }
}
