//! Fault injection: failing processes, disks, databases, networks and clients.
//!
//! `cargo test --test faults` takes a few minutes. `ALMANAC_FAULTS_FACTOR=20 cargo test --test faults MODULE`
//! multiplies the number of repetitions.

#[allow(dead_code, unused_imports, reason = "other test targets use the rest")]
#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code, reason = "the tests of imports use the rest")]
#[path = "../imports/stub.rs"]
mod stub;

mod backups;
mod deadlocks;
mod disconnects;
mod full_disk;
mod group_commit;
mod idempotency;
mod import_kills;
mod io_errors;
mod kills;
mod listeners;
mod lost_database;
mod mirror;
mod replaced_file;
mod rolling_restart;
mod series;
mod slow_connections;
mod slow_site;
mod storage;
mod time_zones;
mod worst_case_texts;

/// The number of repetitions, where a run without `ALMANAC_FAULTS_FACTOR` has this many.
fn repetitions(base: u32) -> u32 {
    let factor = std::env::var("ALMANAC_FAULTS_FACTOR")
        .ok()
        .and_then(|factor| factor.parse().ok())
        .unwrap_or(1);
    base * factor
}
