//! `almanac token`.

use serde_json::json;

use crate::{
    on_both_databases,
    support::program::{ServerProcess, run, stderr, stdout_lines},
};

on_both_databases! {
    async fn token_works_until_revoked(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let add = ["token", "add", "--user", "admin", "--name", "importer", "--database-url", &url];
        let printed = stdout_lines(&add);
        assert_eq!(printed.len(), 1, "the token is the only line");
        assert!(printed[0].starts_with("alm_"));
        let importer = server.anonymous().with_token(&printed[0]);
        importer.create("/tags", json!({"name": "New"})).await;
        let list = stdout_lines(&["token", "list", "--database-url", &url]);
        assert_eq!(list, ["1\tadmin\tnever\timporter"]);
        stdout_lines(&["token", "revoke", "1", "--database-url", &url]);
        importer.get("/tags").await.is_error(401, "rest_invalid_token");
    }

    async fn token_expires(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let add = ["token", "add", "--user", "admin", "--database-url", &url];
        let expired = stdout_lines(&[&add[..], &["--expires", "0s"]].concat());
        let valid = stdout_lines(&[&add[..], &["--expires", "90d"]].concat());
        let with = |token: &str| server.anonymous().with_token(token);
        with(&expired[0]).get("/events").await.is_error(401, "rest_invalid_token");
        with(&valid[0]).get("/events").await.is(200);
    }

    async fn revoking_unknown_token_fails(database) {
        let url = database.url().await;
        let output = run(&["token", "revoke", "7", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("no token 7"));
    }
}
