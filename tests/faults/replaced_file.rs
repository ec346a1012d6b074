//! SQLite files that are deleted or replaced while a server has them open.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    storage::{storage_failures, write_state},
    support::{Client, program::ServerProcess},
};

/// Timeout until the server notices, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server with an object in its database.
struct Fixture {
    directory: TempDir,
    server: ServerProcess,
    admin: Client,
    /// The path of the object.
    stored: String,
}

impl Fixture {
    async fn start() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let url = format!("sqlite://{}", directory.path().join("almanac.db").display());
        let server = ServerProcess::start(&["--database-url", &url]);
        let admin = server.anonymous().with_password("admin", server.password());
        let id = admin.create_id("/tags", json!({"name": "Before"})).await;
        Self {
            directory,
            server,
            admin,
            stored: format!("/tags/{id}"),
        }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("almanac.db")
    }

    /// Asserts that writes are rejected, reads succeed, and `/readyz` and the metrics report it.
    async fn assert_read_only(&self) {
        for _ in 0..3 {
            let write = self.admin.post("/tags", json!({"name": "After"})).await;
            write.is_error(503, "rest_unavailable");
        }
        self.admin.get(&self.stored).await.is(200);
        let ready = self.admin.get("~/readyz").await.is(200);
        assert_eq!(ready.body["writes"], "refused", "{}", ready.text);
        let reason = ready.body["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("deleted or replaced"), "{reason}");
        assert!(reason.contains("restart"), "{reason}");
        let metrics = self.admin.get("~/metrics").await.is(200).text;
        assert_eq!(storage_failures(&metrics, "file_replaced"), 3, "{metrics}");
    }
}

/// Waits until `/readyz` reports that writes are rejected.
async fn wait_until_writes_rejected(server: &ServerProcess) {
    let until = Instant::now() + PATIENCE;
    while write_state(server).await != "refused" {
        assert!(Instant::now() < until, "the deletion was not noticed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Creates a copy of the database in this directory.
fn copy_database(file: &Path, directory: &Path) -> PathBuf {
    let copy = directory.join("copy.db");
    let database = rusqlite::Connection::open(file).expect("the file exists");
    let into = format!("VACUUM INTO '{}'", copy.display());
    database.execute_batch(&into).expect("a copy");
    copy
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_file_rejects_writes() {
    let fixture = Fixture::start().await;
    fs::remove_file(fixture.file()).expect("the file exists");
    fixture.assert_read_only().await;
    assert!(!fixture.file().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replaced_file_rejects_writes() {
    let fixture = Fixture::start().await;
    let copy = copy_database(&fixture.file(), fixture.directory.path());
    let content = fs::read(&copy).expect("the copy exists");
    fs::rename(copy, fixture.file()).expect("a rename");
    fixture.assert_read_only().await;
    assert_eq!(fs::read(fixture.file()).expect("the file exists"), content);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_noticed_without_write() {
    let fixture = Fixture::start().await;
    fs::remove_file(fixture.file()).expect("the file exists");
    wait_until_writes_rejected(&fixture.server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restart_opens_new_file() {
    let fixture = Fixture::start().await;
    let (file, password) = (fixture.file(), fixture.server.password().to_owned());
    let copy = copy_database(&file, fixture.directory.path());
    fs::rename(copy, &file).expect("a rename");
    fixture.assert_read_only().await;
    fixture.server.signal("TERM");
    fixture.server.wait(PATIENCE);
    let url = format!("sqlite://{}", file.display());
    let server = ServerProcess::start(&["--database-url", &url]);
    let admin = server.anonymous().with_password("admin", &password);
    admin.get(&fixture.stored).await.is(200);
    admin.create("/tags", json!({"name": "After"})).await;
}
