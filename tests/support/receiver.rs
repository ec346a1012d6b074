//! A server that receives webhooks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};

use poem::{
    Request, Route, Server,
    endpoint::make,
    http::{HeaderMap, StatusCode},
    listener::TcpAcceptor,
};
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc, time::timeout};

/// How long to wait for a message.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that receives messages.
pub(crate) struct Receiver {
    pub url: String,
    messages: mpsc::UnboundedReceiver<Message>,
    status: Arc<AtomicU16>,
}

/// A message, as it was received.
#[derive(Debug)]
pub(crate) struct Message {
    pub headers: HeaderMap,
    pub text: String,
}

impl Message {
    /// The JSON of the body.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_str(&self.text).expect("JSON")
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("a text")
    }
}

impl Receiver {
    /// Starts a server that responds with 204 after a delay.
    pub(crate) async fn start(delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (sender, messages) = mpsc::unbounded_channel();
        let status = Arc::new(AtomicU16::new(204));
        let respond = {
            let status = status.clone();
            make(move |request: Request| {
                let (sender, status) = (sender.clone(), status.clone());
                async move {
                    let headers = request.headers().clone();
                    let text = request.into_body().into_string().await.expect("a body");
                    // Before the test gets the message, and may choose another status.
                    let status = StatusCode::from_u16(status.load(Ordering::Relaxed)).expect("a status");
                    // The test may have ended.
                    _ = sender.send(Message { headers, text });
                    tokio::time::sleep(delay).await;
                    Ok::<_, poem::Error>((status, "a response"))
                }
            })
        };
        let acceptor = TcpAcceptor::from_tokio(listener).expect("a listener");
        tokio::spawn(Server::new_with_acceptor(acceptor).run(Route::new().at("/*path", respond)));
        Self {
            url: format!("http://{address}/hook"),
            messages,
            status,
        }
    }

    /// Responds with another status from now on.
    pub(crate) fn respond_with(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Message {
        let message = timeout(PATIENCE, self.messages.recv()).await;
        message.expect("a message in time").expect("an open channel")
    }

    /// Asserts that no message arrives for a while.
    pub(crate) async fn nothing(&mut self) {
        let message = timeout(Duration::from_millis(1_500), self.messages.recv()).await;
        assert!(message.is_err(), "{message:?}");
    }
}
