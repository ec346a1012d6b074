//! Opening a database, and bringing it to the present schema.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
    sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous},
};
use sea_orm_migration::MigratorTrait;
use thiserror::Error;

use super::{Store, Watch, renewal::Renewal, writer::Writer};
use crate::migrations::Migrations;

/// Connections that read at the same time.
const READERS: u32 = 8;
/// Connections that write to PostgreSQL at the same time. SQLite has one writer.
const WRITERS: u32 = 8;
/// How long a writer waits for another one, in this process or beside it.
const WAIT: Duration = Duration::from_secs(10);
/// How long one that loads waits for another one that loads.
const LOAD_WAIT: Duration = Duration::from_secs(600);
/// KiB of the file that a connection keeps in memory, as SQLite takes them. What others write ends what readers keep;
/// of what is loaded, index pages that do not fit would be written and read over and over.
const READ_PAGES: &str = "-4096";
const WRITTEN_PAGES: &str = "-16384";
const LOADED_PAGES: &str = "-524288";
/// Pages that the write-ahead log gathers before they are written into the file: 16 MB of those that SQLite makes by
/// itself. A write changes some dozens all over the file, many of them soon again.
const LOGGED_PAGES: &str = "4000";
/// Statements are many and short: workers of their own and machine code made for them would cost more than they bring,
/// and the events of a wide radius are sorted out in memory.
const POSTGRES_OPTIONS: [(&str, &str); 3] = [
    ("max_parallel_workers_per_gather", "0"),
    ("jit", "off"),
    ("work_mem", "32MB"),
];
/// A reader may not write, sees one state of the data, and is stopped before its client loses patience, who would not
/// stop it otherwise.
const POSTGRES_READER: [(&str, &str); 3] = [
    ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "repeatable read"),
    ("statement_timeout", "25s"),
];
/// PostgreSQL's advisory lock under which a schema is changed: the letters "alma".
const MIGRATION_LOCK: i64 = 0x616c_6d61;

/// Why a database can't be used.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error("the address of a database starts with sqlite:// or postgres://")]
    Scheme,
    #[error("can't open the database: {0}")]
    Connect(DbErr),
    #[error("can't watch the database: {0}")]
    Watch(rusqlite::Error),
    #[error("can't bring the database to the present schema: {0}")]
    Migrate(DbErr),
    #[error(
        "the schema of the database is not the present one; run `almanac migrate`, or start without --no-migrate"
    )]
    OldSchema,
}

/// Opens the database at `url` (`sqlite://FILE` or `postgres://…`). With `migrate` it is brought to the
/// present schema, otherwise an older one is refused.
pub async fn open(url: &str, migrate: bool) -> Result<Store, OpenError> {
    at_present(connect(url).await?, migrate).await
}

/// Opens the database at `url` to store many rows at once; otherwise as [`open`]. On SQLite one connection does it all,
/// and writes new pages into the file straight away instead of into the log first, unless another process has the file
/// open.
pub async fn open_to_load(url: &str, migrate: bool) -> Result<Store, OpenError> {
    let store = match scheme(url) {
        Some("sqlite") => {
            let only = Pool::open(url, Role::Loader, sqlite).await?;
            let without_log = "PRAGMA journal_mode = DELETE";
            if let Err(refusal) = only.database.execute_unprepared(without_log).await {
                tracing::debug!(%refusal, "another process has the file open");
            }
            counting(only.clone(), only, Watch::sqlite(url)?)
        }
        _ => connect(url).await?,
    };
    at_present(store, migrate).await
}

/// The store, once it has the present schema.
async fn at_present(store: Store, migrate: bool) -> Result<Store, OpenError> {
    if migrate {
        bring_up(store.writer.database())
            .await
            .map_err(OpenError::Migrate)?;
    } else if !is_present(store.reader())
        .await
        .map_err(OpenError::Connect)?
    {
        return Err(OpenError::OldSchema);
    }
    Ok(store)
}

/// Whether all migrations have run.
pub async fn is_present(database: &DatabaseConnection) -> Result<bool, DbErr> {
    let steps = Migrations::get_migration_with_status_read_only(database).await?;
    Ok(steps
        .iter()
        .all(|step| step.status() == sea_orm_migration::MigrationStatus::Applied))
}

