//! The layers around the requests of batches.

use poem::{
    EndpointExt,
    middleware::{NormalizePath, TrailingSlash},
};

use super::{error_body, etag, layers::Layers};

/// The layers that a request of a batch passes through. Those around the batch do the rest.
pub(crate) fn batch_layers() -> Layers {
    Layers::default()
        .layer(|next| next.around(error_body::render))
        .layer(|next| next.around(etag::add))
        .layer(|next| next.with(NormalizePath::new(TrailingSlash::Trim)))
}
