//! The log on standard error.
//!
//! Lines are buffered in memory and written by one thread, so that no request waits for a pipe. If the pipe is not
//! read, lines that exceed the buffer are dropped and counted by `almanac_log_lines_lost_total`.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use metrics::{Counter, counter};
use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// The filter unless `RUST_LOG` is set. sqlx warns of unknown parameters in database URLs with their values, which may be
/// secrets.
const FILTER: &str = "info,poem=warn,sea_orm=warn,sqlx=warn,sqlx_postgres::options=error";
/// How long lines are buffered before they are written.
const FLUSH_INTERVAL: Duration = Duration::from_millis(20);
/// The size of the buffer, in bytes.
const MAX_BUFFERED: usize = 8 * 1024 * 1024;
/// How long the program waits at exit for the last lines to be written.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Starts the log. The last lines are written when the guard is dropped.
pub(super) fn start(format: LogFormat) -> io::Result<LogGuard> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(FILTER));
    let (writer, guard) = LogWriter::to(io::stderr())?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || writer.clone());
    // Tests start several servers in one process.
    let started = match format {
        LogFormat::Pretty => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    if let Err(error) = started {
        tracing::debug!(%error, "the log has already been started");
    }
    Ok(guard)
}

/// Appends lines to the buffer.
#[derive(Clone)]
struct LogWriter(Arc<Shared>);

struct Shared {
    buffer: Mutex<Buffer>,
    changed: Condvar,
    lost: Counter,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    is_ending: bool,
}

/// Writes the last lines and ends the log when dropped.
pub(super) struct LogGuard {
    writer: LogWriter,
    ended: mpsc::Receiver<()>,
}

impl LogWriter {
    /// Starts the thread that writes to `sink`.
    fn to(sink: impl Write + Send + 'static) -> io::Result<(Self, LogGuard)> {
        let writer = Self(Arc::new(Shared {
            buffer: Mutex::default(),
            changed: Condvar::new(),
            lost: counter!("almanac_log_lines_lost_total"),
        }));
        let (end, ended) = mpsc::channel();
        let shared = writer.0.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            shared.write_all_to(sink);
            // Fails after the timeout.
            let _ = end.send(());
        })?;
        let guard = LogGuard {
            writer: writer.clone(),
            ended,
        };
        Ok((writer, guard))
    }
}

impl Shared {
    fn buffer(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all_to(&self, mut sink: impl Write) {
        loop {
            let buffer = self
                .changed
                .wait_while(self.buffer(), |buffer| buffer.bytes.is_empty() && !buffer.is_ending)
                .unwrap_or_else(PoisonError::into_inner);
            let (mut buffer, _) = self
                .changed
                .wait_timeout_while(buffer, FLUSH_INTERVAL, |buffer| !buffer.is_ending)
                .unwrap_or_else(PoisonError::into_inner);
            let bytes = mem::take(&mut buffer.bytes);
            let is_ending = buffer.is_ending;
            drop(buffer);
            // There is nowhere to report an error of standard error.
            let _ = sink.write_all(&bytes).and_then(|()| sink.flush());
            if is_ending {
                return;
            }
        }
    }
}

impl Write for LogWriter {
    /// Appends a line. The subscriber writes each line at once.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut buffer = self.0.buffer();
        if buffer.bytes.len() + line.len() > MAX_BUFFERED {
            self.0.lost.increment(1);
            return Ok(line.len());
        }
        let is_first = buffer.bytes.is_empty();
        buffer.bytes.extend_from_slice(line);
        drop(buffer);
        if is_first {
            self.0.changed.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        self.writer.0.buffer().is_ending = true;
        self.writer.0.changed.notify_one();
        let _ = self.ended.recv_timeout(END_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Instant};

    use super::*;

    #[test]
    fn lines_are_written_in_order() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let (mut writer, guard) = LogWriter::to(file.reopen().expect("the file")).expect("a thread");
        let mut expected = String::new();
        for number in 0..10_000 {
            let line = format!("line {number}\n");
            writer.write_all(line.as_bytes()).expect("the line is buffered");
            expected.push_str(&line);
            if number % 2_500 == 0 {
                thread::sleep(FLUSH_INTERVAL * 2);
            }
        }
        drop(guard);
        let written = fs::read_to_string(file.path()).expect("text");
        assert!(written == expected, "{} bytes", written.len());
    }

    #[test]
    fn unread_pipe_does_not_block() {
        let (_reader, writer) = io::pipe().expect("a pipe");
        let (mut writer, guard) = LogWriter::to(writer).expect("a thread");
        let begun = Instant::now();
        let line = [b'x'; 1024];
        for _ in 0..(2 * MAX_BUFFERED / line.len()) {
            writer.write_all(&line).expect("the line is buffered or dropped");
        }
        let waiting = writer.0.buffer().bytes.len();
        assert!(waiting <= MAX_BUFFERED);
        drop(guard);
        assert!(begun.elapsed() < END_TIMEOUT * 10);
    }
}
