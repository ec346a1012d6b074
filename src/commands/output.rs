//! Standard output and standard error.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Write},
};

use super::CommandError;

/// Prints a line to standard output. A closed pipe is not an error: `head` closes it after its last line.
pub(crate) fn print_line(text: impl Display) -> Result<(), CommandError> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CommandError::Print(error)),
        _ => Ok(()),
    }
}

/// Prints a line to standard error. A closed standard error is not an error.
pub fn print_error_line(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
