//! The compatibility root: the API in the exact wire format of The Events Calendar for WordPress, for its existing
//! clients.
//!
//! It consists of two layers. [`rewrite_request`] normalises a request as WordPress does, before any other layer.
//! [`Compat`] wraps the routes: it translates a request below `/wp-json` to the native API, and the native response
//! back. The wrapped code does not know either layer. Other requests pass unchanged.

mod body;
mod current_user;
mod discovery;
mod entities;
mod errors;
mod existing;
mod json_ld;
mod past_the_end;
mod query;
mod representation;
mod request;
mod response;
mod rewrite;
mod route;
mod term;
mod typography;
mod validation;

use std::sync::Arc;

use poem::{Endpoint, Request, Response, Result, http::Method};

pub(crate) use self::rewrite::rewrite_request;
use self::{
    past_the_end::Totals,
    request::CompatRequest,
    rewrite::with_path_and_query,
    route::{PREFIX, Route, RouteEndpoint},
};
use crate::{
    Almanac,
    api::batch::BatchEndpoint,
    error::Problem,
    extract::Leniency,
    middleware::{base_url::Address, batch_layers::batch_layers, layers::LayeredEndpoint},
};

/// The endpoints of the native API.
type Native = LayeredEndpoint;

/// The compatibility root around all other routes.
pub(crate) struct Compat<E> {
    root: Arc<CompatRoot>,
    /// For the requests of batches.
    of_batches: BatchEndpoint,
    inner: E,
}

impl<E> Compat<E> {
    pub(crate) fn new(native: Native, inner: E) -> Self {
        let root = Arc::new(CompatRoot { native });
        let of_batches = batch_layers().wrap(RequestsOfBatches(root.clone()));
        Self {
            root,
            of_batches: BatchEndpoint::new(of_batches),
            inner,
        }
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Compat<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        if let Some(route) = Route::of(request.uri().path()) {
            if route.is_batch() {
                request.set_data(self.of_batches.clone());
            }
            // On the heap: otherwise, every request would reserve memory for this future and copy it.
            return Box::pin(self.root.serve(route, request)).await;
        }
        let base = base(&request)?;
        request.set_data(discovery::page_additions(&base));
        let mut response = self.inner.call(request).await?;
        let content_type = response.content_type().unwrap_or_default();
        if content_type.starts_with("text/html") {
            discovery::add_headers(response.headers_mut(), &base);
        }
        Ok(response)
    }
}

/// The requests of batches, whose paths lack the prefix `/wp-json`.
struct RequestsOfBatches(Arc<CompatRoot>);

impl Endpoint for RequestsOfBatches {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        let path = request.uri().path().to_ascii_lowercase();
        let path = format!("{PREFIX}{}", path.strip_prefix(PREFIX).unwrap_or(&path));
        let query = request.uri().query().unwrap_or_default();
        let uri = with_path_and_query(request.uri(), &path, query).ok_or_else(Problem::no_route)?;
        *request.uri_mut() = uri;
        let route = Route::of(&path).ok_or_else(Problem::no_route)?;
        self.0.serve(route, request).await
    }
}

/// What serves the paths below `/wp-json`.
struct CompatRoot {
    native: Native,
}

impl CompatRoot {
    async fn serve(&self, route: Route, request: Request) -> Result<Response> {
        let compat = CompatRequest::of(&request, route, base(&request)?);
        let is_read = compat.method == Method::GET;
        let body = match &compat.route.endpoint {
            _ if compat.method == Method::OPTIONS => discovery::describe_route(&self.native, request, &compat).await,
            RouteEndpoint::SiteIndex if is_read => discovery::site_index(&self.native, request, &compat).await,
            RouteEndpoint::NamespaceIndex if is_read => {
                discovery::namespace_index(&self.native, request, &compat).await
            }
            RouteEndpoint::CurrentUser if is_read => {
                current_user::current_user(&request, &compat).await.map_err(Into::into)
            }
            RouteEndpoint::Native { .. } => return Ok(self.serve_native(request, compat).await),
            _ => Err(Problem::no_route().into()),
        };
        let response = match body {
            Ok(body) => Response::builder().body(body.to_string()),
            Err(error) => response::translate(Err(error), None, &compat).await,
        };
        Ok(response::finish(response, &compat).await)
    }

    /// Serves a path in a namespace through the native API.
    async fn serve_native(&self, mut request: Request, mut compat: CompatRequest) -> Response {
        let response = match rewrite_to_native(&mut request, &mut compat).await {
            Ok(()) => self.call_native(request, &compat).await,
            Err(problem) => response::translate(Err(problem.into()), None, &compat).await,
        };
        response::finish(response, &compat).await
    }

    /// Sends the request to the native API and translates the response.
    async fn call_native(&self, request: Request, compat: &CompatRequest) -> Response {
        let first_page = past_the_end::first_page(&request, compat);
        let result = self.native.call(request).await;
        let (Some(target), Some(first_page)) = (compat.target(), first_page) else {
            return response::translate(result, None, compat).await;
        };
        if !past_the_end::is_past_the_end(&result, target.kind) {
            return response::translate(result, None, compat).await;
        }
        match self.native.call(first_page).await {
            Ok(response) => response::translate(result, Totals::of(response.headers()), compat).await,
            Err(error) => response::translate(Err(error), None, compat).await,
        }
    }
}

/// Input of writes that The Events Calendar accepts and the native API rejects by default.
const LENIENCY: Leniency = Leniency {
    reuse_names: true,
    skip_unknown_terms: true,
};

/// Rewrites the request to one of the native API.
async fn rewrite_to_native(request: &mut Request, compat: &mut CompatRequest) -> Result<(), Problem> {
    if let (Some(target), true) = (compat.target(), compat.is_list()) {
        compat.query = query::list_query(request, compat, target.kind).await;
    } else if compat.is_write() && !compat.route.is_batch() {
        compat.rejected = body::rewrite_body(request, compat).await?;
        request.set_data(LENIENCY);
    }
    compat.set_native_uri(request)
}

/// The base URL of the server.
fn base(request: &Request) -> Result<String, Problem> {
    let almanac = Almanac::of(request)?;
    Ok(Address::known(request, &almanac.settings).base.clone())
}
