//! The server, in the order in which a request passes through it: connections, layers, routes.

use std::{any::Any, net::SocketAddr, sync::Arc};

use poem::{
    EndpointExt, IntoEndpoint, Request, Response, Route,
    endpoint::BoxEndpoint,
    get,
    middleware::{CatchPanic, NormalizePath, TrailingSlash, make},
};
use tokio::net::{TcpListener, TcpSocket};

use crate::{
    Almanac,
    api::{self, batch::BatchEndpoint},
    calendar::Variant,
    compat::{self, Compat},
    error::Problem,
    feeds,
    listen::{self, Limits, Stop},
    middleware::{
        access_log, allowed_methods,
        batch_layers::batch_layers,
        body_limit::{self, BodyTimeout},
        body_prefetch, cache_headers, compression, cors, cross_site, error_body, etag, host_header, idempotency,
        layers::{LayeredEndpoint, Layers},
        negotiation, not_modified, rate_limit, response_cache,
    },
    pages,
    views::ROOT,
};

/// The maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Opens the port, with `TCP_NODELAY`: responses are sent without waiting for more data.
pub fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit it.
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves requests until `stop` completes, then finishes those in progress.
pub async fn serve(
    almanac: Arc<Almanac>,
    listener: TcpListener,
    limits: Limits,
    stop: impl Future<Output = Stop>,
) -> std::io::Result<()> {
    let draining = almanac.draining.clone();
    let app = app(almanac, limits.body);
    listen::serve(listener, app, limits, draining, stop).await
}

/// All layers around all routes.
pub fn app(almanac: Arc<Almanac>, body_timeout: BodyTimeout) -> LayeredEndpoint {
    let routes = routes(almanac.settings.variant);
    layers(almanac, body_timeout).wrap(routes)
}

/// All layers. A request passes through them from top to bottom, and its response from bottom to top.
fn layers(almanac: Arc<Almanac>, body_timeout: BodyTimeout) -> Layers {
    let has_compat = !almanac.settings.no_wordpress_compat;
    let has_rate_limit = almanac.rate_limiter.is_some();
    let allowed_origins = almanac.settings.cors_origin.clone();
    let cors = cors::cors(&allowed_origins);
    Layers::default()
        // Passes the state of the server to all layers and handlers.
        .data(almanac)
        // Limits how long the body may take to arrive, and closes a connection whose request body was not read.
        .around(move |next, request| body_limit::limit(next, request, body_timeout))
        // Reads the start of the body while the request is processed, so that a closed connection is noticed.
        .around(body_prefetch::prefetch)
        // Rewrites the address, method and credentials of a request to the compatibility root as WordPress does.
        .when(has_compat, |layers| {
            layers.before(|request| Ok(compat::rewrite_request(request)))
        })
        // Gives the request its ID, logs it and counts it.
        .around(access_log::log)
        // Adds `Vary` and `Cache-Control` to every response.
        .around(cache_headers::add)
        // Rejects a request without a valid `Host` header.
        .before(host_header::require)
        // Marks a request that a browser sends from another site. The next layer removes the header that identifies it.
        .before(|request| Ok(cross_site::mark(request)))
        // Removes the `Origin` header of an origin that is not allowed: the CORS layer would respond with an error.
        .before(move |request| Ok(cors::strip_foreign_origin(&allowed_origins, request)))
        // Responds to preflight requests, and lets pages of allowed origins read responses.
        .with(cors)
        // Renders errors as JSON or as problem details (RFC 9457).
        .around(error_body::render)
        // Turns a panic into an error, which is logged with the ID of the request.
        .with(CatchPanic::new().with_handler(panic_response))
        // Limits the requests of each address, with `--rate-limit`.
        .when(has_rate_limit, |layers| layers.before(rate_limit::limit))
        // Turns HEAD into GET, and responds with 304 to a client that already has the response.
        .around(not_modified::check)
        // Responds from the response cache, and stores responses in it.
        .around(|next, request| response_cache::serve(next, request, is_uncached))
        // Compresses the response with gzip if the client accepts that.
        .around(compression::compress)
        // Repeats the response to an earlier request with the same `Idempotency-Key`.
        .around(idempotency::replay)
        // Adds an entity tag to the response.
        .around(etag::add)
        // Merges repeated slashes in the path, and removes those at its end.
        .with(NormalizePath::new(TrailingSlash::Trim))
        // Serves the paths of the compatibility root.
        .when(has_compat, |layers| {
            layers.with(make(|next| Compat::new(for_compat(), next)))
        })
        // Responds to OPTIONS, and rejects unknown paths and methods.
        .around(allowed_methods::check)
        // Renders errors as pages for browsers.
        .around(pages::error_page::error_page)
        // Serves feeds, whose addresses are those of pages with an ending or a parameter: see `feeds::address`.
        .around(feeds::serve)
}

