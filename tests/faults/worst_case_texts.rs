//! Clients that send the texts that take longest to sanitise.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    on_both_databases, repetitions,
    support::{Client, program::ServerProcess},
};

/// Number of clients that send such texts.
const SENDERS: usize = 4;
/// Limit for other requests: far longer than on an idle machine, and far shorter than one of these texts took before
/// their complexity was limited.
const PATIENCE: Duration = Duration::from_secs(10);

/// Payloads of the maximum size. All but the last two were once sanitised without a limit.
fn worst_bodies() -> Vec<(&'static str, Value)> {
    let fill = |unit: &str| unit.repeat(99_900 / unit.len());
    let formatting: String = (0..90).map(|number| format!("<b title=a{number}>")).collect();
    let attributes: String = (0..14_000).map(|number| format!("a{number} ")).collect();
    let described = |description: String| {
        json!({
            "title": "T", "start_date": "2027-03-01", "end_date": "2027-03-02", "description": description,
        })
    };
    vec![
        ("/tags", json!({"name": "<ul><li>".repeat(80_000)})),
        ("/tags", json!({"name": "<<".repeat(2_000)})),
        ("/venues", json!({"venue": "V", "address": "<b>".repeat(300_000)})),
        ("/events", described(fill("<ul><li>"))),
        ("/events", described(fill("<a><div>"))),
        ("/events", described(fill("<table><td>"))),
        (
            "/events",
            described(format!("<p>{formatting}</p>{}", "<p>x".repeat(22_000))),
        ),
        ("/events", described(format!("<p {attributes}>"))),
        ("/events", described(fill("&"))),
        ("/events", described(fill("<br>"))),
        (
            "/events",
            described(fill(
                "<p>some <b>words</b> &amp; a <a href=\"https://example.org/\">link</a></p>",
            )),
        ),
    ]
}

async fn send_until(client: Client, bodies: Arc<Vec<(&'static str, Value)>>, is_over: Arc<AtomicBool>) {
    for (path, body) in bodies.iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let response = client.post(path, body.clone()).await;
        assert!(matches!(response.status.as_u16(), 201 | 400), "{}", response.text);
    }
}

/// Awaits the response, and fails after [`PATIENCE`].
async fn in_time<T>(request: &str, response: impl Future<Output = T>) -> T {
    let response = tokio::time::timeout(PATIENCE, response).await;
    response.unwrap_or_else(|_| panic!("{request} takes longer than {PATIENCE:?}"))
}

on_both_databases! {
    async fn others_served_beside_worst_case_texts(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", url.as_str()]);
        let admin = server.anonymous().with_password("admin", server.password());
        let is_over = Arc::new(AtomicBool::new(false));
        let bodies = Arc::new(worst_bodies());
        let senders: Vec<_> = (0..SENDERS)
            .map(|_| tokio::spawn(send_until(admin.clone(), bodies.clone(), is_over.clone())))
            .collect();
        let end = Instant::now() + Duration::from_secs(8) * repetitions(1);
        let mut number = 0;
        while Instant::now() < end {
            in_time("/healthz", server.anonymous().get("~/healthz")).await.is(200);
            let body = json!({"name": format!("Tag {number}")});
            let id = in_time("a write", admin.create_id("/tags", body)).await;
            let path = format!("/tags/{id}?uncached={number}");
            in_time("a read", server.anonymous().get(&path)).await.is(200);
            let list = format!("/events?start_date=2000-01-01&per_page=100&uncached={number}");
            in_time("a list", server.anonymous().get(&list)).await.is(200);
            number += 1;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        is_over.store(true, Ordering::Relaxed);
        for sender in senders {
            sender.await.expect("each text is stored or rejected");
        }
    }
}
