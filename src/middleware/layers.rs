//! Composition of layers in the order in which a request passes through them.

use std::{future::ready, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use poem::{Endpoint, EndpointExt, Error, IntoResponse, Middleware, Request, Response, Result};

/// An endpoint and the layers around it. Each layer costs one allocation and one copy of the request; with poem's boxed
/// endpoints, it would be four copies.
#[derive(Clone)]
pub struct LayeredEndpoint(Arc<dyn Fn(Request) -> BoxFuture<'static, Result<Response>> + Send + Sync>);

impl LayeredEndpoint {
    fn new(endpoint: impl Endpoint<Output: IntoResponse> + 'static) -> Self {
        let endpoint = Arc::new(endpoint.map_to_response());
        Self::of(move |request| {
            let endpoint = endpoint.clone();
            async move { endpoint.as_ref().call(request).await }
        })
    }

    fn of<F>(call: impl Fn(Request) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        Self(Arc::new(move |request| call(request).boxed()))
    }
}

impl Endpoint for LayeredEndpoint {
    type Output = Response;

    fn call(&self, request: Request) -> impl Future<Output = Result<Response>> + Send {
        self.0(request)
    }

    fn get_response(&self, request: Request) -> impl Future<Output = Response> + Send {
        self.0(request).map(|result| result.unwrap_or_else(Error::into_response))
    }
}

type Layer = Box<dyn FnOnce(LayeredEndpoint) -> LayeredEndpoint>;

/// A list of layers, the outermost first. A request passes through them from the first to the last, and its response
/// from the last to the first.
#[derive(Default)]
pub(crate) struct Layers(Vec<Layer>);

impl Layers {
    /// Adds a function inside the layers that were added before. It receives what is inside, and the request.
    #[must_use]
    pub(crate) fn around<F>(self, layer: impl Fn(LayeredEndpoint, Request) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.layer(|next| LayeredEndpoint::of(move |request| layer(next.clone(), request)))
    }

    /// Adds a function that changes or rejects the request.
    #[must_use]
    pub(crate) fn before(self, change: impl Fn(Request) -> Result<Request> + Send + Sync + 'static) -> Self {
        self.layer(|next| {
            let call = move |request| match change(request) {
                Ok(request) => next.0(request),
                Err(error) => ready(Err(error)).boxed(),
            };
            LayeredEndpoint(Arc::new(call))
        })
    }

    /// Adds data to the request.
    #[must_use]
    pub(crate) fn data(self, data: impl Clone + Send + Sync + 'static) -> Self {
        self.before(move |mut request| {
            request.set_data(data.clone());
            Ok(request)
        })
    }

    /// Adds a middleware of poem.
    #[must_use]
    pub(crate) fn with<M>(self, middleware: M) -> Self
    where
        M: Middleware<LayeredEndpoint, Output: Endpoint<Output: IntoResponse> + 'static> + 'static,
    {
        self.layer(move |next| LayeredEndpoint::new(middleware.transform(next)))
    }

    /// Adds layers if they are enabled.
    #[must_use]
    pub(crate) fn when(self, is_enabled: bool, add: impl FnOnce(Self) -> Self) -> Self {
        match is_enabled {
            true => add(self),
            false => self,
        }
    }

    fn layer(mut self, wrap: impl FnOnce(LayeredEndpoint) -> LayeredEndpoint + 'static) -> Self {
        self.0.push(Box::new(wrap));
        self
    }

    /// Wraps the endpoint in all layers.
    pub(crate) fn wrap(self, endpoint: impl Endpoint<Output: IntoResponse> + 'static) -> LayeredEndpoint {
        let endpoint = LayeredEndpoint::new(endpoint);
        self.0.into_iter().rev().fold(endpoint, |next, layer| layer(next))
    }
}

#[cfg(test)]
mod tests {
    use poem::endpoint::make_sync;

    use super::*;

    /// Appends a name to the path of the request, and to the body of the response.
    async fn name(next: LayeredEndpoint, mut request: Request, name: &'static str) -> Result<Response> {
        let path = format!("{}/{name}", request.uri().path().trim_end_matches('/'));
        *request.uri_mut() = path.parse().expect("a path");
        let body = next.call(request).await?.into_body().into_string().await?;
        Ok(format!("{body} {name}").into())
    }

    #[tokio::test]
    async fn request_passes_layers_in_the_order_of_the_list() {
        let app = Layers::default()
            .around(|next, request| name(next, request, "a"))
            .when(false, |layers| layers.around(|next, request| name(next, request, "b")))
            .when(true, |layers| layers.around(|next, request| name(next, request, "c")))
            .around(|next, request| name(next, request, "d"))
            .wrap(make_sync(|request| request.uri().path().to_owned()));
        let response = app.get_response(Request::default()).await;
        let body = response.into_body().into_string().await.expect("text");
        assert_eq!(body, "/a/c/d d c a");
    }
}
