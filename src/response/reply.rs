//! Success responses: status, headers, body and declaration in the document.

use std::marker::PhantomData;

use poem::{
    IntoResponse, Response,
    http::{HeaderName, HeaderValue, StatusCode, header},
};
use poem_openapi::{
    ApiResponse,
    registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, Registry},
    types::Type,
};

use super::{
    CachePolicy, MediaType, Representation, ResponseMeta,
    headers::{
        CONTENT_LANGUAGE, ETAG, Header, LINK, LOCATION, RETRY_AFTER, TOTAL, TOTAL_PAGES, WP_TOTAL, WP_TOTAL_PAGES,
        WWW_AUTHENTICATE,
    },
    media_type::{Format, JSON},
    selection,
};
use crate::error::ProblemBody;

/// The declaration of an operation's responses: success and errors.
pub(crate) trait ResponseKind: Send {
    const STATUS: StatusCode;
    const DESCRIPTION: &'static str;
    /// Headers besides those of every response.
    const HEADERS: &'static [Header];
    /// Error statuses besides `COMMON_ERRORS`.
    const ERRORS: &'static [u16];
}

/// Error statuses that any operation may return.
pub(super) const COMMON_ERRORS: &[u16] = &[401, 406, 429, 500, 503];

macro_rules! response_kind {
    ($(#[$doc:meta])* $name:ident = $kind:ident, $status:ident, $description:literal, [$($header:expr),*], [$($error:literal),*]) => {
        pub(crate) enum $kind {}

        impl ResponseKind for $kind {
            const STATUS: StatusCode = StatusCode::$status;
            const DESCRIPTION: &'static str = $description;
            const HEADERS: &'static [Header] = &[$($header),*];
            const ERRORS: &'static [u16] = &[$($error),*];
        }

        $(#[$doc])*
        pub(crate) type $name<T> = Reply<T, $kind>;
    };
}

response_kind!(
    /// The index of the namespace.
    FoundIndex = FoundIndexKind, OK, "The index.", [ETAG], [400, 404]
);
response_kind!(
    /// The interface description.
    FoundDocument = FoundDocumentKind, OK, "The interface description.",
    [ETAG, CONTENT_LANGUAGE], [400]
);
response_kind!(
    /// The user of the credentials.
    FoundUser = FoundUserKind, OK, "The user of the credentials.", [ETAG], [400]
);
response_kind!(
    /// One event, venue or organizer, found by ID.
    Found = FoundKind, OK, "The object.", [ETAG], [400, 403, 404, 410]
);
response_kind!(
    /// One event, venue or organizer, found by slug: never one in the trash, therefore without 410.
    FoundBySlug = FoundBySlugKind, OK, "The object.", [ETAG], [400, 403, 404]
);
response_kind!(
    /// One category or tag. All are public.
    FoundTerm = FoundTermKind, OK, "The object.", [ETAG], [400, 404]
);
response_kind!(
    /// One page of events, venues or organizers.
    Listed = ListedKind, OK, "One page of the list.",
    [ETAG, LINK, TOTAL, TOTAL_PAGES, WP_TOTAL, WP_TOTAL_PAGES], [400, 403, 404]
);
response_kind!(
    /// One page of the events of a series, which may be in the trash.
    ListedOfSeries = ListedOfSeriesKind, OK, "One page of the list.",
    [ETAG, LINK, TOTAL, TOTAL_PAGES, WP_TOTAL, WP_TOTAL_PAGES], [400, 403, 404, 410]
);
response_kind!(
    /// One page of categories or tags. All are public.
    ListedTerms = ListedTermsKind, OK, "One page of the list.",
    [ETAG, LINK, TOTAL, TOTAL_PAGES, WP_TOTAL, WP_TOTAL_PAGES], [400, 404]
);
response_kind!(
    /// A list that only administrators may read.
    ListedPrivate = ListedPrivateKind, OK, "The list.", [ETAG], [400, 403]
);
response_kind!(
    /// An object that only administrators may read, or a list in it.
    FoundPrivate = FoundPrivateKind, OK, "The object, or the list.", [ETAG], [400, 403, 404]
);
response_kind!(
    /// An updated object that only administrators may change.
    UpdatedPrivate = UpdatedPrivateKind, OK, "The updated object.", [ETAG],
    [400, 403, 404, 412, 413, 415, 507]
);
response_kind!(
    /// A deleted object that only administrators may delete.
    DeletedPrivate = DeletedPrivateKind, OK, "The deleted object.", [], [400, 403, 404, 412, 507]
);
response_kind!(
    /// A message to another program.
    Sent = SentKind, OK, "The attempt to send the message.", [], [400, 403, 404, 507]
);
response_kind!(
    /// Changes of objects.
    FoundChanges = FoundChangesKind, OK, "Changes, and the token to continue with.", [ETAG], [400, 410]
);
response_kind!(
    /// What a request would create.
    Previewed = PreviewedKind, OK, "What the request would create.", [], [400, 413, 415]
);
response_kind!(
    /// The responses to several requests.
    MultiStatus = MultiStatusKind, MULTI_STATUS, "The responses to the requests.", [], [400, 403, 413, 415, 507]
);
response_kind!(
    /// A created object.
    Created = CreatedKind, CREATED, "The new object.", [ETAG, LOCATION], [400, 403, 413, 415, 507]
);
response_kind!(
    /// An updated event, venue or organizer, found by ID.
    Updated = UpdatedKind, OK, "The updated object.", [ETAG],
    [400, 403, 404, 409, 410, 412, 413, 415, 507]
);
response_kind!(
    /// An updated event, venue or organizer, found by slug.
    UpdatedBySlug = UpdatedBySlugKind, OK, "The updated object.", [ETAG],
    [400, 403, 404, 409, 412, 413, 415, 507]
);
response_kind!(
    /// An updated series.
    UpdatedSeries = UpdatedSeriesKind, OK, "The updated object.", [ETAG],
    [400, 403, 404, 410, 412, 413, 415, 507]
);
response_kind!(
    /// An updated category or tag.
    UpdatedTerm = UpdatedTermKind, OK, "The updated object.", [ETAG],
    [400, 403, 404, 409, 412, 413, 415, 507]
);
response_kind!(
    /// An event, venue or organizer that was moved to the trash, found by ID.
    Deleted = DeletedKind, OK, "The object, now in the trash.", [], [400, 403, 404, 410, 412, 507]
);
response_kind!(
    /// An event, venue or organizer that was moved to the trash, found by slug.
    DeletedBySlug = DeletedBySlugKind, OK, "The object, now in the trash.", [],
    [400, 403, 404, 412, 507]
);
response_kind!(
    /// A deleted category or tag.
    DeletedTerm = DeletedTermKind, OK, "The deleted object.", [], [400, 403, 404, 412, 507]
);

response_kind!(
    /// An event, venue or organizer that was updated by its ID in another system, and would have been created otherwise.
    UpdatedByExternalId = UpdatedByExternalIdKind, OK, "The updated object.", [ETAG],
    [400, 403, 409, 410, 412, 413, 415, 507]
);

/// The response to a request that creates an object, or updates it if it exists.
pub(crate) enum CreatedOrUpdated<T> {
    Created(Created<T>),
    Updated(UpdatedByExternalId<T>),
}

impl<T: Representation + Send> IntoResponse for CreatedOrUpdated<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Created(reply) => reply.into_response(),
            Self::Updated(reply) => reply.into_response(),
        }
    }
}

