//! Checkpoints on SQLite: a thread copies the write-ahead log into the file while writes go on.
//!
//! An automatic checkpoint is a part of the commit that reaches its limit: that write waits until megabytes have been
//! copied and flushed. It remains the last resort.

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender},
    },
    thread::{self, JoinHandle},
};

use sea_orm::DbErr;

use super::{
    file::DatabaseFile,
    group_commit::no_thread,
    sqlite::{WriteAheadLog, WriterConnection, WriterOptions},
};

/// The number of pages in the log, not yet copied, at which a checkpoint begins: 16 MB. A write changes dozens of pages all
/// over the file, many of which soon change again.
pub(super) const PAGES: u32 = 4000;
/// The number of pages in the log at which a commit includes a checkpoint, as `PRAGMA wal_autocheckpoint` takes it.
pub(super) const MAX_PAGES: &str = "16000";
/// With fewer pages to copy, the connection that writes copies them itself, which takes about as long as one write. The log
/// starts over only when all of it has been copied, and the thread never catches up with writes that do not pause.
const LAST_PAGES: u32 = 500;

/// The thread that checkpoints. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Checkpoints {
    requests: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Starts the thread.
    pub(super) fn start(file: DatabaseFile, options: WriterOptions) -> Result<Self, DbErr> {
        // One waiting request is enough: a checkpoint includes all earlier commits.
        let (requests, received) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("checkpoints".to_owned());
        let thread = thread
            .spawn(move || run(&file, options, &received))
            .map_err(no_thread)?;
        Ok(Self {
            requests: Some(requests),
            thread: Some(thread),
        })
    }

    /// Checkpoints if enough has been written. The connection has just committed.
    pub(super) fn note_commit(&self, connection: &WriterConnection) -> Result<(), DbErr> {
        let WriteAheadLog { pages, copied } = connection.write_ahead_log()?;
        let remaining = pages.saturating_sub(copied);
        if remaining >= PAGES {
            // If the channel is full, a request is waiting already.
            let _ = self.requests.as_ref().map(|requests| requests.try_send(()));
        } else if pages >= PAGES && (1..LAST_PAGES).contains(&remaining) {
            connection.checkpoint()?;
        }
        Ok(())
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // An error means that the thread has panicked, which the panic hook has logged.
            let _ = thread.join();
        }
    }
}

fn run(file: &DatabaseFile, options: WriterOptions, requests: &Receiver<()>) {
    let mut is_failing = false;
    while let Ok(()) = requests.recv() {
        // A connection for each checkpoint, so that no lock outlives an error.
        let connection = WriterConnection::open(file, options, Arc::default());
        let result = connection.and_then(|connection| connection.checkpoint());
        if let Err(error) = &result
            && !is_failing
        {
            tracing::warn!(%error, "can't checkpoint the write-ahead log, which grows meanwhile");
        }
        is_failing = result.is_err();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rusqlite::Connection;

    use super::*;

    const OPTIONS: WriterOptions = WriterOptions {
        cache_size: "-16384",
        checkpoint_pages: MAX_PAGES,
        timeout: Duration::ZERO,
        foreign_keys: true,
        mmap_size: 0,
        temp_store: "memory",
    };

    /// A file in WAL mode with one table, and the connection that writes.
    fn file() -> (tempfile::TempDir, DatabaseFile, WriterConnection) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}/almanac.db", folder.path().display());
        let file = DatabaseFile::prepare(&url).expect("a file");
        let connection = Connection::open(file.path()).expect("the file exists");
        let create = "PRAGMA journal_mode = WAL; CREATE TABLE pages (bytes BLOB)";
        connection.execute_batch(create).expect("a table");
        let writer = WriterConnection::open(&file, OPTIONS, Arc::default()).expect("the file exists");
        (folder, file, writer)
    }

    /// Commits a write of about this many pages. Returns the state of the log.
    fn write(writer: &WriterConnection, pages: u32) -> WriteAheadLog {
        let insert = format!("INSERT INTO pages VALUES (zeroblob({pages} * 4096))");
        writer.begin().expect("a transaction");
        writer.execute_unprepared(&insert).expect("a write");
        writer.commit().expect("a commit");
        writer.write_ahead_log().expect("a state")
    }

    #[test]
    fn large_log_is_copied() {
        let (_folder, file, writer) = file();
        for (pages, is_copied) in [(PAGES / 2, false), (PAGES, true)] {
            let checkpoints = Checkpoints::start(file.clone(), OPTIONS).expect("a thread");
            assert!(write(&writer, pages).copied < pages);
            checkpoints.note_commit(&writer).expect("no error");
            // Waits for the thread.
            drop(checkpoints);
            let WriteAheadLog { pages, copied } = writer.write_ahead_log().expect("a state");
            assert_eq!(copied == pages, is_copied, "{pages}");
        }
    }

    #[test]
    fn log_starts_over() {
        let (_folder, file, writer) = file();
        let reader = Connection::open(file.path()).expect("the file exists");
        let checkpoints = Checkpoints::start(file, OPTIONS).expect("a thread");
        write(&writer, PAGES);
        let read = "BEGIN; SELECT COUNT(*) FROM pages";
        reader.execute_batch(read).expect("a snapshot");
        writer.checkpoint().expect("no error");
        // A snapshot of the log keeps it from starting over.
        let before = write(&writer, 1);
        assert!(before.pages > PAGES && before.copied < before.pages, "{before:?}");
        reader.execute_batch("COMMIT").expect("the end of the snapshot");
        checkpoints.note_commit(&writer).expect("no error");
        assert!(write(&writer, 1).pages < LAST_PAGES);
    }
}