async fn connect(url: &str) -> Result<Store, OpenError> {
    match scheme(url) {
        Some("sqlite") => {
            // The writer comes first: it creates the file.
            let writer = Pool::open(url, Role::Writer, sqlite).await?;
            let reader = Pool::open(url, Role::Reader, sqlite).await?;
            Ok(counting(reader, writer, Watch::sqlite(url)?))
        }
        Some("postgres" | "postgresql") => {
            let writer = Pool::open(url, Role::Writer, postgres).await?;
            let reader = Pool::open(url, Role::Reader, postgres).await?;
            Ok(counting(reader, writer, Watch::postgres(url).await?))
        }
        _ => Err(OpenError::Scheme),
    }
}

fn scheme(url: &str) -> Option<&str> {
    url.split_once("://").map(|(scheme, _)| scheme)
}

/// The connections of one role.
#[derive(Clone)]
struct Pool {
    database: DatabaseConnection,
    renewal: Renewal,
}

impl Pool {
    async fn open(
        url: &str,
        role: Role,
        options: fn(&str, Role) -> ConnectOptions,
    ) -> Result<Self, OpenError> {
        let mut options = options(url, role);
        let renewal = Renewal::of(options.get_max_connections().unwrap_or(1));
        let (of_sqlite, of_postgres) = (renewal.clone(), renewal.clone());
        options
            .map_sqlx_sqlite_pool_opts(move |pool| of_sqlite.watch(pool))
            .map_sqlx_postgres_pool_opts(move |pool| of_postgres.watch(pool));
        let database = Database::connect(options).await;
        Ok(Self {
            database: database.map_err(OpenError::Connect)?,
            renewal,
        })
    }
}

/// Counts the statements of the connections.
fn counting(mut reader: Pool, mut writer: Pool, watch: Watch) -> Store {
    let statements: Arc<AtomicU64> = Arc::default();
    for connection in [&mut reader.database, &mut writer.database] {
        let statements = statements.clone();
        connection.set_metric_callback(move |_| {
            statements.fetch_add(1, Ordering::Relaxed);
        });
    }
    Store {
        reader: reader.database,
        reader_renewal: reader.renewal,
        writer: Arc::new(Writer::new(writer.database, writer.renewal)),
        statements,
        watch,
    }
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Reader,
    Writer,
    /// On SQLite alone.
    Loader,
}

fn postgres(url: &str, role: Role) -> ConnectOptions {
    let (connections, more) = match role {
        Role::Reader => (READERS, POSTGRES_READER.as_slice()),
        Role::Writer | Role::Loader => (WRITERS, [].as_slice()),
    };
    let settings = POSTGRES_OPTIONS.iter().chain(more).copied();
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .acquire_timeout(WAIT)
        .sqlx_logging(false)
        .set_application_name("almanac")
        .map_sqlx_postgres_opts(move |postgres| postgres.options(settings.clone()));
    options
}

fn sqlite(url: &str, role: Role) -> ConnectOptions {
    let connections = match role {
        Role::Reader => READERS,
        Role::Writer | Role::Loader => 1,
    };
    let pages = match role {
        Role::Reader => READ_PAGES,
        Role::Writer => WRITTEN_PAGES,
        Role::Loader => LOADED_PAGES,
    };
    let wait = match role {
        Role::Loader => LOAD_WAIT,
        _ => WAIT,
    };
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(1)
        // A connection that SQLite has warmed is never thrown away.
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .test_before_acquire(false)
        .acquire_timeout(wait)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |sqlite| {
            let sqlite = sqlite
                .create_if_missing(role != Role::Reader)
                // What is loaded refers to what was loaded before.
                .foreign_keys(role != Role::Loader)
                .busy_timeout(wait)
                .synchronous(SqliteSynchronous::Full)
                .pragma("cache_size", pages);
            match role {
                Role::Reader => sqlite.pragma("query_only", "on"),
                Role::Writer => sqlite
                    .journal_mode(SqliteJournalMode::Wal)
                    .pragma("wal_autocheckpoint", LOGGED_PAGES),
                Role::Loader => sqlite,
            }
        });
    options
}

/// Runs the steps that are missing, alone: two servers may start at once.
async fn bring_up(database: &DatabaseConnection) -> Result<(), DbErr> {
    let options = TransactionOptions {
        // Two that have begun to read could not both go on to write.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = database.begin_with_options(options).await?;
    if database.get_database_backend() == DbBackend::Postgres {
        transaction
            .execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            .await?;
    }
    Migrations::up(&transaction, None).await?;
    transaction.commit().await
}
