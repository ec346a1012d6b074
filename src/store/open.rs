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
    TransactionTrait,
    sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous},
};
use sea_orm_migration::MigratorTrait;
use thiserror::Error;

use super::{Store, Watch};
use crate::migrations::Migrations;

/// Connections that read at the same time.
const READERS: u32 = 8;
/// How long a writer waits for another one, in this process or beside it.
const WAIT: Duration = Duration::from_secs(10);
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
    let store = connect(url).await?;
    if migrate {
        bring_up(&store.writer).await.map_err(OpenError::Migrate)?;
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
    match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("sqlite") => {
            // The writer comes first: it creates the file.
            let writer = Database::connect(sqlite(url, 1, false)).await;
            let writer = writer.map_err(OpenError::Connect)?;
            let reader = Database::connect(sqlite(url, READERS, true)).await;
            let reader = reader.map_err(OpenError::Connect)?;
            Ok(counting(reader, writer, Watch::sqlite(url)?))
        }
        Some("postgres" | "postgresql") => {
            let mut options = ConnectOptions::new(url);
            options
                .max_connections(READERS * 2)
                .acquire_timeout(WAIT)
                .sqlx_logging(false)
                .set_application_name("almanac");
            let pool = Database::connect(options)
                .await
                .map_err(OpenError::Connect)?;
            Ok(counting(pool.clone(), pool, Watch::postgres(url).await?))
        }
        _ => Err(OpenError::Scheme),
    }
}

/// Counts the statements of the connections.
fn counting(mut reader: DatabaseConnection, mut writer: DatabaseConnection, watch: Watch) -> Store {
    let statements: Arc<AtomicU64> = Arc::default();
    for connection in [&mut reader, &mut writer] {
        let statements = statements.clone();
        connection.set_metric_callback(move |_| {
            statements.fetch_add(1, Ordering::Relaxed);
        });
    }
    Store {
        reader,
        writer,
        statements,
        watch,
    }
}

fn sqlite(url: &str, connections: u32, read_only: bool) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(1)
        // A connection that SQLite has warmed is never thrown away.
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .test_before_acquire(false)
        .acquire_timeout(WAIT)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |sqlite| {
            let sqlite = sqlite
                .create_if_missing(!read_only)
                .foreign_keys(true)
                .busy_timeout(WAIT)
                .pragma("cache_size", "-16384");
            if read_only {
                sqlite.pragma("query_only", "on")
            } else {
                sqlite
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
            }
        });
    options
}

/// Runs the steps that are missing, alone: two servers may start at once.
async fn bring_up(database: &DatabaseConnection) -> Result<(), DbErr> {
    let transaction = database.begin().await?;
    if database.get_database_backend() == DbBackend::Postgres {
        transaction
            .execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            .await?;
    }
    Migrations::up(&transaction, None).await?;
    transaction.commit().await
}
