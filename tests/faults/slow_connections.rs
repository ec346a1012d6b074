//! Clients that connect, and then send or read nothing or very slowly.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    repetitions,
    support::{
        program::{ServerProcess, sqlite_url, with_open_files},
        raw::RawConnection,
    },
};

const GET: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Tolerance for a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// A server with this limit on open files, and the path of its log.
fn start_with_open_files(directory: &Path, files: u32, flags: &[&str]) -> (ServerProcess, std::path::PathBuf) {
    let (url, log) = (sqlite_url(directory), directory.join("log"));
    let mut arguments = vec!["serve", "--listen", "127.0.0.1:0", "--database-url", &url];
    arguments.extend(flags);
    (ServerProcess::spawn(&mut with_open_files(files, &log, &arguments)), log)
}

/// Sends a byte every two seconds until the connection is closed. Returns the time until then.
async fn send_slowly(address: &str, beginning: &str) -> Duration {
    let mut raw = RawConnection::connect(address).await;
    let begun = Instant::now();
    raw.send(beginning).await;
    while begun.elapsed() < Duration::from_secs(60) {
        if raw.closes_within(Duration::from_secs(2)).await || raw.try_send("x").await.is_err() {
            return begun.elapsed();
        }
    }
    panic!("the connection is still open after a minute");
}

/// CPU time of a process, in hundredths of a second.
fn cpu_time(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    let mut times = fields.split(' ').skip(11).take(2);
    times.by_ref().map(|time| time.parse::<u64>().expect("a number")).sum()
}

/// Resident memory of a process, in KiB.
pub(crate) fn resident_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().nth(1));
    words.and_then(|word| word.parse().ok()).expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn default_timeouts_close_slow_connections() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&[]);
    let address = &server.address;
    let body = "POST /wp-json/tribe/events/v1/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{";
    let times = tokio::join!(
        send_slowly(address, "GET / HTTP/1.1\r\nX-Slow: "),
        send_slowly(address, body),
        async {
            let begun = Instant::now();
            assert!(RawConnection::connect(address).await.closes().await);
            begun.elapsed()
        },
    );
    for time in [times.0, times.1, times.2] {
        assert!(time >= Duration::from_secs(9), "{time:?}");
        assert!(time <= Duration::from_secs(10) + SOON, "{time:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hanging_connections_are_evicted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (server, log) = start_with_open_files(directory.path(), 256, &[]);
    let mut hanging = Vec::new();
    for number in 0..repetitions(300) {
        let mut raw = RawConnection::connect(&server.address).await;
        if number % 2 == 0 {
            // The connection may have been evicted already.
            let _ = raw.try_send("GET / HTTP/1.1\r\n").await;
        }
        hanging.push(raw);
    }
    for _ in 0..90 {
        let mut raw = RawConnection::connect(&server.address).await;
        raw.send(GET).await;
        raw.response().await.is(200);
    }
    let log = fs::read_to_string(log).expect("a log");
    assert!(!log.contains("could not be accepted"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accept_errors_are_logged_and_do_not_spin() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // The flag allows more connections than the limit on open files.
    let (server, log) = start_with_open_files(directory.path(), 120, &["--max-connections", "1000"]);
    let mut hanging = Vec::new();
    for _ in 0..300 {
        hanging.push(RawConnection::connect(&server.address).await);
    }
    let before = cpu_time(server.id());
    sleep(Duration::from_secs(3)).await;
    let used = cpu_time(server.id()) - before;
    assert!(used < 100, "{used} hundredths of a second of CPU time in three seconds");
    let text = fs::read_to_string(&log).expect("a log");
    assert!(text.contains("could not be accepted"), "{text}");
    let lines = text.lines().filter(|line| line.contains("could not be accepted"));
    assert!(lines.count() < 60, "{text}");
    let mut raw = RawConnection::connect(&server.address).await;
    raw.send(GET).await;
    raw.response().await.is(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_responses_take_bounded_memory() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&[]);
    let admin = server.anonymous().with_password("admin", server.password());
    for number in 0..60 {
        let event = json!({
            "title": format!("Event {number}"), "description": "word ".repeat(16_000),
            "start_date": "2027-03-01 09:00", "end_date": "2027-03-01 10:00",
        });
        admin.create("/events", event).await;
    }
    let credentials = STANDARD.encode(format!("admin:{}", server.password()));
    let get = format!(
        "GET /calendar/events/v1/events?per_page=100&start_date=2027-01-01 HTTP/1.1\r\nHost: localhost\r\n\
         Authorization: Basic {credentials}\r\n\r\n"
    );
    let mut alone = RawConnection::connect(&server.address).await;
    alone.send(&get).await;
    let size = alone.response().await.is(200).text.len() as u64;
    drop(alone);
    let before = resident_memory(server.id());
    let clients = 100;
    let mut silent = Vec::new();
    let mut peak = 0;
    for _ in 0..clients {
        let mut raw = RawConnection::connect(&server.address).await;
        // Two responses exceed the socket buffers.
        raw.send(&get.repeat(2)).await;
        silent.push(raw);
        sleep(Duration::from_millis(400)).await;
        peak = peak.max(resident_memory(server.id()).saturating_sub(before));
    }
    println!("{clients} unread responses of {size} bytes take at most {peak} KiB");
    assert!(peak < clients * size / 1024 / 2, "{peak} KiB");
}
