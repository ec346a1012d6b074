//! Clients that send a request and go away.

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
    on_both, repetitions,
    support::{Client, program::Serving},
};

/// Clients that go away at the same time.
const CLIENTS: usize = 32;

/// Sends complete requests to create an event, and closes each connection without waiting for the response.
fn disconnect(address: &str, password: &str, left: &AtomicU32) {
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
    let is_one_left = |left: u32| left.checked_sub(1);
    while left
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_one_left)
        .is_ok()
    {
        // Whether it is accepted is the server's business.
        if let Ok(mut connection) = TcpStream::connect(address) {
            let _ = connection.write_all(request.as_bytes());
        }
    }
}

/// Writes until the others are done. Returns how many writes there were, and the longest wait.
async fn write_beside(admin: Client, is_over: Arc<AtomicBool>) -> (u32, Duration) {
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

on_both! {
    async fn writer_served_beside_disconnects(on) {
        let serving = Serving::start(&["--database-url", &on.url().await]);
        let password = serving.password().to_owned();
        let admin = serving.anonymous().with_password("admin", &password);
        let address = serving.address.trim_start_matches("http://").to_owned();
        let is_over = Arc::new(AtomicBool::new(false));
        let writer = tokio::spawn(write_beside(admin, is_over.clone()));
        let total = repetitions(2000);
        let left = Arc::new(AtomicU32::new(total));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (address, password, left) = (address.clone(), password.clone(), left.clone());
                thread::spawn(move || disconnect(&address, &password, &left))
            })
            .collect();
        for client in clients {
            let joined = tokio::task::spawn_blocking(move || client.join()).await;
            joined.expect("it is waited for").expect("a client ends");
        }
        is_over.store(true, Ordering::Relaxed);
        let (writes, longest) = writer.await.expect("each write is served");
        eprintln!("{total} disconnects beside {writes} writes, of which the longest took {longest:?}");
        serving.anonymous().get("~/readyz").await.is(200);
    }
}
