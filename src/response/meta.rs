//! Metadata that handlers attach to a response for the middleware.

use poem::Response;

use super::CachePolicy;

/// Data of a response that is not sent to the client.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseMeta {
    /// The version of the object in the body, which becomes the first part of the entity tag.
    pub version: Option<i64>,
    /// What invalidates the response. A response without a policy is not cached.
    pub cache_policy: Option<CachePolicy>,
    /// Whether nothing that the request has written may be kept, although the status is one of success: that of a batch of
    /// which a request has failed, or of an envelope with an error.
    pub is_rolled_back: bool,
}

impl ResponseMeta {
    const NONE: Self = Self {
        version: None,
        cache_policy: None,
        is_rolled_back: false,
    };

    pub(crate) fn attach_to(self, response: &mut Response) {
        response.set_data(self);
    }

    /// The metadata attached to the response, or empty metadata.
    pub(crate) fn of(response: &Response) -> &Self {
        response.data().unwrap_or(&Self::NONE)
    }
}
