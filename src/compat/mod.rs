//! The compatibility root: the interface in the wire shapes of The Events Calendar for WordPress, to the letter,
//! for clients that were built for it.
//!
//! It works in two places. [`outside`] makes of a request what WordPress takes it for, before anything else
//! looks at it. [`Compat`] stands before the routes: it turns a request below `/wp-json` into one to the native
//! endpoints, and their answer into WordPress's. Nothing behind the two knows of them, and requests to other
//! addresses pass untouched.

mod body;
mod current;
mod discovery;
mod entities;
mod errors;
mod json_ld;
mod me;
mod past_the_end;
mod query;
mod request;
mod response;
mod rewrite;
mod route;
mod shape;
mod term;
mod typography;
mod validation;

use poem::{Endpoint, Request, Response, Result, endpoint::BoxEndpoint, http::Method};

pub use self::rewrite::rewrite_request;
use self::{
    past_the_end::Totals,
    request::CompatRequest,
    route::{Path, Place},
};
use crate::{Almanac, error::Problem, extract::Leniency, middleware::base_url::Address};

/// The native endpoints, which the root stands on.
type Native = BoxEndpoint<'static>;

/// The compatibility root, and everything else.
pub struct Compat<E> {
    native: Native,
    others: E,
}

impl<E> Compat<E> {
    pub fn new(native: Native, others: E) -> Self {
        Self { native, others }
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Compat<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        if let Some(path) = Path::of(request.uri().path()) {
            return self.serve(path, request).await;
        }
        let base = base(&request)?;
        request.set_data(discovery::page_additions(&base));
        let mut response = self.others.call(request).await?;
        let content_type = response.content_type().unwrap_or_default();
        if content_type.starts_with("text/html") {
            discovery::announce(response.headers_mut(), &base);
        }
        Ok(response)
    }
}

impl<E: Endpoint<Output = Response>> Compat<E> {
    async fn serve(&self, path: Path, request: Request) -> Result<Response> {
        let asked = CompatRequest::of(&request, path, base(&request)?);
        let is_read = asked.method == Method::GET;
        let found = match &asked.path.place {
            _ if asked.method == Method::OPTIONS => discovery::options(&self.native, request, &asked).await,
            Place::Site if is_read => discovery::site(&self.native, request, &asked).await,
            Place::Index if is_read => discovery::index(&self.native, request, &asked).await,
            Place::Me if is_read => me::me(&request, &asked).await.map_err(Into::into),
            Place::Within { .. } => return Ok(self.within(request, asked).await),
            _ => Err(Problem::no_route().into()),
        };
        let response = match found {
            Ok(body) => Response::builder().body(body.to_string()),
            Err(error) => response::translate(Err(error), None, &asked).await,
        };
        Ok(response::finish(response, &asked).await)
    }

    /// Something in a namespace: asked of the native endpoints, and told in the reference's words.
    async fn within(&self, mut request: Request, mut asked: CompatRequest) -> Response {
        let response = match prepare(&mut request, &mut asked).await {
            Ok(()) => self.call_native(request, &asked).await,
            Err(problem) => response::translate(Err(problem.into()), None, &asked).await,
        };
        response::finish(response, &asked).await
    }

    /// The translated response of the native endpoints.
    async fn call_native(&self, request: Request, asked: &CompatRequest) -> Response {
        let first_page = past_the_end::first_page(&request, asked);
        let result = self.native.call(request).await;
        let (Some(target), Some(first_page)) = (asked.target(), first_page) else {
            return response::translate(result, None, asked).await;
        };
        if !past_the_end::is_past_the_end(&result, target.kind) {
            return response::translate(result, None, asked).await;
        }
        match self.native.call(first_page).await {
            Ok(response) => response::translate(result, Totals::of(response.headers()), asked).await,
            Err(error) => response::translate(Err(error), None, asked).await,
        }
    }
}

/// What the reference takes and the native endpoints refuse.
const LENIENCY: Leniency = Leniency {
    reuse_names: true,
    skip_unknown_terms: true,
};

/// Makes of the request one to the native endpoints.
async fn prepare(request: &mut Request, asked: &mut CompatRequest) -> Result<(), Problem> {
    if let (Some(target), true) = (asked.target(), asked.is_list()) {
        asked.query = query::of_list(request, asked, target.kind).await;
    } else if asked.is_write() {
        asked.refused = body::read(request, asked).await?;
        request.set_data(LENIENCY);
    }
    asked.address_native(request)
}

/// The public address of the server.
fn base(request: &Request) -> Result<String, Problem> {
    let almanac = Almanac::of(request)?;
    Ok(Address::known(request, &almanac.settings).base.clone())
}
