//! Clients that disconnect without waiting for the response.

use std::{
    io::Write,
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;

use crate::{
    on_both_databases, repetitions,
    support::{Client, program::ServerProcess},
};

/// Number of concurrent clients that disconnect.
const CLIENTS: usize = 32;

/// Sends complete requests to create an event, and closes each connection without waiting for the response.
fn send_and_disconnect(address: &str, password: &str, remaining: &AtomicU32) {
    let credentials = BASE64_STANDARD.encode(format!("admin:{password}"));
    let event = json!({
        "title": "An event",
        "start_date": "2027-03-01 09:00",
        "end_date": "2027-03-01 10:00",
    })
    .to_string();
    let request = format!(
        "POST /calendar/events/v1/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Basic {credentials}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{event}",
        event.len()
    );
    let take_one = |requests: u32| requests.checked_sub(1);
    while remaining
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one)
        .is_ok()
    {
        // The server may refuse or reset connections.
        if let Ok(mut connection) = TcpStream::connect(address) {
            let _ = connection.write_all(request.as_bytes());
        }
    }
}

/// Writes until the other clients are done. Returns the number of writes and the duration of the longest.
async fn write_continuously(admin: Client, is_over: Arc<AtomicBool>) -> (u32, Duration) {
    let (mut writes, mut longest) = (0, Duration::ZERO);
    while !is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let tag = json!({"name": format!("Tag {writes}")});
        admin.post("/tags", tag).await.is(201);
        longest = longest.max(begun.elapsed());
        writes += 1;
    }
    (writes, longest)
}

on_both_databases! {
    async fn writer_served_beside_disconnects(database) {
        let server = ServerProcess::start(&["--database-url", &database.url().await]);
        let password = server.password().to_owned();
        let admin = server.anonymous().with_password("admin", &password);
        let address = server.address.trim_start_matches("http://").to_owned();
        let is_over = Arc::new(AtomicBool::new(false));
        let writer = tokio::spawn(write_continuously(admin, is_over.clone()));
        let total = repetitions(2000);
        let remaining = Arc::new(AtomicU32::new(total));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (address, password, remaining) = (address.clone(), password.clone(), remaining.clone());
                thread::spawn(move || send_and_disconnect(&address, &password, &remaining))
            })
            .collect();
        for client in clients {
            let joined = tokio::task::spawn_blocking(move || client.join()).await;
            joined.expect("a joined task").expect("no panic");
        }
        is_over.store(true, Ordering::Relaxed);
        let (writes, longest) = writer.await.expect("all writes succeed");
        eprintln!("{total} disconnects beside {writes} writes; the longest write took {longest:?}");
        server.anonymous().get("~/readyz").await.is(200);
    }
}
