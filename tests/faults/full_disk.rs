//! Disks that are full.

use std::{
    fs,
    io::Write,
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process::Command,
};

use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, DbBackend, Statement};
use serde_json::json;

use crate::{
    storage::{DISK_FULL, acknowledged_writes_are_stored},
    support::Database,
};

/// A file system in memory.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// None where mounting is not allowed. The tests with limits of other kinds stand for this one then.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { folder });
        }
        eprintln!("left out: this user may not mount a small file system");
        None
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// Fills it up but for about so many bytes.
    fn fill_but(&self, free: u64) {
        let mut filler = fs::File::create(self.filler()).expect("a file");
        let block = [1; 64 * 1024];
        while filler.write_all(&block).is_ok() {}
        let size = filler.metadata().expect("a size").len();
        filler.set_len(size.saturating_sub(free)).expect("it shrinks");
    }

    fn make_room(&self) {
        fs::remove_file(self.filler()).expect("the filler is there");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The folder stays if that fails, and nobody is told.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_acknowledged_writes() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let url = format!("sqlite://{}/almanac.db", disk.path().display());
    let fill = |_: &_| disk.fill_but(256 * 1024);
    acknowledged_writes_are_stored(&url, &DISK_FULL, fill, |_| disk.make_room()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_keeps_acknowledged_writes() {
    let (Some(disk), Some(on)) = (SmallDisk::mount(), Database::postgres()) else {
        return;
    };
    let postgres = on.url().await;
    let (server, _) = postgres.rsplit_once('/').expect("an address with a name");
    let database = Connect::connect(&postgres).await.expect("the cluster answers");
    let execute = async |statement: &str| {
        database
            .execute_unprepared(statement)
            .await
            .expect("the statement runs");
    };
    give_to_owner(disk.path(), &data_directory(&database).await);
    execute(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.path().display())).await;
    execute("CREATE DATABASE on_small_disk TABLESPACE small").await;

    let url = format!("{server}/on_small_disk");
    let fill = |_: &_| disk.fill_but(256 * 1024);
    acknowledged_writes_are_stored(&url, &DISK_FULL, fill, |_| disk.make_room()).await;

    // The cluster outlives the disk.
    execute("DROP DATABASE on_small_disk WITH (FORCE)").await;
    execute("DROP TABLESPACE small").await;
}

async fn data_directory(database: &DatabaseConnection) -> PathBuf {
    let show = Statement::from_string(DbBackend::Postgres, "SHOW data_directory");
    let row = database.query_one_raw(show).await.expect("an answer");
    let path: String = row.expect("a row").try_get_by(0).expect("text");
    path.into()
}

/// A tablespace belongs to the user that the cluster runs as.
fn give_to_owner(folder: &Path, of: &Path) {
    let owner = fs::metadata(of).expect("the folder is there");
    chown(folder, Some(owner.uid()), Some(owner.gid())).expect("root may give it away");
}

/// Needs no privileges: the limit holds for the connection that writes, until that is renewed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_renews_connection_after_full_database() {
    let on = Database::sqlite();
    let server = on.server(&[]).await;
    let admin = server.administrator().await;
    let limit = server.store.begin().await.expect("a transaction");
    limit
        .execute_unprepared("PRAGMA max_page_count = 1")
        .await
        .expect("the limit is set to what there is");
    limit.commit().await.expect("a commit");
    let event = json!({
        "title": "An event",
        "description": "word ".repeat(1000),
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
    });
    let mut refusals = 0;
    for _ in 0..100 {
        let answer = admin.post("/events", event.clone()).await;
        if answer.status == 201 {
            let id = &answer.body["id"];
            admin.get(&format!("/events/{id}")).await.is(200);
        } else {
            answer.is_error(DISK_FULL.status, DISK_FULL.code);
            refusals += 1;
        }
    }
    assert_eq!(refusals, 1);
}
