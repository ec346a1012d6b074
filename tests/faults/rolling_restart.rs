//! Servers that are replaced one by one, while clients with persistent connections keep sending requests.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::sleep;

use crate::{
    on_both_databases, repetitions,
    support::{program::ServerProcess, raw::RawConnection},
};

/// The pause of each client between two requests, in milliseconds.
const PAUSES: [u64; 16] = [0, 0, 0, 0, 1, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 700];
const GET: &str = "GET /calendar/events/v1/events?per_page=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// The state that the clients share.
#[derive(Default)]
struct Shared {
    /// The server for new connections.
    address: Mutex<String>,
    is_over: AtomicBool,
    /// Requests with a response.
    answered: AtomicU32,
    /// Responses with `Connection: close`.
    announced: AtomicU32,
    /// Requests without a response.
    lost: AtomicU32,
}

/// Sends requests on one connection. Reconnects after `Connection: close`, or when the server has closed the connection
/// between two requests, as any client does.
async fn send_requests(shared: Arc<Shared>, pause: Duration) {
    while !shared.is_over.load(Relaxed) {
        let address = shared.address.lock().expect("no panic").clone();
        // A refused connection is not a lost request.
        let Ok(mut raw) = RawConnection::try_connect(&address).await else {
            sleep(Duration::from_millis(5)).await;
            continue;
        };
        while !shared.is_over.load(Relaxed) {
            if raw.closes_within(pause).await {
                break;
            }
            let response = match raw.try_send(GET).await {
                Ok(()) => raw.try_response().await,
                Err(_) => None,
            };
            let Some(response) = response else {
                shared.lost.fetch_add(1, Relaxed);
                break;
            };
            assert_eq!(response.status, 200, "{response:?}");
            shared.answered.fetch_add(1, Relaxed);
            if response.header("connection") == "close" {
                shared.announced.fetch_add(1, Relaxed);
                break;
            }
        }
    }
}

on_both_databases! {
    async fn rolling_restart_loses_no_request(database) {
        let url = database.url().await;
        let start = || ServerProcess::start(&["--database-url", &url]);
        let shared = Arc::new(Shared::default());
        let mut current = start();
        shared.address.lock().expect("no panic").clone_from(&current.address);
        let clients: Vec<_> = PAUSES
            .iter()
            .map(|pause| tokio::spawn(send_requests(shared.clone(), Duration::from_millis(*pause))))
            .collect();
        for _ in 0..repetitions(2) {
            let next = start();
            sleep(Duration::from_secs(1)).await;
            current.signal("TERM");
            // A load balancer takes a moment to notice the status of `/readyz`.
            sleep(Duration::from_millis(500)).await;
            shared.address.lock().expect("no panic").clone_from(&next.address);
            let (code, _) = current.wait(Duration::from_secs(30));
            assert_eq!(code, Some(0));
            current = next;
        }
        shared.is_over.store(true, Relaxed);
        for client in clients {
            client.await.expect("no panic");
        }
        let [answered, announced, lost] =
            [&shared.answered, &shared.announced, &shared.lost].map(|count| count.load(Relaxed));
        println!("{answered} responses, {announced} with `Connection: close`, {lost} requests lost");
        assert_eq!(lost, 0, "of {answered}");
        assert!(announced > 0);
    }
}
