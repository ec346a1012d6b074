//! `almanac user`.

use serde_json::{Value, json};

use crate::{
    on_both_databases,
    support::program::{ServerProcess, program, run, stderr, stdout_lines},
};

on_both_databases! {
    async fn new_user_can_log_in(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let printed = stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        assert_eq!(printed.len(), 1, "the password is the only line");
        let ann = server.anonymous().with_password("ann", &printed[0]);
        ann.create("/tags", json!({"name": "New"})).await;
    }

    async fn new_password_replaces_old(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let old = server.anonymous().with_password("admin", server.password());
        old.get("/events").await.is(200);
        let printed = stdout_lines(&["user", "password", "admin", "--database-url", &url]);
        assert_eq!(printed.len(), 1, "the password is the only line");
        old.get("/events").await.is_error(401, "incorrect_password");
        let new = server.anonymous().with_password("admin", &printed[0]);
        new.get("/events").await.is(200);
    }

    async fn new_password_keeps_tokens(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let token = stdout_lines(&["token", "add", "--user", "admin", "--database-url", &url]);
        let output = run(&["user", "password", "admin", "--database-url", &url]);
        assert!(output.status.success());
        let notice = stderr(&output);
        assert!(notice.contains("stay valid") && notice.contains("--revoke-tokens"), "{notice}");
        server.anonymous().with_token(&token[0]).get("/events").await.is(200);
    }

    async fn revoke_tokens_flag(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        let [own, other] = ["admin", "ann"].map(|name| {
            let token = stdout_lines(&["token", "add", "--user", name, "--database-url", &url]);
            server.anonymous().with_token(&token[0])
        });
        let output = run(&["user", "password", "admin", "--revoke-tokens", "--database-url", &url]);
        let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        assert_eq!(stderr(&output).trim(), "revoked tokens of admin: 1");
        own.get("/events").await.is_error(401, "rest_invalid_token");
        other.get("/events").await.is(200);
        server.anonymous().with_password("admin", &printed).get("/events").await.is(200);
    }

    async fn last_administrator_needs_force(database) {
        let url = database.url().await;
        let add = |name: &str, role: &str| stdout_lines(&["user", "add", name, "--role", role, "--database-url", &url]);
        let remove = |name: &str| run(&["user", "remove", name, "--database-url", &url]);
        add("ann", "administrator");
        add("ben", "editor");
        let rejected = remove("ann");
        assert_eq!(rejected.status.code(), Some(1));
        let error = stderr(&rejected);
        assert!(error.contains("last administrator") && error.contains("--force"), "{error}");
        assert!(remove("ben").status.success(), "other users can be removed");
        add("cleo", "administrator");
        assert!(remove("ann").status.success(), "another administrator remains");
        stdout_lines(&["user", "remove", "cleo", "--force", "--database-url", &url]);
        assert!(stdout_lines(&["user", "list", "--database-url", &url]).is_empty());
    }

    async fn concurrent_removals_keep_one_administrator(database) {
        let url = database.url().await;
        let names = ["ann", "ben"];
        for name in names {
            stdout_lines(&["user", "add", name, "--role", "administrator", "--database-url", &url]);
        }
        let removals = names.map(|name| {
            let mut remove = program(&["user", "remove", name, "--database-url", &url]);
            remove.spawn().expect("the program starts")
        });
        let succeeded = removals.map(|mut removal| removal.wait().expect("an exit status").success());
        assert_eq!(succeeded.iter().filter(|success| **success).count(), 1);
        assert_eq!(stdout_lines(&["user", "list", "--database-url", &url]).len(), 1);
    }

    async fn start_creates_missing_administrator(database) {
        let url = database.url().await;
        stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        let first = ServerProcess::start(&["--database-url", &url]);
        let admin = first.anonymous().with_password("admin", first.password());
        admin.create("/tags", json!({"name": "New"})).await;
        drop(first);
        stdout_lines(&["user", "remove", "admin", "--force", "--database-url", &url]);
        let second = ServerProcess::start(&["--database-url", &url]);
        let admin = second.anonymous().with_password("admin", second.password());
        admin.get("/events").await.is(200);
    }

    async fn concurrent_starts_create_one_administrator(database) {
        let url = database.url().await;
        let starting: Vec<_> = (0..4).map(|_| {
            let url = url.clone();
            std::thread::spawn(move || ServerProcess::start(&["--database-url", &url]))
        }).collect();
        let servers: Vec<_> = starting.into_iter().map(|server| server.join().expect("no panic")).collect();
        let output = servers.iter().flat_map(|server| &server.startup_lines);
        assert_eq!(output.filter(|line| line.starts_with("administrator: ")).count(), 1);
        assert_eq!(stdout_lines(&["user", "list", "--database-url", &url]), ["1\tadmin\tadministrator"]);
    }

    async fn administrator_gets_free_name(database) {
        let url = database.url().await;
        for name in ["admin", "admin-2"] {
            stdout_lines(&["user", "add", name, "--role", "subscriber", "--database-url", &url]);
        }
        let server = ServerProcess::start(&["--database-url", &url]);
        let admin = server.anonymous().with_password("admin-3", server.password());
        admin.create("/tags", json!({"name": "New"})).await;
    }

    async fn removed_user_keeps_events(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let printed = stdout_lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        let ann = server.anonymous().with_password("ann", &printed[0]);
        let event = json!({"title": "Stays", "start_date": "tomorrow", "end_date": "tomorrow"});
        let id = ann.create_id("/events", event).await;
        let kept = server.anonymous().get(&format!("/events/{id}")).await.is(200);
        assert!(kept.body["author"].is_i64());
        assert_eq!(stdout_lines(&["user", "list", "--database-url", &url]).len(), 2);
        stdout_lines(&["user", "remove", "ann", "--database-url", &url]);
        assert_eq!(stdout_lines(&["user", "list", "--database-url", &url]).len(), 1);
        ann.get("/events").await.is_error(401, "incorrect_password");
        let event = server.anonymous().get(&format!("/events/{id}")).await.is(200);
        assert_eq!(event.body["author"], Value::Null);
    }

    async fn unknown_user_exits_1(database) {
        let url = database.url().await;
        for arguments in [&["user", "remove", "nobody"][..], &["user", "password", "nobody"]] {
            let output = run(&[arguments, &["--database-url", &url]].concat());
            assert_eq!(output.status.code(), Some(1));
            assert!(stderr(&output).contains("nobody"));
        }
    }

    async fn duplicate_name_rejected(database) {
        let url = database.url().await;
        let add = ["user", "add", "ann", "--role", "author", "--database-url", &url];
        stdout_lines(&add);
        let output = run(&add);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("ann already"));
    }
}
