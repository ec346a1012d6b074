//! The entry point of the program.

use std::{fmt::Display, process::ExitCode};

use almanac::{parse, print_error_line, run};
use tokio::signal::unix::{SignalKind, signal};

/// Responses and rows need many small allocations. In a bulk load, the system allocator takes a sixth of the time.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

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

/// Prints the error.
fn fail(error: impl Display) -> ExitCode {
    print_error_line(format_args!("almanac: {error}"));
    ExitCode::FAILURE
}

/// Lets a write over the file size limit (`ulimit -f`) fail with an error: its signal ends a process without a handler.
/// The handler of tokio stays after its stream is dropped.
fn ignore_file_size_signal() -> std::io::Result<()> {
    signal(SignalKind::from_raw(libc::SIGXFSZ)).map(drop)
}
