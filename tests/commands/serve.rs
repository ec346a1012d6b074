//! `almanac serve`, `migrate`, `demo` and `purge`.

use std::time::Duration;

use serde_json::json;

use crate::{
    on_both_databases,
    support::{
        program::{ServerProcess, program, run, stderr, stdout_lines},
        raw::RawConnection,
        wait::wait_until,
    },
};

/// Timeout for the end of a server: ten seconds for requests in progress, and a margin for a busy machine.
const PATIENCE: Duration = Duration::from_secs(15);

on_both_databases! {
    async fn first_start_creates_administrator(database) {
        let url = database.url().await;
        let first = ServerProcess::start(&["--database-url", &url]);
        let admin = first.anonymous().with_password("admin", first.password());
        admin.create("/tags", json!({"name": "New"})).await;
        first.signal("TERM");
        assert_eq!(first.wait(PATIENCE).0, Some(0));
        let second = ServerProcess::start(&["--database-url", &url]);
        assert!(second.startup_lines.is_empty(), "{:?}", second.startup_lines);
        second.signal("INT");
        assert_eq!(second.wait(PATIENCE).0, Some(0));
    }

    async fn demo_fills_empty_database_only(database) {
        let url = database.url().await;
        let first = ServerProcess::start(&["--database-url", &url, "--demo"]);
        let events = first.anonymous().get("/events?start_date=2000-01-01&per_page=1").await.is(200);
        assert!(events.body["total"].as_u64() > Some(1000), "{}", events.body["total"]);
        first.signal("TERM");
        let (_, rest) = first.wait(PATIENCE);
        assert!(rest.contains("/calendar/events/v1/events"), "URLs to try are printed: {rest}");
        let second = ServerProcess::start(&["--database-url", &url, "--demo"]);
        assert!(second.startup_lines.iter().any(|line| line.contains("already")), "{:?}", second.startup_lines);
        second.signal("TERM");
        second.wait(PATIENCE);
        let output = run(&["demo", "--events", "10", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("already"));
    }

    async fn concurrent_demo_starts(database) {
        let url = database.empty_url().await;
        let start = || {
            let url = url.clone();
            std::thread::spawn(move || ServerProcess::start(&["--database-url", &url, "--demo"]))
        };
        let servers = [start(), start()].map(|server| server.join().expect("no panic"));
        let count_of = |text: &str| {
            let lines = servers.iter().flat_map(|server| &server.startup_lines);
            lines.filter(|line| line.contains(text)).count()
        };
        assert_eq!(count_of("already"), 1, "only one server fills the database");
        assert_eq!(count_of("administrator: "), 1);
        let mut totals = Vec::new();
        for server in &servers {
            let events = server.anonymous().get("/events?start_date=2000-01-01&per_page=1").await.is(200);
            totals.push(events.body["total"].clone());
        }
        assert_eq!(totals[0], totals[1]);
        let third = ServerProcess::start(&["--database-url", &url, "--demo"]);
        assert!(third.startup_lines.iter().any(|line| line.contains("already")), "{:?}", third.startup_lines);
    }

    async fn demo_event_count(database) {
        let url = database.url().await;
        let printed = stdout_lines(&["demo", "--events", "123", "--database-url", &url]);
        assert!(printed.iter().any(|line| line.starts_with("created 123 events in ")), "{printed:?}");
    }

    async fn purge_beside_running_server(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let admin = server.anonymous().with_password("admin", server.password());
        let venue = admin.create_id("/venues", json!({"venue": "Gone"})).await;
        let kept = admin.create_id("/venues", json!({"venue": "Kept"})).await;
        admin.delete(&format!("/venues/{venue}")).await.is(200);
        let printed = stdout_lines(&["purge", "--database-url", &url]);
        assert_eq!(printed, ["removed 0 events, 1 venues, 0 organizers"]);
        admin.get(&format!("/venues/{venue}")).await.is_error(404, "venue-not-found");
        admin.get(&format!("/venues/{kept}")).await.is(200);
        let next = admin.create_id("/venues", json!({"venue": "New"})).await;
        assert!(next > kept, "IDs are never reused");
    }

    async fn two_servers_share_database(database) {
        let url = database.url().await;
        let one = ServerProcess::start(&["--database-url", &url]);
        let other = ServerProcess::start(&["--database-url", &url]);
        let admin = one.anonymous().with_password("admin", one.password());
        let id = admin.create_id("/venues", json!({"venue": "Shared"})).await;
        other.anonymous().get(&format!("/venues/{id}")).await.is(200);
    }
}

#[tokio::test]
async fn second_signal_aborts_requests() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite://{}/new.db", directory.path().display());
    let server = ServerProcess::start(&["--database-url", &url]);
    let mut raw = RawConnection::connect(&server.address).await;
    // The compatibility root waits for the body, which never arrives, before it authenticates.
    let head = "POST /wp-json/tribe/events/v1/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n";
    raw.send(&format!("{head}Expect: 100-continue\r\n\r\n")).await;
    raw.response().await.is(100);
    server.signal("TERM");
    // /readyz is 503 once the server has handled the first signal.
    wait_until("the server handles the first signal", async || {
        server.anonymous().get("~/readyz").await.status == 503
    })
    .await;
    server.signal("TERM");
    // After one signal, it would wait ten seconds for the body.
    let (code, _) = server.wait(Duration::from_secs(8));
    assert_eq!(code, Some(0));
}

