//! A new database with the current schema for each test.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Mutex as BlockingMutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use almanac::testing::store;
use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, DbBackend, Statement};
use tempfile::TempDir;
use tokio::{
    runtime,
    sync::{
        Mutex, OnceCell,
        mpsc::{Receiver, Sender, channel},
    },
};

use super::{Server, postgres};

/// PostgreSQL databases that are created ahead of the tests that need them.
const READY: usize = 2;
const TEMPLATE: &str = "template_almanac";

/// Creates databases for a test.
pub(crate) struct Database {
    backend: Backend,
}

enum Backend {
    Sqlite(TempDir),
    Postgres(PostgresDatabases),
}

/// The PostgreSQL databases of a test. They are dropped after the test, so that the cluster stays small.
struct PostgresDatabases {
    port: u16,
    names: BlockingMutex<Vec<String>>,
}

/// PostgreSQL databases of tests that have ended.
static ENDED: BlockingMutex<Vec<String>> = BlockingMutex::new(Vec::new());

impl Drop for PostgresDatabases {
    fn drop(&mut self) {
        let names = self.names.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.append(names);
    }
}

impl PostgresDatabases {
    /// The URL of a database with the current schema.
    async fn migrated(&self) -> String {
        static READY_NAMES: OnceCell<Mutex<Receiver<String>>> = OnceCell::const_new();
        let port = self.port;
        let names = READY_NAMES.get_or_init(async || {
            let (sender, receiver) = channel(READY);
            thread::spawn(move || create_ahead(port, &sender));
            Mutex::new(receiver)
        });
        let name = names.await.lock().await.recv().await;
        self.keep(name.expect("a new database"))
    }

    /// The URL of a database without any table.
    async fn empty(&self) -> String {
        let name = new_name();
        let admin = connect(self.port, "postgres").await;
        execute(&admin, &format!("CREATE DATABASE {name}")).await;
        admin.close().await.expect("the connection closes");
        self.keep(name)
    }

    fn keep(&self, name: String) -> String {
        let url = postgres_url(self.port, &name);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name);
        url
    }
}

impl Database {
    pub(crate) fn sqlite() -> Self {
        let directory = directory_in_memory();
        Self {
            backend: Backend::Sqlite(directory),
        }
    }

    /// None if PostgreSQL is not installed. Then the calling test is skipped.
    pub(crate) fn postgres() -> Option<Self> {
        let cluster = postgres::cluster()?;
        Some(Self {
            backend: Backend::Postgres(PostgresDatabases {
                port: cluster.port,
                names: BlockingMutex::default(),
            }),
        })
    }

    /// The URL of a new database with the current schema.
    pub(crate) async fn url(&self) -> String {
        match &self.backend {
            Backend::Sqlite(directory) => {
                let file = directory.path().join(format!("{}.db", next_number()));
                fs::copy(sqlite_template().await, &file).expect("a copy of the template");
                format!("sqlite://{}", file.display())
            }
            Backend::Postgres(databases) => databases.migrated().await,
        }
    }

    /// The URL of a new database without any table.
    #[allow(dead_code, reason = "most tests need the current schema")]
    pub(crate) async fn empty_url(&self) -> String {
        match &self.backend {
            Backend::Sqlite(directory) => {
                let file = directory.path().join(format!("{}.db", next_number()));
                format!("sqlite://{}?mode=rwc", file.display())
            }
            Backend::Postgres(databases) => databases.empty().await,
        }
    }

    /// A server with these flags on a new database.
    pub(crate) async fn server(&self, flags: &[&str]) -> Server {
        Server::start(&self.url().await, flags).await
    }
}

/// A temporary directory, in memory if possible: no test depends on the disk, and every write waits for it.
fn directory_in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a temporary directory")
}

/// A SQLite file with the current schema. It is left in the temporary directory of the system.
async fn sqlite_template() -> &'static PathBuf {
    static TEMPLATE: OnceCell<PathBuf> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let directory = tempfile::tempdir().expect("a temporary directory").keep();
            let file = directory.join("template.db");
            migrate(&format!("sqlite://{}", file.display())).await;
            file
        })
        .await
}

/// Creates PostgreSQL databases as copies of a template, and sends their names. Waits while enough are ready.
fn create_ahead(port: u16, names: &Sender<String>) {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let admin = connect(port, "postgres").await;
        execute(&admin, &format!("CREATE DATABASE {TEMPLATE}")).await;
        migrate(&postgres_url(port, TEMPLATE)).await;
        let strategy = fast_strategy(&admin).await;
        loop {
            let ended = std::mem::take(&mut *ENDED.lock().unwrap_or_else(PoisonError::into_inner));
            for name in ended {
                execute(&admin, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
            }
            let name = new_name();
            execute(&admin, &format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}{strategy}")).await;
            if names.send(name).await.is_err() {
                return;
            }
        }
    });
}

/// The clause of `CREATE DATABASE` for copying files, which is faster than logging every page while `fsync` is off.
/// Before PostgreSQL 15, it is the only strategy.
async fn fast_strategy(admin: &DatabaseConnection) -> &'static str {
    let version = "SELECT current_setting('server_version_num')::int AS version";
    let version = Statement::from_string(DbBackend::Postgres, version);
    let row = admin.query_one_raw(version).await.expect("a result").expect("a row");
    let version: i32 = row.try_get("", "version").expect("a number");
    if version >= 150_000 { " STRATEGY file_copy" } else { "" }
}

fn postgres_url(port: u16, name: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{name}")
}

async fn connect(port: u16, name: &str) -> DatabaseConnection {
    Connect::connect(postgres_url(port, name)).await.expect("a connection")
}

/// A name for a PostgreSQL database.
fn new_name() -> String {
    format!("test_{}", next_number())
}

/// A number that is unique in this process.
fn next_number() -> u32 {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

async fn migrate(url: &str) {
    let store = store::open(url, true).await.expect("the migrations");
    store.close().await.expect("the database closes");
}

async fn execute(database: &DatabaseConnection, statement: &str) {
    database.execute_unprepared(statement).await.expect("the statement");
}
