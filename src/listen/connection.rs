//! Serving one connection.

use std::{convert::Infallible, io, pin::pin, sync::Arc};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::{
    body::{Body, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use poem::{
    Addr, Endpoint, Response,
    http::{self, HeaderValue, header, uri::Scheme},
    web::{LocalAddr, RemoteAddr},
};
use tokio::net::TcpStream;

use super::{
    activity::ActiveRequest,
    body::{CHUNK_SIZE, TrackedBody},
    drain::Draining,
    registry::{Admitted, Termination},
    stream::TrackedStream,
};

/// The read and write buffer of HTTP/1, in bytes. The longest request target that hyper accepts has 64 KiB.
const BUFFER: usize = 128 * 1024;

/// The state that all connections share.
pub(super) struct Server<E> {
    endpoint: E,
    draining: Draining,
    local: LocalAddr,
    builder: Builder<TokioExecutor>,
}

impl<E: Endpoint<Output = Response> + 'static> Server<E> {
    pub(super) fn new(endpoint: E, draining: Draining, local: std::net::SocketAddr) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        // The watchdog enforces the time limits. hyper would set a timer for each request.
        builder.http1().header_read_timeout(None).max_buf_size(BUFFER);
        builder
            .http2()
            .max_concurrent_streams(100)
            .max_send_buf_size(CHUNK_SIZE)
            .max_pending_accept_reset_streams(20)
            .max_header_list_size(16 * 1024);
        Self {
            endpoint,
            draining,
            local: LocalAddr(Addr::SocketAddr(local)),
            builder,
        }
    }

    /// Serves one connection until it ends or is terminated.
    pub(super) async fn serve(self: Arc<Self>, stream: TcpStream, peer: std::net::SocketAddr, admitted: Admitted) {
        let (activity, mut termination, _slot) = admitted.into_parts();
        let remote = RemoteAddr(Addr::SocketAddr(peer));
        let service = service_fn(|request: http::Request<Incoming>| {
            let active = activity.begin_request(request.version() == http::Version::HTTP_2);
            let (server, remote) = (self.clone(), remote.clone());
            async move { Ok::<_, Infallible>(server.respond(request, remote, active).await) }
        });
        let stream = TokioIo::new(TrackedStream::new(stream, activity.clone()));
        let mut connection = pin!(self.builder.serve_connection(stream, service));
        loop {
            tokio::select! {
                // A request that has arrived takes precedence over termination.
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, error, "connection error");
                    }
                    return;
                }
                changed = termination.changed() => match (changed, *termination.borrow_and_update()) {
                    (Ok(()), Termination::Graceful) => connection.as_mut().graceful_shutdown(),
                    (Ok(()), Termination::None) => {}
                    (Ok(()), Termination::Immediate) | (Err(_), _) => return,
                },
            }
        }
    }

    async fn respond(
        &self,
        request: http::Request<Incoming>,
        remote: RemoteAddr,
        mut active: ActiveRequest,
    ) -> http::Response<TrackedBody> {
        let request = (request, self.local.clone(), remote, Scheme::HTTP).into();
        let response = self.endpoint.get_response(request).await;
        let mut response: http::Response<BoxBody<Bytes, io::Error>> = response.into();
        if !active.is_http2() {
            if self.draining.has_begun() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
            if response.headers().contains_key(header::CONNECTION) {
                active.mark_last_response();
            }
        }
        active.begin_response(response.body().size_hint().lower());
        response.map(|body| TrackedBody::new(body, active))
    }
}
