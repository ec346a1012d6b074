//! The compatibility root: the interface in the wire shapes of The Events Calendar for WordPress, to the letter,
//! for clients that were built for it.
//!
//! It works in two places. [`outside`] makes of a request what WordPress takes it for, before anything else
//! looks at it. [`Compat`] stands before the routes: it turns a request below `/wp-json` into one to the native
//! endpoints, and their answer into WordPress's. Nothing behind the two knows of them, and requests to other
//! addresses pass untouched.

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

use poem::{Endpoint, Request, Response, Result, endpoint::BoxEndpoint, http::Method};

pub use self::rewrite::rewrite_request;
use self::{
    past_the_end::Totals,
    request::CompatRequest,
    route::{Route, RouteEndpoint},
};
use crate::{Almanac, error::Problem, extract::Leniency, middleware::base_url::Address};

/// The native endpoints, which the root stands on.
type Native = BoxEndpoint<'static>;

/// The compatibility root, and everything else.
pub struct Compat<E> {
    native: Native,
    inner: E,
}

impl<E> Compat<E> {
    pub fn new(native: Native, inner: E) -> Self {
        Self { native, inner }
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Compat<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        if let Some(route) = Route::of(request.uri().path()) {
            return self.serve(route, request).await;
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

impl<E: Endpoint<Output = Response>> Compat<E> {
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

    /// Something in a namespace: asked of the native endpoints, and told in the reference's words.
    async fn serve_native(&self, mut request: Request, mut compat: CompatRequest) -> Response {
        let response = match rewrite_to_native(&mut request, &mut compat).await {
            Ok(()) => self.call_native(request, &compat).await,
            Err(problem) => response::translate(Err(problem.into()), None, &compat).await,
        };
        response::finish(response, &compat).await
    }

    /// The translated response of the native endpoints.
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

/// What the reference takes and the native endpoints refuse.
const LENIENCY: Leniency = Leniency {
    reuse_names: true,
    skip_unknown_terms: true,
};

/// Makes of the request one to the native endpoints.
async fn rewrite_to_native(request: &mut Request, compat: &mut CompatRequest) -> Result<(), Problem> {
    if let (Some(target), true) = (compat.target(), compat.is_list()) {
        compat.query = query::list_query(request, compat, target.kind).await;
    } else if compat.is_write() {
        compat.rejected = body::rewrite_body(request, compat).await?;
        request.set_data(LENIENCY);
    }
    compat.set_native_uri(request)
}

/// The public address of the server.
fn base(request: &Request) -> Result<String, Problem> {
    let almanac = Almanac::of(request)?;
    Ok(Address::known(request, &almanac.settings).base.clone())
}
