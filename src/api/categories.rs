//! Categories.

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
        number::Integer,
        text::{Html, Slug, Title},
    },
    response::{Created, DeletedTerm, FoundTerm, ListedTerms, UpdatedTerm},
    services::term::TermFields,
    store::entity::category,
    views::{list::CategoryList, term::CategoryView},
};

/// The endpoints of categories.
pub(crate) struct CategoriesApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Categories")]
impl CategoriesApi {
    /// List categories
    ///
    /// Lists categories, ordered by name by default. Categories without published events are omitted, unless
    /// `hide_empty` is false; a category is kept if one of its descendants is.
    #[oai(path = "/categories", method = "get", operation_id = "listCategories")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<CategoryQuery, CategoryView>,
    ) -> Result<ListedTerms<CategoryList>, Problem> {
        let parent = params.query.parent;
        terms::list::<category::Entity, _>(&reader, params.map(|query| query.terms), parent).await
    }

    /// Create a category
    ///
    /// Requires the role editor or administrator. If the parent has a category with this name already, the response is
    /// 400 with the code `term_exists`, and `data.term_id` is the ID of that category.
    #[oai(path = "/categories", method = "post", operation_id = "createCategory")]
    async fn create(&self, writer: Writer, body: Create<CategoryPayload>) -> Result<Created<CategoryView>, Problem> {
        terms::create::<category::Entity>(&writer, body).await
    }

    /// Get a category
    ///
    /// Returns the category with the number of its published events and a link to its parent.
    #[oai(path = "/categories/:id", method = "get", operation_id = "getCategory")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the category.
        id: IdInPath,
        params: Params<(), CategoryView>,
    ) -> Result<FoundTerm<CategoryView>, Problem> {
        terms::read::<category::Entity>(&reader, id, params).await
    }

    /// Update a category
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent.
    /// Requires the role editor or administrator. With `If-Match`, the update applies only to the version that you have
    /// read.
    #[oai(path = "/categories/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the category.
        id: IdInPath,
        body: Update<CategoryPayload>,
    ) -> Result<UpdatedTerm<CategoryView>, Problem> {
        terms::update::<category::Entity>(&writer, id, body).await
    }

    /// Delete a category
    ///
    /// Deletes it permanently, without the trash. It is removed from all events, and its children move up to its
    /// parent. Requires the role editor or administrator.
    #[oai(path = "/categories/:id", method = "delete", operation_id = "deleteCategory")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the category.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<DeletedTerm<CategoryView>, Problem> {
        terms::delete::<category::Entity>(&writer, id, params).await
    }
}

/// The query parameters of lists of categories.
#[derive(Debug, Parameters)]
pub(crate) struct CategoryQuery {
    #[param(flatten)]
    pub terms: TermQuery,
    /// Only the direct children of the category with this ID; 0 for the top level. An unknown category returns 400.
    #[param(example = 0)]
    pub parent: MaybeUndefined<Integer>,
}

/// The fields of a category.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct CategoryPayload {
    /// Name in plain text, 1 to 200 characters, unique under its parent. Markup is removed.
    #[param(required, example = "Music")]
    pub name: MaybeUndefined<Title>,
    #[param(example = "<p>Everything with a tune.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(example = "music")]
    pub slug: MaybeUndefined<Slug>,
    /// ID of the parent category; 0, the default on create, for the top level. The category itself and its descendants
    /// return 400.
    #[param(example = 0)]
    pub parent: MaybeUndefined<Integer>,
}

impl Payload for CategoryPayload {
    type Representation = CategoryView;

    const NAME: &'static str = "Category";
    const CREATE: &'static str = "A new category. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to a category. Absent fields keep their values; `null` or an empty string \
         clears a field, but `name` can't be cleared. Unknown and read-only fields are ignored, so the representation \
         of a category can be sent back unchanged.";
}

impl From<CategoryPayload> for TermFields {
    fn from(payload: CategoryPayload) -> Self {
        let CategoryPayload {
            name,
            description,
            slug,
            parent,
        } = payload;
        Self {
            name,
            description,
            slug,
            parent,
        }
    }
}
