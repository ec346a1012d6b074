//! Tags.

use almanac_derive::Parameters;
use poem_openapi::OpenApi;

use super::{
    Tag,
    terms::{self, TermQuery},
};
use crate::{
    auth::{Reader, Writer},
    error::Problem,
    extract::{
        Create, IdInPath, MaybeUndefined, Params, Payload, Update,
        text::{Html, Slug, Title},
    },
    response::{Created, DeletedTerm, FoundTerm, ListedTerms, UpdatedTerm},
    services::term::TermFields,
    store::entity::tag,
    views::{list::TagList, term::TagView},
};

/// The endpoints of tags.
pub(crate) struct TagsApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Tags")]
impl TagsApi {
    /// List tags
    ///
    /// Lists tags, ordered by name by default. Tags without published events are omitted, unless `hide_empty` is false.
    #[oai(path = "/tags", method = "get", operation_id = "listTags")]
    async fn list(&self, reader: Reader, params: Params<TermQuery, TagView>) -> Result<ListedTerms<TagList>, Problem> {
        terms::list::<tag::Entity, _>(&reader, params, MaybeUndefined::Undefined).await
    }

    /// Create a tag
    ///
    /// Requires the role editor or administrator. If a tag with this name exists already, the response is 400 with the
    /// code `term_exists`, and `data.term_id` is the ID of that tag.
    #[oai(path = "/tags", method = "post", operation_id = "createTag")]
    async fn create(&self, writer: Writer, body: Create<TagPayload>) -> Result<Created<TagView>, Problem> {
        terms::create::<tag::Entity>(&writer, body).await
    }

    /// Get a tag
    ///
    /// Returns the tag with the number of its published events.
    #[oai(path = "/tags/:id", method = "get", operation_id = "getTag")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the tag.
        id: IdInPath,
        params: Params<(), TagView>,
    ) -> Result<FoundTerm<TagView>, Problem> {
        terms::read::<tag::Entity>(&reader, id, params).await
    }

    /// Update a tag
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent.
    /// Requires the role editor or administrator. With `If-Match`, the update applies only to the version that you have
    /// read.
    #[oai(path = "/tags/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the tag.
        id: IdInPath,
        body: Update<TagPayload>,
    ) -> Result<UpdatedTerm<TagView>, Problem> {
        terms::update::<tag::Entity>(&writer, id, body).await
    }

    /// Delete a tag
    ///
    /// Deletes it permanently, without the trash. It is removed from all events. Requires the role editor or
    /// administrator.
    #[oai(path = "/tags/:id", method = "delete", operation_id = "deleteTag")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the tag.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<DeletedTerm<TagView>, Problem> {
        terms::delete::<tag::Entity>(&writer, id, params).await
    }
}

/// The fields of a tag.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct TagPayload {
    /// Name in plain text, 1 to 200 characters, unique among tags. Markup is removed.
    #[param(required, example = "Open air")]
    pub name: MaybeUndefined<Title>,
    #[param(example = "<p>Everything with a tune.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(example = "open-air")]
    pub slug: MaybeUndefined<Slug>,
}

impl Payload for TagPayload {
    type Representation = TagView;

    const NAME: &'static str = "Tag";
    const CREATE: &'static str = "A new tag. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to a tag. Absent fields keep their values; `null` or an empty string clears \
         a field, but `name` can't be cleared. Unknown and read-only fields are ignored, so the representation of a \
         tag can be sent back unchanged.";
}

impl From<TagPayload> for TermFields {
    fn from(payload: TagPayload) -> Self {
        let TagPayload {
            name,
            description,
            slug,
        } = payload;
        Self {
            name,
            description,
            slug,
            parent: MaybeUndefined::Undefined,
        }
    }
}
