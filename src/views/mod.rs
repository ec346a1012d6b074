//! How rows become the representations that clients see. Types never change with the data: a list is always a
//! list, what is absent is null, and every field is there.

pub mod dates;
pub mod event;
pub mod image;
pub mod list;
pub mod organizer;
pub mod publishable;
pub mod term;
pub mod venue;

use poem_openapi::types::Type;
use sea_orm::ConnectionTrait;
use serde::Serialize;

use crate::{auth::Caller, error::Problem, store::Publishable};

/// The path of the native interface.
pub const ROOT: &str = "/calendar/events/v1";

/// How much of an object is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// In a list, or inside another object.
    Item,
    /// By itself, with its JSON-LD.
    Single,
}

/// An event, venue or organizer as something that can be shown.
pub trait Represented: Publishable {
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
pub async fn one<E: Represented>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    row: E::Model,
) -> Result<E::View, Problem> {
    let views = E::represent(caller, database, vec![row], Detail::Single).await?;
    views
        .into_iter()
        .next()
        .ok_or_else(|| Problem::internal("a row without a representation"))
}
