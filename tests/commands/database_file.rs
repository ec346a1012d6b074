//! SQLite files: their modes, and those that can't be used.

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

use crate::support::program::{Serving, complaint, program, run};

/// Longer than a start takes, and shorter than SQLite's own timeout.
const LOCKED_FOR: Duration = Duration::from_secs(1);

/// A folder, and the path of a file in it that is not there yet.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("almanac.db");
    (folder, file)
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Makes a database with the present schema.
fn migrate(file: &Path) {
    let output = run(&["migrate", "--database-url", &url(file)]);
    assert!(output.status.success(), "{output:?}");
}

/// Starts a server, which must refuse the file in one line that names it and says this.
#[track_caller]
fn assert_refused(file: &Path, what: &str) {
    let before = fs::read(file).expect("the file is there");
    let output = run(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url(file)]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let written = complaint(&output);
    // The log tells the start in lines of its own.
    let (complaint, log): (Vec<&str>, Vec<&str>) = written.lines().partition(|line| line.starts_with("almanac: "));
    let [complaint] = complaint[..] else {
        panic!("{written}")
    };
    assert!(log.iter().all(|line| line.contains(" INFO ")), "{written}");
    assert!(complaint.contains(&file.display().to_string()), "{complaint}");
    assert!(complaint.contains(what), "{complaint}");
    assert_eq!(fs::read(file).expect("it is still there"), before, "it has changed");
}

#[test]
fn new_files_have_mode_0600() {
    for umask in ["000", "277"] {
        let (_folder, file) = place();
        let serve = program(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url(&file)]);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\"")]);
        command.arg(serve.get_program()).args(serve.get_args());
        let _serving = Serving::run(&mut command);
        for suffix in ["", "-wal", "-shm"] {
            let file = format!("{}{suffix}", file.display());
            let metadata = fs::metadata(&file).expect("the file is there");
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{umask} {file}");
        }
    }
}

#[test]
fn existing_file_keeps_mode() {
    let (_folder, file) = place();
    migrate(&file);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    migrate(&file);
    let metadata = fs::metadata(&file).expect("the file is there");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
}

#[test]
fn text_file_rejected() {
    let (_folder, file) = place();
    fs::write(&file, "Dear diary").expect("a text");
    assert_refused(&file, "is not a SQLite database; name another file");
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
        let (_folder, file) = place();
        let other = Connection::open(&file).expect("a database");
        other.execute_batch(schema).expect("a table");
        drop(other);
        assert_refused(&file, &format!("belongs to another program (it has a table {table}"));
    }
}

#[test]
fn newer_schema_rejected() {
    let (_folder, file) = place();
    migrate(&file);
    let newer = Connection::open(&file).expect("the database");
    newer
        .execute_batch("INSERT INTO migrations VALUES ('m9999_later', 0); PRAGMA journal_mode = DELETE")
        .expect("a step");
    drop(newer);
    assert_refused(
        &file,
        "was written by a newer version of Almanac (its schema has the step m9999_later)",
    );
}

#[test]
fn truncated_file_rejected() {
    let (_folder, file) = place();
    migrate(&file);
    let whole = fs::read(&file).expect("the file is there");
    for size in [whole.len() / 2, 4096, 50] {
        fs::write(&file, &whole[..size]).expect("it takes less");
        assert_refused(&file, &format!("is truncated: it has {size} of "));
    }
}

#[test]
fn damaged_file_rejected() {
    let (_folder, file) = place();
    migrate(&file);
    let mut bytes = fs::read(&file).expect("the file is there");
    bytes[100..4096].fill(0xa5);
    fs::write(&file, bytes).expect("it takes noise");
    assert_refused(&file, "is damaged");
}

#[test]
fn missing_directory_named_in_error() {
    let output = run(&["migrate", "--database-url", "sqlite:///nowhere/almanac.db"]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = complaint(&output);
    assert!(complaint.contains("/nowhere/almanac.db can't be opened"), "{complaint}");
}

#[test]
fn start_waits_for_rollback_journal_writer() {
    for lock in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
        let (_folder, file) = place();
        migrate(&file);
        let other = Connection::open(&file).expect("a database");
        let batch = format!("PRAGMA journal_mode = DELETE; {lock}");
        other.execute_batch(&batch).expect("a lock");
        let release = thread::spawn(move || {
            thread::sleep(LOCKED_FOR);
            drop(other);
        });
        let serving = Serving::start(&["--database-url", &url(&file)]);
        serving.signal("TERM");
        release.join().expect("it ended");
    }
}
