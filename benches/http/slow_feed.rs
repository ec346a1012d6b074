//! Measures the memory of the server while a client reads a large feed slowly, and how fast other clients are served.

use std::{
    cell::Cell,
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use anyhow::{Result, anyhow, bail, ensure};
use http_body_util::{BodyExt, Empty};
use hyper::{
    Request,
    body::{Bytes, Incoming},
    client::conn::http1,
    header::HOST,
};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpSocket,
    runtime,
    time::{Instant, interval, sleep_until},
};

use crate::{event_counter::EventCounter, measurement::Harness, operations::Operation, server_process::ServerProcess};

/// The number of events of the database.
pub(crate) const EVENTS: u64 = 100_000;
/// The connections of the other clients.
pub(crate) const CONNECTIONS: usize = 8;
/// The feed of all events.
const PATH: &str = "/events.ics?start_date=1900-01-01";
/// The speed of the slow client, in bytes per second.
const SPEED: f64 = 1e6;
/// The size of each receive buffer of the slow client, that of the socket and that of hyper, in bytes. A window that is
/// smaller than two segments of the loopback interface could stall.
const BUFFER: u32 = 128 * 1024;
/// How long the other clients are measured: before the feed is requested, while it is read slowly, and after its end.
const LOAD: Duration = Duration::from_secs(20);
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// The result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowFeed {
    /// The number of events of the feed.
    pub events: u64,
    /// The length of the feed, in bytes.
    pub length: u64,
    /// Resident memory before the feed was requested, in bytes.
    pub before: u64,
    /// The maximum of resident memory until the end of the feed, in bytes.
    pub max: u64,
    /// Requests per second of the other clients, relative to the mean of before and after.
    pub rate_ratio: f64,
}

impl SlowFeed {
    /// By how much resident memory has grown, in bytes.
    pub(crate) fn growth(&self) -> u64 {
        self.max.saturating_sub(self.before)
    }
}

/// Measures memory and the rate of other clients, which send the operation. The rest of the feed is read at once after
/// the other clients have been measured.
pub(crate) fn measure(harness: &Harness<'_>, operation: &Operation) -> Result<SlowFeed> {
    let process = harness.process;
    let loading = Harness {
        round: LOAD,
        ..*harness
    };
    let rate_of_others = || -> Result<f64> {
        let measured = loading.round(process, operation, CONNECTIONS)?;
        match measured.error {
            Some(error) => bail!("{}: {error}", operation.name),
            None => Ok(measured.rate),
        }
    };
    let rate_before = rate_of_others()?;
    let before = process.memory()?;
    let is_slow = AtomicBool::new(true);
    let (rate, (received, max)) = thread::scope(|scope| {
        let reading = scope.spawn(|| read(process, &is_slow));
        let rate = rate_of_others();
        is_slow.store(false, Ordering::Relaxed);
        let received = reading.join().map_err(|_| anyhow!("the slow client panicked"))?;
        anyhow::Ok((rate?, received?))
    })?;
    let rate_after = rate_of_others()?;
    process.truncate_log()?;
    Ok(SlowFeed {
        events: received.events,
        length: received.length,
        before,
        max,
        rate_ratio: rate / f64::midpoint(rate_before, rate_after),
    })
}

/// What the slow client has received.
struct Received {
    events: u64,
    /// In bytes.
    length: u64,
}

/// Reads the feed, slowly as long as `is_slow` is true. Returns the maximum of resident memory, too.
fn read(process: &ServerProcess, is_slow: &AtomicBool) -> Result<(Received, u64)> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let max = Cell::new(0);
    let received = runtime.block_on(async {
        tokio::select! {
            received = receive(process.destination.address, is_slow) => received,
            error = sample(process, &max) => Err(error),
        }
    })?;
    Ok((received, max.get()))
}

/// Samples resident memory. Returns only if it can't be read.
async fn sample(process: &ServerProcess, max: &Cell<u64>) -> anyhow::Error {
    let mut interval = interval(SAMPLE_INTERVAL);
    loop {
        interval.tick().await;
        match process.memory() {
            Ok(memory) => max.set(max.get().max(memory)),
            Err(error) => return error,
        }
    }
}

async fn receive(address: SocketAddr, is_slow: &AtomicBool) -> Result<Received> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(BUFFER)?;
    let stream = socket.connect(address).await?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(BUFFER as usize)
        .handshake(TokioIo::new(stream))
        .await?;
    let request = Request::get(PATH)
        .header(HOST, address.to_string())
        .body(Empty::<Bytes>::new())?;
    let received = async {
        let response = sender.send_request(request).await?;
        ensure!(response.status().is_success(), "{PATH}: {}", response.status());
        read_body(response.into_body(), is_slow).await
    };
    tokio::select! {
        received = received => received,
        _ = connection => bail!("the connection was closed"),
    }
}

async fn read_body(mut body: Incoming, is_slow: &AtomicBool) -> Result<Received> {
    let mut counter = EventCounter::default();
    let mut length = 0;
    let started = Instant::now();
    while let Some(frame) = body.frame().await {
        let Ok(part) = frame?.into_data() else { continue };
        counter.add(&part);
        length += part.len() as u64;
        if is_slow.load(Ordering::Relaxed) {
            sleep_until(started + Duration::from_secs_f64(length as f64 / SPEED)).await;
        }
    }
    ensure!(
        !is_slow.load(Ordering::Relaxed),
        "the feed of {length} bytes ended before the other clients were measured"
    );
    Ok(Received {
        events: counter.events,
        length,
    })
}
