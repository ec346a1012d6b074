//! The command line. See [`almanac::command`].

use std::process::ExitCode;

use almanac::command::{Cli, run};
use clap::Parser;

/// Answers are made of many small pieces: the system's allocator takes a sixth of the time of a bulk load.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    // clap ends the process with 2 where the line is wrong.
    let cli = Cli::parse();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("almanac: {failure}");
            ExitCode::FAILURE
        }
    }
}
