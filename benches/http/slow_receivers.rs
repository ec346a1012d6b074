//! Receivers of webhooks, which take a while to respond.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use hyper::Method;
use poem::{EndpointExt, Server, endpoint::make, http::StatusCode, listener::TcpAcceptor};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::{
    dataset::Dataset,
    generator::Measurement,
    measurement::Harness,
    operations::{NewEvent, Operation},
    request::RequestSpec,
};

/// The number of webhooks.
const WEBHOOKS: usize = 3;
/// How long each message takes.
const DELAY: Duration = Duration::from_millis(100);
/// How long to wait for the first message.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server at which all messages arrive.
pub(crate) struct SlowReceivers {
    url: String,
    received: Arc<AtomicU64>,
    /// Serves until it is dropped.
    _runtime: Runtime,
}

impl SlowReceivers {
    pub(crate) fn start() -> Result<Self> {
        // The load generator has a thread of its own, too.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let received = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&received);
        let respond = make(move |_| {
            let counter = Arc::clone(&counter);
            async move {
                counter.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(DELAY).await;
                Ok::<_, poem::Error>(StatusCode::NO_CONTENT)
            }
        });
        let address = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            let acceptor = TcpAcceptor::from_tokio(listener)?;
            tokio::spawn(Server::new_with_acceptor(acceptor).run(respond.map_to_response()));
            anyhow::Ok(address)
        })?;
        Ok(Self {
            url: format!("http://{address}/"),
            received,
            _runtime: runtime,
        })
    }

    /// Runs a round of creates while webhooks lead here. They exist only for this round: one that is enabled again would
    /// receive what it has missed.
    pub(crate) fn round(
        &self,
        harness: &Harness<'_>,
        dataset: &Dataset,
        creates: &Operation,
        connections: usize,
    ) -> Result<Measurement> {
        let body = json!({"url": self.url}).to_string();
        let add = |_| harness.written(&RequestSpec::write(Method::POST, "/webhooks", body.clone()));
        let webhooks: Vec<i64> = (0..WEBHOOKS).map(add).collect::<Result<_>>()?;
        self.await_message(harness, dataset)?;
        let measured = harness.round(harness.process, creates, connections)?;
        for id in webhooks {
            let path = format!("/webhooks/{id}");
            harness.written(&RequestSpec::write(Method::DELETE, &path, "{}".to_owned()))?;
        }
        Ok(measured)
    }

    /// Creates an event, and waits until a message has arrived: without messages, the round would show nothing.
    fn await_message(&self, harness: &Harness<'_>, dataset: &Dataset) -> Result<()> {
        let before = self.received.load(Ordering::Relaxed);
        harness.written(&NewEvent::request(dataset, harness.numbers.next()))?;
        let end = Instant::now() + PATIENCE;
        while self.received.load(Ordering::Relaxed) == before {
            ensure!(Instant::now() < end, "no message has arrived");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}
