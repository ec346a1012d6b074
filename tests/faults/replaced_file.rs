//! SQLite files that are deleted or replaced under a running server.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    storage::{storage_failures, writes},
    support::{Client, program::Serving},
};

/// How long a busy server may take to see what has happened to its file.
const PATIENCE: Duration = Duration::from_secs(30);

struct Running {
    folder: TempDir,
    serving: Serving,
    admin: Client,
    /// The path of an object that was stored before.
    stored: String,
}

impl Running {
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}", folder.path().join("almanac.db").display());
        let serving = Serving::start(&["--database-url", &url]);
        let admin = serving.anonymous().with_password("admin", serving.password());
        let id = admin.create_id("/tags", json!({"name": "Before"})).await;
        Self {
            folder,
            serving,
            admin,
            stored: format!("/tags/{id}"),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("almanac.db")
    }

    /// Writes must be refused, reads go on, and the server says so.
    async fn assert_only_reads(&self) {
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

/// Waits until the server says by itself that it refuses writes.
async fn wait_until_refused(serving: &Serving) {
    let until = Instant::now() + PATIENCE;
    while writes(serving).await != "refused" {
        assert!(Instant::now() < until, "nothing is noticed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn copy_of(file: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join("copy.db");
    let database = rusqlite::Connection::open(file).expect("the file is there");
    let into = format!("VACUUM INTO '{}'", copy.display());
    database.execute_batch(&into).expect("a copy");
    copy
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_file_rejects_writes() {
    let running = Running::start().await;
    fs::remove_file(running.file()).expect("the file is there");
    running.assert_only_reads().await;
    assert!(!running.file().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replaced_file_rejects_writes() {
    let running = Running::start().await;
    let copy = copy_of(&running.file(), running.folder.path());
    let content = fs::read(&copy).expect("the copy is there");
    fs::rename(copy, running.file()).expect("it takes the place");
    running.assert_only_reads().await;
    assert_eq!(fs::read(running.file()).expect("it is there"), content);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_noticed_without_write() {
    let running = Running::start().await;
    fs::remove_file(running.file()).expect("the file is there");
    wait_until_refused(&running.serving).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restart_opens_new_file() {
    let running = Running::start().await;
    let (file, password) = (running.file(), running.serving.password().to_owned());
    let copy = copy_of(&file, running.folder.path());
    fs::rename(copy, &file).expect("it takes the place");
    running.assert_only_reads().await;
    running.serving.signal("TERM");
    running.serving.end(PATIENCE);
    let url = format!("sqlite://{}", file.display());
    let serving = Serving::start(&["--database-url", &url]);
    let admin = serving.anonymous().with_password("admin", &password);
    admin.get(&running.stored).await.is(200);
    admin.create("/tags", json!({"name": "After"})).await;
}
