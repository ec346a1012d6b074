//! `almanac backup` and `almanac restore`, and the backups of a server.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Output,
    thread,
    time::{Duration, Instant},
};

use sea_orm::{ConnectionTrait, Database as Connect, Statement};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    on_both_databases, sample_calendar,
    support::{
        Database,
        program::{ServerProcess, run, sqlite_url, stderr, stdout_lines},
    },
};

/// Timeout for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

pub(crate) fn back_up(url: &str, file: &Path) {
    let printed = stdout_lines(&["backup", text(file), "--database-url", url]);
    assert!(printed[0].starts_with("backed up "), "{printed:?}");
}

/// A backup of a database, in a temporary directory.
pub(crate) fn backup_of(url: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("calendar.almanac");
    back_up(url, &file);
    (directory, file)
}

pub(crate) fn restore(file: &Path, url: &str, flags: &[&str]) -> Output {
    run(&[&["restore", text(file), "--database-url", url], flags].concat())
}

pub(crate) fn restore_successfully(file: &Path, url: &str, flags: &[&str]) {
    let output = restore(file, url, flags);
    assert!(output.status.success(), "{output:?}");
}

fn verify(file: &Path) -> Output {
    run(&["backup", "--verify", text(file)])
}

fn assert_well(url: &str) {
    let printed = stdout_lines(&["check", "--database-url", url]);
    assert_eq!(printed.last().map(String::as_str), Some("all is well"), "{printed:?}");
}