impl<T: Representation + Send> ApiResponse for CreatedOrUpdated<T> {
    fn meta() -> MetaResponses {
        let MetaResponses { mut responses } = UpdatedByExternalId::<T>::meta();
        // The successes precede the errors.
        responses.splice(1..1, Created::<T>::meta().responses.into_iter().take(1));
        MetaResponses { responses }
    }

    fn register(registry: &mut Registry) {
        UpdatedByExternalId::<T>::register(registry);
    }
}

/// A success response.
pub(crate) struct Reply<T, K> {
    body: T,
    headers: Vec<(HeaderName, HeaderValue)>,
    meta: ResponseMeta,
    media_type: MediaType,
    fields: Option<Vec<&'static str>>,
    kind: PhantomData<fn() -> K>,
}

impl<T, K> Reply<T, K> {
    pub(crate) fn new(body: T) -> Self {
        Self {
            body,
            headers: Vec::new(),
            meta: ResponseMeta::default(),
            media_type: MediaType::default(),
            fields: None,
            kind: PhantomData,
        }
    }

    /// Adds a header, unless its value is invalid.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &'static str, value: impl ToString) -> Self {
        if let Ok(value) = HeaderValue::from_str(&value.to_string()) {
            self.headers.push((HeaderName::from_static(name), value));
        }
        self
    }

    /// Sets the version of the object, the first part of its ETag.
    #[must_use]
    pub(crate) fn with_version(mut self, version: i64) -> Self {
        self.meta.version = Some(version);
        self
    }

    /// Sets the negotiated media type. Default: JSON.
    #[must_use]
    pub(crate) fn in_media_type(mut self, media_type: MediaType) -> Self {
        self.media_type = media_type;
        self
    }

    /// Limits JSON to these members of the object, or of each item of a list.
    #[must_use]
    pub(crate) fn with_fields(mut self, fields: Option<Vec<&'static str>>) -> Self {
        self.fields = fields;
        self
    }

    /// Declares that nothing the request has written may be kept, although its status is one of success.
    #[must_use]
    pub(crate) fn rolled_back(mut self) -> Self {
        self.meta.is_rolled_back = true;
        self
    }

    /// Sets the cache policy. A response without one is not cached.
    #[must_use]
    pub(crate) fn with_cache_policy(mut self, cache_policy: Option<CachePolicy>) -> Self {
        self.meta.cache_policy = cache_policy;
        self
    }
}

