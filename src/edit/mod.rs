//! How the fields of a body change a row: the rules of [`crate::calendar`] with what they need to know from the
//! database. A create is an update of a blank row.

pub mod event;
pub mod following;
pub mod organizer;
pub mod publication;
pub mod references;
pub mod term;
pub mod venue;

use crate::{
    auth::Caller,
    store::{Post, Transaction, post::Frame},
    wire::{Faults, Problem},
};

/// One write on its way: who writes, in which transaction, and what is wrong so far.
pub struct Edit<'a> {
    pub caller: &'a Caller,
    pub transaction: &'a Transaction,
    pub faults: Faults,
    /// The first right to a value that is missing. Told only when nothing is wrong.
    pub forbidden: Option<Problem>,
}

impl<'a> Edit<'a> {
    pub fn new(caller: &'a Caller, transaction: &'a Transaction, faults: Faults) -> Self {
        Self {
            caller,
            transaction,
            faults,
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
        std::mem::take(&mut self.faults).into_result()?;
        match self.forbidden.take() {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }
}

/// An event, venue or organizer as something that can be written.
pub trait Edited: Post {
    type Fields: Clone + Send + Sync + 'static;
    /// What else is to be stored once the row has an ID.
    type Links: Send + Default;

    /// A row with nothing in it, as a create begins with.
    fn blank(caller: &Caller) -> Self::Model;

    /// Puts the fields that are given into the row. Notes what is wrong in `edit.faults`.
    fn apply(
        edit: &mut Edit<'_>,
        row: &mut Self::Model,
        fields: Self::Fields,
    ) -> impl Future<Output = Result<Self::Links, Problem>> + Send;

    /// Changes the other rows that depend on the publication of this one, which has been stored.
    fn pass_on(
        _transaction: &Transaction,
        _before: &Frame,
        _after: &Frame,
        _now: i64,
    ) -> impl Future<Output = Result<(), Problem>> + Send {
        async { Ok(()) }
    }

    /// Stores the links. Says whether that changed anything.
    fn save_links(
        edit: &Edit<'_>,
        id: i64,
        links: Self::Links,
    ) -> impl Future<Output = Result<bool, Problem>> + Send;
}
