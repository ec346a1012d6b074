//! SQLite files: permissions, and files that cannot be opened.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::program::{ServerProcess, program, run, stderr};

/// Longer than start-up takes, and shorter than SQLite's busy timeout.
const LOCKED_FOR: Duration = Duration::from_secs(1);

/// A temporary directory, and the path of a database file in it that does not exist yet.
fn new_database_path() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("almanac.db");
    (directory, file)
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Creates a database with the current schema.
fn migrate(file: &Path) {
    let output = run(&["migrate", "--database-url", &url(file)]);
    assert!(output.status.success(), "{output:?}");
}

/// Asserts that a server does not start on this file, and reports the path and this message in one line.
#[track_caller]
fn assert_rejected(file: &Path, message: &str) {
    let before = fs::read(file).expect("the file exists");
    let output = run(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url(file)]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let stderr = stderr(&output);
    // The other lines are the log of the start.
    let (errors, log): (Vec<&str>, Vec<&str>) = stderr.lines().partition(|line| line.starts_with("almanac: "));
    let [error] = errors[..] else { panic!("{stderr}") };
    assert!(log.iter().all(|line| line.contains(" INFO ")), "{stderr}");
    assert!(error.contains(&file.display().to_string()), "{error}");
    assert!(error.contains(message), "{error}");
    assert_eq!(fs::read(file).expect("the file exists"), before, "the file has changed");
}

#[test]
fn new_files_have_mode_0600() {
    for umask in ["000", "277"] {
        let (_directory, file) = new_database_path();
        let serve = program(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url(&file)]);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\"")]);
        command.arg(serve.get_program()).args(serve.get_args());
        let _serving = ServerProcess::spawn(&mut command);
        for suffix in ["", "-wal", "-shm"] {
            let file = format!("{}{suffix}", file.display());
            let metadata = fs::metadata(&file).expect("the file exists");
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{umask} {file}");
        }
    }
}

#[test]
fn existing_file_keeps_mode() {
    let (_directory, file) = new_database_path();
    migrate(&file);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("the test owns the file");
    migrate(&file);
    let metadata = fs::metadata(&file).expect("the file exists");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
}

#[test]
fn text_file_rejected() {
    let (_directory, file) = new_database_path();
    fs::write(&file, "Dear diary").expect("a text file");
    assert_rejected(&file, "is not a SQLite database; name another file");
}

#[test]
fn foreign_database_rejected() {
    for (schema, table) in [
        ("CREATE TABLE bookmarks (url TEXT)", "bookmarks"),
        (
            "CREATE TABLE migrations (id INTEGER, migration TEXT, batch INTEGER)",
            "migrations",
        ),
        (
            "CREATE TABLE migrations (version TEXT); INSERT INTO migrations VALUES ('2019')",
            "migrations",
        ),
    ] {
        let (_directory, file) = new_database_path();
        let other = Connection::open(&file).expect("a database");
        other.execute_batch(schema).expect("a table");
        drop(other);
        assert_rejected(&file, &format!("belongs to another program (it has a table {table}"));
    }
}

#[test]
fn newer_schema_rejected() {
    let (_directory, file) = new_database_path();
    migrate(&file);
    let newer = Connection::open(&file).expect("the database");
    newer
        .execute_batch("INSERT INTO migrations VALUES ('m9999_later', 0); PRAGMA journal_mode = DELETE")
        .expect("a later migration");
    drop(newer);
    assert_rejected(
        &file,
        "was written by a newer version of Almanac (its schema has the step m9999_later)",
    );
}

#[test]
fn truncated_file_rejected() {
    let (_directory, file) = new_database_path();
    migrate(&file);
    let whole = fs::read(&file).expect("the file exists");
    for size in [whole.len() / 2, 4096, 50] {
        fs::write(&file, &whole[..size]).expect("a truncated file");
        assert_rejected(&file, &format!("is truncated: it has {size} of "));
    }
}

#[test]
fn damaged_file_rejected() {
    let (_directory, file) = new_database_path();
    migrate(&file);
    let mut bytes = fs::read(&file).expect("the file exists");
    bytes[100..4096].fill(0xa5);
    fs::write(&file, bytes).expect("a damaged file");
    assert_rejected(&file, "is damaged");
}

#[test]
fn missing_directory_named_in_error() {
    let output = run(&["migrate", "--database-url", "sqlite:///nowhere/almanac.db"]);
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(error.contains("/nowhere/almanac.db can't be opened"), "{error}");
}

#[test]
fn start_waits_for_rollback_journal_writer() {
    for lock in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
        let (_directory, file) = new_database_path();
        migrate(&file);
        let other = Connection::open(&file).expect("a database");
        let batch = format!("PRAGMA journal_mode = DELETE; {lock}");
        other.execute_batch(&batch).expect("a lock");
        let release = thread::spawn(move || {
            thread::sleep(LOCKED_FOR);
            drop(other);
        });
        let server = ServerProcess::start(&["--database-url", &url(&file)]);
        server.signal("TERM");
        release.join().expect("no panic");
    }
}