/// All routes.
fn routes(variant: Variant) -> Route {
    Route::new()
        .at("/", get(pages::start::page))
        .at("/events", calendar_view(pages::calendar::rewrite_page))
        .at("/events/*path", calendar_view(pages::calendar::rewrite_page))
        .at("/embed/*path", calendar_view(pages::calendar::rewrite_embed))
        .at("/embed.js", get(pages::assets::embed_script))
        .at("/developers", get(pages::developers::page))
        .at("/explorer", get(pages::explorer::page))
        .at("/theme.css", get(pages::theme::style))
        .at("/assets/:file", get(pages::assets::asset))
        .at("/event/:slug", get(pages::event::page))
        .at("/venue/:slug", get(pages::linked_resource::venue_page))
        .at("/organizer/:slug", get(pages::linked_resource::organizer_page))
        .at("/category/:slug", get(pages::former_slug::category_page))
        .at("/tag/:slug", get(pages::former_slug::tag_page))
        .at("/demo/:folder/:file", get(pages::demo_image::image))
        .at("/wp-content/uploads/*path", get(pages::uploads::image))
        .at("/robots.txt", get(pages::robots::robots))
        .at("/sitemap.xml", get(pages::sitemap::index))
        .at("/sitemap/:file", get(pages::sitemap::file))
        .at("/.well-known/security.txt", get(pages::robots::security))
        .at("/healthz", get(pages::health::liveness))
        .at("/readyz", get(pages::health::readiness))
        .at("/metrics", get(pages::health::metrics))
        .nest_no_strip(ROOT, native(variant))
}

/// A view of the calendar, which is always a list of variant B. `rewrite` turns its address into the query of the list.
fn calendar_view<F>(rewrite: fn(Request) -> F) -> BoxEndpoint<'static>
where
    F: Future<Output = poem::Result<Request>> + Send + 'static,
{
    get(pages::calendar::view).before(rewrite).data(Variant::B).boxed()
}

/// Whether the response cache skips the path. Such a response does not depend on the data, and must not wait for the
/// data version while the database is down.
fn is_uncached(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    matches!(
        path,
        "/healthz" | "/readyz" | "/metrics" | "/explorer" | "/theme.css" | "/embed.js" | "/robots.txt"
    ) || path.starts_with("/assets/")
        || path.starts_with("/demo/")
        || path.starts_with("/wp-content/")
        || path.starts_with("/.well-known/")
        || path.strip_prefix(ROOT) == Some("/doc")
}

/// The native API, whose routes are in [`api::service`].
fn native(variant: Variant) -> LayeredEndpoint {
    let api = Layers::default()
        .data(variant)
        .around(api::unknown_names::name_ignored)
        .around(negotiation::negotiate)
        .wrap(api::service().into_endpoint());
    let of_batches = batch_layers().around(allowed_methods::check).wrap(api.clone());
    let of_batches = BatchEndpoint::new(of_batches);
    Layers::default().data(of_batches).wrap(api)
}

/// The native API as the compatibility root calls it: always variant B, and regardless of the `Accept` header, which
/// WordPress ignores.
fn for_compat() -> LayeredEndpoint {
    Layers::default()
        .data(Variant::B)
        .around(allowed_methods::check)
        .wrap(api::service().into_endpoint())
}

