//! Webhooks of the real program, and `almanac webhook` and `almanac events`.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    time::{Duration, Instant},
};

use almanac::testing::{store, store::write_connection::WriteConnection};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    on_both_databases,
    support::{
        Client,
        program::{ServerProcess, program, run, stderr, stdout_lines},
        receiver::{Message, Receiver},
    },
};

/// Lets webhooks reach the receivers of tests.
pub(crate) const ALLOWED: [&str; 3] = ["--webhook-allow", "127.0.0.0/8", "--webhook-allow-http"];

/// A server with these flags, and a client with the credentials of its administrator.
pub(crate) fn start(url: &str, flags: &[&str]) -> (ServerProcess, Client) {
    let server = ServerProcess::start(&[&["--database-url", url][..], flags].concat());
    let admin = server.anonymous().with_password("admin", server.password());
    (server, admin)
}

/// Adds a webhook and returns its secret.
pub(crate) fn add(url: &str, receiver: &Receiver, flags: &[&str]) -> String {
    let add = ["webhook", "add", &receiver.url, "--database-url", url];
    let arguments = [&add[..], &ALLOWED, flags].concat();
    let printed = stdout_lines(&arguments);
    assert_eq!(printed.len(), 1, "the secret is the only line");
    printed[0].clone()
}

pub(crate) async fn create_tag(admin: &Client, name: &str) -> i64 {
    admin.create_id("/tags", json!({"name": name})).await
}

/// Asserts that one of the signatures of the message is that of the secret.
#[track_caller]
fn assert_signed(message: &Message, secret: &str) {
    let key = BASE64_STANDARD
        .decode(secret.strip_prefix("whsec_").expect("a prefix"))
        .expect("base64");
    let content = format!(
        "{}.{}.{}",
        message.header("webhook-id"),
        message.header("webhook-timestamp"),
        message.text
    );
    let mut hmac = Hmac::<Sha256>::new_from_slice(&key).expect("any key");
    hmac.update(content.as_bytes());
    let expected = format!("v1,{}", BASE64_STANDARD.encode(hmac.finalize().into_bytes()));
    let signatures = message.header("webhook-signature");
    assert!(
        signatures.split(' ').any(|signature| signature == expected),
        "{signatures}"
    );
}

