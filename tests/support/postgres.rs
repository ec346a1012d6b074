//! The PostgreSQL cluster of a test program.

use std::{
    process::{Command, Stdio},
    sync::OnceLock,
};

use tempfile::TempDir;

use super::cluster::{Afterwards, Cluster, programs};

/// Set to `required` where the tests must fail if there is no PostgreSQL.
const REQUIRED: &str = "ALMANAC_TEST_POSTGRES";

/// No test is about the disk, and nobody but a test writes.
const SETTINGS: [&str; 6] = [
    "fsync=off",
    "full_page_writes=off",
    "max_connections=300",
    "max_wal_senders=0",
    "wal_level=minimal",
    "autovacuum=off",
];
/// The free space that the databases of concurrent tests need, in KiB.
const NEEDED: u64 = 1024 * 1024;

/// Whether a test must fail where PostgreSQL or its pooler is not installed.
pub fn is_required() -> bool {
    std::env::var(REQUIRED).as_deref() == Ok("required")
}

/// The cluster of this program; none where PostgreSQL's server programs are not installed.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(new_cluster).as_ref()
}

fn new_cluster() -> Option<Cluster> {
    match programs() {
        Some(programs) => {
            let folder = folder().keep();
            let cluster = Cluster::start(&programs, &folder, &SETTINGS, Afterwards::Remove);
            Some(cluster)
        }
        None if is_required() => {
            panic!("PostgreSQL's server programs are required, and initdb was not found")
        }
        None => {
            eprintln!("left out on PostgreSQL: its server programs are not installed");
            None
        }
    }
}

/// A temporary folder, in memory where there is room: a new database is three hundred files.
fn folder() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("almanac-postgres-");
    let memory = "/dev/shm";
    if kibibytes_free(memory).is_some_and(|free| free > NEEDED)
        && let Ok(folder) = builder.tempdir_in(memory)
    {
        return folder;
    }
    builder.tempdir().expect("a temporary folder")
}

fn kibibytes_free(folder: &str) -> Option<u64> {
    let told = Command::new("df")
        .args(["-k", "--output=avail", folder])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(told.stdout).ok()?;
    text.lines().nth(1)?.trim().parse().ok()
}
