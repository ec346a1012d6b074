//! Full disks.

use std::{
    fs,
    io::Write,
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process::Command,
};

use almanac::testing::store::write_connection::WriteConnection;
use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, DbBackend, Statement};
use serde_json::json;

use crate::{
    storage::{
        Acknowledged, DISK_FULL, acknowledged_writes_are_stored, created_path, large_write, write_until_accepted,
    },
    support::{
        Database,
        program::{ServerProcess, sqlite_url},
        skipped::skip,
    },
};

/// A small file system in memory.
struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    /// None if mounting is not allowed. Then the calling test is skipped, and only those with other limits run.
    fn mount() -> Option<Self> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"])
            .arg(directory.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { directory });
        }
        skip("this user may not mount file systems");
        None
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// Fills the file system except for about this many bytes.
    fn fill_except(&self, free: u64) {
        let mut filler = fs::File::create(self.filler()).expect("a file");
        let block = [1; 64 * 1024];
        while filler.write_all(&block).is_ok() {}
        let size = filler.metadata().expect("a size").len();
        filler.set_len(size.saturating_sub(free)).expect("a shorter file");
    }

    fn free_space(&self) {
        fs::remove_file(self.filler()).expect("the filler exists");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // If that fails, the directory is left behind.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_acknowledged_writes() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let url = sqlite_url(disk.path());
    let fill = |_: &_| disk.fill_except(256 * 1024);
    acknowledged_writes_are_stored(&url, &DISK_FULL, fill, |_| disk.free_space()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_keeps_acknowledged_writes() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let postgres = database.url().await;
    let (server, _) = postgres.rsplit_once('/').expect("a URL with a database name");
    let database = Connect::connect(&postgres).await.expect("a connection");
    let execute = async |statement: &str| {
        database
            .execute_unprepared(statement)
            .await
            .expect("the statement runs");
    };
    change_owner(disk.path(), &data_directory(&database).await);
    execute(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.path().display())).await;
    execute("CREATE DATABASE on_small_disk TABLESPACE small").await;

    let url = format!("{server}/on_small_disk");
    let fill = |_: &_| disk.fill_except(256 * 1024);
    acknowledged_writes_are_stored(&url, &DISK_FULL, fill, |_| disk.free_space()).await;

    // Other tests share the cluster.
    execute("DROP DATABASE on_small_disk WITH (FORCE)").await;
    execute("DROP TABLESPACE small").await;
}

async fn data_directory(database: &DatabaseConnection) -> PathBuf {
    let show = Statement::from_string(DbBackend::Postgres, "SHOW data_directory");
    let row = database.query_one_raw(show).await.expect("a result");
    let path: String = row.expect("a row").try_get_by(0).expect("text");
    path.into()
}

/// Changes the owner to that of the other directory: a tablespace must belong to the user that the cluster runs as.
fn change_owner(directory: &Path, like: &Path) {
    let owner = fs::metadata(like).expect("the directory exists");
    chown(directory, Some(owner.uid()), Some(owner.gid())).expect("root may change the owner");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_are_stored_or_rejected() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let server = ServerProcess::start(&["--database-url", &sqlite_url(disk.path())]);
    let admin = server.anonymous().with_password("admin", server.password());
    disk.fill_except(512 * 1024);
    let mut acknowledged = Acknowledged::new();
    let mut rejected = 0;
    for _ in 0..4 {
        for response in join_all((0..16).map(|number| large_write(&admin, number))).await {
            if response.status == 201 {
                acknowledged.push(created_path(&response));
            } else {
                response.is_error(DISK_FULL.status, DISK_FULL.code);
                rejected += 1;
            }
        }
    }
    assert!(rejected > 0, "the disk is not full");
    disk.free_space();
    write_until_accepted(&admin, &mut acknowledged).await;
    for path in &acknowledged {
        admin.get(path).await.is(200);
    }
    let list = admin.get("/events?start_date=2000-01-01").await.is(200);
    assert_eq!(list.body["total"], acknowledged.len());
}

/// Needs no privileges: the limit applies to the write connection until it is renewed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_renews_connection_after_full_database() {
    let database = Database::sqlite();
    let server = database.server(&[]).await;
    let admin = server.administrator().await;
    let limit = server.store.begin().await.expect("a transaction");
    limit
        .execute_unprepared("PRAGMA max_page_count = 1")
        .await
        .expect("a limit at the current size");
    limit.commit().await.expect("a commit");
    let event = json!({
        "title": "An event",
        "description": "word ".repeat(1000),
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
    });
    let mut failures = 0;
    for _ in 0..100 {
        let response = admin.post("/events", event.clone()).await;
        if response.status == 201 {
            let id = &response.body["id"];
            admin.get(&format!("/events/{id}")).await.is(200);
        } else {
            response.is_error(DISK_FULL.status, DISK_FULL.code);
            failures += 1;
        }
    }
    assert_eq!(failures, 1);
}
