//! The PostgreSQL cluster of a test program.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::OnceLock,
};

use tempfile::TempDir;

use super::{
    cluster::{self, Afterwards, Cluster},
    skipped::skip,
};

/// `required` makes tests fail if PostgreSQL or PgBouncer is not installed.
const REQUIRED: &str = "ALMANAC_TEST_POSTGRES";

/// No test depends on durability.
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

/// Whether tests must fail if PostgreSQL or PgBouncer is not installed.
pub(crate) fn is_required() -> bool {
    std::env::var(REQUIRED).as_deref() == Ok("required")
}

/// The cluster that the tests of this program share. If PostgreSQL is not installed, the calling test is skipped.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    let programs = programs()?;
    Some(CLUSTER.get_or_init(|| {
        let directory = directory().keep();
        Cluster::start(&programs, &directory, &SETTINGS, Afterwards::Remove)
    }))
}

/// The directory of PostgreSQL's server programs. If there is none, the calling test is skipped.
pub(crate) fn programs() -> Option<PathBuf> {
    static PROGRAMS: OnceLock<Option<PathBuf>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(cluster::programs).clone();
    if programs.is_none() {
        assert!(!is_required(), "PostgreSQL is required, and initdb was not found");
        skip("on PostgreSQL: initdb was not found; install postgresql, or add its programs to PATH");
    }
    programs
}

/// A temporary directory, in memory if there is enough space: a new database consists of 300 files.
fn directory() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("almanac-postgres-");
    let memory = "/dev/shm";
    if kibibytes_free(memory).is_some_and(|free| free > NEEDED)
        && let Ok(directory) = builder.tempdir_in(memory)
    {
        return directory;
    }
    builder.tempdir().expect("a temporary directory")
}

fn kibibytes_free(directory: &str) -> Option<u64> {
    let output = Command::new("df")
        .args(["-k", "--output=avail", directory])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.trim().parse().ok()
}
