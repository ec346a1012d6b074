//! Many listeners of the stream of changes.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Response;
use serde_json::json;
use tokio::time::timeout;

use crate::{on_both_databases, slow_connections::resident_memory, support::program::ServerProcess};

const LISTENERS: usize = 1_000;
/// The limit on the memory of all of them, in KiB.
const MAX_MEMORY: u64 = 60 * 1024;
/// How long to wait for a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads until this text has arrived.
async fn read_until(stream: &mut Response, text: &str) {
    let mut received = String::new();
    while !received.contains(text) {
        let chunk = timeout(PATIENCE, stream.chunk()).await.expect("a message in time");
        let chunk = chunk.expect("a chunk").expect("an open stream");
        received.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
    }
}

on_both_databases! {
    async fn thousand_listeners_fit_in_60_mb(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let admin = server.anonymous().with_password("admin", server.password());
        admin.create("/tags", json!({"name": "before"})).await;
        server.anonymous().get("/changes").await.is(200);
        let before = resident_memory(server.id());
        let open = async || {
            let request = server.anonymous().request("GET", "/changes/stream");
            let mut stream = request.send().await.expect("a response");
            read_until(&mut stream, "\"more\":false").await;
            stream
        };
        let mut streams = Vec::new();
        for _ in 0..LISTENERS / 50 {
            streams.extend(join_all((0..50).map(|_| open())).await);
        }
        let venue = json!({"venue": "Hall", "description": "x".repeat(10_000)});
        admin.create("/venues", venue).await;
        join_all(streams.iter_mut().map(|stream| read_until(stream, "\"Hall\""))).await;
        let grown = resident_memory(server.id()).saturating_sub(before);
        assert!(grown <= MAX_MEMORY, "{LISTENERS} listeners need {} MB", grown / 1024);
        let metrics = server.anonymous().get("~/metrics").await.is(200).text;
        assert!(metrics.contains(&format!("almanac_change_listeners {LISTENERS}")), "{metrics}");
    }
}