/// The same 500 as for other internal errors, with the message of the panic in the log.
fn panic_response(panic: Box<dyn Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a message".to_owned());
    poem::Error::from(Problem::internal(message)).into_response()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bytes::Bytes;
    use clap::Parser;
    use flate2::write::GzDecoder;
    use futures_util::{Stream, StreamExt, stream::poll_fn};
    use poem::{
        Body, Endpoint, handler,
        http::{Method, StatusCode},
        web::Data,
    };
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

    use super::*;
    use crate::{
        config::Settings,
        middleware::access_log::REQUEST_ID,
        response::{CachePolicy, ResponseMeta},
        store,
    };

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    struct TestServer {
        app: LayeredEndpoint,
        _folder: tempfile::TempDir,
    }

    impl TestServer {
        /// The routes inside all layers of a server.
        async fn new(routes: Route) -> Self {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let url = format!("sqlite://{}/almanac.db", folder.path().display());
            let store = store::open(&url, true).await;
            let settings = Flags::parse_from(["almanac"]).settings;
            let almanac = Arc::new(Almanac::new(store.expect("a database"), settings));
            Self {
                app: layers(almanac, BodyTimeout::DEFAULT).wrap(routes),
                _folder: folder,
            }
        }

        async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
            let mut request = Request::builder().method(method).uri_str(path);
            for (name, value) in [("host", "localhost")].iter().chain(headers) {
                request = request.header(*name, *value);
            }
            self.app.call(request.finish()).await.expect("a response")
        }
    }

    #[handler]
    fn broken() {
        panic!("this is a bug")
    }

    #[tokio::test]
    async fn panic_becomes_a_500() {
        let server = TestServer::new(Route::new().at("/broken", get(broken))).await;
        let mut response = server.send(Method::GET, "/broken", &[]).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(response.headers().contains_key(REQUEST_ID));
        let body = response.take_body().into_string().await.expect("text");
        assert!(body.contains("rest_internal_error"), "{body}");
        assert!(!body.contains("bug"), "{body}");
    }

    /// The body of one response, which the test produces.
    type BodySender = UnboundedSender<std::io::Result<Bytes>>;

    /// A stream with an entity tag of its own.
    #[handler]
    fn stream(Data(bodies): Data<&UnboundedSender<BodySender>>) -> Response {
        let (body, mut chunks) = unbounded_channel::<std::io::Result<Bytes>>();
        bodies.send(body).expect("the test receives it");
        let mut response = Response::builder()
            .content_type("text/calendar")
            .header("etag", "\"own\"")
            .body(Body::from_bytes_stream(poll_fn(move |context| {
                chunks.poll_recv(context)
            })));
        let meta = ResponseMeta {
            cache_policy: Some(CachePolicy::UNLIMITED),
            ..ResponseMeta::default()
        };
        meta.attach_to(&mut response);
        response
    }

    /// A server with a stream at `/stream`, and the bodies of its responses.
    async fn streaming() -> (TestServer, UnboundedReceiver<BodySender>) {
        let (sender, bodies) = unbounded_channel::<BodySender>();
        let routes = Route::new().at("/stream", get(stream).data(sender));
        (TestServer::new(routes).await, bodies)
    }

    async fn next_chunk(body: &mut (impl Stream<Item = std::io::Result<Bytes>> + Unpin)) -> Bytes {
        body.next().await.expect("a chunk").expect("no error")
    }

    #[tokio::test]
    async fn stream_is_sent_while_it_is_produced() {
        let (server, mut bodies) = streaming().await;
        // A second response does not come from the cache.
        for _ in 0..2 {
            let mut response = server.send(Method::GET, "/stream", &[]).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(response.header("etag"), Some("\"own\""));
            let body = bodies.recv().await.expect("the handler was called");
            let mut received = response.take_body().into_bytes_stream();
            for chunk in ["first", "second"] {
                body.send(Ok(chunk.into())).expect("the body is open");
                assert_eq!(next_chunk(&mut received).await, chunk);
            }
            drop(body);
            assert!(received.next().await.is_none());
        }
    }

    #[tokio::test]
    async fn stream_is_compressed_chunk_by_chunk() {
        let (server, mut bodies) = streaming().await;
        let gzip = ("accept-encoding", "gzip");
        let mut response = server.send(Method::GET, "/stream", &[gzip]).await;
        assert_eq!(response.header("content-encoding"), Some("gzip"));
        assert_eq!(response.header("etag"), Some("\"own-gzip\""));
        let body = bodies.recv().await.expect("the handler was called");
        let mut received = response.take_body().into_bytes_stream();
        let mut decoder = GzDecoder::new(Vec::new());
        for (chunk, decoded) in [("first", "first"), ("second", "firstsecond")] {
            body.send(Ok(chunk.into())).expect("the body is open");
            while decoder.get_ref() != decoded.as_bytes() {
                let compressed = next_chunk(&mut received).await;
                decoder.write_all(&compressed).expect("it is gzip");
                decoder.flush().expect("it is gzip");
            }
        }
    }

    #[tokio::test]
    async fn stream_that_the_client_has_is_not_sent() {
        let (server, mut bodies) = streaming().await;
        for (tag, encoding) in [("\"own\"", ""), ("W/\"own\"", ""), ("\"own-gzip\"", "gzip")] {
            let headers = [("if-none-match", tag), ("accept-encoding", encoding)];
            let mut response = server.send(Method::GET, "/stream", &headers).await;
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{tag}");
            assert!(response.take_body().is_empty(), "{tag}");
            let body = bodies.recv().await.expect("the handler was called");
            assert!(body.is_closed(), "{tag}");
        }
    }

    #[tokio::test]
    async fn head_of_a_stream_does_not_wait_for_its_end() {
        let (server, mut bodies) = streaming().await;
        let response = server.send(Method::HEAD, "/stream", &[]).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.header("etag"), Some("\"own\""));
        assert!(!bodies.recv().await.expect("the handler was called").is_closed());
    }
}
