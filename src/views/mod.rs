//! Conversion of rows to representations. Types do not depend on the data: every field is present, absent values are
//! null, and lists are always lists.

pub(crate) mod batch;
pub(crate) mod change;
pub(crate) mod dates;
pub(crate) mod event;
pub(crate) mod event_json_ld;
mod event_links;
pub(crate) mod event_page;
pub(crate) mod image;
pub(crate) mod json_ld;
pub(crate) mod list;
pub(crate) mod organizer;
pub(crate) mod publishable;
pub(crate) mod series;
pub(crate) mod shared;
pub(crate) mod term;
pub(crate) mod user;
pub(crate) mod venue;
pub(crate) mod webhook;

use poem_openapi::types::Type;
use serde::Serialize;

use crate::{
    auth::Caller,
    error::Problem,
    extract::Selectable,
    store::{
        Publishable, Snapshot,
        publishable::{self as publishable_rows, CommonColumns, Key, PublishableRow},
    },
};

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
    type View: Type + Selectable + Serialize + Send;

    /// The representations of the rows, in their order.
    fn represent(
        caller: &Caller,
        snapshot: &Snapshot,
        rows: Vec<Self::Model>,
        detail: Detail,
    ) -> impl Future<Output = Result<Vec<Self::View>, Problem>> + Send;

    /// Finds an object and represents it, if `check` allows it. Returns its common columns, too.
    fn find_view(
        caller: &Caller,
        snapshot: &Snapshot,
        key: &Key,
        check: fn(&Caller, &CommonColumns) -> Result<(), Problem>,
    ) -> impl Future<Output = Result<Option<(CommonColumns, Self::View)>, Problem>> + Send {
        async move {
            let Some(row) = publishable_rows::find::<Self>(snapshot, key).await? else {
                return Ok(None);
            };
            let columns = row.common_columns();
            check(caller, &columns)?;
            Ok(Some((columns, one::<Self>(caller, snapshot, row).await?)))
        }
    }
}

/// The representation of one row.
pub(crate) async fn one<E: Represented>(
    caller: &Caller,
    snapshot: &Snapshot,
    row: E::Model,
) -> Result<E::View, Problem> {
    only(E::represent(caller, snapshot, vec![row], Detail::Single).await?)
}

/// The only one of the representations.
pub(crate) fn only<V>(views: Vec<V>) -> Result<V, Problem> {
    let mut views = views.into_iter();
    views
        .next()
        .ok_or_else(|| Problem::internal("a row has no representation"))
}
