//! Connections: admission, limits and shutdown.
//!
//! hyper implements HTTP, and poem's endpoints respond. poem's own server does not limit connections, does not back off
//! when accepting fails, and closes persistent connections without announcing it.

mod accept;
mod activity;
mod body;
mod connection;
mod drain;
mod limits;
mod registry;
mod stream;
mod watchdog;

use std::{io, pin::pin, sync::Arc};

use poem::{Endpoint, Response};
use tokio::{
    net::TcpListener,
    time::{Instant, sleep_until, timeout},
};

use self::{
    accept::{Accepted, Acceptor},
    activity::Activity,
    connection::Server,
    registry::Registry,
};
pub(crate) use self::{drain::Draining, limits::raise_open_files};
pub use self::{drain::Stop, limits::Limits};

/// Serves connections until `stop` completes and no connection is left.
pub(crate) async fn serve(
    listener: TcpListener,
    endpoint: impl Endpoint<Output = Response> + 'static,
    limits: Limits,
    draining: Draining,
    stop: impl Future<Output = Stop>,
) -> io::Result<()> {
    let local = listener.local_addr()?;
    tracing::debug!(connections = limits.connections, "listening");
    let registry = Registry::new(limits);
    let server = Arc::new(Server::new(endpoint, draining.clone(), local));
    let spawn = |(stream, peer, admitted): Accepted| {
        tokio::spawn(server.clone().serve(stream, peer, admitted));
    };
    let mut acceptor = Acceptor::new(listener, registry.clone());
    let mut watchdog = pin!(watchdog::watch(registry.clone()));
    let mut stop = pin!(stop);
    let stop_mode = loop {
        tokio::select! {
            biased;
            stop_mode = &mut stop => break stop_mode,
            () = &mut watchdog => {}
            accepted = acceptor.accept() => spawn(accepted),
        }
    };
    draining.begin();
    tracing::debug!(connections = registry.count(), ?stop_mode, "stopping");
    let ending = async {
        if stop_mode == Stop::Announced {
            announce(&registry, &mut acceptor, &spawn).await;
        }
        acceptor.close()?.into_iter().for_each(spawn);
        finish(&registry).await;
        Ok(())
    };
    tokio::select! {
        ended = ending => ended,
        () = watchdog => Ok(()),
    }
}

/// Announces the end of connections while still accepting, unless there are none.
async fn announce(registry: &Arc<Registry>, acceptor: &mut Acceptor, spawn: impl Fn(Accepted)) {
    // HTTP/2 announces it with a frame, and loses no request.
    registry.close_gracefully(Activity::is_http2);
    let end = Instant::now() + registry.limits.announce;
    while registry.count() > 0 {
        tokio::select! {
            accepted = acceptor.accept() => spawn(accepted),
            () = registry.connection_closed() => {}
            () = sleep_until(end) => return,
        }
    }
}

/// Closes idle connections, and waits for the other ones.
async fn finish(registry: &Registry) {
    let limits = &registry.limits;
    registry.close_gracefully(Activity::has_served);
    let first_requests = timeout(limits.first_request, registry.all_closed());
    if first_requests.await.is_ok() {
        return;
    }
    registry.close_gracefully(|_| true);
    if timeout(limits.finish, registry.all_closed()).await.is_err() {
        let connections = registry.count();
        tracing::warn!(connections, "aborting requests that take too long");
        registry.abort();
        // They end when the runtime schedules them.
        let _ = timeout(limits.first_request, registry.all_closed()).await;
    }
}
