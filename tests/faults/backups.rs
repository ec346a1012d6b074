//! Backups under load, and restores and imports that are killed.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::RwLock;

use crate::{
    on_both_databases, repetitions,
    support::{
        Client,
        program::{ServerProcess, program, run, stdout_lines},
    },
};

/// The number of concurrent writers.
const WRITERS: usize = 8;
/// The number of writes between two backups.
const WRITES: u32 = 20;
/// The pause between two writes of a writer. It bounds the size of the calendar, and thus the time of each round.
const PAUSE: Duration = Duration::from_millis(20);
/// Timeout for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Creates events until it is told to stop, except while `is_suspended` is locked for writing, and notes the IDs of
/// acknowledged ones.
async fn create(
    client: Client,
    is_stopped: Arc<AtomicBool>,
    is_suspended: Arc<RwLock<()>>,
    acknowledged: Arc<Mutex<Vec<i64>>>,
) {
    while !is_stopped.load(Ordering::Relaxed) {
        tokio::time::sleep(PAUSE).await;
        let _writing = is_suspended.read().await;
        let event = json!({
            "title": "An event", "start_date": "2027-03-01 09:00", "end_date": "2027-03-01 10:00",
            "venue": {"venue": "Hall"}, "categories": ["Music"], "tags": ["new"],
        });
        let id = client.create_id("/events", event).await;
        acknowledged.lock().expect("no panic").push(id);
    }
}

async fn wait_for_writes(acknowledged: &Mutex<Vec<i64>>, count: usize) -> Vec<i64> {
    let until = Instant::now() + PATIENCE;
    loop {
        let so_far = acknowledged.lock().expect("no panic").clone();
        if so_far.len() >= count {
            return so_far;
        }
        assert!(Instant::now() < until, "too few acknowledged writes");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn export(url: &str) -> String {
    let output = run(&["export", "--database-url", url]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn assert_well(url: &str) {
    let printed = stdout_lines(&["check", "--database-url", url]);
    assert_eq!(printed.last().map(String::as_str), Some("all is well"), "{printed:?}");
}

on_both_databases! {
    async fn backup_under_load_has_acknowledged_writes(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let is_stopped = Arc::new(AtomicBool::new(false));
        let is_suspended = Arc::<RwLock<()>>::default();
        let acknowledged = Arc::<Mutex<Vec<i64>>>::default();
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                let client = server.anonymous().with_password("admin", server.password());
                tokio::spawn(create(client, is_stopped.clone(), is_suspended.clone(), acknowledged.clone()))
            })
            .collect();
        let directory = tempfile::tempdir().expect("a temporary directory");
        for round in 0..repetitions(20) {
            let before = wait_for_writes(&acknowledged, ((round + 1) * WRITES) as usize).await;
            let file = directory.path().join(format!("{round}.almanac"));
            let (backup_url, backup_file) = (url.clone(), file.clone());
            let backing_up = tokio::task::spawn_blocking(move || {
                stdout_lines(&["backup", text(&backup_file), "--database-url", &backup_url])
            });
            backing_up.await.expect("the backup succeeds");
            // Events created during the rest of a round would add to the time of the next one, which would grow without
            // bound on a fast disk.
            let _suspended = is_suspended.write().await;
            let target = database.empty_url().await;
            stdout_lines(&["restore", text(&file), "--database-url", &target]);
            assert_well(&target);
            let restored = export(&target);
            for id in before {
                assert!(restored.contains(&format!("{{\"kind\":\"event\",\"id\":{id},")), "round {round}: event {id}");
            }
        }
        is_stopped.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await.expect("no write has failed");
        }
    }

    async fn killed_import_and_restore_leave_nothing_behind(database) {
        let source = database.empty_url().await;
        stdout_lines(&["demo", "--events", "3000", "--database-url", &source]);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (all, backup) = (directory.path().join("all.ndjson"), directory.path().join("a.almanac"));
        let expected = export(&source);
        std::fs::write(&all, &expected).expect("a file");
        stdout_lines(&["backup", text(&backup), "--database-url", &source]);
        let imported = database.empty_url().await;
        let restored = database.empty_url().await;
        let import = ["import", "ndjson", text(&all), "--database-url", &imported];
        let restore = ["restore", text(&backup), "--database-url", &restored];
        let killed = AtomicU32::new(0);
        for round in 0..repetitions(20) {
            for arguments in [&import[..], &restore[..]] {
                let mut process = program(arguments).spawn().expect("the program starts");
                // It may have ended. Then there is nothing to kill, and further ones are refused.
                thread::sleep(Duration::from_millis(u64::from(round % 20) * 15));
                if process.try_wait().expect("a status").is_none() {
                    killed.fetch_add(1, Ordering::Relaxed);
                }
                process.kill().expect("it can be killed");
                process.wait().expect("an exit status");
            }
        }
        assert!(killed.into_inner() > 0, "no process was killed");
        for (url, arguments) in [(&imported, &import[..]), (&restored, &restore[..])] {
            let output = run(arguments);
            // It has succeeded before if it was not killed in time.
            assert!(output.status.success() || output.status.code() == Some(1), "{output:?}");
            assert!(export(url) == expected, "the calendars differ");
            assert_well(url);
        }
    }
}
