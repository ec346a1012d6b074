//! Conversion of rows to representations. Types do not depend on the data: every field is present, absent values are
//! null, and lists are always lists.

pub(crate) mod dates;
pub(crate) mod event;
pub(crate) mod image;
pub(crate) mod list;
pub(crate) mod organizer;
pub(crate) mod publishable;
pub(crate) mod term;
pub(crate) mod venue;

use poem_openapi::types::Type;
use sea_orm::ConnectionTrait;
use serde::Serialize;

use crate::{auth::Caller, error::Problem, store::Publishable};

/// The path of the native interface.
pub(crate) const ROOT: &str = "/calendar/events/v1";

/// The level of detail of a representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// An item of a list, or nested in another object.
    Item,
    /// A single object, with its JSON-LD.
    Single,
}

/// A table of events, venues or organizers with its representation.
pub(crate) trait Represented: Publishable {
    type View: Type + Serialize + Send;

    /// The representations of the rows, in their order.
    fn represent(
        caller: &Caller,
        database: &impl ConnectionTrait,
        rows: Vec<Self::Model>,
        detail: Detail,
    ) -> impl Future<Output = Result<Vec<Self::View>, Problem>> + Send;
}

/// The representation of one row.
pub(crate) async fn one<E: Represented>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    row: E::Model,
) -> Result<E::View, Problem> {
    let views = E::represent(caller, database, vec![row], Detail::Single).await?;
    views
        .into_iter()
        .next()
        .ok_or_else(|| Problem::internal("a row has no representation"))
}
