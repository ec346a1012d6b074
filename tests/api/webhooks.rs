//! The resource of webhooks. `tests/commands/webhooks.rs` tests what they receive.

use almanac::testing::auth::Role;
use serde_json::{Value, json};

use crate::on_both_databases;

on_both_databases! {
    async fn webhook_lifecycle(database) {
        let server = database.server(&["--base-url", "https://example.org"]).await;
        let admin = server.administrator().await;
        let body = json!({"url": "https://example.com/hook", "types": ["events", "tags"], "description": "Portal"});
        let created = admin.post("/webhooks", body).await.is(201);
        let url = "https://example.org/calendar/events/v1/webhooks/1";
        assert_eq!((created.header("location"), &created.body["rest_url"]), (url, &json!(url)));
        let secret = created.body["secret"].as_str().expect("a secret");
        assert!(secret.starts_with("whsec_") && secret.len() > 40, "{secret}");
        let shown = admin.get("/webhooks/1").await.is(200);
        assert_eq!(shown.body["secret"], Value::Null);
        assert!(!shown.text.contains(secret));
        assert_eq!((&shown.body["types"], &shown.body["enabled"]), (&json!(["events", "tags"]), &json!(true)));
        let tag = shown.header("etag").to_owned();
        let disabled = admin.patch("/webhooks/1", json!({"enabled": false, "types": ["venues"]})).await.is(200).body;
        assert_eq!((&disabled["types"], &disabled["disabled_reason"]), (&json!(["venues"]), &json!("by_administrator")));
        assert_eq!((&disabled["url"], &disabled["secret"]), (&shown.body["url"], &Value::Null));
        let outdated = admin.request("PATCH", "/webhooks/1").header("if-match", tag).json(&json!({"enabled": true}));
        crate::support::Response::fetch(outdated).await.is_error(412, "rest_precondition_failed");
        assert_eq!(admin.get("/webhooks").await.is(200).each("webhooks", "id"), [json!(1)]);
        assert_eq!(admin.get("/webhooks/1/deliveries").await.is(200).body, json!({"deliveries": []}));
        admin.delete("/webhooks/1").await.is(200);
        admin.get("/webhooks/1").await.is_error(404, "webhook-not-found");
        admin.delete("/webhooks/1").await.is_error(404, "webhook-not-found");
        admin.post("/webhooks/1/deliveries/7/redeliver", json!({})).await.is_error(404, "webhook-not-found");
    }

    async fn webhooks_are_for_administrators(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let editor = server.user("eve", Role::Editor).await;
        let body = json!({"url": "https://example.com/hook"});
        admin.create("/webhooks", body.clone()).await;
        for (method, path) in [
            ("GET", "/webhooks"), ("GET", "/webhooks/1"), ("GET", "/webhooks/1/deliveries"), ("POST", "/webhooks"),
            ("PATCH", "/webhooks/1"), ("DELETE", "/webhooks/1"), ("POST", "/webhooks/1/test"), ("GET", "/webhooks/9"),
            ("POST", "/webhooks/1/deliveries/1/redeliver"),
        ] {
            let send = async |client: &crate::support::Client| {
                let request = client.request(method, path);
                let request = if method == "GET" { request } else { request.json(&body) };
                crate::support::Response::fetch(request).await
            };
            send(&editor).await.is_error(403, "rest_forbidden");
            send(&server.anonymous()).await.is_error(401, "rest_not_logged_in");
        }
        admin.get("/webhooks/1").await.is(200);
    }

    async fn webhooks_and_messages_have_no_idempotency_key(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let body = json!({"url": "https://example.com/hook"});
        let send = async |path: &str| {
            let request = admin.request("POST", path).header("idempotency-key", "key").json(&body);
            crate::support::Response::fetch(request).await
        };
        let refused = send("/webhooks").await.is_error(400, "rest_invalid_param");
        assert_eq!(refused.invalid_params(), ["Idempotency-Key"]);
        assert!(refused.text.contains("whose response has a secret"), "{}", refused.text);
        assert_eq!(admin.get("/webhooks").await.is(200).body, json!({"webhooks": []}));
        let id = admin.create_id("/webhooks", body.clone()).await;
        for path in [format!("/webhooks/{id}/test"), format!("/webhooks/{id}/deliveries/1/redeliver")] {
            let refused = send(&path).await.is_error(400, "rest_invalid_param");
            assert!(refused.text.contains("which sends a message each time"), "{path}: {}", refused.text);
        }
        let deliveries = admin.get(&format!("/webhooks/{id}/deliveries")).await.is(200);
        assert_eq!(deliveries.body, json!({"deliveries": []}));
    }

    async fn invalid_webhooks_are_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.post("/webhooks", json!({})).await.is_error(400, "rest_missing_callback_param");
        for url in [
            "http://example.com/", "ftp://example.com/", "https://user:secret@example.com/", "https://127.0.0.1/",
            "https://10.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://2130706433/",
            "https://169.254.169.254/latest/", "https://example.com/#part", "example.com",
        ] {
            let rejected = admin.post("/webhooks", json!({"url": url, "types": []})).await;
            assert_eq!(rejected.status, 400, "{url}: {}", rejected.text);
            assert_eq!(rejected.invalid_params(), ["types", "url"], "{url}: {}", rejected.text);
        }
        assert_eq!(admin.get("/webhooks").await.is(200).body, json!({"webhooks": []}));
    }
}
