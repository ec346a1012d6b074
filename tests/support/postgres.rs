//! The PostgreSQL cluster of a test program.

use std::sync::OnceLock;

use super::cluster::{Afterwards, Cluster, programs};

/// Set to `required` where the tests must fail if there is no PostgreSQL.
const REQUIRED: &str = "ALMANAC_TEST_POSTGRES";

/// The cluster of this program; none where PostgreSQL's server programs are not installed.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER
        .get_or_init(|| match programs() {
            Some(programs) => {
                let folder = tempfile::Builder::new()
                    .prefix("almanac-postgres-")
                    .tempdir()
                    .expect("a temporary folder")
                    .keep();
                let settings = ["fsync=off", "max_connections=300"];
                let cluster = Cluster::start(&programs, &folder, &settings, Afterwards::Remove);
                Some(cluster)
            }
            None if std::env::var(REQUIRED).as_deref() == Ok("required") => {
                panic!("PostgreSQL's server programs are required, and initdb was not found")
            }
            None => {
                eprintln!("left out on PostgreSQL: its server programs are not installed");
                None
            }
        })
        .as_ref()
}
