//! Commands that only read neither create nor migrate a database.

use std::fs;

use sea_orm::{ConnectionTrait, Database};

use crate::{
    on_both_databases,
    support::program::{run, sqlite_url, stderr, stdout_lines},
};

const COMMANDS: [&[&str]; 3] = [&["user", "list"], &["token", "list"], &["check"]];

/// Runs each of the commands on this database, which it must refuse with this text.
#[track_caller]
fn assert_refused(url: &str, text: &str) {
    for command in COMMANDS {
        let output = run(&[command, &["--database-url", url]].concat());
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(stderr(&output).contains(text), "{command:?}: {}", stderr(&output));
    }
}

on_both_databases! {
    async fn database_without_a_schema(database) {
        let url = database.empty_url().await;
        if let Some(path) = url.strip_prefix("sqlite://") {
            let path = path.trim_end_matches("?mode=rwc");
            fs::write(path, "").expect("an empty file");
        }
        // The second time shows that the first one has changed nothing.
        for _ in 0..2 {
            assert_refused(&url, "the database has no schema yet; run `almanac migrate`");
        }
    }

    async fn outdated_database(database) {
        let url = database.url().await;
        let connection = Database::connect(&url).await.expect("a connection");
        let outdated = "DELETE FROM migrations WHERE version <> 'm0020_baseline'";
        connection.execute_unprepared(outdated).await.expect("a statement");
        connection.close().await.expect("the connection closes");
        assert_refused(&url, "the schema of the database is outdated; run `almanac migrate`");
    }

    async fn current_database(database) {
        let url = database.url().await;
        stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        stdout_lines(&["token", "add", "--user", "ann", "--name", "import", "--database-url", &url]);
        assert_eq!(stdout_lines(&["user", "list", "--database-url", &url]), ["1\tann\teditor"]);
        assert_eq!(stdout_lines(&["token", "list", "--database-url", &url]), ["1\tann\tnever\timport"]);
        stdout_lines(&["check", "--database-url", &url]);
    }
}

#[test]
fn missing_file_is_not_created() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    assert_refused(
        &sqlite_url(directory.path()),
        "does not exist; run `almanac migrate` to create it",
    );
    assert_eq!(fs::read_dir(directory.path()).expect("the directory").count(), 0);
}

#[test]
fn file_is_not_changed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("almanac.db");
    let url = sqlite_url(directory.path());
    stdout_lines(&["migrate", "--database-url", &url]);
    let before = fs::read(&file).expect("the file is there");
    for command in COMMANDS {
        stdout_lines(&[command, &["--database-url", &url]].concat());
    }
    assert_eq!(fs::read(&file).expect("the file is there"), before);
    assert_eq!(fs::read_dir(directory.path()).expect("the directory").count(), 1);
}
