//! IDs of events, venues and organizers in other systems: their fields, and creates or updates by them.

use std::sync::Arc;

use almanac_derive::Parameters;

use super::{Validated, Writable, WritableLinkedResource, WriteContext, publishable, series};
use crate::{
    auth::Writer,
    calendar::status::Status,
    error::{FieldError, Problem, ValidationErrors},
    extract::{EitherPayload, MaybeUndefined, Payload, Update, choice::StatusName, text::ExternalText},
    store::{
        Publishable, Snapshot, Transaction,
        entity::{event, organizer, venue},
        locks::{self, AdvisoryLock},
        publishable::{self as rows, CommonColumns, ExternalId, Key, PublishableRow},
    },
};

/// The ID in another system, which the payloads of events, venues and organizers share.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct External {
    /// Name of another system in which the object has the ID `external_id`, up to 255 characters. No two objects of a type
    /// have the same pair of both fields. Give or clear both together.
    #[param(nullable, example = "league")]
    pub external_source: MaybeUndefined<ExternalText>,
    /// ID of the object in the system `external_source`, up to 255 characters.
    #[param(nullable, example = "4711")]
    pub external_id: MaybeUndefined<ExternalText>,
}

impl External {
    /// The ID that the fields result in. One of two fields alone is a validation error, and changes nothing.
    fn applied_to(&self, before: Option<&ExternalId>, errors: &mut ValidationErrors) -> Option<ExternalId> {
        let Self {
            external_source,
            external_id,
        } = self;
        let after = |field: &MaybeUndefined<ExternalText>, stored: Option<&String>| match field {
            MaybeUndefined::Undefined => stored.cloned(),
            MaybeUndefined::Null => None,
            MaybeUndefined::Value(text) => Some(text.0.clone()),
        };
        let source = after(external_source, before.map(|before| &before.source));
        let id = after(external_id, before.map(|before| &before.id));
        match (source, id) {
            (Some(source), Some(id)) => return Some(ExternalId { source, id }),
            (None, None) => return None,
            // The other field has an error of its own.
            _ if errors.has("external_source") || errors.has("external_id") => {}
            (Some(_), None) => errors.add("external_id", FieldError::invalid("is required with external_source")),
            (None, Some(_)) => errors.add("external_source", FieldError::invalid("is required with external_id")),
        }
        before.cloned()
    }

    /// The ID, if both fields are given.
    fn given(&self) -> Option<ExternalId> {
        let (source, id) = self.external_source.value().zip(self.external_id.value())?;
        Some(ExternalId {
            source: source.0.clone(),
            id: id.0.clone(),
        })
    }

    /// Whether the given fields are those of the ID.
    pub(super) fn matches(&self, stored: Option<&ExternalId>) -> bool {
        let mut errors = ValidationErrors::default();
        self.applied_to(stored, &mut errors).as_ref() == stored && errors.is_empty()
    }
}

/// Stores the given fields in the columns. Returns 409 if another object has the ID.
pub(super) async fn apply<E: Publishable>(
    context: &mut WriteContext<'_>,
    columns: &mut CommonColumns,
    external: &External,
) -> Result<(), Problem> {
    let after = external.applied_to(columns.external.as_ref(), &mut context.errors);
    if after == columns.external {
        return Ok(());
    }
    if let Some(id) = &after {
        let found = rows::find::<E>(context.transaction, &Key::External(id.clone())).await?;
        if found.is_some_and(|row| row.id() != columns.id) {
            return Err(Problem::external_id_conflict(E::KIND, &id.source, &id.id));
        }
    }
    columns.external = after;
    Ok(())
}

/// A payload of events, venues or organizers.
pub(crate) trait IdentifiedPayload: Payload {
    fn external(&mut self) -> &mut External;
    fn status(&self) -> &MaybeUndefined<StatusName>;
}

/// Finds the venue or organizer with the ID of a nested object, if the caller may see it.
pub(super) async fn find_nested<E>(
    context: &mut WriteContext<'_>,
    payload: &mut E::Payload,
) -> Result<Option<E::Model>, Problem>
where
    E: WritableLinkedResource,
{
    let Some(id) = payload.external().given() else {
        return Ok(None);
    };
    let new = context.references.as_deref_mut();
    if let Some(row) = new.and_then(|references| E::referenced(references).new_with_external_id(&id)) {
        return Ok(Some(row.clone()));
    }
    let caller = context.caller;
    let found = rows::find::<E>(context.transaction, &Key::External(id)).await?;
    Ok(found.filter(|row| {
        let columns = row.common_columns();
        columns.status != Status::Trash && caller.identity.may_see(&columns, caller.timestamp())
    }))
}

/// A table whose objects are created or updated by the ID in another system.
pub(crate) trait WritableByExternalId: Writable<Payload: IdentifiedPayload> {
    /// Creates an object.
    fn insert_new(
        writer: &Writer,
        transaction: Arc<Transaction>,
        payload: Validated<Self::Payload>,
    ) -> impl Future<Output = Result<Self::Model, Problem>> + Send;

