//! Tags.

use std::marker::PhantomData;

use poem_openapi::OpenApi;

use super::{
    Tag,
    described::ListTags,
    terms::{self, TermQuery},
    variant::Variant,
};
use crate::{
    auth::{Reader, Writer},
    error::Problem,
    extract::{Body, IdInPath, MaybeUndefined, Params},
    response::{Created, DeletedTerm, FoundTerm, ListedTerms, UpdatedTerm},
    store::entity::tag,
    views::{list::TagList, term::TagView},
};

/// The endpoints of tags.
pub struct TagsApi<V>(PhantomData<V>);

impl<V> Default for TagsApi<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Tags")]
impl<V: Variant> TagsApi<V> {
    /// List tags
    ///
    /// Tags by name, unless another order is asked for. Those without published events are left out, unless
    /// `hide_empty` is false.
    #[oai(path = "/tags", method = "get", operation_id = "listTags")]
    async fn list(&self, reader: Reader, params: Params<V::ListTags, V>) -> Result<ListedTerms<TagList>, Problem> {
        let ListTags {
            page,
            per_page,
            search,
            exclude,
            include,
            order,
            orderby,
            hide_empty,
            post,
            event,
            slug,
        } = params.query;
        let query = TermQuery {
            page,
            per_page,
            search,
            exclude,
            include,
            order,
            orderby,
            hide_empty,
            parent: MaybeUndefined::Undefined,
            post,
            event,
            slug,
        };
        terms::list::<tag::Entity, _>(&reader, query, params.errors).await
    }

    /// Create a tag
    ///
    /// Needs the role of an editor or administrator. A name that is taken is answered with 400 and `term_exists`,
    /// and `data.term_id` says by which tag.
    #[oai(path = "/tags", method = "post", operation_id = "createTag")]
    async fn create(&self, writer: Writer, body: Body<V::TagCreate, V>) -> Result<Created<TagView>, Problem> {
        terms::create::<tag::Entity, _, _>(&writer, body).await
    }

    /// Get a tag
    ///
    /// One tag, with the number of published events that have it.
    #[oai(path = "/tags/:id", method = "get", operation_id = "getTag")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the tag.
        id: IdInPath,
    ) -> Result<FoundTerm<TagView>, Problem> {
        terms::read::<tag::Entity>(&reader, id).await
    }

    /// Update a tag
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. Needs the role of an editor or administrator. With `If-Match` it changes only what you have seen.
    #[oai(path = "/tags/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the tag.
        id: IdInPath,
        body: Body<V::TagUpdate, V>,
    ) -> Result<UpdatedTerm<TagView>, Problem> {
        terms::update::<tag::Entity, _, _>(&writer, id, body).await
    }

    /// Delete a tag
    ///
    /// It is gone at once, without a trash: events lose it. Needs the role of an editor or administrator.
    #[oai(path = "/tags/:id", method = "delete", operation_id = "deleteTag")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the tag.
        id: IdInPath,
    ) -> Result<DeletedTerm<TagView>, Problem> {
        terms::delete::<tag::Entity>(&writer, id).await
    }
}
