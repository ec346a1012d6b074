//! The PostgreSQL cluster of a test program.

use std::sync::OnceLock;

use super::cluster::{Afterwards, Cluster, programs};

/// Set to `required` where the tests must fail if there is no PostgreSQL.
const REQUIRED: &str = "ALMANAC_TEST_POSTGRES";

/// No test is about the disk, and nobody but a test writes.
const SETTINGS: [&str; 3] = ["fsync=off", "max_connections=300", "autovacuum=off"];

/// The cluster of this program; none where PostgreSQL's server programs are not installed.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(new_cluster).as_ref()
}

fn new_cluster() -> Option<Cluster> {
    match programs() {
        Some(programs) => {
            let folder = tempfile::Builder::new()
                .prefix("almanac-postgres-")
                .tempdir()
                .expect("a temporary folder")
                .keep();
            let cluster = Cluster::start(&programs, &folder, &SETTINGS, Afterwards::Remove);
            Some(cluster)
        }
        None if std::env::var(REQUIRED).as_deref() == Ok("required") => {
            panic!("PostgreSQL's server programs are required, and initdb was not found")
        }
        None => {
            eprintln!("left out on PostgreSQL: its server programs are not installed");
            None
        }
    }
}
