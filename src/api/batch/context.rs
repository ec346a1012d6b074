//! The context that all requests of a batch share: the endpoint that receives them, and the headers and the data.

use std::sync::Arc;

use poem::{
    Body, Endpoint, EndpointExt, FromRequest, Request, RequestBody, Response, Result,
    endpoint::BoxEndpoint,
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, header},
};
use serde_json::{Map, Value};

use super::{bulk_create::BulkCreate, request::BatchRequest};
use crate::{auth::Login, error::Problem, store::Store, views::batch::BatchResponseView};

/// The headers of a batch that apply to its requests, unless they have their own.
const INHERITED: [HeaderName; 2] = [header::ACCEPT_LANGUAGE, HeaderName::from_static("prefer")];

/// The endpoint for the requests of a batch, as data of the batch. It responds to errors, too.
#[derive(Clone)]
pub(crate) struct BatchEndpoint(Arc<BoxEndpoint<'static>>);

impl BatchEndpoint {
    pub(crate) fn new(endpoint: impl Endpoint<Output = Response> + 'static) -> Self {
        Self(Arc::new(endpoint.boxed()))
    }
}

/// The context that all requests of a batch share.
pub(super) struct BatchContext {
    endpoint: BatchEndpoint,
    /// The data of the batch, such as its address.
    extensions: Extensions,
    headers: HeaderMap,
}

impl<'a> FromRequest<'a> for BatchContext {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> Result<Self> {
        let mut extensions = request.extensions().clone();
        let endpoint = extensions.remove::<BatchEndpoint>();
        let endpoint = endpoint.ok_or_else(|| Problem::internal("the batch has no endpoint for its requests"))?;
        extensions.insert(InBatch);
        let mut headers = HeaderMap::new();
        for name in INHERITED {
            if let Some(value) = request.headers().get(&name) {
                headers.insert(name, value.clone());
            }
        }
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
        Ok(Self {
            endpoint,
            extensions,
            headers,
        })
    }
}

/// Data of the requests of a batch.
#[derive(Clone, Copy)]
struct InBatch;

/// Returns true for the requests that a batch contains.
pub(crate) fn is_in_batch(request: &Request) -> bool {
    request.data::<InBatch>().is_some()
}

impl BatchContext {
    /// Sends the requests on behalf of this user.
    pub(super) fn with_login(mut self, login: Login) -> Self {
        self.extensions.insert(login);
        self
    }

    /// Sends a request with this body, and returns its response. `store` is that of the transaction in which it runs, `bulk`
    /// the bulk create that it is part of.
    pub(super) async fn send(
        &self,
        request: &BatchRequest,
        body: Map<String, Value>,
        store: Option<&Store>,
        bulk: Option<BulkCreate>,
    ) -> BatchResponseView {
        let mut sent = Request::builder()
            .method(request.method.clone())
            .uri(request.uri.clone())
            .body(Body::from_string(Value::Object(body).to_string()));
        *sent.headers_mut() = self.headers.clone();
        sent.headers_mut().extend(request.headers.clone());
        *sent.extensions_mut() = self.extensions.clone();
        if let Some(store) = store {
            sent.set_data(store.clone());
        }
        if let Some(bulk) = bulk {
            sent.set_data(bulk);
        }
        let mut response = self.endpoint.0.get_response(sent).await;
        let bytes = response.take_body().into_bytes().await.unwrap_or_default();
        BatchResponseView::new(response.status(), response.headers(), &bytes)
    }
}
