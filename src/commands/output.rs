//! Standard output and standard error.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Write},
};

use super::CommandError;

/// Prints a line. It is no failure if the reader has closed the pipe, as `head` does after its last line.
pub fn print_line(text: impl Display) -> Result<(), CommandError> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CommandError::Print(error)),
        _ => Ok(()),
    }
}

/// Prints a message to standard error. It is no failure if that is closed.
pub fn print_error_line(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
