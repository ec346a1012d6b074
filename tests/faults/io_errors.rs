//! I/O errors of the disk.

use std::{
    cell::RefCell,
    fs,
    os::unix::fs::FileExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    storage::{DISK_FULL, Failure, IO_ERROR, acknowledged_writes_are_stored, storage_failures},
    support::{
        program::{ServerProcess, sqlite_url},
        skipped::skip,
    },
};

/// Injects errors into the system calls of a server on the files of its database, with strace.
struct Injection(Child);

impl Injection {
    fn begin(server: &ServerProcess, file: &Path, calls: &str, error: &str) -> Self {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-o", "/dev/null", "-e"]);
        strace.arg(format!("trace={calls}"));
        strace.arg("-e").arg(format!("inject={calls}:error={error}"));
        for suffix in ["", "-wal"] {
            strace.arg("-P").arg(format!("{}{suffix}", file.display()));
        }
        let child = strace
            .args(["-p", &server.id().to_string()])
            .stderr(Stdio::null())
            .spawn()
            .expect("strace starts");
        let until = Instant::now() + Duration::from_secs(20);
        while !is_traced(server.id()) {
            assert!(Instant::now() < until, "strace does not attach");
            sleep(Duration::from_millis(20));
        }
        Self(child)
    }

    fn end(mut self) {
        let id = self.0.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(sent.expect("kill starts").success());
        self.0.wait().expect("strace ends");
    }
}

/// Whether strace is installed, and may trace processes. If not, the calling test is skipped.
fn may_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    let may = traced.is_ok_and(|status| status.success());
    if !may {
        skip("strace is not installed, or may not trace processes");
    }
    may
}

fn is_traced(process: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the process runs");
    threads.flatten().all(|thread| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        !status.contains("TracerPid:\t0\n")
    })
}

/// Runs [`acknowledged_writes_are_stored`] while these system calls fail with this error.
async fn inject(calls: &str, error: &str, expected: &Failure) {
    if !may_trace() {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("almanac.db");
    let url = format!("sqlite://{}", file.display());
    let mut injection = None;
    let slot = RefCell::new(&mut injection);
    let begin = |server: &_| {
        **slot.borrow_mut() = Some(Injection::begin(server, &file, calls, error));
    };
    let end = |_: &_| {
        let injection = slot.borrow_mut().take();
        injection.expect("an injection").end();
    };
    acknowledged_writes_are_stored(&url, expected, begin, end).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_writes_rejected() {
    inject("write,pwrite64", "EIO", &IO_ERROR).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_syncs_rejected() {
    inject("fdatasync,fsync", "EIO", &IO_ERROR).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_without_space_rejected() {
    inject("write,pwrite64", "ENOSPC", &DISK_FULL).await;
}

/// Writing over the limit also raises SIGXFSZ, which terminates a process that does not handle it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_over_file_size_limit_rejected() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = sqlite_url(directory.path());
    let limit = |size: &str, server: &ServerProcess| {
        let set = Command::new("prlimit")
            .args(["--pid", &server.id().to_string()])
            .arg(format!("--fsize={size}:unlimited"))
            .status();
        assert!(set.expect("prlimit starts").success());
    };
    let begin = |server: &_| limit("1500000", server);
    let end = |server: &_| limit("unlimited", server);
    acknowledged_writes_are_stored(&url, &IO_ERROR, begin, end).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_file_is_503() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("almanac.db");
    let url = format!("sqlite://{}", file.display());
    let arguments = ["--database-url", url.as_str()];
    let first = ServerProcess::start(&arguments);
    let password = first.password().to_owned();
    first.signal("TERM");
    first.wait(Duration::from_secs(30));

    let server = ServerProcess::start(&arguments);
    let size = fs::metadata(&file).expect("the file exists").len();
    let damaged = fs::OpenOptions::new().write(true).open(&file);
    // The first page stays: it identifies SQLite files.
    let noise = vec![0xa5; usize::try_from(size - 4096).expect("a small file")];
    damaged
        .expect("a writable file")
        .write_all_at(&noise, 4096)
        .expect("a write");
    let admin = server.anonymous().with_password("admin", &password);
    let read = admin.get("/events").await;
    read.is_error(503, "rest_unavailable");
    let write = admin.post("/tags", json!({"name": "New"})).await;
    write.is_error(503, "rest_unavailable");
    let metrics = server.anonymous().get("~/metrics").await.is(200).text;
    assert_eq!(storage_failures(&metrics, "corrupt"), 2, "{metrics}");
    server.anonymous().get("~/healthz").await.is(200);
}
