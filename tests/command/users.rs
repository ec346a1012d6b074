//! `almanac user`.

use crate::{
    on_both,
    support::program::{Serving, complaint, lines, run},
};

on_both! {
    async fn a_new_user_can_log_in_at_once_beside_a_running_server(on) {
        let url = on.url().await;
        let serving = Serving::start(&["--database-url", &url]);
        let printed = lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        assert_eq!(printed.len(), 1, "the password stands alone on one line");
        let ann = serving.anonymous().with_password("ann", &printed[0]);
        ann.create("/tags", serde_json::json!({"name": "New"})).await;
    }

    async fn a_new_password_replaces_the_old_one(on) {
        let url = on.url().await;
        let serving = Serving::start(&["--database-url", &url]);
        let old = serving.anonymous().with_password("admin", serving.password());
        old.get("/events").await.is(200);
        let printed = lines(&["user", "password", "admin", "--database-url", &url]);
        assert_eq!(printed.len(), 1, "the password stands alone on one line");
        old.get("/events").await.is_error(401, "incorrect_password");
        let new = serving.anonymous().with_password("admin", &printed[0]);
        new.get("/events").await.is(200);
    }

    async fn a_removed_user_is_gone_and_the_events_stay(on) {
        let url = on.url().await;
        let serving = Serving::start(&["--database-url", &url]);
        let printed = lines(&["user", "add", "ann", "--role", "editor", "--database-url", &url]);
        let ann = serving.anonymous().with_password("ann", &printed[0]);
        let event = serde_json::json!({"title": "Stays", "start_date": "tomorrow", "end_date": "tomorrow"});
        let id = ann.create_id("/events", event).await;
        let kept = serving.anonymous().get(&format!("/events/{id}")).await.is(200);
        assert!(kept.body["author"].is_i64());
        assert_eq!(lines(&["user", "list", "--database-url", &url]).len(), 2);
        lines(&["user", "remove", "ann", "--database-url", &url]);
        assert_eq!(lines(&["user", "list", "--database-url", &url]).len(), 1);
        ann.get("/events").await.is_error(401, "incorrect_password");
        let event = serving.anonymous().get(&format!("/events/{id}")).await.is(200);
        assert_eq!(event.body["author"], serde_json::Value::Null);
    }

    async fn an_unknown_user_is_named_and_ends_with_1(on) {
        let url = on.url().await;
        for arguments in [&["user", "remove", "nobody"][..], &["user", "password", "nobody"]] {
            let output = run(&[arguments, &["--database-url", &url]].concat());
            assert_eq!(output.status.code(), Some(1));
            assert!(complaint(&output).contains("nobody"));
        }
    }

    async fn a_name_is_given_once(on) {
        let url = on.url().await;
        let add = ["user", "add", "ann", "--role", "author", "--database-url", &url];
        lines(&add);
        let output = run(&add);
        assert_eq!(output.status.code(), Some(1));
        assert!(complaint(&output).contains("ann already"));
    }
}
