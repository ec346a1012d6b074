//! The table of contents of the server: every route, and every layer that a request passes.

use std::{net::SocketAddr, sync::Arc};

use poem::{
    Endpoint, EndpointExt, IntoEndpoint, Response, Route,
    endpoint::BoxEndpoint,
    get,
    middleware::{CatchPanic, NormalizePath, TrailingSlash},
};
use tokio::net::{TcpListener, TcpSocket};

use crate::{
    Almanac, api,
    calendar::Variant,
    compat::{self, Compat},
    error::Problem,
    listen::{self, Limits, Stop},
    middleware::{
        access_log, allowed_methods,
        body_limit::{self, BodyTime},
        body_prefetch, cors, cross_site, error_body, etag, host_header, negotiation, rate_limit, response_cache,
    },
    pages,
    views::ROOT,
};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Every route, inside every layer.
pub fn app(almanac: Arc<Almanac>, body_time: BodyTime) -> impl Endpoint<Output = Response> + 'static {
    layered(routes(almanac.settings.variant), almanac, body_time)
}

fn routes(variant: Variant) -> Route {
    Route::new()
        .at("/", get(pages::start::page))
        .at("/explorer", get(pages::explorer::page))
        .at("/assets/:file", get(pages::assets::asset))
        .at("/event/:slug", get(pages::event::page))
        .at("/venue/:slug", get(pages::linked_resource::venue_page))
        .at("/organizer/:slug", get(pages::linked_resource::organizer_page))
        .at("/category/:slug", get(pages::term::category_page))
        .at("/tag/:slug", get(pages::term::tag_page))
        .at("/healthz", get(pages::health::liveness))
        .at("/readyz", get(pages::health::readiness))
        .at("/metrics", get(pages::health::metrics))
        .nest_no_strip(ROOT, native(variant))
}

/// Whether the response cache skips the path. Such a response does not depend on the data, and must not wait for the
/// data version while the database is down.
fn is_uncached(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    matches!(path, "/healthz" | "/readyz" | "/metrics" | "/explorer")
        || path.starts_with("/assets/")
        || path.strip_prefix(ROOT) == Some("/doc")
}

/// The routes inside every layer. The last layer is the first to see a request.
fn layered(routes: Route, almanac: Arc<Almanac>, body_time: BodyTime) -> impl Endpoint<Output = Response> + 'static {
    let origins = almanac.settings.cors_origin.clone();
    let cors = cors::cors(&origins);
    let has_compat = !almanac.settings.no_wordpress_compat;
    let routes = routes
        .around(pages::not_found::not_found_page)
        .around(allowed_methods::check)
        .boxed();
    let inner = match has_compat {
        true => Compat::new(for_compat(), routes).boxed(),
        false => routes,
    };
    let layered = inner
        .with(NormalizePath::new(TrailingSlash::Trim))
        .around(etag::finish)
        .around(|next, request| response_cache::keep(next, request, is_uncached))
        .around(etag::not_modified)
        .around(rate_limit::limit)
        .with(CatchPanic::new().with_handler(|panic| poem::Error::from(panicked(panic)).into_response()))
        .around(error_body::render)
        // All layers as one type would be too deep for the compiler.
        .boxed()
        .with(cors)
        .before(move |request| {
            let prepared = cors::strip_foreign_origin(&origins, request);
            async move { prepared }
        })
        .before(cross_site::mark)
        .around(host_header::require)
        .around(etag::cache_headers)
        .around(access_log::log)
        .boxed();
    let outer = match has_compat {
        true => layered.before(compat::rewrite_request).boxed(),
        false => layered,
    };
    outer
        .around(body_prefetch::prefetch)
        .around(move |next, request| body_limit::limit(next, request, body_time))
        .data(almanac)
}

/// The native API.
fn native(variant: Variant) -> BoxEndpoint<'static> {
    let api = api::service().into_endpoint();
    api.around(negotiation::negotiate).data(variant).boxed()
}

/// The API behind the compatibility root: variant B, and without content negotiation, as WordPress ignores `Accept`.
fn for_compat() -> BoxEndpoint<'static> {
    let api = api::service().into_endpoint();
    api.map_to_response()
        .around(allowed_methods::check)
        .data(Variant::B)
        .boxed()
}

/// A panic is a bug like any other: a proper 500, in the log under its request id.
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Problem {
    let message = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    Problem::internal(message)
}

/// Opens the port. Connections send what they have at once, without waiting for more (TCP_NODELAY).
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

/// Serves until `stop` is done, then finishes what is under way.
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

#[cfg(test)]
mod tests {
    use clap::Parser;
    use poem::{Request, handler, http::StatusCode};

    use super::*;
    use crate::{config::Settings, middleware::access_log::REQUEST_ID, store};

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        settings: Settings,
    }

    #[handler]
    fn broken() {
        panic!("this is a bug")
    }

    #[tokio::test]
    async fn a_panic_is_a_500_with_a_request_id_and_tells_nothing_of_itself() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}/almanac.db", folder.path().display());
        let store = store::open(&url, true).await;
        let settings = Flags::parse_from(["almanac"]).settings;
        let almanac = Arc::new(Almanac::new(store.expect("a database"), settings));
        let app = layered(Route::new().at("/broken", get(broken)), almanac, BodyTime::DEFAULT);
        let request = Request::builder()
            .uri_str("/broken")
            .header("host", "localhost")
            .finish();
        let mut response = app.call(request).await.expect("an answer");
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(response.headers().contains_key(REQUEST_ID));
        let body = response.take_body().into_string().await.expect("text");
        assert!(body.contains("rest_internal_error"), "{body}");
        assert!(!body.contains("bug"), "{body}");
    }
}
