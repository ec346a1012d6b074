//! Servers that are replaced one by one, while clients keep their connections and go on asking.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::sleep;

use crate::{
    on_both, repetitions,
    support::{program::Serving, raw::Raw},
};

/// Clients, each of which waits so many milliseconds between two requests.
const PAUSES: [u64; 16] = [0, 0, 0, 0, 1, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 700];
const GET: &str = "GET /calendar/events/v1/events?per_page=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// What the clients know, and what they met.
#[derive(Default)]
struct World {
    /// The server that new connections go to.
    address: Mutex<String>,
    is_over: AtomicBool,
    answered: AtomicU32,
    announced: AtomicU32,
    lost: AtomicU32,
}

/// Asks again and again on one connection. Connects anew where the server says that this one ends, or has ended it
/// between two requests, as any client does.
async fn ask(world: Arc<World>, pause: Duration) {
    while !world.is_over.load(Relaxed) {
        let address = world.address.lock().expect("no panic").clone();
        // A refused connection loses no request.
        let Ok(mut raw) = Raw::try_connect(&address).await else {
            sleep(Duration::from_millis(5)).await;
            continue;
        };
        while !world.is_over.load(Relaxed) {
            if raw.is_closed_within(pause).await {
                break;
            }
            let answer = match raw.try_send(GET).await {
                Ok(()) => raw.try_answer().await,
                Err(_) => None,
            };
            let Some(answer) = answer else {
                world.lost.fetch_add(1, Relaxed);
                break;
            };
            assert_eq!(answer.status, 200, "{answer:?}");
            world.answered.fetch_add(1, Relaxed);
            if answer.header("connection") == "close" {
                world.announced.fetch_add(1, Relaxed);
                break;
            }
        }
    }
}

on_both! {
    async fn rolling_restart_loses_no_request(on) {
        let url = on.url().await;
        let start = || Serving::start(&["--database-url", &url]);
        let world = Arc::new(World::default());
        let mut present = start();
        world.address.lock().expect("no panic").clone_from(&present.address);
        let clients: Vec<_> = PAUSES
            .iter()
            .map(|pause| tokio::spawn(ask(world.clone(), Duration::from_millis(*pause))))
            .collect();
        for _ in 0..repetitions(2) {
            let next = start();
            sleep(Duration::from_secs(1)).await;
            present.signal("TERM");
            // As a balancer that needs a moment to see what `/readyz` says.
            sleep(Duration::from_millis(500)).await;
            world.address.lock().expect("no panic").clone_from(&next.address);
            let (code, _) = present.end(Duration::from_secs(30));
            assert_eq!(code, Some(0));
            present = next;
        }
        world.is_over.store(true, Relaxed);
        for client in clients {
            client.await.expect("a client ends");
        }
        let [answered, announced, lost] =
            [&world.answered, &world.announced, &world.lost].map(|count| count.load(Relaxed));
        println!("{answered} requests answered, {announced} ends announced, {lost} requests lost");
        assert_eq!(lost, 0, "of {answered}");
        assert!(announced > 0);
    }
}
