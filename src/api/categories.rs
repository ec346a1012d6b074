//! Categories.

use std::marker::PhantomData;

use poem_openapi::OpenApi;

use super::{
    Tag,
    described::ListCategories,
    terms::{self, TermQuery},
    variant::Variant,
};
use crate::{
    auth::{Reader, Writer},
    error::Problem,
    extract::{Body, IdInPath, Params},
    response::{Created, DeletedTerm, FoundTerm, ListedTerms, UpdatedTerm},
    store::entity::category,
    views::{list::CategoryList, term::CategoryView},
};

/// The endpoints of categories.
pub struct CategoriesApi<V>(PhantomData<V>);

impl<V> Default for CategoriesApi<V> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Categories")]
impl<V: Variant> CategoriesApi<V> {
    /// List categories
    ///
    /// Categories by name, unless another order is asked for. Those without published events are left out, unless
    /// `hide_empty` is false; a category stays while one below it does.
    #[oai(path = "/categories", method = "get", operation_id = "listCategories")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<V::ListCategories, V>,
    ) -> Result<ListedTerms<CategoryList>, Problem> {
        let ListCategories {
            page,
            per_page,
            search,
            exclude,
            include,
            order,
            orderby,
            hide_empty,
            parent,
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
            parent,
            post,
            event,
            slug,
        };
        terms::list::<category::Entity, _>(&reader, query, params.errors).await
    }

    /// Create a category
    ///
    /// Needs the role of an editor or administrator. A name that is taken under the same parent is answered with
    /// 400 and `term_exists`, and `data.term_id` says by which category.
    #[oai(path = "/categories", method = "post", operation_id = "createCategory")]
    async fn create(&self, writer: Writer, body: Body<V::CategoryCreate, V>) -> Result<Created<CategoryView>, Problem> {
        terms::create::<category::Entity, _, _>(&writer, body).await
    }

    /// Get a category
    ///
    /// One category, with the number of published events that have it, and the address of the category above it.
    #[oai(path = "/categories/:id", method = "get", operation_id = "getCategory")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the category.
        id: IdInPath,
    ) -> Result<FoundTerm<CategoryView>, Problem> {
        terms::read::<category::Entity>(&reader, id).await
    }

    /// Update a category
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. Needs the role of an editor or administrator. With `If-Match` it changes only what you have seen.
    #[oai(path = "/categories/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the category.
        id: IdInPath,
        body: Body<V::CategoryUpdate, V>,
    ) -> Result<UpdatedTerm<CategoryView>, Problem> {
        terms::update::<category::Entity, _, _>(&writer, id, body).await
    }

    /// Delete a category
    ///
    /// It is gone at once, without a trash: events lose it, and the categories below it move up to its parent.
    /// Needs the role of an editor or administrator.
    #[oai(path = "/categories/:id", method = "delete", operation_id = "deleteCategory")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the category.
        id: IdInPath,
    ) -> Result<DeletedTerm<CategoryView>, Problem> {
        terms::delete::<category::Entity>(&writer, id).await
    }
}
