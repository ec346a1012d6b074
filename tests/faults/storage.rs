//! What must hold while the storage refuses writes, and once it takes them again.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Answer, Client, program::Serving};

/// Small writes that follow the first refusal.
const SMALL_WRITES: usize = 40;
/// How long the server may take until it has recovered, on a busy machine.
const RECOVERY: Duration = Duration::from_secs(30);

/// How a server refuses writes for a reason.
pub struct Refusal {
    pub status: u16,
    pub code: &'static str,
    /// The label of the metric.
    pub kind: &'static str,
}

pub const DISK_FULL: Refusal = Refusal {
    status: 507,
    code: "rest_insufficient_storage",
    kind: "disk_full",
};

pub const IO_ERROR: Refusal = Refusal {
    status: 503,
    code: "rest_unavailable",
    kind: "io",
};

/// The paths of objects whose creation was acknowledged.
type Acknowledged = Vec<String>;

/// Runs a server through a fault of its storage, which `begin` and `end` bring about. Whatever was acknowledged must be
/// there: at once, afterwards, and after a restart.
pub async fn acknowledged_writes_are_stored(
    url: &str,
    refusal: &Refusal,
    begin: impl FnOnce(&Serving),
    end: impl FnOnce(&Serving),
) {
    let arguments = ["--database-url", url, "--timezone", "UTC"];
    let serving = Serving::start(&arguments);
    let admin = serving.anonymous().with_password("admin", serving.password());
    let mut acknowledged = vec![created(&small_write(&admin).await.is(201))];

    begin(&serving);
    write_until_refused(&admin, refusal, &mut acknowledged).await;
    for _ in 0..SMALL_WRITES {
        let answer = small_write(&admin).await;
        match answer.status.as_u16() {
            201 => {
                let path = created(&answer);
                admin.get(&path).await.is(200);
                acknowledged.push(path);
            }
            503 | 507 => {}
            other => panic!("{other}: {}", answer.text),
        }
    }
    read_all(&serving, &acknowledged).await;
    assert_not_locked(url);
    let metrics = serving.anonymous().get("~/metrics").await.is(200).text;
    assert!(storage_failures(&metrics, refusal.kind) > 0, "{metrics}");

    end(&serving);
    write_until_accepted(&admin, &mut acknowledged).await;
    assert_eq!(writes(&serving).await, "accepted");
    read_all(&serving, &acknowledged).await;

    serving.signal("KILL");
    drop(serving);
    read_all(&Serving::start(&arguments), &acknowledged).await;
}

/// How many requests have failed for a reason.
pub fn storage_failures(metrics: &str, kind: &str) -> u32 {
    let counter = format!("almanac_storage_failures_total{{kind=\"{kind}\"}} ");
    let value = metrics.lines().find_map(|line| line.strip_prefix(&counter));
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// What the readiness of the server says of writes.
pub async fn writes(serving: &Serving) -> String {
    let answer = serving.anonymous().get("~/readyz").await.is(200);
    answer.body["writes"].as_str().unwrap_or_default().to_owned()
}

/// Writes much until that is refused, and looks at once at what the server says of its readiness: it may find at any
/// time that there is still room for a little.
async fn write_until_refused(admin: &Client, refusal: &Refusal, acknowledged: &mut Acknowledged) {
    let mut refused = 0;
    for number in 0..1000 {
        let answer = large_write(admin, number).await;
        if answer.status == 201 {
            acknowledged.push(created(&answer));
            continue;
        }
        answer.is_error(refusal.status, refusal.code);
        let ready = admin.get("~/readyz").await.is(200);
        if ready.body["writes"] == "refused" {
            assert!(ready.body["since"].is_string(), "{}", ready.text);
            assert!(ready.body["reason"].is_string(), "{}", ready.text);
            return;
        }
        refused += 1;
        assert!(refused < 10, "writes are refused, and /readyz does not say so");
    }
    panic!("no write was refused");
}

async fn write_until_accepted(admin: &Client, acknowledged: &mut Acknowledged) {
    let until = Instant::now() + RECOVERY;
    loop {
        let answer = large_write(admin, 0).await;
        if answer.status == 201 {
            return acknowledged.push(created(&answer));
        }
        assert!(Instant::now() < until, "no recovery: {}", answer.text);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn read_all(serving: &Serving, acknowledged: &Acknowledged) {
    let client = serving.anonymous();
    client.get("/events?start_date=2000-01-01").await.is(200);
    for path in acknowledged {
        client.get(path).await.is(200);
    }
}

/// Another process can write to the SQLite file: no transaction was left open. PostgreSQL has no such lock.
fn assert_not_locked(url: &str) {
    let Some(file) = url.strip_prefix("sqlite://") else {
        return;
    };
    let other = rusqlite::Connection::open(file).expect("the file is there");
    other.busy_timeout(Duration::from_secs(5)).expect("a timeout");
    other
        .execute_batch("BEGIN IMMEDIATE; ROLLBACK")
        .expect("the file is not locked");
}

async fn small_write(admin: &Client) -> Answer {
    let tag = json!({"name": format!("Tag {}", rand::random::<u64>())});
    admin.post("/tags", tag).await
}

/// Creates an event with a text that no database can compress.
async fn large_write(admin: &Client, number: usize) -> Answer {
    let words: Vec<String> = (0..1500).map(|_| format!("{:x}", rand::random::<u64>())).collect();
    let event = json!({
        "title": format!("Event {number}"),
        "description": words.join(" "),
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
    });
    admin.post("/events", event).await
}

fn created(answer: &Answer) -> String {
    let url = answer.body["rest_url"].as_str();
    // The port changes with each start.
    url.or(answer.body["urls"]["self"].as_str())
        .and_then(|url| url.split_once("/v1"))
        .map(|(_, path)| path.to_owned())
        .expect("the address of a new object")
}
