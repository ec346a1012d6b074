//! The operations that events, venues and organizers share.

use std::sync::Arc;

use crate::{
    auth::{Caller, Reader, Writer},
    calendar::{Kind, status::Status},
    error::{FieldError, Problem, ValidationErrors},
    extract::{Create, IdInPath, MaybeUndefined, Params, SlugInPath, Update, choice::StatusList},
    response::{CachePolicy, Created, CreatedOrUpdated, Reply, ResponseKind},
    services::{
        Writable,
        external_id::{self as external_ids, WritableByExternalId},
        publishable as service,
    },
    store::{
        EventDependencies, Publishable, Snapshot,
        publishable::{self, CommonColumns, ExternalId, Key, PublishableRow},
        read_connection::ReadConnection,
        visibility::Visibility,
    },
    views::{self, Represented, publishable::rest_url},
};

impl From<IdInPath> for Key {
    fn from(id: IdInPath) -> Self {
        Self::Id(id.0)
    }
}

impl From<SlugInPath> for Key {
    fn from(slug: SlugInPath) -> Self {
        Self::Slug(slug.0)
    }
}

/// Reads one object.
pub(crate) async fn read<E: Represented, K: ResponseKind>(
    reader: &Reader,
    key: Key,
    params: Params<(), E::View>,
) -> Result<Reply<E::View, K>, Problem> {
    let read = |snapshot| read_one::<E, K>(reader, snapshot, &key, params.clone());
    reader.read(read).await
}

async fn read_one<E: Represented, K: ResponseKind>(
    reader: &Caller,
    snapshot: Arc<Snapshot>,
    key: &Key,
    params: Params<(), E::View>,
) -> Result<Reply<E::View, K>, Problem> {
    let found = E::find_view(reader, &snapshot, key, check_readable::<E>).await?;
    let (columns, view) = found.ok_or_else(|| Problem::not_found(E::KIND))?;
    params.errors.into_result()?;
    let texts = match E::KIND {
        Kind::Event => EventDependencies::Of(vec![columns.id]),
        _ => EventDependencies::NONE,
    };
    Ok(Reply::new(view)
        .in_media_type(reader.media_type)
        .with_version(columns.version)
        .with_cache_policy(Some(CachePolicy::UNLIMITED.depending_on_texts(texts)))
        .with_fields(params.fields))
}

fn check_readable<E: Represented>(caller: &Caller, columns: &CommonColumns) -> Result<(), Problem> {
    if caller.identity.may_see(columns, caller.timestamp()) {
        Ok(())
    } else if columns.status == Status::Trash {
        Err(Problem::no_longer_available(E::KIND))
    } else {
        Err(Problem::not_accessible(E::KIND))
    }
}

/// Creates one venue or organizer.
pub(crate) async fn create<E>(writer: &Writer, body: Create<E::Payload>) -> Result<Created<E::View>, Problem>
where
    E: Represented + Writable<Links = ()>,
{
    let represent = |snapshot, row| represent::<E>(writer, snapshot, row);
    let (stored, view) = service::create::<E, _, _>(writer, body, represent).await?;
    Ok(created(writer, E::KIND, &stored, view))
}

/// The response to a create.
pub(crate) fn created<V>(writer: &Writer, kind: Kind, stored: &impl PublishableRow, view: V) -> Created<V> {
    let columns = stored.common_columns();
    Created::new(view)
        .with_header("location", rest_url(writer, kind, columns.id))
        .with_version(columns.version)
}

/// Updates the given fields of the object with this ID, or creates it. `errors` are those of the query.
pub(crate) async fn put<E>(
    writer: &Writer,
    id: ExternalId,
    errors: ValidationErrors,
    body: Update<E::Payload>,
) -> Result<CreatedOrUpdated<E::View>, Problem>
where
    E: Represented + WritableByExternalId,
{
    external_ids::check_length(&id)?;
    let represent = |snapshot, (row, _)| represent::<E>(writer, snapshot, row);
    let ((stored, is_new), view) = external_ids::put::<E, _, _>(writer, id, errors, body, represent).await?;
    Ok(match is_new {
        true => CreatedOrUpdated::Created(created(writer, E::KIND, &stored, view)),
        false => CreatedOrUpdated::Updated(Reply::new(view).with_version(stored.common_columns().version)),
    })
}

/// Updates the given fields. A status may move the object to the trash or restore it.
pub(crate) async fn update<E, K>(
    writer: &Writer,
    key: Key,
    body: Update<E::Payload>,
) -> Result<Reply<E::View, K>, Problem>
where
    E: Represented + Writable<Model: PartialEq>,
{
    let represent = |snapshot, row| represent::<E>(writer, snapshot, row);
    let (stored, view) = service::update::<E, _, _>(writer, &key, body, represent).await?;
    Ok(Reply::new(view).with_version(stored.common_columns().version))
}

/// Moves one object to the trash.
pub(crate) async fn delete<E, K>(
    writer: &Writer,
    key: Key,
    Params { errors, .. }: Params<()>,
) -> Result<Reply<E::View, K>, Problem>
where
    E: Represented + Writable,
{
    let represent = |snapshot, row| represent::<E>(writer, snapshot, row);
    let (_, view) = service::delete::<E, _, _>(writer, &key, &errors, represent).await?;
    Ok(Reply::new(view))
}

/// The representation of a written row.
pub(crate) async fn represent<E: Represented>(
    writer: &Writer,
    snapshot: Arc<Snapshot>,
    row: E::Model,
) -> Result<E::View, Problem> {
    views::one::<E>(writer, &snapshot, row).await
}

/// The requested statuses, restricted to what the reader may see.
pub(crate) fn visibility(reader: &Caller, status: MaybeUndefined<StatusList>) -> Result<Visibility, Problem> {
    let statuses = status.take().map_or(vec![Status::Publish], |list| list.0);
    let identity = reader.identity;
    let visibility = Visibility {
        statuses,
        unpublished_of: match identity.may_read_everything() {
            true => None,
            false => identity.user(),
        },
        now: reader.timestamp(),
    };
    match visibility.is_public() || identity.may_list_unpublished() {
        true => Ok(visibility),
        false => Err(Problem::only_published()),
    }
}

/// Filters the IDs of a filter to those that the reader may see. Unknown IDs are validation errors. IDs that the reader
/// may not see match nothing, so that links to drafts are not disclosed.
pub(crate) async fn visible_ids<E: Publishable>(
    caller: &Caller,
    database: &impl ReadConnection,
    errors: &mut ValidationErrors,
    parameter: &str,
    ids: &[i64],
) -> Result<Vec<i64>, Problem> {
    let found: Vec<CommonColumns> = publishable::find_all::<E>(database, ids)
        .await?
        .iter()
        .map(PublishableRow::common_columns)
        .collect();
    let columns_of = |id: &i64| found.iter().find(|columns| columns.id == *id);
    let unknown: Vec<String> = ids
        .iter()
        .filter(|id| columns_of(id).is_none())
        .map(ToString::to_string)
        .collect();
    if !unknown.is_empty() {
        let expected = format!("must be IDs of existing {}", E::KIND.plural());
        errors.add(parameter, FieldError::unknown_references(&expected, &unknown));
    }
    let may_see = |columns: &CommonColumns| caller.identity.may_see(columns, caller.timestamp());
    Ok(ids
        .iter()
        .copied()
        .filter(|id| columns_of(id).is_some_and(may_see))
        .collect())
}