    /// Updates the given fields of a stored object.
    fn change_stored(
        writer: &Writer,
        transaction: Arc<Transaction>,
        key: &Key,
        payload: Validated<Self::Payload>,
    ) -> impl Future<Output = Result<Self::Model, Problem>> + Send;
}

macro_rules! writable_by_external_id {
    ($($entity:ty),+) => {
        $(impl WritableByExternalId for $entity {
            async fn insert_new(
                writer: &Writer,
                transaction: Arc<Transaction>,
                payload: Validated<Self::Payload>,
            ) -> Result<Self::Model, Problem> {
                publishable::insert::<Self>(writer, transaction, payload).await
            }

            async fn change_stored(
                writer: &Writer,
                transaction: Arc<Transaction>,
                key: &Key,
                payload: Validated<Self::Payload>,
            ) -> Result<Self::Model, Problem> {
                publishable::change::<Self>(writer, transaction, key, Ok(payload)).await
            }
        })+
    };
}

writable_by_external_id!(venue::Entity, organizer::Entity);

impl WritableByExternalId for event::Entity {
    async fn insert_new(
        writer: &Writer,
        transaction: Arc<Transaction>,
        payload: Validated<Self::Payload>,
    ) -> Result<event::Model, Problem> {
        series::insert(writer, transaction, payload).await
    }

    async fn change_stored(
        writer: &Writer,
        transaction: Arc<Transaction>,
        key: &Key,
        payload: Validated<Self::Payload>,
    ) -> Result<event::Model, Problem> {
        series::change(writer, transaction, key, series::Scope::This, Ok(payload)).await
    }
}

/// A stored object, and whether it is new.
pub(crate) type Put<M> = (M, bool);

/// Updates the given fields of the object with this ID, or creates it. `errors` are those of the query. `read` reads what
/// was written.
pub(crate) async fn put<E, V, R>(
    writer: &Writer,
    id: ExternalId,
    errors: ValidationErrors,
    body: Update<E::Payload>,
    read: impl Fn(Arc<Snapshot>, Put<E::Model>) -> R,
) -> Result<(Put<E::Model>, V), Problem>
where
    E: WritableByExternalId,
    R: Future<Output = Result<V, Problem>>,
{
    if !writer.identity.may_write(E::KIND) {
        return Err(Problem::role_may_not("change", E::KIND.plural()));
    }
    let mut payload = body.read_either().await?.with_errors(&errors);
    // The path identifies the object.
    *payload.fields.external() = External {
        external_source: MaybeUndefined::Value(ExternalText(id.source.clone())),
        external_id: MaybeUndefined::Value(ExternalText(id.id.clone())),
    };
    let put = |transaction| put_in::<E>(writer, transaction, &id, payload.clone());
    writer.store().write_and_read(put, read).await
}

async fn put_in<E: WritableByExternalId>(
    writer: &Writer,
    transaction: Arc<Transaction>,
    id: &ExternalId,
    payload: EitherPayload<E::Payload>,
) -> Result<Put<E::Model>, Problem> {
    let key = &Key::External(id.clone());
    let mut found = rows::find::<E>(&*transaction, key).await?;
    if found.is_none() && locks::is_postgres(&*transaction) {
        // Of several requests with the same ID, one creates the object, and the others wait for it.
        locks::take(&*transaction, [AdvisoryLock::of_external_id(E::KIND, id)]).await?;
        found = rows::find::<E>(&*transaction, key).await?;
    }
    let Some(columns) = found.map(|row| row.common_columns()) else {
        if !writer.identity.may_create(E::KIND) {
            return Err(Problem::role_may_not("create", E::KIND.plural()));
        }
        writer.check_absent()?;
        // In a box, like the other one: the futures of both would not fit on the stack of a thread.
        let new = Box::pin(E::insert_new(writer, transaction, payload.for_create())).await?;
        return Ok((new, true));
    };
    let restores = payload
        .fields
        .status()
        .value()
        .is_some_and(|status| status.0 != Status::Trash);
    if columns.status == Status::Trash && !restores && writer.identity.may_edit(&columns) {
        return Err(Problem::must_be_restored(E::KIND));
    }
    let changed = Box::pin(E::change_stored(writer, transaction, key, payload.for_update())).await?;
    Ok((changed, false))
}

/// The error if the path has an ID that is too long to be stored.
pub(crate) fn check_length(id: &ExternalId) -> Result<(), Problem> {
    let mut errors = ValidationErrors::default();
    for (name, text) in [("external_source", &id.source), ("external_id", &id.id)] {
        if let Err(error) = ExternalText::of(text) {
            errors.add(name, error);
        }
    }
    errors.into_result()
}

/// An event of a series changes its ID alone. `event` is None for a change of the series itself.
pub(super) fn reject_shared(context: &mut WriteContext<'_>, event: Option<&event::Model>, external: &External) {
    let stored = event.and_then(|event| event.common_columns().external);
    if !external.matches(stored.as_ref()) {
        let message = "can be changed only with scope=this: each event has its own";
        context.errors.add("external_id", FieldError::invalid(message));
    }
}
