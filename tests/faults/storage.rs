//! Invariants while the storage rejects writes, and after it has recovered.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Client, Response, program::ServerProcess};

/// Number of small writes after the first failure.
const SMALL_WRITES: usize = 40;
/// Timeout for the recovery, on a busy machine.
const RECOVERY: Duration = Duration::from_secs(30);

/// How a server reports failed writes.
pub(crate) struct Failure {
    pub status: u16,
    pub code: &'static str,
    /// The label `kind` of the metric.
    pub kind: &'static str,
}

pub(crate) const DISK_FULL: Failure = Failure {
    status: 507,
    code: "rest_insufficient_storage",
    kind: "disk_full",
};

pub(crate) const IO_ERROR: Failure = Failure {
    status: 503,
    code: "rest_unavailable",
    kind: "io",
};

/// The paths of objects whose creation was acknowledged.
pub(crate) type Acknowledged = Vec<String>;

/// Asserts that all acknowledged writes are readable during a storage fault, which `begin` and `end` control, after it,
/// and after a restart.
pub(crate) async fn acknowledged_writes_are_stored(
    url: &str,
    expected: &Failure,
    begin: impl FnOnce(&ServerProcess),
    end: impl FnOnce(&ServerProcess),
) {
    let arguments = ["--database-url", url, "--timezone", "UTC"];
    let server = ServerProcess::start(&arguments);
    let admin = server.anonymous().with_password("admin", server.password());
    let mut acknowledged = vec![created_path(&small_write(&admin).await.is(201))];

    begin(&server);
    write_until_rejected(&admin, expected, &mut acknowledged).await;
    for _ in 0..SMALL_WRITES {
        let response = small_write(&admin).await;
        match response.status.as_u16() {
            201 => {
                let path = created_path(&response);
                admin.get(&path).await.is(200);
                acknowledged.push(path);
            }
            503 | 507 => {}
            other => panic!("{other}: {}", response.text),
        }
    }
    read_all(&server, &acknowledged).await;
    assert_not_locked(url);
    let metrics = server.anonymous().get("~/metrics").await.is(200).text;
    assert!(storage_failures(&metrics, expected.kind) > 0, "{metrics}");

    end(&server);
    write_until_accepted(&admin, &mut acknowledged).await;
    assert_eq!(write_state(&server).await, "accepted");
    read_all(&server, &acknowledged).await;

    server.signal("KILL");
    drop(server);
    read_all(&ServerProcess::start(&arguments), &acknowledged).await;
}

/// The metric of failed requests of this kind.
pub(crate) fn storage_failures(metrics: &str, kind: &str) -> u32 {
    let counter = format!("almanac_storage_failures_total{{kind=\"{kind}\"}} ");
    let value = metrics.lines().find_map(|line| line.strip_prefix(&counter));
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// The member `writes` of `/readyz`.
pub(crate) async fn write_state(server: &ServerProcess) -> String {
    let response = server.anonymous().get("~/readyz").await.is(200);
    response.body["writes"].as_str().unwrap_or_default().to_owned()
}

/// Sends large writes until one fails and `/readyz` reports it. The first failures may not be reported yet, because the
/// server may find that there is still space for small writes.
async fn write_until_rejected(admin: &Client, expected: &Failure, acknowledged: &mut Acknowledged) {
    let mut failures = 0;
    for number in 0..1000 {
        let response = large_write(admin, number).await;
        if response.status == 201 {
            acknowledged.push(created_path(&response));
            continue;
        }
        response.is_error(expected.status, expected.code);
        let ready = admin.get("~/readyz").await.is(200);
        if ready.body["writes"] == "refused" {
            assert!(ready.body["since"].is_string(), "{}", ready.text);
            assert!(ready.body["reason"].is_string(), "{}", ready.text);
            return;
        }
        failures += 1;
        assert!(failures < 10, "/readyz does not report that writes fail");
    }
    panic!("no write failed");
}

pub(crate) async fn write_until_accepted(admin: &Client, acknowledged: &mut Acknowledged) {
    let until = Instant::now() + RECOVERY;
    loop {
        let response = large_write(admin, 0).await;
        if response.status == 201 {
            return acknowledged.push(created_path(&response));
        }
        assert!(Instant::now() < until, "no recovery: {}", response.text);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn read_all(server: &ServerProcess, acknowledged: &Acknowledged) {
    let client = server.anonymous();
    client.get("/events?start_date=2000-01-01").await.is(200);
    for path in acknowledged {
        client.get(path).await.is(200);
    }
}

/// Asserts that another process can write to the SQLite file, so that no transaction is open. PostgreSQL has no such
/// lock.
fn assert_not_locked(url: &str) {
    let Some(file) = url.strip_prefix("sqlite://") else {
        return;
    };
    let other = rusqlite::Connection::open(file).expect("the file exists");
    other.busy_timeout(Duration::from_secs(5)).expect("a timeout");
    other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").expect("no lock");
}

async fn small_write(admin: &Client) -> Response {
    let tag = json!({"name": format!("Tag {}", rand::random::<u64>())});
    admin.post("/tags", tag).await
}

/// Creates an event with a text that cannot be compressed.
pub(crate) async fn large_write(admin: &Client, number: usize) -> Response {
    let words: Vec<String> = (0..1500).map(|_| format!("{:x}", rand::random::<u64>())).collect();
    let event = json!({
        "title": format!("Event {number}"),
        "description": words.join(" "),
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
    });
    admin.post("/events", event).await
}

/// The path of the created object.
pub(crate) fn created_path(response: &Response) -> String {
    let url = response.body["rest_url"].as_str();
    // The port changes with each restart.
    url.or(response.body["urls"]["self"].as_str())
        .and_then(|url| url.split_once("/v1"))
        .map(|(_, path)| path.to_owned())
        .expect("the URL of the object")
}
