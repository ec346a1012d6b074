//! Graceful shutdown: how it is announced, and what happens to open connections.

use std::time::Duration;

use almanac::testing::listen::{Limits, Stop};
use bytes::Bytes;
use http_body_util::Empty;
use hyper::{Request, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::sleep};

use crate::{
    on_both_databases,
    support::{Database, Server, raw::RawConnection, wait::wait_until},
};

const GET: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const READY: &str = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A server with this grace period, during which it announces its shutdown.
async fn start_with_grace_period(database: &Database, announce: Duration) -> Server {
    let change = |limits: &mut Limits| limits.announce = announce;
    Server::start_with(&database.url().await, &[], change).await
}

/// A connection that is idle after a response.
async fn idle_connection(server: &Server) -> RawConnection {
    let mut raw = RawConnection::connect(&server.address).await;
    raw.send(GET).await;
    assert_eq!(raw.response().await.is(200).header("connection"), "");
    raw
}

/// Waits until connections are refused.
async fn wait_until_refused(server: &Server) {
    wait_until("connections are refused", async || {
        RawConnection::try_connect(&server.address).await.is_err()
    })
    .await;
}

/// Waits until the server is stopping. It needs another open connection until then.
async fn wait_until_stopping(server: &Server) {
    wait_until("the server is stopping", async || {
        server.anonymous().get("~/readyz").await.status == 503
    })
    .await;
}

on_both_databases! {
    async fn last_response_announces_close(database) {
        let mut server = start_with_grace_period(&database, Duration::from_secs(600)).await;
        let mut raw = idle_connection(&server).await;
        server.stop(Stop::Announced);
        wait_until_stopping(&server).await;
        raw.send(GET).await;
        assert_eq!(raw.response().await.is(200).header("connection"), "close");
        assert!(raw.closes().await);
        wait_until_refused(&server).await;
    }

    async fn stopping_server_is_not_ready(database) {
        let mut server = start_with_grace_period(&database, Duration::from_secs(600)).await;
        let _idle = idle_connection(&server).await;
        server.stop(Stop::Announced);
        wait_until_stopping(&server).await;
        // New connections are still accepted.
        let mut raw = RawConnection::connect(&server.address).await;
        raw.send(READY).await;
        let response = raw.response().await.is(503);
        let body: Value = serde_json::from_str(&response.text).expect("JSON");
        assert_eq!(body, json!({"status": "stopping"}));
        assert_eq!(response.header("connection"), "close");
    }

    async fn idle_connection_closed_after_grace_period(database) {
        let mut server = start_with_grace_period(&database, Duration::from_millis(200)).await;
        let mut raw = idle_connection(&server).await;
        server.stop(Stop::Announced);
        assert!(raw.closes().await);
        wait_until_refused(&server).await;
    }

    async fn request_in_progress_completes(database) {
        let mut server = start_with_grace_period(&database, Duration::from_millis(200)).await;
        let mut raw = idle_connection(&server).await;
        raw.send("POST /wp-json/tribe/events/v1/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{").await;
        server.stop(Stop::Announced);
        wait_until_refused(&server).await;
        // The server closes idle connections meanwhile.
        sleep(Duration::from_millis(300)).await;
        raw.send("}").await;
        let response = raw.response().await;
        assert!([400, 401].contains(&response.status), "{response:?}");
        assert_eq!(response.header("connection"), "close");
    }

    async fn new_connection_gets_first_response(database) {
        let change = |limits: &mut Limits| limits.first_request = Duration::from_secs(600);
        let mut server = Server::start_with(&database.url().await, &[], change).await;
        let mut raw = RawConnection::connect(&server.address).await;
        server.stop(Stop::Soon);
        wait_until_refused(&server).await;
        raw.send(GET).await;
        assert_eq!(raw.response().await.is(200).header("connection"), "close");
    }

    async fn http2_connection_ends_gracefully(database) {
        let mut server = start_with_grace_period(&database, Duration::from_secs(600)).await;
        let stream = TcpStream::connect(server.address.trim_start_matches("http://")).await;
        let stream = TokioIo::new(stream.expect("it listens"));
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.expect("HTTP/2");
        let connection = tokio::spawn(connection);
        let request = Request::get(format!("{}/healthz", server.address)).body(Empty::<Bytes>::new());
        let response = sender.send_request(request.expect("a request")).await.expect("a response");
        assert_eq!(response.status(), 200);
        server.stop(Stop::Announced);
        connection.await.expect("no panic").expect("a graceful close");
    }

    async fn server_without_connections_stops_at_once(database) {
        let mut server = start_with_grace_period(&database, Duration::from_secs(600)).await;
        server.stop(Stop::Announced);
        wait_until_refused(&server).await;
    }
}
