//! PostgreSQL that is stopped, frozen or read-only while a server runs, or missing when it starts.

use std::{
    future::Future,
    io::{BufRead, BufReader},
    process::Stdio,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, Database};
use serde_json::json;

use crate::support::{
    Client, Response,
    cluster::{Afterwards, Cluster},
    postgres::programs,
    program::{ServerProcess, program, run, stderr},
};

/// Limit on a busy machine for what is guaranteed within a second. Without the circuit breaker it took ten to twelve.
const SOON: Duration = Duration::from_secs(4);
/// Limit on a busy machine for what does not wait at all.
const AT_ONCE: Duration = Duration::from_millis(1500);
/// Number of concurrent requests: more than the server has database connections.
const REQUESTS: usize = 20;

const SETTINGS: [&str; 2] = ["fsync=off", "autovacuum=off"];

/// A server on a private cluster, which can fail without affecting other tests.
struct Fixture {
    server: ServerProcess,
    writer: Client,
    port: u16,
    cluster: Option<Cluster>,
    /// Declared last, so that it is removed after the cluster has stopped.
    directory: tempfile::TempDir,
}

impl Fixture {
    /// None if PostgreSQL is not installed. Then the calling test is skipped.
    fn start() -> Option<Self> {
        let programs = programs()?;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cluster = Cluster::start(&programs, directory.path(), &SETTINGS, Afterwards::Keep);
        let port = cluster.port;
        let server = ServerProcess::start(&["--database-url", &url(port)]);
        let writer = server.anonymous().with_password("admin", server.password());
        Some(Self {
            directory,
            cluster: Some(cluster),
            port,
            server,
            writer,
        })
    }

    fn cluster(&self) -> &Cluster {
        self.cluster.as_ref().expect("a running cluster")
    }

    fn stop_cluster(&mut self) {
        drop(self.cluster.take());
    }

    fn start_cluster(&mut self) {
        let programs = programs().expect("PostgreSQL is installed");
        self.cluster = Cluster::start_on(self.port, &programs, self.directory.path(), &SETTINGS, Afterwards::Keep);
        assert!(self.cluster.is_some(), "another process has taken the port");
    }

    /// Opens all connections of the server's pools.
    async fn warm_up(&self) {
        for response in join_all((0..REQUESTS).map(|_| self.read())).await {
            response.is(200);
        }
        self.write().await.is(201);
    }

    /// A read that bypasses the response cache.
    async fn read(&self) -> Response {
        self.writer.get("/events").await
    }

    async fn write(&self) -> Response {
        let tag = json!({"name": format!("Tag {}", rand::random::<u64>())});
        self.writer.post("/tags", tag).await
    }

    /// Asserts the responses while the database is unavailable.
    async fn assert_unavailable(&self) {
        let all = join_all((0..REQUESTS).map(|_| self.read()));
        for response in within(SOON, all).await {
            response.is_error(503, "rest_unavailable");
        }
        let anonymous = self.server.anonymous();
        for (path, status) in [
            ("/events", 503),
            ("~/readyz", 503),
            ("~/healthz", 200),
            ("~/explorer", 200),
            ("~/metrics", 200),
        ] {
            within(AT_ONCE, anonymous.get(path)).await.is(status);
        }
        within(AT_ONCE, self.write()).await.is(503);
        let metrics = anonymous.get("~/metrics").await.text;
        assert!(metrics.contains("almanac_circuit_breaker_open 1"), "{metrics}");
    }

    async fn assert_available_soon(&self) {
        let available = async {
            while self.read().await.status != 200 || self.write().await.status != 201 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        within(SOON, available).await;
        self.server.anonymous().get("~/readyz").await.is(200);
        self.warm_up().await;
    }
}

fn url(port: u16) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/postgres")
}

