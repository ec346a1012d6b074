//! An empty database for each test, at the present schema.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use almanac::store;
use sea_orm::{ConnectionTrait, Database as Connect};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::{Server, postgres};

/// Where a test keeps its calendar.
pub struct Database {
    on: On,
}

enum On {
    Sqlite(TempDir),
    Postgres(PostgresDatabases),
}

/// The databases of a test. Those of a test that has ended are dropped before the next one is created, so that the
/// cluster stays small.
struct PostgresDatabases {
    port: u16,
    names: Mutex<Vec<String>>,
}

/// Databases whose tests have ended.
static ENDED: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Drop for PostgresDatabases {
    fn drop(&mut self) {
        let names = self.names.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.append(names);
    }
}

impl PostgresDatabases {
    /// Creates a database as a copy of the template, and returns its URL.
    async fn create(&self, template: &str) -> String {
        let ended = std::mem::take(&mut *ENDED.lock().unwrap_or_else(PoisonError::into_inner));
        let name = format!("test_{}", next_number());
        let drop = ended.iter().map(|ended| format!("DROP DATABASE {ended} WITH (FORCE)"));
        let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
        let statements: Vec<String> = drop.chain([create]).collect();
        execute(&postgres_url(self.port, "postgres"), &statements).await;
        let url = postgres_url(self.port, &name);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name);
        url
    }
}

impl Database {
    pub fn sqlite() -> Self {
        let folder = folder_in_memory();
        Self { on: On::Sqlite(folder) }
    }

    /// None where PostgreSQL is not installed.
    pub fn postgres() -> Option<Self> {
        let cluster = postgres::cluster()?;
        Some(Self {
            on: On::Postgres(PostgresDatabases {
                port: cluster.port,
                names: Mutex::default(),
            }),
        })
    }

    /// A new, empty database at the present schema.
    pub async fn url(&self) -> String {
        match &self.on {
            On::Sqlite(folder) => {
                let file = folder.path().join(format!("{}.db", next_number()));
                fs::copy(sqlite_template().await, &file).expect("the template can be copied");
                format!("sqlite://{}", file.display())
            }
            On::Postgres(databases) => {
                prepare_postgres_template(databases.port).await;
                databases.create("template_almanac").await
            }
        }
    }

    /// A new database without any table.
    #[allow(dead_code, reason = "most tests begin at the present schema")]
    pub async fn empty_url(&self) -> String {
        match &self.on {
            On::Sqlite(folder) => {
                let file = folder.path().join(format!("{}.db", next_number()));
                format!("sqlite://{}?mode=rwc", file.display())
            }
            On::Postgres(databases) => databases.create("template1").await,
        }
    }

    /// A server with these flags on a new database.
    pub async fn server(&self, flags: &[&str]) -> Server {
        Server::start(&self.url().await, flags).await
    }
}

/// A temporary folder, in memory where the system has a place for that: no test is about the disk, and every
/// write of the server waits for it.
fn folder_in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a temporary folder")
}

/// A file that all migrations have run on. It stays until the system cleans its temporary folder.
async fn sqlite_template() -> &'static PathBuf {
    static TEMPLATE: OnceCell<PathBuf> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let folder = tempfile::tempdir().expect("a temporary folder").keep();
            let file = folder.join("template.db");
            migrate(&format!("sqlite://{}", file.display())).await;
            file
        })
        .await
}

/// A database that all migrations have run on.
async fn prepare_postgres_template(port: u16) {
    static TEMPLATE: OnceCell<()> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let create = "CREATE DATABASE template_almanac".to_owned();
            execute(&postgres_url(port, "postgres"), &[create]).await;
            migrate(&postgres_url(port, "template_almanac")).await;
        })
        .await;
}

fn postgres_url(port: u16, name: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{name}")
}

/// Tells the databases of this process from each other.
fn next_number() -> u32 {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

async fn migrate(url: &str) {
    let store = store::open(url, true).await.expect("the migrations run");
    store.close().await.expect("the database lets go");
}

async fn execute(url: &str, statements: &[String]) {
    let database = Connect::connect(url).await.expect("the cluster answers");
    for statement in statements {
        let executed = database.execute_unprepared(statement).await;
        executed.expect("the statement runs");
    }
    database.close().await.expect("the cluster lets go");
}
