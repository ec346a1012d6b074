//! The layers around the requests of batches.

use poem::middleware::{NormalizePath, TrailingSlash};

use super::{error_body, etag, layers::Layers};

/// The layers that a request of a batch passes through. Those around the batch do the rest.
pub(crate) fn batch_layers() -> Layers {
    Layers::default()
        .around(error_body::render)
        .around(etag::add)
        .with(NormalizePath::new(TrailingSlash::Trim))
}
