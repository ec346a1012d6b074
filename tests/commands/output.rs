//! Standard output that is a closed pipe or on a full disk.

use std::{fs::File, io, process::Stdio};

use crate::support::program::{program, sqlite_url, stderr, stdout_lines};

/// All commands whose output may be long.
fn printing_commands(url: &str) -> [Vec<&str>; 5] {
    [
        vec!["openapi"],
        vec!["completions", "bash"],
        vec!["user", "list", "--database-url", url],
        vec!["token", "list", "--database-url", url],
        vec!["migrate", "--database-url", url],
    ]
}

/// The URL of a new database with a user and a token.
fn create_database(directory: &tempfile::TempDir) -> String {
    let url = sqlite_url(directory.path());
    stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
    stdout_lines(&["token", "add", "--user", "ann", "--database-url", &url]);
    url
}

#[test]
fn closed_pipe_exits_quietly() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = create_database(&directory);
    for arguments in printing_commands(&url) {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = program(&arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}

#[test]
fn full_disk_is_reported() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = create_database(&directory);
    for arguments in printing_commands(&url) {
        let full = File::options().write(true).open("/dev/full");
        let output = program(&arguments)
            .stdout(full.expect("Linux has /dev/full"))
            .stderr(Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains("standard output"), "{arguments:?}");
    }
}
