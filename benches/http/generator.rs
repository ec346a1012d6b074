//! The load generator: a number of keep-alive connections, each of which sends a request after it has read the response
//! to the previous one. It runs on one thread, which leaves processors to the server. The server and the baseline are
//! driven by the same generator.

use std::{
    cell::RefCell,
    net::SocketAddr,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, bail, ensure};
use futures_util::{TryStreamExt, stream::FuturesUnordered};
use hdrhistogram::Histogram;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1::{SendRequest, handshake},
    header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, IF_NONE_MATCH},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, runtime::Runtime};

use crate::request::RequestSpec;

/// A sequence of request numbers. They are unique within a run, and across runs on the same database.
pub(crate) struct RequestNumbers(AtomicU64);

impl RequestNumbers {
    pub(crate) fn new() -> Self {
        let seconds = chrono::Utc::now().timestamp().unsigned_abs();
        Self(AtomicU64::new(seconds * 1_000_000))
    }

    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// The address of a server, and the credentials for it.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub address: SocketAddr,
    /// Sent with write requests.
    pub authorization: HeaderValue,
}

/// A load on a server.
pub(crate) struct Load<'a> {
    pub destination: &'a Destination,
    pub connections: usize,
    pub duration: Duration,
    /// Builds the request with this number.
    pub request: &'a dyn Fn(u64) -> RequestSpec,
    /// Builds a write that is sent before the request with this number, and is not measured.
    pub write_before: Option<&'a dyn Fn(u64) -> RequestSpec>,
    pub numbers: &'a RequestNumbers,
    /// The expected status of responses.
    pub status: u16,
}

/// A slow operation continues until it has this many responses, so that its p99 is meaningful, but no longer than
/// [`MAX_EXTENSION`] times its duration.
const MIN_RESPONSES: u64 = 200;
const MAX_EXTENSION: u32 = 3;
/// The fraction of the duration that the load runs before responses are recorded.
const WARM_UP_DIVISOR: u32 = 10;

/// The result of a load.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    /// Requests per second.
    pub rate: f64,
    pub p50: Duration,
    pub p99: Duration,
    /// The first unexpected response or connection error.
    pub error: Option<String>,
}

/// A response with its complete body.
#[derive(Clone, Debug)]
pub(crate) struct FetchedResponse {
    pub status: u16,
    pub content_type: String,
    pub etag: Option<HeaderValue>,
    pub body: Bytes,
}

/// Sends requests on a single-threaded runtime.
pub(crate) struct Generator {
    runtime: Runtime,
}

impl Generator {
    pub(crate) fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { runtime })
    }

    /// Sends one request.
    pub(crate) fn fetch(&self, destination: &Destination, request: &RequestSpec) -> Result<FetchedResponse> {
        self.runtime.block_on(async {
            let (mut sender, connection) = connect(destination.address).await?;
            let response = async {
                let response = sender.send_request(build_request(destination, request)?).await?;
                let header = |name| response.headers().get(name).cloned();
                let (etag, content_type) = (header("etag"), header("content-type"));
                Ok(FetchedResponse {
                    status: response.status().as_u16(),
                    content_type: match content_type {
                        Some(value) => value.to_str()?.to_owned(),
                        None => String::new(),
                    },
                    etag,
                    body: response.into_body().collect().await?.to_bytes(),
                })
            };
            tokio::select! {
                response = response => response,
                _ = connection => bail!("the connection was closed"),
            }
        })
    }

    /// Sends the same request several times over one connection.
    pub(crate) fn repeat(&self, destination: &Destination, request: &RequestSpec, times: u64) -> Result<()> {
        self.runtime.block_on(async {
            let (mut sender, connection) = connect(destination.address).await?;
            let requests = async {
                for _ in 0..times {
                    drain(sender.send_request(build_request(destination, request)?).await?).await?;
                }
                Ok(())
            };
            tokio::select! {
                done = requests => done,
                _ = connection => bail!("the connection was closed"),
            }
        })
    }

    /// Runs a load.
    pub(crate) fn drive(&self, load: &Load<'_>) -> Result<Measurement> {
        let begin = Instant::now() + load.duration / WARM_UP_DIVISOR;
        let recorder = Rc::new(RefCell::new(Recorder::new(begin, load)?));
        let connections = (0..load.connections).map(|_| {
            let recorder = Rc::clone(&recorder);
            async move {
                let (sender, connection) = connect(load.destination.address).await?;
                let ended = tokio::select! {
                    done = send_requests(load, sender, &recorder) => done,
                    _ = connection => Err(anyhow!("the server closed the connection")),
                };
                // Only one response is lost, so that the measurement stays valid.
                if let Err(error) = ended {
                    let error = format!("{error:#}");
                    recorder.borrow_mut().error.get_or_insert(error);
                }
                anyhow::Ok(())
            }
        });
        // Polls only the connections that were woken.
        let connections: FuturesUnordered<_> = connections.collect();
        self.runtime.block_on(connections.try_for_each(|()| async { Ok(()) }))?;
        let recorder = recorder.borrow();
        Ok(recorder.measurement())
    }
}

