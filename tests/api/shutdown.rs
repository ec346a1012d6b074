//! How a server says that it stops, and what becomes of its connections.

use std::time::Duration;

use almanac::listen::{Limits, Stop};
use bytes::Bytes;
use http_body_util::Empty;
use hyper::{Request, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::sleep};

use crate::{
    on_both,
    support::{Database, Server, raw::Raw},
};

const GET: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const READY: &str = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A server that announces its end for so long.
async fn announcing(on: &Database, announce: Duration) -> Server {
    let change = |limits: &mut Limits| limits.announce = announce;
    Server::start_with(&on.url().await, &[], change).await
}

/// A connection that has had an answer.
async fn kept(server: &Server) -> Raw {
    let mut raw = Raw::connect(&server.address).await;
    raw.send(GET).await;
    assert_eq!(raw.answer().await.is(200).header("connection"), "");
    raw
}

/// Waits until nobody listens any more.
async fn refused(server: &Server) {
    while Raw::try_connect(&server.address).await.is_ok() {
        sleep(Duration::from_millis(10)).await;
    }
}

on_both! {
    async fn last_response_announces_close(on) {
        let mut server = announcing(&on, Duration::from_secs(600)).await;
        let mut raw = kept(&server).await;
        server.stop(Stop::Announced);
        sleep(Duration::from_millis(300)).await;
        raw.send(GET).await;
        assert_eq!(raw.answer().await.is(200).header("connection"), "close");
        assert!(raw.is_closed().await);
        refused(&server).await;
    }

    async fn stopping_server_is_not_ready(on) {
        let mut server = announcing(&on, Duration::from_secs(600)).await;
        let _keeps_it = kept(&server).await;
        server.stop(Stop::Announced);
        sleep(Duration::from_millis(300)).await;
        // It still accepts.
        let mut raw = Raw::connect(&server.address).await;
        raw.send(READY).await;
        let answer = raw.answer().await.is(503);
        let body: Value = serde_json::from_str(&answer.text).expect("JSON");
        assert_eq!(body, json!({"status": "stopping"}));
        assert_eq!(answer.header("connection"), "close");
    }

    async fn idle_connection_closed_after_grace_period(on) {
        let mut server = announcing(&on, Duration::from_millis(200)).await;
        let mut raw = kept(&server).await;
        server.stop(Stop::Announced);
        assert!(raw.is_closed().await);
        refused(&server).await;
    }

    async fn request_in_progress_completes(on) {
        let mut server = announcing(&on, Duration::from_millis(200)).await;
        let mut raw = kept(&server).await;
        raw.send("POST /wp-json/tribe/events/v1/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{").await;
        server.stop(Stop::Announced);
        refused(&server).await;
        sleep(Duration::from_millis(300)).await;
        raw.send("}").await;
        let answer = raw.answer().await;
        assert!([400, 401].contains(&answer.status), "{answer:?}");
        assert_eq!(answer.header("connection"), "close");
    }

    async fn new_connection_gets_first_response(on) {
        let change = |limits: &mut Limits| limits.first_request = Duration::from_secs(600);
        let mut server = Server::start_with(&on.url().await, &[], change).await;
        let mut raw = Raw::connect(&server.address).await;
        server.stop(Stop::Soon);
        refused(&server).await;
        raw.send(GET).await;
        assert_eq!(raw.answer().await.is(200).header("connection"), "close");
    }

    async fn http2_connection_ends_gracefully(on) {
        let mut server = announcing(&on, Duration::from_secs(600)).await;
        let stream = TcpStream::connect(server.address.trim_start_matches("http://")).await;
        let stream = TokioIo::new(stream.expect("it listens"));
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.expect("HTTP/2");
        let connection = tokio::spawn(connection);
        let request = Request::get(format!("{}/healthz", server.address)).body(Empty::<Bytes>::new());
        let response = sender.send_request(request.expect("a request")).await.expect("an answer");
        assert_eq!(response.status(), 200);
        server.stop(Stop::Announced);
        connection.await.expect("no panic").expect("it ends without an error");
    }

    async fn server_without_connections_stops_at_once(on) {
        let mut server = announcing(&on, Duration::from_secs(600)).await;
        server.stop(Stop::Announced);
        refused(&server).await;
    }
}
