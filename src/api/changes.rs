//! Changes of the calendar.

use almanac_derive::Parameters;
use poem::http::HeaderMap;
use poem_openapi::{
    OpenApi,
    registry::{MetaSchema, MetaSchemaRef, Registry},
};

use super::Tag;
use crate::{
    auth::Reader,
    calendar::Kind,
    changes::{self, Reading, Start},
    error::{FieldError, Problem, ValidationErrors},
    extract::{
        FromInput, InputValue, MaybeUndefined, Params,
        choice::{enumeration, one_of},
        number::{deduplicate, integer},
    },
    response::{CachePolicy, EventStream, FoundChanges, Reply, entity_tag},
    views::change::{ChangeView, ChangesView},
};

/// The endpoints of changes.
pub(crate) struct ChangesApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Changes")]
impl ChangesApi {
    /// List changes
    ///
    /// For programs that keep a copy of the calendar. Without `since`, returns all objects, in pages: follow `token`
    /// while `more` is true. After that, request the changes since the last `token` as often as you like: each object
    /// that has changed occurs with its current content, and what was deleted, moved to the trash or hidden occurs as
    /// `deleted`. A change may occur twice, but none is left out. Objects that an event links to are IDs, so that a
    /// renamed venue is one change. A token is valid for 90 days, for the same user and role, and until the database is
    /// restored; then the response is 410, and `data.restart_url` is where to begin again. With `If-None-Match`, a
    /// request without changes returns 304.
    #[oai(path = "/changes", method = "get", operation_id = "getChanges")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<ChangeQuery, ChangeView>,
    ) -> Result<FoundChanges<ChangesView>, Problem> {
        let ChangeQuery { position, limit } = params.query;
        let reading = position.reading(&reader, None, params.errors, Start::All)?;
        let limit = limit.value().map_or(DEFAULT_LIMIT, |limit| limit.0);
        let page = changes::read(&reader, &reading, limit).await?;
        let view = ChangesView::from(page);
        // The state of the copy, so that the page that has brought it there and one without changes have the same tag.
        let tag = entity_tag(None, view.token.as_bytes());
        // Pages of changes are read once by each reader.
        let is_empty = view.changes.is_empty() && !view.more;
        Ok(Reply::new(view)
            .with_header("etag", tag)
            .with_cache_policy(is_empty.then_some(CachePolicy::UNLIMITED))
            .with_fields(params.fields))
    }

    /// Follow changes
    ///
    /// Sends changes as server-sent events, as soon as they happen. The data of each event is a response of `/changes`,
    /// and its ID is the token. The first event has the changes after the token in `Last-Event-ID`, which browsers and
    /// libraries send when they connect again, or in `since`; without a token, it has no changes. A comment is sent
    /// every 20 seconds. The stream ends after 30 minutes, and when the client reads too slowly: connect again.
    #[oai(path = "/changes/stream", method = "get", operation_id = "streamChanges")]
    async fn stream(
        &self,
        reader: Reader,
        params: Params<StreamQuery>,
        headers: &HeaderMap,
    ) -> Result<EventStream, Problem> {
        let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
        let last = last.filter(|last| !last.is_empty());
        let reading = params
            .query
            .position
            .reading(&reader, last, params.errors, Start::Now)?;
        changes::listen(&reader, reading).await.map(EventStream)
    }
}

/// The default of `limit`.
const DEFAULT_LIMIT: usize = 500;
/// The maximum of `limit`.
const MAX_LIMIT: u32 = 1_000;

/// The parameters of a page of changes.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct ChangeQuery {
    #[param(flatten)]
    pub position: PositionQuery,
    /// Maximum number of changes, up to 1000.
    #[param(default = DEFAULT_LIMIT, example = 500)]
    pub limit: MaybeUndefined<ChangeLimit>,
}

/// The parameters of the stream of changes.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct StreamQuery {
    #[param(flatten)]
    pub position: PositionQuery,
}

/// The parameters that select the first change and the types of objects.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct PositionQuery {
    /// The `token` of an earlier response. Its content has no meaning for clients.
    #[param(example = "eyJlIjoiNWYifQ")]
    pub since: MaybeUndefined<TokenText>,
    /// Types of objects: `events`, `venues`, `organizers`, `categories` and `tags`, separated by commas. Default: those
    /// of the token, or all.
    #[param(example = vec!["events", "venues"])]
    pub types: MaybeUndefined<ObjectTypes>,
}

impl PositionQuery {
    /// The reader's place. `last` is a token that replaces `since`.
    fn reading(
        self,
        reader: &Reader,
        last: Option<&str>,
        errors: ValidationErrors,
        default: Start,
    ) -> Result<Reading, Problem> {
        let Self { since, types } = self;
        errors.into_result()?;
        let token = last.or(since.value().map(|since| since.0.as_str()));
        let in_order = |ObjectTypes(kinds)| Kind::ALL.into_iter().filter(|kind| kinds.contains(kind)).collect();
        let kinds = types.take().map(in_order);
        Reading::of(reader, token, kinds, default)
    }
}

/// The maximum number of changes on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChangeLimit(usize);

impl FromInput for ChangeLimit {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema {
            minimum: Some(1.0),
            maximum: Some(MAX_LIMIT.into()),
            ..MetaSchema::new_with_format("integer", "int64")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        integer(input)
            .filter(|limit| (1..=i64::from(MAX_LIMIT)).contains(limit))
            .and_then(|limit| usize::try_from(limit).ok())
            .map(Self)
            .ok_or_else(|| FieldError::invalid(format!("must be a whole number from 1 to {MAX_LIMIT}")))
    }
}

/// The text of a token. Whether it is valid depends on the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenText(String);

impl FromInput for TokenText {
    fn schema(_registry: &mut Registry) -> MetaSchema {
        MetaSchema::new("string")
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let text = input.text().ok_or_else(|| FieldError::wrong_type("must be a string"))?;
        Ok(Self(text.trim().to_owned()))
    }
}

/// Kinds of objects, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectTypes(pub Vec<Kind>);

fn types() -> Vec<(&'static str, Kind)> {
    Kind::ALL.into_iter().map(|kind| (kind.plural(), kind)).collect()
}

impl FromInput for ObjectTypes {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(registry, "ObjectType", "A type of object.", &types());
        MetaSchema {
            items: Some(Box::new(MetaSchemaRef::Reference("ObjectType".to_owned()))),
            min_items: Some(1),
            ..MetaSchema::new("array")
        }
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        let format = input.format;
        let items = input.items();
        let kinds = items.iter().map(|value| {
            let kind = one_of(InputValue { value, format }, &types());
            kind.map_err(|error| FieldError::invalid(format!("{}; separate several by commas", error.message)))
        });
        Ok(Self(deduplicate(kinds.collect::<Result<_, _>>()?)))
    }
}