/// Records the latencies of a running load.
struct Recorder {
    begin: Instant,
    end: Instant,
    /// The end if there are fewer than [`MIN_RESPONSES`].
    max_end: Instant,
    /// When the first recorded request was sent.
    first_request: Option<Instant>,
    last_response: Instant,
    latencies: Histogram<u64>,
    /// The time of writes that are not measured, of all connections.
    excluded: Duration,
    connections: usize,
    error: Option<String>,
}

impl Recorder {
    fn new(begin: Instant, load: &Load<'_>) -> Result<Self> {
        Ok(Self {
            begin,
            end: begin + load.duration,
            max_end: begin + load.duration * MAX_EXTENSION,
            first_request: None,
            last_response: begin,
            latencies: Histogram::new(3)?,
            excluded: Duration::ZERO,
            connections: load.connections,
            error: None,
        })
    }

    fn is_active(&self) -> bool {
        let now = Instant::now();
        let responses = self.latencies.len();
        now < self.end || responses == 0 || (now < self.max_end && responses < MIN_RESPONSES)
    }

    fn add(&mut self, started: Instant) -> Result<()> {
        let now = Instant::now();
        if started >= self.begin {
            let latency = u64::try_from((now - started).as_nanos())?;
            self.latencies.record(latency)?;
            self.first_request = Some(self.first_request.map_or(started, |first| first.min(started)));
            self.last_response = now;
        }
        Ok(())
    }

    /// Excludes the time since `started` from the rate.
    fn exclude(&mut self, started: Instant) {
        if self.first_request.is_some() {
            self.excluded += started.elapsed();
        }
    }

    fn measurement(&self) -> Measurement {
        let quantile = |q| Duration::from_nanos(self.latencies.value_at_quantile(q));
        let excluded = self.excluded.as_secs_f64() / self.connections as f64;
        // A slow request of the warm-up ends long after the beginning of the load.
        let begin = self.first_request.unwrap_or(self.begin);
        let seconds = (self.last_response - begin).as_secs_f64() - excluded;
        Measurement {
            rate: self.latencies.len() as f64 / seconds.max(f64::EPSILON),
            p50: quantile(0.5),
            p99: quantile(0.99),
            error: self.error.clone(),
        }
    }
}

/// Sends requests over one connection until the load ends.
async fn send_requests(
    load: &Load<'_>,
    mut sender: SendRequest<Full<Bytes>>,
    recorder: &RefCell<Recorder>,
) -> Result<()> {
    while recorder.borrow().is_active() {
        let number = load.numbers.next();
        if let Some(write_before) = load.write_before {
            let write = build_request(load.destination, &write_before(number))?;
            let started = Instant::now();
            let response = sender.send_request(write).await?;
            ensure!(response.status().is_success(), "a write before a request: {response:?}");
            drain(response).await?;
            recorder.borrow_mut().exclude(started);
        }
        let request = (load.request)(number);
        let http_request = build_request(load.destination, &request)?;
        let started = Instant::now();
        let response = sender.send_request(http_request).await?;
        let status = response.status().as_u16();
        if status == load.status {
            drain(response).await?;
            recorder.borrow_mut().add(started)?;
        } else {
            let body = response.into_body().collect().await?.to_bytes();
            let body = String::from_utf8_lossy(&body).into_owned();
            let error = format!("{} {}: {status} {body}", request.method, request.path);
            recorder.borrow_mut().error.get_or_insert(error);
        }
    }
    Ok(())
}

/// Reads the body to its end.
async fn drain(response: Response<Incoming>) -> Result<()> {
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        frame?;
    }
    Ok(())
}

type Connection = hyper::client::conn::http1::Connection<TokioIo<TcpStream>, Full<Bytes>>;

async fn connect(address: SocketAddr) -> Result<(SendRequest<Full<Bytes>>, Connection)> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(handshake(TokioIo::new(stream)).await?)
}

fn build_request(destination: &Destination, request: &RequestSpec) -> Result<Request<Full<Bytes>>> {
    let mut builder = Request::builder()
        .method(request.method.clone())
        .uri(request.path.as_str())
        .header(HOST, destination.address.to_string());
    if let Some(etag) = &request.if_none_match {
        builder = builder.header(IF_NONE_MATCH, etag);
    }
    if request.accepts_gzip {
        builder = builder.header(ACCEPT_ENCODING, "gzip");
    }
    let body = match &request.body {
        Some(body) => {
            builder = builder
                .header(AUTHORIZATION, &destination.authorization)
                .header(CONTENT_TYPE, "application/json");
            Bytes::from(body.clone())
        }
        None => Bytes::new(),
    };
    Ok(builder.body(Full::new(body))?)
}
