//! What begins anew when a calendar is restored or imported, and what a backup keeps between the two databases.

use std::{fs, time::Duration};

use serde_json::json;

use crate::{
    backup::{back_up, backup_of, export, restore, restore_successfully, text},
    on_both_databases, sample_calendar,
    support::{
        Client, Database, Response,
        program::{ServerProcess, sqlite_url, stdout_lines},
        receiver::Receiver,
    },
    webhooks::{ALLOWED, add, create_tag, start},
};

/// The token after all pages of changes.
async fn last_token(client: &Client) -> String {
    let mut path = "/changes".to_owned();
    loop {
        let page = client.get(&path).await.is(200).body;
        let token = page["token"].as_str().expect("a token");
        path = format!("/changes?since={token}");
        if page["more"] == false {
            return token.to_owned();
        }
    }
}

/// Imports an address or a file. Returns the printed lines.
fn import(from: &str, url: &str, flags: &[&str]) -> Vec<String> {
    stdout_lines(&[&["import", "ics", from, "--database-url", url], flags].concat())
}

fn sources(url: &str) -> Vec<String> {
    stdout_lines(&["source", "list", "--database-url", url])
}

on_both_databases! {
    async fn tokens_from_before_expire(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let before = {
            let server = ServerProcess::start(&["--database-url", &url]);
            last_token(&server.anonymous()).await
        };
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (backup, lines) = (directory.path().join("calendar.almanac"), directory.path().join("all.ndjson"));
        back_up(&url, &backup);
        fs::write(&lines, export(&url)).expect("a file");
        let (restored, imported) = (database.empty_url().await, database.empty_url().await);
        restore_successfully(&backup, &restored, &[]);
        stdout_lines(&["import", "ndjson", text(&lines), "--database-url", &imported]);
        for target in [restored, imported] {
            let server = ServerProcess::start(&["--database-url", &target]);
            let client = server.anonymous();
            let since = format!("/changes?since={before}");
            client.get(&since).await.is_error(410, "sync_token_expired");
            let since = format!("/changes?since={}", last_token(&client).await);
            let page = client.get(&since).await.is(200).body;
            assert_eq!((&page["changes"], &page["more"]), (&json!([]), &json!(false)));
        }
    }

    async fn restored_webhooks_are_disabled(database) {
        let url = database.url().await;
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        let password = {
            let (server, admin) = start(&url, &ALLOWED);
            create_tag(&admin, "before").await;
            receiver.next().await;
            server.password().to_owned()
        };
        let (directory, file) = backup_of(&url);
        // Also into a SQLite file, whatever the database was.
        for target in [database.empty_url().await, sqlite_url(directory.path())] {
            restore_successfully(&file, &target, &[]);
            let list = stdout_lines(&["webhook", "list", "--database-url", &target]);
            assert!(list[0].contains("\tdisabled: restored\t"), "{list:?}");
            let server = ServerProcess::start(&[&["--database-url", &target][..], &ALLOWED].concat());
            let admin = server.anonymous().with_password("admin", &password);
            create_tag(&admin, "after").await;
            receiver.nothing().await;
            let webhook = admin.get("/webhooks/1").await.is(200).body;
            assert_eq!((&webhook["enabled"], &webhook["disabled_reason"]), (&json!(false), &json!("restored")));
            // It has missed what was changed since the restore, and nothing else.
            admin.patch("/webhooks/1", json!({"enabled": true})).await.is(200);
            assert_eq!(receiver.next().await.body()["data"]["title"], "after");
            receiver.nothing().await;
        }
    }

    async fn imported_calendar_is_sent_to_no_webhook(database) {
        let source = database.empty_url().await;
        sample_calendar::fill(&source).await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let lines = directory.path().join("all.ndjson");
        fs::write(&lines, export(&source)).expect("a file");
        let url = database.url().await;
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        stdout_lines(&["import", "ndjson", text(&lines), "--database-url", &url]);
        let password = stdout_lines(&["user", "password", "admin", "--database-url", &url]);
        let server = ServerProcess::start(&[&["--database-url", &url][..], &ALLOWED].concat());
        let admin = server.anonymous().with_password("admin", &password[0]);
        create_tag(&admin, "after").await;
        assert_eq!(receiver.next().await.body()["data"]["title"], "after");
        receiver.nothing().await;
    }

    async fn restored_sources_are_not_imported_again(database) {
        let (server, _directory) = ServerProcess::start_in_temporary_directory(&[]);
        let admin = server.anonymous().with_password("admin", server.password());
        admin.create("/events", json!({"title": "Choir", "start_date": "tomorrow", "end_date": "tomorrow"})).await;
        let address = format!("{}/events.ics", server.address);
        let url = database.url().await;
        import(&address, &url, &["--every", "1h"]);
        assert!(sources(&url)[0].contains("\tevery 1h\t"), "{:?}", sources(&url));
        let (directory, file) = backup_of(&url);
        for target in [database.empty_url().await, sqlite_url(directory.path())] {
            restore_successfully(&file, &target, &[]);
            assert!(sources(&target)[0].contains("\tonce\tsucceeded at "), "{:?}", sources(&target));
            // It is the same source: its event is known.
            let again = import(&address, &target, &["--every", "2h"]);
            assert!(!again.iter().any(|line| line.starts_with("1 created")), "{again:?}");
            assert_eq!(sources(&target).len(), 1);
            assert!(sources(&target)[0].contains("\tevery 2h\t"), "{:?}", sources(&target));
        }
    }

    async fn database_with_webhooks_is_not_empty(database) {
        let url = database.empty_url().await;
        sample_calendar::fill(&url).await;
        let (_directory, file) = backup_of(&url);
        let target = database.url().await;
        let receiver = Receiver::start(Duration::ZERO).await;
        add(&target, &receiver, &[]);
        let output = restore(&file, &target, &[]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(stdout_lines(&["webhook", "list", "--database-url", &target]).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn identifiers_and_imports_move_between_databases() {
    let Some(postgres) = Database::postgres() else {
        return;
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("a.ics");
    let calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\n\
                    UID:first@example.org\r\nSUMMARY:Opera\r\nDTSTART:20990401T180000Z\r\n\
                    DTEND:20990401T190000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    fs::write(&file, calendar).expect("a file");
    let url = sqlite_url(directory.path());
    sample_calendar::fill(&url).await;
    import(text(&file), &url, &[]);
    let expected = export(&url);
    let exported = String::from_utf8_lossy(&expected);
    for identifier in ["\"uid\":\"first@example.org\"", "\"external_id\":\"8 \\\"a\\\"\""] {
        assert!(exported.contains(identifier), "{identifier}: {exported}");
    }

    // As lines.
    let lines = directory.path().join("all.ndjson");
    fs::write(&lines, &expected).expect("a file");
    let on_postgres = postgres.empty_url().await;
    stdout_lines(&["import", "ndjson", text(&lines), "--database-url", &on_postgres]);
    fs::write(&lines, export(&on_postgres)).expect("a file");
    let back = tempfile::tempdir().expect("a temporary directory");
    let back = sqlite_url(back.path());
    stdout_lines(&["import", "ndjson", text(&lines), "--database-url", &back]);
    assert!(export(&back) == expected, "the calendars differ");

    // As backups, which also have what was imported from where.
    let backup = directory.path().join("calendar.almanac");
    back_up(&url, &backup);
    let on_postgres = postgres.empty_url().await;
    restore_successfully(&backup, &on_postgres, &[]);
    back_up(&on_postgres, &backup);
    let back = tempfile::tempdir().expect("a temporary directory");
    let back = sqlite_url(back.path());
    restore_successfully(&backup, &back, &[]);
    assert!(export(&back) == expected, "the calendars differ");
    for target in [on_postgres, back] {
        let again = import(text(&file), &target, &[]);
        let counts = "0 created, 0 updated, 1 unchanged";
        assert!(again.iter().any(|line| line.starts_with(counts)), "{again:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_keys_move_between_databases() {
    let Some(postgres) = Database::postgres() else {
        return;
    };
    let create = |client: &Client| {
        let request = client.request("POST", "/tags").header("Idempotency-Key", "7f3a");
        Response::fetch(request.json(&json!({"name": "Größe \"frei\""})))
    };
    let (server, directory) = ServerProcess::start_in_temporary_directory(&[]);
    let password = server.password().to_owned();
    let first = create(&server.anonymous().with_password("admin", &password))
        .await
        .is(201);
    drop(server);
    let backup = directory.path().join("calendar.almanac");
    back_up(&sqlite_url(directory.path()), &backup);
    let on_postgres = postgres.empty_url().await;
    restore_successfully(&backup, &on_postgres, &[]);
    back_up(&on_postgres, &backup);
    let back = tempfile::tempdir().expect("a temporary directory");
    let back = sqlite_url(back.path());
    restore_successfully(&backup, &back, &[]);
    for target in [on_postgres, back] {
        let server = ServerProcess::start(&["--database-url", &target]);
        let again = create(&server.anonymous().with_password("admin", &password))
            .await
            .is(201);
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.text, first.text);
    }
}
