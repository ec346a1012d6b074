//! The command line. See [`almanac::command`].

use std::{fmt::Display, process::ExitCode};

use almanac::commands::{output::print_error_line, parse, run};
use tokio::signal::unix::{SignalKind, signal};

/// Answers are made of many small pieces: the system's allocator takes a sixth of the time of a bulk load.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = parse();
    if let Err(error) = ignore_file_size_signal() {
        return fail(error);
    }
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(error),
    }
}

/// Prints the failure. The exit code reports it even if nobody reads the message.
fn fail(error: impl Display) -> ExitCode {
    print_error_line(format_args!("almanac: {error}"));
    ExitCode::FAILURE
}

/// Has a write over the limit on the size of files (`ulimit -f`) fail as any other write may: the signal that comes with
/// it ends processes without a handler. tokio's handler stays after its stream is dropped.
fn ignore_file_size_signal() -> std::io::Result<()> {
    signal(SignalKind::from_raw(libc::SIGXFSZ)).map(drop)
}
