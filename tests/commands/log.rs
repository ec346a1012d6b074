//! The log of a server.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

use crate::{
    on_both_databases,
    support::program::{Log, ServerProcess, run, sqlite_url, stderr, stdout_lines},
};

/// Timeout for the end of a server, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The fields of the access log line that contains this text.
fn fields(log: &Log, text: &str) -> Value {
    let line = log.line(&["\"request completed\"", text]);
    let line: Value = serde_json::from_str(&line).expect("a JSON line");
    line["fields"].clone()
}

#[tokio::test]
async fn access_log_fields() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&["--log-format", "json"]);
    let admin = server.anonymous().with_password("admin", server.password());
    let path = "/events?search=jazz&access_token=hidden";
    let request = admin.request("GET", path).header("user-agent", "tester/1");
    let response = request.send().await.expect("a response");
    let length = response.bytes().await.expect("a body").len();
    let fields = fields(&server.log, "tester/1");
    assert_eq!(fields["method"], "GET");
    assert_eq!(fields["path"], "/calendar/events/v1/events");
    assert_eq!(fields["query"], "search=jazz&access_token=[redacted]");
    assert_eq!(fields["status"], 200);
    assert_eq!(fields["bytes"], length);
    assert_eq!(fields["client"], "127.0.0.1");
    assert_eq!(fields["user"], "admin");
    let time = fields["milliseconds"].to_string();
    let decimals = time.split_once('.').map_or("", |(_, decimals)| decimals);
    assert!(decimals.len() <= 2, "{time}");
    assert!(!server.log.text().contains("hidden"));
}

#[tokio::test]
async fn token_user_is_logged() {
    let (server, directory) = ServerProcess::start_in_temporary_directory(&["--log-format", "json"]);
    let url = sqlite_url(directory.path());
    let token = stdout_lines(&["token", "add", "--user", "admin", "--database-url", &url]);
    let bearer = server.anonymous().with_token(&token[0]);
    bearer.get("/tags?search=token").await.is(200);
    assert_eq!(fields(&server.log, "search=token")["user"], "admin");
    assert!(!server.log.text().contains(&token[0]));
}

#[tokio::test]
async fn no_user_without_valid_credentials() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&["--log-format", "json"]);
    let anonymous = server.anonymous();
    anonymous.get("/tags?search=anonymous").await.is(200);
    assert_eq!(fields(&server.log, "search=anonymous").get("user"), None);
    let wrong = anonymous.with_password("admin", "wrong");
    wrong.get("/tags?search=wrong").await.is(401);
    assert_eq!(fields(&server.log, "search=wrong").get("user"), None);
}

#[tokio::test]
async fn compatibility_root_user_is_logged() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&["--log-format", "json"]);
    let admin = server.anonymous().with_password("admin", server.password());
    admin.get("~/wp-json/tribe/events/v1/tags?search=compat").await.is(200);
    assert_eq!(fields(&server.log, "search=compat")["user"], "admin");
}

#[tokio::test]
async fn bytes_count_encoded_body() {
    let (server, _directory) = ServerProcess::start_in_temporary_directory(&["--log-format", "json"]);
    let anonymous = server.anonymous();
    let gzip = |path| anonymous.request("GET", path).header("accept-encoding", "gzip");
    for path in ["/doc?bytes=1", "/doc?bytes=2"] {
        let response = gzip(path).send().await.expect("a response");
        assert!(response.headers().contains_key("content-length"), "{path}");
        let length = response.bytes().await.expect("a body").len();
        assert_eq!(fields(&server.log, path.trim_start_matches("/doc?"))["bytes"], length);
    }
    let head = anonymous.request("HEAD", "/doc?bytes=3").send().await;
    head.expect("a response");
    assert_eq!(fields(&server.log, "bytes=3")["bytes"], 0);
}

#[test]
fn log_injection_is_escaped() {
    for format in ["pretty", "json"] {
        let (server, _directory) = ServerProcess::start_in_temporary_directory(&["--log-format", format]);
        let address = server.address.trim_start_matches("http://");
        let mut connection = TcpStream::connect(address).expect("a connection");
        let long = "x".repeat(5_000);
        let request = [
            b"GET /a%0Ab?marker=1&q=\xc2\x9b2J%0A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n".as_slice(),
            b"User-Agent: a\tb\xc2\x9b2J\xe2\x80\xae",
            long.as_bytes(),
            b"\r\n\r\n",
        ];
        connection.write_all(&request.concat()).expect("a request");
        let mut response = Vec::new();
        connection.read_to_end(&mut response).expect("a response");
        let line = server.log.line(&["request completed", "marker=1"]);
        assert!(line.chars().all(|letter| (' '..='~').contains(&letter)), "{line}");
        assert!(line.len() < 2_000, "{}", line.len());
    }
}

on_both_databases! {
    async fn start_and_stop_are_logged(database) {
        let url = database.url().await;
        let arguments = ["--log-format", "json", "--timezone", "Europe/Berlin", "--database-url", &url];
        let server = ServerProcess::start(&arguments);
        let log = server.log.clone();
        let address = server.address.trim_start_matches("http://").to_owned();
        server.signal("TERM");
        assert_eq!(server.wait(PATIENCE).0, Some(0));
        let lines: Vec<Value> = log
            .text()
            .lines()
            .map(|line| serde_json::from_str(line).expect("a JSON line"))
            .collect();
        let fields = |message: &str| {
            let mut fields = lines.iter().map(|line| &line["fields"]);
            fields.find(|fields| fields["message"] == message).expect(message).clone()
        };
        let starting = fields("starting");
        assert_eq!(starting["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(starting["database"].as_str(), Some(url.as_str()));
        let flags = starting["flags"].as_str().expect("text");
        assert!(flags.contains("--timezone=Europe/Berlin"), "{flags}");
        assert_eq!(fields("listening")["address"], address.as_str());
        assert_eq!(fields("stopping")["signal"], "SIGTERM");
        assert_eq!(lines.last().expect("a line")["fields"]["message"], "stopped");
    }
}

#[test]
fn database_password_not_logged() {
    let secret = "postgres://ann:hidden@127.0.0.1:1/cal?sslpassword=hidden";
    let output = run(&["serve", "--database-wait", "0s", "--database-url", secret]);
    let log = stderr(&output);
    assert!(log.contains("starting") && log.contains("ann@127.0.0.1:1/cal"), "{log}");
    assert!(!log.contains("hidden"), "{log}");
}
