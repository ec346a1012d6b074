//! Writes: validation that needs the database, and one transaction per write. A create applies the payload to a blank
//! row.

pub(crate) mod event;
pub(crate) mod event_references;
pub(crate) mod external_id;
pub(crate) mod inherited_publication;
pub(crate) mod linked_references;
pub(crate) mod name_reuse;
pub(crate) mod new_events;
pub(crate) mod organizer;
pub(crate) mod publication;
pub(crate) mod publishable;
pub(crate) mod series;
pub(crate) mod term;
pub(crate) mod term_references;
pub(crate) mod venue;
pub(crate) mod webhook;

use sea_orm::DbErr;

use self::{
    event_references::{EventReferences, ReferencedRows},
    external_id::IdentifiedPayload,
    publication::Publication,
};
use crate::{
    auth::Caller,
    error::{Problem, ValidationErrors},
    extract::{NestedPayload, Payload},
    store::{
        Publishable, Transaction,
        linked_resource::LinkedResource,
        publishable::{CommonColumns, Key, PublishableRow},
    },
};

/// The context of a write: caller, transaction and the validation errors so far.
pub(crate) struct WriteContext<'a> {
    pub caller: &'a Caller,
    pub transaction: &'a Transaction,
    pub errors: ValidationErrors,
    /// The first missing permission for a value. Reported only if there are no validation errors.
    pub forbidden: Option<Problem>,
    /// The objects that the payloads of new events refer to; None for other writes.
    pub references: Option<&'a mut EventReferences>,
}

/// A payload with its validation errors.
pub(crate) type Validated<P> = (P, ValidationErrors);

impl<'a> WriteContext<'a> {
    pub(crate) fn new(caller: &'a Caller, transaction: &'a Transaction, errors: ValidationErrors) -> Self {
        Self {
            caller,
            transaction,
            errors,
            forbidden: None,
            references: None,
        }
    }

    /// Records a missing permission for a value.
    pub(crate) fn forbid(&mut self, field: &str, message: &str) {
        self.forbidden
            .get_or_insert_with(|| Problem::forbidden_value(field, message));
    }

    /// Returns the validation errors, or else the missing permission.
    pub(crate) fn check(&mut self) -> Result<(), Problem> {
        std::mem::take(&mut self.errors).into_result()?;
        match self.forbidden.take() {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }
}

/// A table of events, venues or organizers with its payload and write operations.
pub(crate) trait Writable: Publishable {
    type Payload: Payload + Sync;
    /// The links that are stored once the row has an ID.
    type Links: Send + Default;

    /// Takes the locks that precede the row lock ([`crate::store::locks`]). `key` is `None` for a create, `payload` for
    /// a move to the trash.
    fn lock_before(
        transaction: &Transaction,
        key: Option<&Key>,
        payload: Option<&Self::Payload>,
    ) -> impl Future<Output = Result<(), DbErr>> + Send;

    /// The blank row that a create starts from.
    fn blank(caller: &Caller) -> Self::Model;

    /// Finds an existing object to use instead of creating one, if the caller's leniency allows it. Adds validation
    /// errors to `context.errors`.
    fn reuse(
        _context: &mut WriteContext<'_>,
        _payload: &Self::Payload,
    ) -> impl Future<Output = Result<Option<Self::Model>, Problem>> + Send {
        async { Ok(None) }
    }

    /// Stores the given fields in the row. Adds validation errors to `context.errors`.
    fn apply(
        context: &mut WriteContext<'_>,
        row: &mut Self::Model,
        payload: Self::Payload,
    ) -> impl Future<Output = Result<Self::Links, Problem>> + Send;

    /// Updates the rows that follow the publication of the stored row.
    fn propagate_publication(
        _transaction: &Transaction,
        _before: &CommonColumns,
        _after: &CommonColumns,
        _now: i64,
    ) -> impl Future<Output = Result<(), Problem>> + Send {
        async { Ok(()) }
    }

    /// Stores the links of a stored row. Returns whether any link changed.
    fn save_links(
        context: &WriteContext<'_>,
        row: &Self::Model,
        links: Self::Links,
    ) -> impl Future<Output = Result<bool, Problem>> + Send;
}

/// A table of venues or organizers, which can also be created by the payload of an event.
pub(crate) trait WritableLinkedResource:
    Writable<Payload: NestedPayload + IdentifiedPayload, Links = (), Model: PartialEq> + LinkedResource
{
    /// Stores the given fields in the columns that only this resource has. Returns the fields of common columns.
    fn set_columns(row: &mut Self::Model, payload: Self::Payload) -> Publication;

    /// Computes the derived columns.
    fn derive(row: &mut Self::Model);

    /// The rows of this table to which the payloads of new events refer.
    fn referenced(references: &mut EventReferences) -> &mut ReferencedRows<Self>;
}

/// Stores the given fields in the row of a venue or organizer. Adds validation errors to `context.errors`.
pub(crate) async fn apply_linked_resource<E: WritableLinkedResource>(
    context: &mut WriteContext<'_>,
    row: &mut E::Model,
    payload: E::Payload,
) -> Result<(), Problem> {
    let publication = E::set_columns(row, payload);
    let mut columns = row.common_columns();
    publication::apply::<E>(context, &mut columns, publication).await?;
    row.set_common_columns(columns);
    E::derive(row);
    Ok(())
}
