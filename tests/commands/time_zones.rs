//! Time zone rules: `--tzdata`, servers with different releases on one database, and `almanac check`.

use std::{
    thread,
    time::{Duration, Instant},
};

use almanac::testing::calendar::tzdb::BUNDLED;
use serde_json::{Value, json};

use crate::{
    on_both_databases,
    support::{
        Client, Response,
        program::{ServerProcess, run, stderr, stdout_lines},
        tzdata::{path, release},
    },
};

/// Timeout for a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until the event starts at this UTC time.
async fn wait_for_start(client: &Client, event: &str, utc: &str) -> Value {
    let started = Instant::now();
    loop {
        let body = client.get(event).await.is(200).body;
        if body["utc_start_date"] == utc {
            return body;
        }
        assert!(started.elapsed() < PATIENCE, "the start is {}", body["utc_start_date"]);
        thread::sleep(Duration::from_millis(50));
    }
}

/// The version in an ETag.
fn version(response: &Response) -> i64 {
    let tag = response.header("etag").trim_matches('"');
    tag.split('-')
        .next()
        .and_then(|version| version.parse().ok())
        .expect("a version")
}

on_both_databases! {
    async fn newer_rules_move_instants(database) {
        let url = database.url().await;
        let first = ServerProcess::start(&["--database-url", &url]);
        let password = first.password().to_owned();
        let admin = first.anonymous().with_password("admin", &password);
        let body = json!({
            "title": "Noon", "start_date": "2027-01-15 12:00:00", "end_date": "2027-01-15 13:00:00",
            "timezone": "Europe/Berlin",
        });
        let event = format!("/events/{}", admin.create_id("/events", body).await);
        let before = admin.get(&event).await.is(200);
        assert_eq!(before.body["utc_start_date"], "2027-01-15 11:00:00");

        // A release in which Berlin has the rules of London.
        let london = release("2099a", &[("Europe/Berlin", "Europe/London")]);
        let newer = ServerProcess::start(&["--database-url", &url, "--tzdata", path(&london)]);
        let admin = newer.anonymous().with_password("admin", &password);
        let moved = wait_for_start(&admin, &event, "2027-01-15 12:00:00").await;
        assert_eq!(moved["start_date"], "2027-01-15 12:00:00");
        assert_eq!(moved["starts_at"], "2027-01-15T12:00:00+00:00");
        assert_eq!(moved["modified"], before.body["modified"]);
        let after = admin.get(&event).await.is(200);
        assert_eq!(version(&after), version(&before) + 1);

        // Servers with the older rules, one running and one new, do not derive the instants again.
        let again = ServerProcess::start(&["--database-url", &url]);
        thread::sleep(Duration::from_millis(500));
        for older in [&first, &again] {
            let admin = older.anonymous().with_password("admin", &password);
            let found = admin.get(&event).await.is(200);
            assert_eq!(found.body["starts_at"], "2027-01-15T12:00:00+00:00");
            let mut body = found.body;
            body["title"] = json!("Another name");
            let written = admin.put(&event, body).await.is(200).body;
            assert_eq!(written["starts_at"], "2027-01-15T12:00:00+00:00");
        }
        for server in [first, newer, again] {
            server.stop();
        }
    }

    async fn site_zone_from_tzdata_directory(database) {
        let url = database.url().await;
        let moon = release("2099a", &[("Moon/Base", "Asia/Kolkata")]);
        // The order of the flags does not matter.
        let server = ServerProcess::start(&[
            "--timezone", "moon/base", "--tzdata", path(&moon), "--database-url", &url,
        ]);
        let admin = server.anonymous().with_password("admin", server.password());
        let body = json!({"title": "Noon", "start_date": "2027-01-15 12:00", "end_date": "2027-01-15 13:00"});
        let event = admin.create("/events", body).await;
        assert_eq!(event["timezone"], "Moon/Base");
        assert_eq!(event["utc_start_date"], "2027-01-15 06:30:00");
    }

    async fn check_reports_rules(database) {
        let url = database.url().await;
        stdout_lines(&["demo", "--events", "40", "--database-url", &url]);
        let printed = stdout_lines(&["check", "--database-url", &url]);
        let (release, published) = BUNDLED;
        let rules = format!("time zone rules: {release}, bundled, published {published}, ");
        assert!(printed[0].starts_with(&rules) && printed[0].contains(" days ago"), "{printed:?}");
        assert_eq!(printed[1], format!("40 events, by release of the rules: {release} 40"));
    }

    async fn check_fails_while_events_follow_older_rules(database) {
        let url = database.url().await;
        stdout_lines(&["demo", "--events", "40", "--database-url", &url]);
        let newer = release("2099a", &[("Europe/Berlin", "Europe/Berlin")]);
        let output = run(&["check", "--database-url", &url, "--tzdata", path(&newer)]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains("2099a") && printed.contains(path(&newer)), "{printed}");
        assert!(
            stderr(&output).contains("the times of 40 events were derived with older rules"),
            "{}",
            stderr(&output)
        );
        let server = ServerProcess::start(&["--database-url", &url, "--tzdata", path(&newer)]);
        let started = Instant::now();
        while !run(&["check", "--database-url", &url, "--tzdata", path(&newer)]).status.success() {
            assert!(started.elapsed() < PATIENCE);
        }
        drop(server);
    }

    async fn check_names_missing_zones(database) {
        let url = database.url().await;
        let moon = release("2099a", &[("Moon/Base", "Asia/Kolkata")]);
        let server = ServerProcess::start(&["--tzdata", path(&moon), "--database-url", &url]);
        let admin = server.anonymous().with_password("admin", server.password());
        let body = json!({
            "title": "Noon", "start_date": "2027-01-15 12:00", "end_date": "2027-01-15 13:00", "timezone": "Moon/Base",
        });
        admin.create("/events", body).await;
        drop(server);
        let output = run(&["check", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains("Moon/Base"), "{}", stderr(&output));
    }
}

#[test]
fn older_rules_rejected() {
    let older = release("2025b", &[("Europe/Berlin", "Europe/Berlin")]);
    let output = run(&["serve", "--tzdata", path(&older)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("older than the bundled ones, 2026f"),
        "{}",
        stderr(&output)
    );
}