/// Awaits the result, and fails after this limit.
async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let done = tokio::time::timeout(limit, work).await;
    eprintln!("took {:?}", started.elapsed());
    done.expect("a result within the limit")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_database_is_503_at_once() {
    let Some(mut fixture) = Fixture::start() else {
        return;
    };
    fixture.warm_up().await;
    fixture.stop_cluster();
    fixture.assert_unavailable().await;
    fixture.start_cluster();
    fixture.assert_available_soon().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frozen_database_is_503_within_a_second() {
    let Some(fixture) = Fixture::start() else {
        return;
    };
    fixture.warm_up().await;
    fixture.cluster().signal("STOP");
    fixture.assert_unavailable().await;
    fixture.cluster().signal("CONT");
    fixture.assert_available_soon().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_check_ignores_frozen_database() {
    let Some(fixture) = Fixture::start() else {
        return;
    };
    fixture.warm_up().await;
    fixture.cluster().signal("STOP");
    // There have been no requests since, so the server has not noticed yet.
    let anonymous = fixture.server.anonymous();
    within(AT_ONCE, anonymous.get("~/healthz")).await.is(200);
    within(SOON, anonymous.get("~/readyz")).await.is(503);
    fixture.cluster().signal("CONT");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_statements_end_on_freeze() {
    let Some(fixture) = Fixture::start() else {
        return;
    };
    fixture.warm_up().await;
    let direct = Database::connect(url(fixture.port)).await.expect("a connection");
    direct
        .execute_unprepared("BEGIN; LOCK TABLE tags")
        .await
        .expect("a lock");
    let blocked = async {
        tokio::join!(fixture.write(), async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            fixture.cluster().signal("STOP");
        })
    };
    let (response, ()) = within(SOON, blocked).await;
    response.is(503);
    fixture.cluster().signal("CONT");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_only_database_rejects_writes() {
    let Some(fixture) = Fixture::start() else {
        return;
    };
    fixture.warm_up().await;
    let direct = Database::connect(url(fixture.port)).await.expect("a connection");
    let run = async |statement: &str| {
        let result = direct.execute_unprepared(statement).await;
        result.expect("the statement runs");
    };
    let text = async |statement: &str| -> String {
        let statement = sea_orm::Statement::from_string(sea_orm::DbBackend::Postgres, statement.to_owned());
        let row = direct.query_one_raw(statement).await.expect("a result");
        row.expect("a row").try_get_by(0).expect("text")
    };
    // The backends that the server has used since then.
    let connections = async |since: &str| -> String {
        let pids = format!(
            "SELECT coalesce(string_agg(pid::text, ' ' ORDER BY pid), '') FROM pg_stat_activity \
             WHERE application_name = 'almanac' AND query_start > '{since}'"
        );
        text(&pids).await
    };
    run("ALTER SYSTEM SET default_transaction_read_only = on").await;
    run("SELECT pg_reload_conf()").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = connections("-infinity").await;
    within(AT_ONCE, fixture.write()).await.is_error(503, "rest_unavailable");
    let rejected_at = text("SELECT clock_timestamp()::text").await;
    // No old connection is reused: after a failover, new ones reach the new primary.
    for _ in 0..REQUESTS {
        fixture.read().await.is(200);
    }
    let after = connections(&rejected_at).await;
    assert_ne!(after, "");
    let kept = after.split(' ').find(|pid| before.split(' ').any(|old| old == *pid));
    assert_eq!(kept, None, "before: {before}, after: {after}");
    run("ALTER SYSTEM RESET default_transaction_read_only").await;
    run("SELECT pg_reload_conf()").await;
    fixture.assert_available_soon().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_waits_for_database() {
    let Some(mut fixture) = Fixture::start() else {
        return;
    };
    fixture.stop_cluster();
    let address = url(fixture.port);
    let mut child = program(&["serve", "--listen", "127.0.0.1:0", "--database-url", &address])
        .args(["--database-wait", "2min"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let errors = child.stderr.take().expect("a pipe");
    let mut errors = BufReader::new(errors).lines();
    let line = errors
        .find_map(|line| line.ok().filter(|line| line.contains("can't connect")))
        .expect("a log line about the failed connection");
    assert!(line.contains(&format!("127.0.0.1:{}", fixture.port)), "{line}");
    assert!(line.to_lowercase().contains("refused"), "{line}");
    fixture.start_cluster();
    let output = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(output).lines();
    let listens = lines.any(|line| line.is_ok_and(|line| line.starts_with("listening on ")));
    assert!(listens, "the server starts once the database is available");
    child.kill().expect("a running process");
    child.wait().expect("an exit status");
}

#[test]
fn start_gives_up_after_database_wait() {
    let closed = "postgres://ann:s3cret@127.0.0.1:1/calendar";
    for command in ["serve", "migrate"] {
        let output = run(&[command, "--database-url", closed, "--database-wait", "300ms"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error = stderr(&output);
        assert!(error.contains("127.0.0.1:1"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}