impl<T: Representation + Send, K: ResponseKind> IntoResponse for Reply<T, K> {
    fn into_response(self) -> Response {
        let format = T::format(self.media_type);
        let serialize = || {
            let bytes = (format.write)(&self.body)?;
            match &self.fields {
                Some(fields) if format.media_type == JSON => selection::select(&bytes, T::ITEMS, fields),
                _ => Ok(bytes),
            }
        };
        let bytes = match tracing::trace_span!("serialize").in_scope(serialize) {
            Ok(bytes) => bytes,
            Err(problem) => return poem::Error::from(problem).into_response(),
        };
        let mut response = Response::builder()
            .status(K::STATUS)
            .header(header::CONTENT_TYPE, format.media_type)
            .body(bytes);
        response.headers_mut().extend(self.headers);
        self.meta.attach_to(&mut response);
        response
    }
}

impl<T: Representation + Send, K: ResponseKind> ApiResponse for Reply<T, K> {
    fn meta() -> MetaResponses {
        let success = MetaResponse {
            description: K::DESCRIPTION,
            status: Some(K::STATUS.as_u16()),
            status_range: None,
            content: T::FORMATS.iter().map(media_type).collect(),
            headers: meta_headers(K::HEADERS),
        };
        let mut statuses: Vec<u16> = COMMON_ERRORS.iter().chain(K::ERRORS).copied().collect();
        statuses.sort_unstable();
        let not_modified = K::HEADERS.contains(&ETAG) && K::STATUS == StatusCode::OK;
        let mut responses = vec![success];
        if not_modified && !K::ERRORS.contains(&412) {
            responses.push(MetaResponse {
                description: "Not modified since the ETag in If-None-Match.",
                status: Some(304),
                status_range: None,
                content: Vec::new(),
                headers: meta_headers(K::HEADERS),
            });
        }
        responses.extend(statuses.into_iter().map(error_response));
        MetaResponses { responses }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
        ProblemBody::register(registry);
    }
}

fn media_type<T>(format: &Format<T>) -> MetaMediaType {
    MetaMediaType {
        content_type: format.media_type,
        schema: (format.schema)(),
    }
}

fn meta_headers(headers: &[Header]) -> Vec<MetaHeader> {
    headers.iter().map(|header| (*header).into()).collect()
}

pub(super) fn error_response(status: u16) -> MetaResponse {
    let (description, headers): (_, &[_]) = match status {
        400 => ("Missing, invalid or unknown values, listed in `data.params`.", &[]),
        401 => ("Missing or invalid credentials.", &[WWW_AUTHENTICATE]),
        403 => ("No permission for the operation or for a value in the request.", &[]),
        404 => ("The object, page or namespace does not exist.", &[]),
        406 => ("The Accept header excludes JSON.", &[]),
        409 => ("Another object has the slug or the ID in another system.", &[]),
        410 => ("The object is in the trash, or the token has expired.", &[]),
        412 => ("If-Match does not match the current version.", &[]),
        413 => ("The body is too large.", &[]),
        415 => ("The media type of the body is not supported.", &[]),
        429 => ("Too many requests.", &[RETRY_AFTER]),
        503 => ("The service is temporarily unavailable.", &[RETRY_AFTER]),
        507 => ("The server's disk is full, and nothing was stored.", &[]),
        _ => ("Internal server error, logged with the request's X-Request-Id.", &[]),
    };
    MetaResponse {
        description,
        status: Some(status),
        status_range: None,
        content: vec![MetaMediaType {
            content_type: JSON,
            schema: ProblemBody::schema_ref(),
        }],
        headers: meta_headers(headers),
    }
}

/// Allows handlers to return [`crate::error::Problem`]. The [`ResponseKind`] declares its statuses.
impl ApiResponse for crate::error::Problem {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_registry: &mut Registry) {}
}