pub(crate) fn export(url: &str) -> Vec<u8> {
    let output = run(&["export", "--database-url", url]);
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

fn tokens(url: &str) -> usize {
    stdout_lines(&["token", "list", "--database-url", url]).len()
}

/// The lowest and the highest number in the change log.
async fn numbers_of_changes(url: &str) -> [i64; 2] {
    let database = Connect::connect(url).await.expect("a connection");
    let select = "SELECT MIN(number), MAX(number) FROM change_log";
    let select = Statement::from_string(database.get_database_backend(), select);
    let row = database.query_one_raw(select).await.expect("a read").expect("a row");
    let numbers = [0, 1].map(|column| row.try_get_by_index(column).expect("a number"));
    database.close().await.expect("the connection closes");
    numbers
}

/// The names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

on_both_databases! {
    async fn restored_calendar_is_the_same(database) {
        let url = database.empty_url().await;
        let password = sample_calendar::fill(&url).await;
        let (directory, file) = backup_of(&url);
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(names(directory.path()), ["calendar.almanac"], "temporary files are removed");
        assert!(verify(&file).status.success());

        for (flags, expected_tokens) in [(&[][..], 0), (&["--keep-tokens"], 1)] {
            let target = database.empty_url().await;
            restore_successfully(&file, &target, flags);
            assert!(export(&target) == export(&url), "the calendars differ");
            assert_eq!(tokens(&target), expected_tokens);
            assert_well(&target);
            // Passwords are part of a backup.
            let server = ServerProcess::start(&["--database-url", &target]);
            let admin = server.anonymous().with_password("admin", &password);
            let event = json!({"title": "New", "start_date": "2027-05-01", "end_date": "2027-05-01"});
            assert_eq!(admin.create_id("/events", event).await, 10);
        }
        // Also into a SQLite file, whatever the database was.
        let sqlite = sqlite_url(directory.path());
        restore_successfully(&file, &sqlite, &["--keep-tokens"]);
        assert!(export(&sqlite) == export(&url), "the calendars differ");
        assert_eq!(tokens(&sqlite), 1);
        assert_well(&sqlite);
    }

    async fn restore_begins_a_new_epoch(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let (_directory, file) = backup_of(&url);
        let target = database.empty_url().await;
        restore_successfully(&file, &target, &[]);
        // No version of the calendar before is one of the calendar after.
        let [_, last] = numbers_of_changes(&url).await;
        let [first, _] = numbers_of_changes(&target).await;
        assert!(first > last + 1_000_000, "{first} {last}");
    }

    async fn restore_needs_an_empty_database(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let (_directory, file) = backup_of(&url);
        let before = export(&url);
        let output = restore(&file, &url, &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("already contains a calendar"), "{output:?}");
        assert!(export(&url) == before, "the calendar has changed");
        // Users are also content.
        let other = database.url().await;
        stdout_lines(&["user", "add", "ben", "--role", "editor", "--database-url", &other]);
        assert_eq!(restore(&file, &other, &[]).status.code(), Some(1));
        assert_eq!(stdout_lines(&["user", "list", "--database-url", &other]), ["1\tben\teditor"]);
        // An empty calendar with the schema is none.
        let migrated = database.url().await;
        restore_successfully(&file, &migrated, &[]);
        assert!(export(&migrated) == before, "the calendars differ");
    }

    async fn dry_run_restores_nothing(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let (_directory, file) = backup_of(&url);
        let target = database.url().await;
        let before = export(&target);
        restore_successfully(&file, &target, &["--dry-run"]);
        assert!(export(&target) == before, "the calendar has changed");
    }

    async fn flipped_byte_is_rejected(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let (_directory, file) = backup_of(&url);
        let bytes = fs::read(&file).expect("a backup");
        for index in [0, 20, bytes.len() / 2, bytes.len() - 41, bytes.len() - 1] {
            let mut wrong = bytes.clone();
            wrong[index] ^= 0x10;
            fs::write(&file, wrong).expect("a write");
            let target = database.empty_url().await;
            for output in [verify(&file), restore(&file, &target, &[])] {
                assert_eq!(output.status.code(), Some(1), "byte {index}: {output:?}");
                assert!(stderr(&output).contains("backup"), "{output:?}");
            }
        }
        fs::write(&file, &bytes[..bytes.len() - 1]).expect("a write");
        assert_eq!(verify(&file).status.code(), Some(1));
    }

    async fn uploaded_images_are_restored(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (uploads, file) = (directory.path().join("uploads"), directory.path().join("calendar.almanac"));
        fs::create_dir_all(uploads.join("2026/11")).expect("a directory");
        fs::write(uploads.join("2026/11/hall.png"), "a hall").expect("an image");
        let backup = ["backup", text(&file), "--uploads", text(&uploads), "--database-url", &url];
        let printed = stdout_lines(&backup);
        assert!(printed[0].starts_with("backed up 8 events and 1 uploaded images of "), "{printed:?}");
        let verified = verify(&file);
        assert!(String::from_utf8_lossy(&verified.stdout).contains("8 events and 1 uploaded images"), "{verified:?}");

        let target = database.empty_url().await;
        for (flags, hint) in [(&[][..], "name an empty directory"), (&["--uploads", text(&uploads)], "is not empty")] {
            let output = restore(&file, &target, flags);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert!(stderr(&output).contains(hint), "{output:?}");
        }
        let restored = directory.path().join("restored");
        let flags = ["--uploads", text(&restored)];
        let output = restore(&file, &url, &flags);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!restored.join("2026").exists(), "images without a database");
        let _ = fs::remove_dir(&restored);
        restore_successfully(&file, &target, &[&flags[..], &["--dry-run"]].concat());
        assert!(!restored.exists(), "a dry run changes nothing");
        restore_successfully(&file, &target, &flags);
        assert_eq!(fs::read_to_string(restored.join("2026/11/hall.png")).expect("an image"), "a hall");
        assert_eq!(names(&restored), ["2026"], "temporary files are removed");
        assert!(export(&target) == export(&url), "the calendars differ");
    }

    async fn other_file_is_not_replaced(database) {
        let url = database.url().await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("letters.txt");
        fs::write(&file, "Dear Ann").expect("a file");
        let output = run(&["backup", text(&file), "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("exists and is not a backup"), "{output:?}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "Dear Ann");
    }

    async fn server_takes_backups(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (backups, uploads) = (directory.path().join("backups"), directory.path().join("uploads"));
        fs::create_dir(&uploads).expect("a directory");
        fs::write(uploads.join("hall.png"), "a hall").expect("an image");
        let server = ServerProcess::start(&[
            "--database-url", &url, "--backup-to", text(&backups), "--backup-every", "1s", "--backup-keep", "2",
            "--uploads", text(&uploads),
        ]);
        let started = Instant::now();
        let first = server.log.line(&["took a backup", "events=8"]);
        loop {
            let taken = server.log.text().matches("took a backup").count();
            if taken >= 4 {
                break;
            }
            assert!(started.elapsed() < PATIENCE, "only {taken} backups after: {first}");
            thread::sleep(Duration::from_millis(50));
        }
        let metrics = server.anonymous().get("~/metrics").await.is(200).text;
        let value = |name: &str| {
            let line = metrics.lines().find(|line| line.starts_with(name) && !line.starts_with('#'));
            line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).expect(name)
        };
        assert!(value("almanac_last_backup_timestamp_seconds") > 1_700_000_000.0);
        assert_eq!(value("almanac_backups_failed_total"), 0.0);
        server.stop();
        let mut kept = names(&backups);
        kept.retain(|name| name.ends_with(".almanac") && !name.starts_with('.'));
        assert!((2..=3).contains(&kept.len()), "two, and one that has just been taken: {kept:?}");
        let target = database.empty_url().await;
        let restored = directory.path().join("restored");
        restore_successfully(&backups.join(&kept[0]), &target, &["--uploads", text(&restored)]);
        assert!(export(&target) == export(&url), "the calendars differ");
        assert_eq!(fs::read_to_string(restored.join("hall.png")).expect("an image"), "a hall");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_backup_restores_into_postgresql() {
    let Some(postgres) = Database::postgres() else {
        return;
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    sample_calendar::fill(&url).await;
    let file = directory.path().join("calendar.almanac");
    back_up(&url, &file);
    let target = postgres.empty_url().await;
    restore_successfully(&file, &target, &["--keep-tokens"]);
    assert!(export(&target) == export(&url), "the calendars differ");
    assert_eq!(tokens(&target), 1);
    assert_well(&target);
    let files = names(directory.path());
    assert!(
        !files.iter().any(|name| name.ends_with(".partial")),
        "temporary files are removed: {files:?}"
    );
}

#[test]
fn running_server_keeps_its_file() {
    let (server, directory) = ServerProcess::start_in_temporary_directory(&[]);
    let url = sqlite_url(directory.path());
    let file = directory.path().join("calendar.almanac");
    back_up(&url, &file);
    stdout_lines(&["user", "remove", "admin", "--force", "--database-url", &url]);
    let output = restore(&file, &url, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("another process has the database open"),
        "{output:?}"
    );
    drop(server);
    restore_successfully(&file, &url, &[]);
    assert_eq!(
        stdout_lines(&["user", "list", "--database-url", &url]),
        ["1\tadmin\tadministrator"]
    );
}

#[test]
fn log_of_another_database_is_refused() {
    let (server, directory) = ServerProcess::start_in_temporary_directory(&[]);
    let file = directory.path().join("calendar.almanac");
    back_up(&sqlite_url(directory.path()), &file);
    drop(server);
    for (suffix, is_file_empty) in [("-wal", false), ("-shm", false), ("-journal", true)] {
        let target = tempfile::tempdir().expect("a temporary directory");
        let url = sqlite_url(target.path());
        if is_file_empty {
            fs::write(target.path().join("almanac.db"), "").expect("a file");
        }
        let log = target.path().join(format!("almanac.db{suffix}"));
        fs::write(&log, "pages").expect("a file");
        let before = names(target.path());
        let output = restore(&file, &url, &[]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains(text(&log)), "{output:?}");
        assert_eq!(names(target.path()), before);
        fs::remove_file(&log).expect("a file");
        restore_successfully(&file, &url, &[]);
        assert_well(&url);
    }
}

#[test]
fn unwritable_directory_is_refused_at_the_start() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("file");
    fs::write(&file, "").expect("a file");
    let url = sqlite_url(directory.path());
    let output = run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        &url,
        "--backup-to",
        text(&file),
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("can't write the backup"), "{output:?}");
}
