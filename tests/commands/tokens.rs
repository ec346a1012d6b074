//! `almanac token`.

use serde_json::json;

use crate::{
    on_both,
    support::program::{Serving, complaint, lines, run},
};

on_both! {
    async fn token_works_until_revoked(on) {
        let url = on.url().await;
        let serving = Serving::start(&["--database-url", &url]);
        let add = ["token", "add", "--user", "admin", "--name", "importer", "--database-url", &url];
        let printed = lines(&add);
        assert_eq!(printed.len(), 1, "the token is the only line");
        assert!(printed[0].starts_with("alm_"));
        let importer = serving.anonymous().with_token(&printed[0]);
        importer.create("/tags", json!({"name": "New"})).await;
        let list = lines(&["token", "list", "--database-url", &url]);
        assert_eq!(list, ["1\tadmin\tnever\timporter"]);
        lines(&["token", "revoke", "1", "--database-url", &url]);
        importer.get("/tags").await.is_error(401, "rest_invalid_token");
    }

    async fn token_expires(on) {
        let url = on.url().await;
        let serving = Serving::start(&["--database-url", &url]);
        let add = ["token", "add", "--user", "admin", "--database-url", &url];
        let expired = lines(&[&add[..], &["--expires", "0s"]].concat());
        let valid = lines(&[&add[..], &["--expires", "90d"]].concat());
        let with = |token: &str| serving.anonymous().with_token(token);
        with(&expired[0]).get("/events").await.is_error(401, "rest_invalid_token");
        with(&valid[0]).get("/events").await.is(200);
    }

    async fn revoking_unknown_token_fails(on) {
        let url = on.url().await;
        let output = run(&["token", "revoke", "7", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(1));
        assert!(complaint(&output).contains("no token 7"));
    }
}
