//! HTTP/1 on a TCP connection, for requests that no HTTP library sends.

use std::collections::HashMap;

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::{Duration, timeout},
};

/// Timeout for responses and closed connections, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A TCP connection.
pub(crate) struct RawConnection {
    stream: BufReader<TcpStream>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub status: u16,
    /// By lower-case name.
    pub headers: HashMap<String, String>,
    pub text: String,
}

impl RawResponse {
    /// Asserts the status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The value of a header, or the empty string.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

impl From<TcpStream> for RawConnection {
    fn from(stream: TcpStream) -> Self {
        Self {
            stream: BufReader::new(stream),
        }
    }
}

impl RawConnection {
    /// Connects to an address such as `http://127.0.0.1:8080`.
    pub(crate) async fn connect(address: &str) -> Self {
        Self::try_connect(address).await.expect("a connection")
    }

    pub(crate) async fn try_connect(address: &str) -> std::io::Result<Self> {
        let address = address.trim_start_matches("http://");
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(stream.into())
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.try_send(text).await.expect("an open connection");
    }

    pub(crate) async fn try_send(&mut self, text: &str) -> std::io::Result<()> {
        self.stream.write_all(text.as_bytes()).await
    }

    /// Reads a response.
    pub(crate) async fn response(&mut self) -> RawResponse {
        self.try_response().await.expect("a response")
    }

    /// Reads a response. None if the connection is closed before its end.
    pub(crate) async fn try_response(&mut self) -> Option<RawResponse> {
        timeout(TIMEOUT, self.read()).await.expect("a response in time")
    }

    async fn read(&mut self) -> Option<RawResponse> {
        let first = self.line().await?;
        let status = first.split(' ').nth(1)?.parse().ok()?;
        let mut headers = HashMap::new();
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        self.stream.read_exact(&mut body).await.ok()?;
        Some(RawResponse {
            status,
            headers,
            text: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Reads until the server closes the connection, and returns the number of bytes.
    pub(crate) async fn read_to_end(&mut self) -> usize {
        let mut rest = Vec::new();
        let read = timeout(TIMEOUT, self.stream.read_to_end(&mut rest)).await;
        // The server may also reset the connection.
        let _ = read.expect("a closed connection in time");
        rest.len()
    }

    /// Whether the server closes the connection within this time. Responses until then are discarded.
    pub(crate) async fn closes_within(&mut self, limit: Duration) -> bool {
        let mut rest = Vec::new();
        timeout(limit, self.stream.read_to_end(&mut rest)).await.is_ok()
    }

    /// Whether the server closes the connection in time.
    pub(crate) async fn closes(&mut self) -> bool {
        self.closes_within(TIMEOUT).await
    }
}
