//! Categories and tags.

use poem_openapi::{Object, types::Type};
use serde::Serialize;

use super::publishable::{collection_url, page_url, rest_url};
use crate::{
    auth::Caller,
    calendar::Kind,
    extract::{Selectable, selectable},
    response::Representation,
    store::{
        Term,
        entity::{category, tag},
        term::{TermColumns, TermRow},
        term_list::Counted,
    },
};

/// A category of events.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Category")]
pub(crate) struct CategoryView {
    #[oai(flatten)]
    #[serde(flatten)]
    pub term: TermView,
    /// ID of the parent category; 0 at the top level.
    pub parent: i64,
}

/// A tag of events.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Tag")]
pub(crate) struct TagView {
    #[oai(flatten)]
    #[serde(flatten)]
    pub term: TermView,
}

/// The common fields of categories and tags.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct TermView {
    /// The ID, unique among terms of the same type and never reused.
    pub id: i64,
    /// The name, in plain text.
    pub name: String,
    /// The name in the public URL, unique among terms of the same type.
    pub slug: String,
    /// Sanitised HTML; empty if there is none.
    pub description: String,
    /// `event_category` or `event_tag`.
    pub taxonomy: String,
    /// The number of published, listed events with this term, not counting events with only subcategories of it.
    pub count: i64,
    /// The URL of the public page, for people.
    pub url: String,
    /// URLs in this interface.
    pub urls: TermUrls,
}

/// URLs of a term in this interface.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct TermUrls {
    /// The term itself.
    #[oai(rename = "self")]
    #[serde(rename = "self")]
    pub this: String,
    /// The list of all terms of the same type.
    pub collection: String,
    /// The parent category; absent for tags and top-level categories.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<String>,
}

/// A table of terms with its representation.
pub(crate) trait RepresentedTerm: Term {
    type View: Type + Selectable + Serialize + Send + Sync;
    const TAXONOMY: &'static str;
    fn view(term: TermView, parent: i64) -> Self::View;
}

impl Representation for CategoryView {}

selectable!(CategoryView, "id", "name");

impl Representation for TagView {}

selectable!(TagView, "id", "name");

impl RepresentedTerm for category::Entity {
    type View = CategoryView;
    const TAXONOMY: &'static str = "event_category";

    fn view(term: TermView, parent: i64) -> CategoryView {
        CategoryView { term, parent }
    }
}

impl RepresentedTerm for tag::Entity {
    type View = TagView;
    const TAXONOMY: &'static str = "event_tag";

    fn view(term: TermView, _parent: i64) -> TagView {
        TagView { term }
    }
}

/// The representation of a term.
pub(crate) fn represent<E: RepresentedTerm>(caller: &Caller, term: &Counted<E::Model>) -> E::View {
    let columns = term.row.common_columns();
    let parent = columns.parent;
    E::view(represent_common_fields::<E>(caller, columns, term.events), parent)
}

fn represent_common_fields<E: RepresentedTerm>(caller: &Caller, columns: TermColumns, count: i64) -> TermView {
    let kind = E::KIND;
    TermView {
        id: columns.id,
        url: page_url(caller, kind, &columns.slug),
        urls: TermUrls {
            this: rest_url(caller, kind, columns.id),
            collection: collection_url(caller, kind),
            up: (kind == Kind::Category && columns.parent != 0).then(|| rest_url(caller, kind, columns.parent)),
        },
        name: columns.name,
        slug: columns.slug,
        description: columns.description,
        taxonomy: E::TAXONOMY.to_owned(),
        count,
    }
}
