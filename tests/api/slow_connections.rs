//! Timeouts and limits of connections, with small values. `tests/faults/` tests the defaults.

use std::time::Duration;

use almanac::testing::{listen::Limits, middleware::body_limit::BodyTimeout};
use tokio::{net::TcpSocket, time::sleep};

use crate::{
    on_both_databases,
    support::{Database, Server, raw::RawConnection},
};

const SHORT: Duration = Duration::from_millis(300);
const GET: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The compatibility root reads the body before it authenticates.
const POST: &str = "POST /wp-json/tribe/events/v1/tags HTTP/1.1\r\nHost: localhost\r\n";

/// Sends single bytes until the connection is closed. Fails after a minute.
async fn send_slowly(raw: &mut RawConnection) {
    for _ in 0..1200 {
        if raw.try_send("x").await.is_err() || raw.closes_within(SHORT / 6).await {
            return;
        }
    }
    panic!("the connection stays open");
}

/// Requests more than socket buffers hold without reading it. Returns the connection and the length of the responses.
async fn unread_responses(server: &Server) -> (RawConnection, usize) {
    let size = server.anonymous().get("/doc").await.is(200).text.len();
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let address = server.address.trim_start_matches("http://").parse();
    let stream = socket.connect(address.expect("an address")).await;
    let mut raw = RawConnection::from(stream.expect("it listens"));
    let requests = 100;
    let get = "GET /calendar/events/v1/doc HTTP/1.1\r\nHost: localhost\r\n\r\n";
    raw.send(&get.repeat(requests)).await;
    (raw, requests * size)
}

async fn start_with_short_header_timeout(database: &Database) -> Server {
    Server::start_with(&database.url().await, &[], |limits| limits.headers = SHORT).await
}

on_both_databases! {
    async fn slow_headers_time_out(database) {
        let server = start_with_short_header_timeout(&database).await;
        let mut raw = RawConnection::connect(&server.address).await;
        raw.send("GET / HTTP/1.1\r\nX-Slow: ").await;
        send_slowly(&mut raw).await;
    }

    async fn slow_headers_of_later_request_time_out(database) {
        let server = start_with_short_header_timeout(&database).await;
        let mut raw = RawConnection::connect(&server.address).await;
        raw.send(GET).await;
        raw.response().await.is(200);
        raw.send("GET / HTTP/1.1\r\nX-Slow: ").await;
        send_slowly(&mut raw).await;
    }

    async fn silent_connection_is_closed(database) {
        let server = start_with_short_header_timeout(&database).await;
        assert!(RawConnection::connect(&server.address).await.closes().await);
    }

    async fn kept_connection_outlives_header_timeout(database) {
        let server = start_with_short_header_timeout(&database).await;
        let mut raw = RawConnection::connect(&server.address).await;
        for _ in 0..3 {
            raw.send(GET).await;
            raw.response().await.is(200);
            sleep(SHORT * 3).await;
        }
    }

    async fn idle_connection_is_closed(database) {
        let server = Server::start_with(&database.url().await, &[], |limits| limits.idle = SHORT).await;
        let mut raw = RawConnection::connect(&server.address).await;
        raw.send(GET).await;
        raw.response().await.is(200);
        assert!(raw.closes().await);
    }

    async fn slow_body_is_408(database) {
        let time = BodyTimeout { base: SHORT, ..BodyTimeout::DEFAULT };
        let server = Server::start_with(&database.url().await, &[], |limits| limits.body = time).await;
        let mut raw = RawConnection::connect(&server.address).await;
        raw.send(&format!("{POST}Content-Length: 1000\r\n\r\n{{")).await;
        let rejected = raw.response().await.is(408);
        assert!(rejected.text.contains("rest_request_timeout"), "{}", rejected.text);
        assert_eq!(rejected.header("connection"), "close");
        assert!(raw.closes().await);
    }

    async fn long_body_gets_more_time(database) {
        let time = BodyTimeout { base: Duration::from_secs(1), bytes_per_second: 1024 };
        let server = Server::start_with(&database.url().await, &[], |limits| limits.body = time).await;
        let mut raw = RawConnection::connect(&server.address).await;
        let part = " ".repeat(4096);
        raw.send(&format!("{POST}Content-Length: {}\r\n\r\n", 20 * part.len())).await;
        for _ in 0..20 {
            raw.send(&part).await;
            sleep(Duration::from_millis(100)).await;
        }
        // The whole body has arrived. It is not a valid payload.
        let response = raw.response().await;
        assert!([400, 401].contains(&response.status), "{response:?}");
    }

    async fn non_reading_client_is_dropped(database) {
        let change = |limits: &mut Limits| limits.response = SHORT;
        let server = Server::start_with(&database.url().await, &[], change).await;
        let (mut raw, expected) = unread_responses(&server).await;
        sleep(SHORT * 10).await;
        assert!(raw.read_to_end().await < expected);
    }

    async fn unread_responses_share_a_limit(database) {
        let change = |limits: &mut Limits| {
            limits.unread = 1;
            limits.stalled = SHORT;
        };
        let server = Server::start_with(&database.url().await, &[], change).await;
        let (mut raw, expected) = unread_responses(&server).await;
        sleep(SHORT * 10).await;
        assert!(raw.read_to_end().await < expected);
    }

    async fn late_reader_gets_everything(database) {
        let server = database.server(&[]).await;
        let (mut raw, expected) = unread_responses(&server).await;
        sleep(SHORT * 10).await;
        raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        assert!(raw.read_to_end().await > expected);
    }

    async fn longest_idle_connection_is_evicted(database) {
        let server = Server::start_with(&database.url().await, &["--max-connections", "3"], |_| {}).await;
        let mut kept = Vec::new();
        for _ in 0..3 {
            let mut raw = RawConnection::connect(&server.address).await;
            raw.send(GET).await;
            raw.response().await.is(200);
            kept.push(raw);
            // Distinguishable by the precision of the clock.
            sleep(Duration::from_millis(20)).await;
        }
        // The first connection becomes the most recently used.
        kept[0].send(GET).await;
        kept[0].response().await.is(200);
        let mut new = RawConnection::connect(&server.address).await;
        new.send(GET).await;
        new.response().await.is(200);
        assert!(kept.remove(1).closes().await);
        for mut raw in kept {
            raw.send(GET).await;
            raw.response().await.is(200);
        }
    }

    async fn silent_connections_are_evicted(database) {
        let server = Server::start_with(&database.url().await, &["--max-connections", "3"], |_| {}).await;
        let mut silent = Vec::new();
        for _ in 0..20 {
            silent.push(RawConnection::connect(&server.address).await);
        }
        let mut new = RawConnection::connect(&server.address).await;
        new.send(GET).await;
        new.response().await.is(200);
    }
}
