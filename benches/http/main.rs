//! The benchmark: `cargo bench --bench http`. See benches/README.md for what it measures.

mod arguments;
mod ask;
mod bare;
mod calendar;
#[path = "../../tests/support/cluster.rs"]
mod cluster;
mod database;
mod generator;
mod inserts;
mod instructions;
mod machine;
mod measure;
mod memory;
mod operations;
mod process;
mod report;
mod results;
mod run;
mod size;
mod targets;
mod words;

use anyhow::Result;

use arguments::Arguments;
use results::Results;

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.bare.serve()? {
        return Ok(());
    }
    if !arguments.bench {
        // `cargo test --all-targets` starts benchmarks without it.
        println!("nothing is measured without --bench, which cargo bench passes");
        return Ok(());
    }
    // A run that is ended early leaves what it has measured so far.
    let tell = |results: &Results| match &arguments.write {
        Some(file) => report::write(file, &report::markdown(results)?),
        None => Ok(()),
    };
    let results = run::all(&arguments, tell)?;
    println!("{}", report::markdown(&results)?);
    Ok(())
}
