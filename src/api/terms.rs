//! The operations that categories and tags share.

use std::sync::Arc;

use almanac_derive::Parameters;
use poem_openapi::registry::{MetaSchema, Registry};
use serde_json::json;

use super::{modification::Modification, paging::Paging, publishable};
use crate::{
    auth::{Caller, Reader, Writer},
    error::{FieldError, Problem},
    extract::{
        Create, FromInput, IdInPath, InputValue, MaybeUndefined, Params, Payload, Update,
        choice::{OrderDirection, enumeration, one_of},
        lenient_bool::LenientBool,
        number::{Id, Ids, Integer},
        text::{Search, SlugFilter},
    },
    response::{CachePolicy, Created, DeletedTerm, FoundTerm, ListedTerms, UpdatedTerm},
    services::term::{self as service, TermFields},
    store::{
        EventDependencies, Snapshot,
        entity::event,
        term::{self, TermRow},
        term_list::{self, Counted, TermFilter, TermOrder},
    },
    views::{
        list::{self, List},
        publishable::rest_url,
        term::{RepresentedTerm, represent},
    },
};

/// The query parameters of lists of categories or tags.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct TermQuery {
    #[param(flatten)]
    pub paging: Paging,
    /// Search in name and slug. Every word and every quoted phrase, such as `"jazz night"`, must occur. A `-` before a
    /// word or phrase excludes matches, up to 8 times; exclusions alone return 400. Parts of words match; letter case and
    /// accents are ignored.
    #[param(example = "music")]
    pub search: MaybeUndefined<Search>,
    /// All except these. IDs, as `1,2` or by repeating the parameter; unknown IDs are ignored.
    #[param(example = json!([1, 2]))]
    pub exclude: MaybeUndefined<Ids>,
    /// Only these. IDs, as `1,2` or by repeating the parameter; unknown IDs are ignored.
    #[param(example = json!([1, 2]))]
    pub include: MaybeUndefined<Ids>,
    /// Sort direction: `asc` for smallest or A first, `desc` for the reverse. Letter case is ignored.
    #[param(default = "asc", example = "desc")]
    pub order: MaybeUndefined<OrderDirection>,
    /// Sort key; ties are ordered by ID. `count` is the number of events, `include` the order of the IDs in the
    /// `include` parameter.
    #[param(default = "name", example = "count")]
    pub orderby: MaybeUndefined<TermOrder>,
    /// Omit terms without a published event. A parent is kept if one of its children is. Send `false` to get all.
    #[param(default = true, example = false)]
    pub hide_empty: MaybeUndefined<LenientBool>,
    /// Only those assigned to the event with this ID. An unknown event returns 400; an event that you may not read
    /// matches nothing.
    #[param(example = 1)]
    pub post: MaybeUndefined<Id>,
    /// Alias of `post`. If both are given, `event` takes precedence.
    #[param(example = 1)]
    pub event: MaybeUndefined<Id>,
    /// Only the term with exactly this slug.
    #[param(example = "music")]
    pub slug: MaybeUndefined<SlugFilter>,
    #[param(flatten)]
    pub modification: Modification,
}

/// The sort keys of lists of terms, by their names in requests.
const ORDERS: [(&str, TermOrder); 7] = [
    ("name", TermOrder::Name),
    ("id", TermOrder::Id),
    ("slug", TermOrder::Slug),
    ("count", TermOrder::Count),
    ("description", TermOrder::Description),
    ("include", TermOrder::Include),
    ("parent", TermOrder::Parent),
];

impl FromInput for TermOrder {
    fn schema(registry: &mut Registry) -> MetaSchema {
        enumeration(registry, "TermOrder", "The sort key of categories and tags.", &ORDERS)
    }

    fn from_input(input: InputValue<'_>) -> Result<Self, FieldError> {
        one_of(input, &ORDERS)
    }
}

/// Lists terms.
pub(crate) async fn list<E, T>(
    reader: &Reader,
    params: Params<TermQuery, E::View>,
    parent: MaybeUndefined<Integer>,
) -> Result<ListedTerms<T>, Problem>
where
    E: RepresentedTerm,
    T: List<Item = E::View>,
{
    let list = |snapshot| list_in::<E, T>(reader, snapshot, params.clone(), parent);
    reader.read(list).await
}