#[test]
fn port_in_use_exits_1() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("a bound address").to_string();
    let output = program(&["serve", "--listen", &address])
        .current_dir(&directory)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&address));
}

#[test]
fn no_migrate_rejects_old_schema() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite://{}/new.db", directory.path().display());
    let output = run(&["serve", "--no-migrate", "--database-url", &url]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("almanac migrate"), "{}", stderr(&output));
    stdout_lines(&["migrate", "--database-url", &url]);
    let server = ServerProcess::start(&["--no-migrate", "--database-url", &url]);
    server.signal("TERM");
    assert_eq!(server.wait(PATIENCE).0, Some(0));
}

#[tokio::test]
async fn boolean_environment_variables() {
    for (value, is_set) in [
        ("1", true),
        ("true", true),
        ("yes", true),
        ("ON", true),
        ("0", false),
        ("false", false),
        ("no", false),
        ("", false),
    ] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let server = ServerProcess::spawn(
            program(&["serve"])
                .current_dir(&directory)
                .env("ALMANAC_LISTEN", "127.0.0.1:0")
                .env("ALMANAC_NO_WORDPRESS_COMPAT", value),
        );
        let status = if is_set { 404 } else { 200 };
        server.anonymous().get("~/wp-json").await.is(status);
    }
}

#[test]
fn empty_variable_is_absent() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let help = stdout_lines(&["serve", "--help"]).join(" ");
    let variables: Vec<&str> = help
        .split("[env: ")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('=')?.0))
        .filter(|name| *name != "ALMANAC_LISTEN")
        .collect();
    assert!(variables.len() >= 15, "{variables:?}");
    let mut command = program(&["serve"]);
    command.current_dir(&directory).env("ALMANAC_LISTEN", "127.0.0.1:0");
    for name in variables {
        command.env(name, "");
    }
    let server = ServerProcess::spawn(&mut command);
    assert!(directory.path().join("almanac.db").exists(), "the default database");
    drop(server);
}

#[tokio::test]
async fn flags_from_environment() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = ServerProcess::spawn(
        program(&["serve"])
            .current_dir(&directory)
            .env("ALMANAC_LISTEN", "127.0.0.1:0")
            .env("ALMANAC_VARIANT", "a")
            .env("ALMANAC_MAX_PER_PAGE", "3")
            .env("ALMANAC_BASE_URL", "https://calendar.example.org/"),
    );
    let list = server.anonymous().get("/events").await.is(200);
    assert_eq!(
        list.body["rest_url"],
        "https://calendar.example.org/calendar/events/v1/events"
    );
    assert!(directory.path().join("almanac.db").exists(), "the default database");
}
