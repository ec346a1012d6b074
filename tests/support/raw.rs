//! HTTP/1 as bytes on a connection, for what no client library would send.

use std::collections::HashMap;

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::{Duration, timeout},
};

/// How long a server may take for anything, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection.
pub struct RawConnection {
    stream: BufReader<TcpStream>,
}

/// What came back.
#[derive(Debug)]
pub struct RawResponse {
    pub status: u16,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    pub text: String,
}

impl RawResponse {
    /// The answer, which must have this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// A header; empty where it is absent.
    pub fn header(&self, name: &str) -> &str {
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
    pub async fn connect(address: &str) -> Self {
        Self::try_connect(address).await.expect("it listens")
    }

    pub async fn try_connect(address: &str) -> std::io::Result<Self> {
        let address = address.trim_start_matches("http://");
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(stream.into())
    }

    /// Sends these bytes.
    pub async fn send(&mut self, text: &str) {
        self.try_send(text).await.expect("the connection is open");
    }

    pub async fn try_send(&mut self, text: &str) -> std::io::Result<()> {
        self.stream.write_all(text.as_bytes()).await
    }

    /// Reads one answer with its body.
    pub async fn response(&mut self) -> RawResponse {
        self.try_response().await.expect("the server answers")
    }

    /// The same; none where the connection ends before it.
    pub async fn try_response(&mut self) -> Option<RawResponse> {
        timeout(PATIENCE, self.read()).await.expect("in time")
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

    /// Reads until the server closes the connection, and returns how many bytes came.
    pub async fn read_to_end(&mut self) -> usize {
        let mut rest = Vec::new();
        let read = timeout(PATIENCE, self.stream.read_to_end(&mut rest)).await;
        // A connection may also end with an error.
        let _ = read.expect("it is closed in time");
        rest.len()
    }

    /// Waits until the server closes the connection, at most so long. What it sends until then is left unread.
    pub async fn closes_within(&mut self, patience: Duration) -> bool {
        let mut rest = Vec::new();
        timeout(patience, self.stream.read_to_end(&mut rest)).await.is_ok()
    }

    /// Waits until the server closes the connection.
    pub async fn closes(&mut self) -> bool {
        self.closes_within(PATIENCE).await
    }
}
