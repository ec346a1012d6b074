//! Composition of layers in the order in which a request passes through them.

use poem::{Endpoint, EndpointExt, IntoResponse, Response, endpoint::BoxEndpoint};

type Layer = Box<dyn FnOnce(BoxEndpoint<'static>) -> BoxEndpoint<'static>>;

/// A list of layers, the outermost first. A request passes through them from the first to the last, and its response
/// from the last to the first.
#[derive(Default)]
pub(crate) struct Layers(Vec<Layer>);

impl Layers {
    /// Adds a layer inside those that were added before. `wrap` receives the endpoint inside the layer.
    #[must_use]
    pub(crate) fn layer<E>(mut self, wrap: impl FnOnce(BoxEndpoint<'static>) -> E + 'static) -> Self
    where
        E: Endpoint<Output = Response> + 'static,
    {
        self.0.push(Box::new(|next| wrap(next).boxed()));
        self
    }

    /// Adds the layer if it is enabled.
    #[must_use]
    pub(crate) fn layer_if<E>(self, is_enabled: bool, wrap: impl FnOnce(BoxEndpoint<'static>) -> E + 'static) -> Self
    where
        E: Endpoint<Output = Response> + 'static,
    {
        match is_enabled {
            true => self.layer(wrap),
            false => self,
        }
    }

    /// Wraps the endpoint in all layers.
    pub(crate) fn wrap(self, endpoint: impl Endpoint<Output: IntoResponse> + 'static) -> BoxEndpoint<'static> {
        let endpoint = endpoint.map_to_response().boxed();
        self.0.into_iter().rev().fold(endpoint, |next, layer| layer(next))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use poem::{Request, Response, Result, endpoint::make_sync};

    use super::*;

    /// A layer that appends its name to the path of the request, and to the body of the response.
    fn named(next: BoxEndpoint<'static>, name: &'static str) -> impl Endpoint<Output = Response> + 'static {
        next.around(
            move |next: Arc<BoxEndpoint<'static>>, mut request: Request| async move {
                let path = format!("{}/{name}", request.uri().path().trim_end_matches('/'));
                *request.uri_mut() = path.parse().expect("a path");
                let body = next.call(request).await?.into_body().into_string().await?;
                Result::<Response>::Ok(format!("{body} {name}").into())
            },
        )
    }

    #[tokio::test]
    async fn request_passes_layers_in_the_order_of_the_list() {
        let app = Layers::default()
            .layer(|next| named(next, "a"))
            .layer_if(false, |next| named(next, "b"))
            .layer_if(true, |next| named(next, "c"))
            .layer(|next| named(next, "d"))
            .wrap(make_sync(|request| request.uri().path().to_owned()));
        let response = app.get_response(Request::default()).await;
        let body = response.into_body().into_string().await.expect("text");
        assert_eq!(body, "/a/c/d d c a");
    }
}