async fn list_in<E, T>(
    reader: &Reader,
    snapshot: Arc<Snapshot>,
    Params {
        query,
        mut errors,
        fields,
        ..
    }: Params<TermQuery, E::View>,
    parent: MaybeUndefined<Integer>,
) -> Result<ListedTerms<T>, Problem>
where
    E: RepresentedTerm,
    T: List<Item = E::View>,
{
    let TermQuery {
        paging,
        search,
        exclude,
        include,
        order,
        orderby,
        hide_empty,
        post,
        event,
        slug,
        modification,
    } = query;
    let snapshot = &*snapshot;
    let mut events = None;
    // `event` is an alias of `post` and takes precedence.
    for (name, field) in [("post", post), ("event", event)] {
        if let Some(Id(id)) = field.take() {
            let ids = [id];
            let found = publishable::visible_ids::<event::Entity>(reader, snapshot, &mut errors, name, &ids);
            events = Some(found.await?);
        }
    }
    let parent = parent.take().map(|id| id.0);
    if let Some(id) = parent.filter(|id| *id != 0)
        && term::find::<E>(snapshot, id).await?.is_none()
    {
        let error = FieldError::unknown_references("must be the ID of an existing category", &[id.to_string()]);
        errors.add("parent", error);
    }
    errors.into_result()?;
    let (modified, cache_lifetime) = modification.resolve(reader);
    let filter = TermFilter {
        search: search.take().unwrap_or_default().0,
        include: include.take().map(|ids| ids.0),
        exclude: exclude.take().map(|ids| ids.0),
        slug: slug.take().map(|slug| slug.0),
        parent,
        events,
        hide_empty: hide_empty.take().is_none_or(|flag| flag.0),
        modified,
        order_by: orderby.take().unwrap_or(TermOrder::Name),
        descending: order.take() == Some(OrderDirection::Descending),
        now: reader.timestamp(),
    };
    let found = term_list::list::<E>(snapshot, &filter, paging.request(reader)).await?;
    let views = found.rows.iter().map(|term| represent::<E>(reader, term)).collect();
    let reply = list::reply(reader, E::KIND, &found, views)?;
    let cache_policy = CachePolicy::of(cache_lifetime).map(|policy| policy.depending_on_texts(EventDependencies::NONE));
    Ok(reply.with_cache_policy(cache_policy).with_fields(fields))
}

/// Reads one term.
pub(crate) async fn read<E: RepresentedTerm>(
    reader: &Reader,
    id: IdInPath,
    params: Params<(), E::View>,
) -> Result<FoundTerm<E::View>, Problem> {
    let read = |snapshot| read_one::<E>(reader, snapshot, id.0, params.clone());
    reader.read(read).await
}

async fn read_one<E: RepresentedTerm>(
    reader: &Reader,
    snapshot: Arc<Snapshot>,
    id: i64,
    params: Params<(), E::View>,
) -> Result<FoundTerm<E::View>, Problem> {
    let row = term::find::<E>(&*snapshot, id)
        .await?
        .ok_or_else(|| Problem::not_found(E::KIND))?;
    params.errors.into_result()?;
    let version = row.common_columns().version;
    let view = one::<E>(reader, &snapshot, row).await?;
    Ok(FoundTerm::new(view)
        .in_media_type(reader.media_type)
        .with_version(version)
        .with_cache_policy(Some(CachePolicy::WITHOUT_EVENT_TEXTS))
        .with_fields(params.fields))
}

/// Creates one term.
pub(crate) async fn create<E>(
    writer: &Writer,
    body: Create<impl Payload + Into<TermFields>>,
) -> Result<Created<E::View>, Problem>
where
    E: RepresentedTerm,
{
    let stored = service::create::<E, _>(writer, body).await?;
    let columns = stored.common_columns();
    let view = represent_stored::<E>(writer, stored).await?;
    Ok(Created::new(view)
        .with_header("location", rest_url(writer, E::KIND, columns.id))
        .with_version(columns.version))
}

/// Updates the given fields of one term.
pub(crate) async fn update<E>(
    writer: &Writer,
    id: IdInPath,
    body: Update<impl Payload + Into<TermFields>>,
) -> Result<UpdatedTerm<E::View>, Problem>
where
    E: RepresentedTerm<Model: PartialEq>,
{
    let stored = service::update::<E, _>(writer, id.0, body).await?;
    let version = stored.common_columns().version;
    let view = represent_stored::<E>(writer, stored).await?;
    Ok(UpdatedTerm::new(view).with_version(version))
}

/// Deletes one term. The response contains its last representation.
pub(crate) async fn delete<E: RepresentedTerm>(
    writer: &Writer,
    id: IdInPath,
    Params { errors, .. }: Params<()>,
) -> Result<DeletedTerm<E::View>, Problem> {
    let (row, events) = service::delete::<E>(writer, id.0, &errors).await?;
    Ok(DeletedTerm::new(represent::<E>(writer, &Counted { row, events })))
}

/// The representation of a written row.
async fn represent_stored<E: RepresentedTerm>(writer: &Writer, row: E::Model) -> Result<E::View, Problem> {
    let represent = |snapshot: Arc<Snapshot>| {
        let row = row.clone();
        async move { one::<E>(writer, &snapshot, row).await }
    };
    writer.read(represent).await
}

async fn one<E: RepresentedTerm>(caller: &Caller, snapshot: &Snapshot, row: E::Model) -> Result<E::View, Problem> {
    let events = term_list::count::<E>(snapshot, row.common_columns().id, caller.timestamp()).await?;
    Ok(represent::<E>(caller, &Counted { row, events }))
}