on_both_databases! {
    async fn webhook_receives_signed_messages(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        create_tag(&admin, "before").await;
        let mut receiver = Receiver::start(Duration::ZERO).await;
        let secret = add(&url, &receiver, &["--description", "test"]);
        assert!(secret.starts_with("whsec_"));
        let event = json!({"title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        let event = admin.create("/events", event).await;
        let message = receiver.next().await;
        assert_signed(&message, &secret);
        let body = message.body();
        assert_eq!(body["type"], "event.changed");
        for member in ["id", "title", "rest_url", "starts_at", "status"] {
            let expected = match member {
                // The server has no --base-url.
                "rest_url" => continue,
                _ => &event[member],
            };
            assert_eq!(&body["data"][member], expected, "{member}");
        }
        admin.delete("/events/1").await.is(200);
        let message = receiver.next().await;
        assert_eq!((&message.body()["type"], &message.body()["data"]), (&json!("event.deleted"), &json!({"id": 1})));
        let list = stdout_lines(&["webhook", "list", "--database-url", &url]);
        assert_eq!(list, [format!("1\t{}\tevent,venue,organizer,category,tag\tenabled\ttest", receiver.url)]);
        stdout_lines(&["webhook", "remove", "1", "--database-url", &url]);
        create_tag(&admin, "after").await;
        receiver.nothing().await;
    }

    async fn failed_message_is_sent_again(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        receiver.respond_with(500);
        create_tag(&admin, "free").await;
        let first = receiver.next().await;
        receiver.respond_with(200);
        let second = receiver.next().await;
        assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
        assert_eq!(first.text, second.text);
        let deliveries = deliveries(&admin, 2).await;
        assert_eq!((&deliveries[0]["success"], &deliveries[0]["attempt"]), (&json!(true), &json!(2)));
        assert_eq!((&deliveries[1]["status"], &deliveries[1]["response"]), (&json!(500), &json!("a response")));
        let failed = admin.get("/webhooks/1/deliveries?failed=true").await.is(200);
        assert_eq!(failed.each("deliveries", "attempt"), [json!(1)]);
    }

    async fn attempts_are_trimmed_during_many_changes(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::ZERO).await;
        receiver.respond_with(500);
        add(&url, &receiver, &[]);
        // The first attempt is repeated after the others, whose changes follow each other then.
        let requests: Vec<Value> = (0..60)
            .map(|number| json!({"path": "/calendar/events/v1/tags", "body": {"name": format!("tag {number}")}}))
            .collect();
        let batch = json!({"validation": "require-all-validate", "requests": requests});
        let store = store::open(&url, true).await.expect("a database");
        let earlier = "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers \
            WHERE number < 1500) INSERT INTO webhook_deliveries (webhook_id, message_id, message_type, body, attempt, \
            is_success, response_body, duration_ms, created_at) SELECT 1, 'msg_' || number, 'webhook.test', '{}', 1, \
            true, '', 1, 1 FROM numbers";
        let transaction = store.begin().await.expect("a transaction");
        transaction.execute_unprepared(earlier).await.expect("a statement");
        transaction.commit().await.expect("a commit");
        admin.post("/batch", batch).await.is(207);
        receiver.next().await;
        receiver.respond_with(204);
        for _ in 0..60 {
            receiver.next().await;
        }
        let count = Statement::from_string(store.reader().get_database_backend(), "SELECT COUNT(*) FROM webhook_deliveries");
        let row = store.reader().query_one_raw(count).await.expect("a result").expect("a row");
        let kept: i64 = row.try_get_by_index(0).expect("a number");
        assert!((1_000..=1_060).contains(&kept), "{kept}");
    }

    async fn last_state_wins(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        receiver.respond_with(500);
        create_tag(&admin, "old").await;
        let first = receiver.next().await;
        admin.patch("/tags/1", json!({"name": "new"})).await.is(200);
        receiver.respond_with(200);
        let second = receiver.next().await;
        assert_ne!(first.header("webhook-id"), second.header("webhook-id"));
        assert_eq!(second.body()["data"]["title"], "new");
        receiver.nothing().await;
    }

    async fn gone_webhook_is_disabled_and_resumes(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        receiver.respond_with(410);
        create_tag(&admin, "one").await;
        receiver.next().await;
        deliveries(&admin, 1).await;
        let webhook = admin.get("/webhooks/1").await.is(200).body;
        assert_eq!((&webhook["enabled"], &webhook["disabled_reason"]), (&json!(false), &json!("gone")));
        receiver.respond_with(200);
        create_tag(&admin, "two").await;
        receiver.nothing().await;
        admin.patch("/webhooks/1", json!({"enabled": true})).await.is(200);
        let titles = [receiver.next().await, receiver.next().await].map(|message| message.body()["data"]["title"].clone());
        assert_eq!(titles, [json!("one"), json!("two")]);
    }

    async fn slow_webhook_delays_no_other(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut slow = Receiver::start(Duration::from_secs(10)).await;
        let mut fast = Receiver::start(Duration::ZERO).await;
        add(&url, &slow, &[]);
        add(&url, &fast, &[]);
        let started = Instant::now();
        create_tag(&admin, "one").await;
        slow.next().await;
        fast.next().await;
        create_tag(&admin, "two").await;
        assert_eq!(fast.next().await.body()["data"]["title"], "two");
        assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    }

    async fn unpublished_objects_are_sent_on_request(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut public = Receiver::start(Duration::ZERO).await;
        let mut all = Receiver::start(Duration::ZERO).await;
        add(&url, &public, &["--types", "venues"]);
        add(&url, &all, &["--types", "venues", "--include-unpublished"]);
        create_tag(&admin, "free").await;
        admin.create("/venues", json!({"venue": "Hall", "status": "draft"})).await;
        assert_eq!(public.next().await.body()["type"], "venue.deleted");
        let body = all.next().await.body();
        assert_eq!((&body["type"], &body["data"]["title"]), (&json!("venue.changed"), &json!("Hall")));
    }

    async fn secrets_rotate(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::ZERO).await;
        let old = add(&url, &receiver, &[]);
        let rotated = admin.patch("/webhooks/1", json!({"rotate_secret": true})).await.is(200).body;
        let new = rotated["secret"].as_str().expect("a secret");
        assert_eq!(admin.get("/webhooks/1").await.body["secret"], Value::Null);
        admin.post("/webhooks/1/test", json!({})).await.is(200);
        let message = receiver.next().await;
        assert_signed(&message, &old);
        assert_signed(&message, new);
        assert_eq!(message.body()["type"], "webhook.test");
        let again = admin.post("/webhooks/1/deliveries/1/redeliver", json!({})).await.is(200).body;
        assert_eq!(again["attempt"], 2);
        assert_eq!(receiver.next().await.header("webhook-id"), message.header("webhook-id"));
    }

    async fn private_addresses_are_not_reached(database) {
        let url = database.url().await;
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        let (_server, admin) = start(&url, &["--webhook-allow-http"]);
        create_tag(&admin, "free").await;
        let attempts = deliveries(&admin, 1).await;
        let error = attempts[0]["error"].as_str().expect("an error");
        assert!(error.contains("private"), "{error}");
        receiver.nothing().await;
        let localhost = receiver.url.replace("127.0.0.1", "localhost");
        let named = json!({"url": localhost});
        admin.create("/webhooks", named).await;
        let test = admin.post("/webhooks/2/test", json!({})).await.is(200).body;
        assert_eq!(test["success"], false);
        receiver.nothing().await;
        let output = run(&["webhook", "test", "1", "--database-url", &url, "--webhook-allow-http"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("private"), "{}", stderr(&output));
        stdout_lines(&[&["webhook", "test", "1", "--database-url", &url][..], &ALLOWED].concat());
        receiver.next().await;
    }

    async fn redirects_are_not_followed(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::ZERO).await;
        add(&url, &receiver, &[]);
        receiver.respond_with(302);
        let test = admin.post("/webhooks/1/test", json!({})).await.is(200).body;
        assert_eq!((&test["status"], &test["success"]), (&json!(302), &json!(false)));
        receiver.next().await;
        receiver.nothing().await;
    }

    async fn webhook_is_deleted_while_a_message_is_on_its_way(database) {
        let url = database.url().await;
        let (_server, admin) = start(&url, &ALLOWED);
        let mut receiver = Receiver::start(Duration::from_secs(3)).await;
        add(&url, &receiver, &[]);
        let deletion = async {
            receiver.next().await;
            admin.delete("/webhooks/1").await.is(200);
        };
        let (test, ()) = tokio::join!(admin.post("/webhooks/1/test", json!({})), deletion);
        test.is_error(404, "webhook-not-found");
    }

    async fn events_tail_prints_changes(database) {
        let url = database.url().await;
        let (server, admin) = start(&url, &[]);
        let mut tail = program(&["events", "tail", "--url", &server.address])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = tail.stdout.take().expect("a pipe");
        let reader = std::thread::spawn(move || BufReader::new(output).lines().next());
        // The stream may begin later than the first of these.
        for number in 0..100 {
            if reader.is_finished() {
                break;
            }
            create_tag(&admin, &format!("tag {number}")).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let line = reader.join().expect("no panic").expect("a line").expect("UTF-8");
        assert!(line.starts_with("changed\ttag\t"), "{line}");
        tail.kill().expect("it still runs");
        tail.wait().expect("it has ended");
    }
}

/// Waits for this number of attempts, and returns them.
async fn deliveries(admin: &Client, count: usize) -> Vec<Value> {
    for _ in 0..200 {
        let list = admin.get("/webhooks/1/deliveries").await.is(200).body;
        let deliveries = list["deliveries"].as_array().expect("a list").clone();
        if deliveries.len() >= count {
            return deliveries;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("too few attempts");
}
