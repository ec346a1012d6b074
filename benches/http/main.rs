//! The HTTP benchmark, `cargo bench --bench http`. See benches/README.md.

mod arguments;
mod baseline;
#[path = "../../tests/support/cluster.rs"]
mod cluster;
mod command_figures;
mod connections;
mod database;
mod dataset;
mod event_counter;
mod generator;
mod instructions;
mod machine;
mod markers;
mod measurement;
mod memory;
mod operations;
mod raw_inserts;
mod report;
mod request;
mod results;
mod runner;
mod search_words;
mod server_process;
mod site_import;
mod size;
mod slow_feed;
mod slow_receivers;
mod targets;
mod transfer_times;

use anyhow::Result;

use arguments::Arguments;
use results::Results;

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.baseline.serve()? {
        return Ok(());
    }
    if !arguments.bench {
        // `cargo test --all-targets` runs benchmarks without it.
        println!("nothing to do without --bench, which cargo bench passes");
        return Ok(());
    }
    // An interrupted run keeps the results so far.
    let on_progress = |results: &Results| match &arguments.write {
        Some(file) => markers::replace(file, "cargo bench", &report::markdown(results)?),
        None => Ok(()),
    };
    let results = runner::run_all(&arguments, on_progress)?;
    println!("{}", report::markdown(&results)?);
    Ok(())
}
