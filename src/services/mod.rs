//! Writes: validation that needs the database, and one transaction per write. A create is an update of a blank row.

pub mod event;
pub mod inherited_publication;
pub mod linked_references;
pub mod name_reuse;
pub mod organizer;
pub mod publication;
pub mod publishable;
pub mod term;
pub mod term_references;
pub mod venue;

use sea_orm::DbErr;

use self::publication::Publication;
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

/// One write on its way: who writes, in which transaction, and what is wrong so far.
pub struct WriteContext<'a> {
    pub caller: &'a Caller,
    pub transaction: &'a Transaction,
    pub errors: ValidationErrors,
    /// The first right to a value that is missing. Told only when nothing is wrong.
    pub forbidden: Option<Problem>,
}

impl<'a> WriteContext<'a> {
    pub fn new(caller: &'a Caller, transaction: &'a Transaction, errors: ValidationErrors) -> Self {
        Self {
            caller,
            transaction,
            errors,
            forbidden: None,
        }
    }

    /// Notes that the right to a value is missing.
    pub fn forbid(&mut self, field: &str, message: &str) {
        self.forbidden
            .get_or_insert_with(|| Problem::forbidden_value(field, message));
    }

    /// Whether the write may go ahead: nothing is wrong, and no right is missing.
    pub fn check(&mut self) -> Result<(), Problem> {
        std::mem::take(&mut self.errors).into_result()?;
        match self.forbidden.take() {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }
}

/// An event, venue or organizer as something that can be written.
pub trait Writable: Publishable {
    type Payload: Payload + Sync;
    /// What else is to be stored once the row has an ID.
    type Links: Send + Default;

    /// Takes the locks that come before the one on the row itself ([`crate::store::locks`]). A new row has no `key`, and
    /// one that goes to the trash has no `fields`.
    fn lock_before(
        transaction: &Transaction,
        key: Option<&Key>,
        payload: Option<&Self::Payload>,
    ) -> impl Future<Output = Result<(), DbErr>> + Send;

    /// A row with nothing in it, as a create begins with.
    fn blank(caller: &Caller) -> Self::Model;

    /// The existing object in the place of a new one with these fields, where the caller's leniency wants that. What is
    /// wrong is noted in `context.errors`.
    fn reuse(
        _context: &mut WriteContext<'_>,
        _payload: &Self::Payload,
    ) -> impl Future<Output = Result<Option<Self::Model>, Problem>> + Send {
        async { Ok(None) }
    }

    /// Puts the fields that are given into the row. Notes what is wrong in `context.errors`.
    fn apply(
        context: &mut WriteContext<'_>,
        row: &mut Self::Model,
        payload: Self::Payload,
    ) -> impl Future<Output = Result<Self::Links, Problem>> + Send;

    /// Changes the other rows that depend on the publication of this one, which has been stored.
    fn propagate_publication(
        _transaction: &Transaction,
        _before: &CommonColumns,
        _after: &CommonColumns,
        _now: i64,
    ) -> impl Future<Output = Result<(), Problem>> + Send {
        async { Ok(()) }
    }

    /// Stores the links. Says whether that changed anything.
    fn save_links(
        context: &WriteContext<'_>,
        id: i64,
        links: Self::Links,
    ) -> impl Future<Output = Result<bool, Problem>> + Send;
}

/// A venue or organizer as something that can be written, also nested in the body of an event.
pub trait WritableLinkedResource:
    Writable<Payload: NestedPayload, Links = (), Model: PartialEq> + LinkedResource
{
    /// Stores the given fields in the columns that only this resource has. Returns the others.
    fn set_columns(row: &mut Self::Model, payload: Self::Payload) -> Publication;

    /// Computes the columns that follow from others.
    fn derive(row: &mut Self::Model);
}

/// Stores the given fields in the row of a venue or organizer. Notes what is wrong in `context.errors`.
pub async fn apply_linked_resource<E: WritableLinkedResource>(
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
