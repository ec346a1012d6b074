//! The commands in README.md, docs/running.md and docs/backup.md work as written.

use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use url::Url;

use crate::{
    on_both_databases,
    support::{
        Client, Database,
        program::{ServerProcess, program, sqlite_url, stdout_lines},
        skipped::skip,
    },
};

const README: &str = include_str!("../../README.md");
const BACKUP: &str = include_str!("../../docs/backup.md");
const RUNNING: &str = include_str!("../../docs/running.md");
const SYNCHRONISATION: &str = include_str!("../../docs/synchronisation.md");

/// The code blocks of a document in this language.
fn blocks<'a>(document: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    document
        .split(&fence)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect()
}

/// `tests/mirror/run` runs the programs.
#[test]
fn programs_of_synchronisation_are_tested() {
    let programs = [
        include_str!("../mirror/mirror.py"),
        include_str!("../mirror/follow.py"),
        include_str!("../mirror/receive.py"),
    ];
    assert_eq!(blocks(SYNCHRONISATION, "python"), programs);
}

/// The only code block of docs/running.md that contains this text.
fn block_containing(language: &str, text: &str) -> &'static str {
    let blocks = blocks(RUNNING, language);
    let [block] = blocks.iter().filter(|block| block.contains(text)).collect::<Vec<_>>()[..] else {
        panic!("not exactly one block contains {text}");
    };
    block
}

/// A shell in this directory, with the program in its `PATH`.
fn shell(script: &str, directory: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_almanac"));
    let programs = program.parent().expect("a directory");
    let path = env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    command
        .args(["-e", "-o", "pipefail", "-c", script])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", programs.display()));
    command
}

/// Runs a command, which must succeed.
fn run_successfully(command: &mut Command) -> Output {
    let output = command.output().expect("bash starts");
    assert!(output.status.success(), "{command:?}\n{output:?}");
    output
}

/// Whether the program is installed. If not, the calling test is skipped.
fn is_installed(program: &str) -> bool {
    let found = Command::new("bash")
        .args(["-c", &format!("command -v {program}")])
        .output();
    let is_installed = found.is_ok_and(|output| output.status.success());
    if !is_installed {
        skip(&format!("{program} is not installed"));
    }
    is_installed
}

#[tokio::test]
async fn readme_commands_succeed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    let server = ServerProcess::start(&["--demo", "--database-url", &url]);
    let address = server.address.trim_start_matches("http://");
    // CI runs those that call cargo.
    let blocks: Vec<_> = blocks(README, "sh")
        .into_iter()
        .filter(|block| !block.contains("cargo "))
        .collect();
    assert!(blocks.len() >= 4, "the README has commands");
    for block in blocks {
        let script = block
            .replace("127.0.0.1:8080", address)
            .replace("$PASSWORD", server.password());
        run_successfully(shell(&script, directory.path()).env("ALMANAC_DATABASE_URL", &url));
    }
}

#[tokio::test]
async fn backup_guide_commands_succeed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    let server = ServerProcess::start(&["--demo", "--database-url", &url]);
    let blocks = blocks(BACKUP, "sh");
    assert!(blocks.len() >= 5, "the guide has commands");
    for block in blocks {
        run_successfully(shell(block, directory.path()).env("ALMANAC_DATABASE_URL", &url));
    }
    drop(server);
    for file in [
        "calendar.almanac",
        "restored.db",
        "moved.db",
        "events.csv",
        "venues.csv",
        "events.ics",
    ] {
        let length = fs::metadata(directory.path().join(file)).expect(file).len();
        assert!(length > 0, "{file}");
    }
}

#[tokio::test]
async fn service_settings_apply() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    run_successfully(&mut shell(block_containing("sh", "almanac.env"), directory.path()));
    let settings = fs::read_to_string(directory.path().join("almanac.env")).expect("text");
    let mut serve = program(&["serve"]);
    serve.current_dir(&directory).env("ALMANAC_LISTEN", "127.0.0.1:0");
    for line in settings.lines() {
        let (name, value) = line.split_once('=').expect("a variable");
        serve.env(name, value);
    }
    let server = ServerProcess::spawn(&mut serve);
    let list = server.anonymous().get("/events").await.is(200);
    let root = list.body["rest_url"].as_str().expect("text");
    assert!(root.starts_with("https://calendar.example.org/"), "{root}");
    assert!(server.log.line(&["listening"]).starts_with('{'), "as JSON");
}

on_both_databases! {
    async fn documented_metrics_exist(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let anonymous = server.anonymous();
        anonymous.get("/events").await.is(200);
        anonymous.with_token("alm_wrong").get("/events").await.is(401);
        // Without a webhook, it has no age.
        stdout_lines(&["webhook", "add", "https://example.org/hook", "--database-url", &url]);
        let metrics = wait_for_metrics(&server.anonymous(), "almanac_webhook_oldest_undelivered_seconds").await;
        let names: Vec<_> = RUNNING
            .lines()
            .filter_map(|line| line.strip_prefix("| `almanac_")?.split(['`', '{']).next())
            .collect();
        assert!(names.len() >= 5, "{names:?}");
        for name in names {
            // SQLite has no circuit breaker.
            if name == "circuit_breaker_open" && url.starts_with("sqlite:") {
                continue;
            }
            let line = format!("# TYPE almanac_{name} ");
            assert!(metrics.contains(&line), "{name}: {metrics}");
        }
    }
}

/// The metrics, as soon as they include this one.
async fn wait_for_metrics(client: &Client, name: &str) -> String {
    for _ in 0..200 {
        let metrics = client.get("~/metrics").await.is(200).text;
        if metrics.contains(name) {
            return metrics;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no metric {name} within 10 seconds");
}

#[test]
fn user_commands_beside_server() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    let _serving = ServerProcess::start(&["--database-url", &url]);
    let script = block_containing("sh", "almanac user");
    run_successfully(shell(script, directory.path()).env("ALMANAC_DATABASE_URL", &url));
}

#[test]
fn sqlite_backup_is_complete() {
    if !is_installed("sqlite3") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = |file: &str| format!("sqlite://{}/{file}", directory.path().display());
    let _serving = ServerProcess::start(&["--database-url", &url("almanac.db")]);
    let output = run_successfully(&mut shell(block_containing("sh", "VACUUM INTO"), directory.path()));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ok\n");
    let users = |file| stdout_lines(&["user", "list", "--database-url", &url(file)]);
    assert_eq!(users("backup.db"), users("almanac.db"));
}

#[tokio::test]
async fn postgresql_backup_is_complete() {
    let Some(database) = Database::postgres().filter(|_| is_installed("pg_dump")) else {
        return;
    };
    let url = Url::parse(&database.url().await).expect("a URL");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let postgres = |script: &str| {
        let mut shell = shell(script, directory.path());
        let port = url.port().expect("a port").to_string();
        shell
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", port)
            .env("PGUSER", "postgres");
        run_successfully(&mut shell);
    };
    let create = block_containing("sql", "CREATE DATABASE");
    postgres(&format!("psql --set ON_ERROR_STOP=1 postgres <<'END'\n{create}\nEND"));
    let url = |user: &str, name: &str| {
        let mut url = url.clone();
        url.set_username(user).expect("a URL with a host");
        url.set_path(name);
        url.to_string()
    };
    let original = url("almanac", "almanac");
    stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &original]);
    postgres(block_containing("sh", "pg_dump"));
    let users = |url: &str| stdout_lines(&["user", "list", "--database-url", url]);
    assert_eq!(users(&url("postgres", "restored")), users(&original));
}
