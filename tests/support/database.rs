//! An empty database for each test, at the present schema.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
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
    Postgres(u16),
}

impl Database {
    pub fn sqlite() -> Self {
        let folder = folder_in_memory();
        Self {
            on: On::Sqlite(folder),
        }
    }

    /// None where PostgreSQL is not installed.
    pub fn postgres() -> Option<Self> {
        let cluster = postgres::cluster()?;
        Some(Self {
            on: On::Postgres(cluster.port),
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
            On::Postgres(port) => new_postgres_database(*port).await,
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
            On::Postgres(port) => {
                let name = format!("test_{}", next_number());
                let create = format!("CREATE DATABASE {name}");
                execute(&postgres_url(*port, "postgres"), &create).await;
                postgres_url(*port, &name)
            }
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

async fn new_postgres_database(port: u16) -> String {
    static TEMPLATE: OnceCell<()> = OnceCell::const_new();
    let url = |name: &str| postgres_url(port, name);
    TEMPLATE
        .get_or_init(|| async {
            execute(&url("postgres"), "CREATE DATABASE template_almanac").await;
            migrate(&url("template_almanac")).await;
        })
        .await;
    let name = format!("test_{}", next_number());
    let create = format!("CREATE DATABASE {name} TEMPLATE template_almanac");
    execute(&url("postgres"), &create).await;
    url(&name)
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

async fn execute(url: &str, statement: &str) {
    let database = Connect::connect(url).await.expect("the cluster answers");
    database
        .execute_unprepared(statement)
        .await
        .expect("the statement runs");
    database.close().await.expect("the cluster lets go");
}
