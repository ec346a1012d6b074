//! Events, venues and organizers: their common columns, publication and trash.

mod common_columns;
mod new_rows;

use std::mem::{Discriminant, discriminant};

use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    QueryTrait, sea_query::Expr,
};

use super::{
    entity, id_lists::padded, links::LinkedEvent, locks, read_connection::ReadConnection, rows,
    statement_texts::StatementTexts, write_connection::WriteConnection,
};
use crate::calendar::Kind;

pub use common_columns::Publishable;
pub(crate) use common_columns::{CommonColumns, ExternalId, PublishableRow, stored_status};
pub(crate) use new_rows::insert_with_free_slugs;

/// How a path identifies an object.
#[derive(Clone, Debug)]
pub enum Key {
    /// `/venues/{id}`.
    Id(i64),
    /// `/venues/by-slug/{slug}`.
    Slug(String),
    /// `/venues/by-external-id/{source}/{external_id}`.
    External(ExternalId),
}

/// Finds an object. Slugs do not match objects in the trash, other keys do.
pub async fn find<E: Publishable>(database: &impl ReadConnection, key: &Key) -> Result<Option<E::Model>, DbErr> {
    Ok(database.models(E::find().filter(has_key::<E>(key))).await?.pop())
}

/// Finds an event with its links. Slugs do not match objects in the trash.
pub(crate) async fn find_event(database: &impl ReadConnection, key: &Key) -> Result<Option<LinkedEvent>, DbErr> {
    static TEXTS: StatementTexts<Discriminant<Key>> = StatementTexts::new();
    let values = match key {
        Key::Id(id) => vec![(*id).into()],
        Key::Slug(slug) => vec![slug.as_str().into()],
        Key::External(ExternalId { source, id }) => vec![source.as_str().into(), id.as_str().into()],
    };
    let select = || {
        let event = entity::event::Entity::find().filter(has_key::<entity::event::Entity>(key));
        LinkedEvent::select(event)
    };
    let statement = TEXTS.statement(database.backend(), discriminant(key), values, select);
    Ok(database.rows_of(statement).await?.pop())
}

/// Finds the events with these IDs and their links, in no particular order.
pub(crate) async fn find_events(database: &impl ReadConnection, ids: &[i64]) -> Result<Vec<LinkedEvent>, DbErr> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let events = entity::event::Entity::find().filter(entity::event::Column::Id.is_in(padded(ids)));
    LinkedEvent::all(database, events).await
}

/// Finds an object for a write. On PostgreSQL its row stays locked until the transaction ends.
pub(crate) async fn find_for_update<E: Publishable>(
    transaction: &impl ReadConnection,
    key: &Key,
) -> Result<Option<E::Model>, DbErr> {
    transaction
        .model(E::find().filter(has_key::<E>(key)).lock(locks::row_lock(E::KIND)))
        .await
}

/// The condition that an object has the key. Slugs do not match objects in the trash.
pub(crate) fn has_key<E: Publishable>(key: &Key) -> Condition {
    match key {
        Key::Id(id) => Condition::all().add(E::ID.eq(*id)),
        Key::Slug(slug) => Condition::all().add(E::SLUG.eq(slug)).add(not_in_trash()),
        Key::External(ExternalId { source, id }) => Condition::all()
            .add(E::EXTERNAL_SOURCE.eq(source.as_str()))
            .add(E::EXTERNAL_ID.eq(id.as_str())),
    }
}

/// Must be a literal to match the predicate of the partial index on the slug.
pub(crate) fn not_in_trash() -> Expr {
    Expr::cust("status <> 'trash'")
}

/// Finds the objects with these IDs, in no particular order.
pub(crate) async fn find_all<E: Publishable>(
    database: &impl ReadConnection,
    ids: &[i64],
) -> Result<Vec<E::Model>, DbErr> {
    static TEXTS: StatementTexts<(Kind, usize)> = StatementTexts::new();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = padded(ids);
    let values = ids.iter().map(|id| (*id).into()).collect();
    let select = || E::find().filter(E::ID.is_in(ids.iter().copied())).into_query();
    let statement = TEXTS.statement(database.backend(), (E::KIND, ids.len()), values, select);
    database.models_of(statement).await
}

/// Inserts a row with its own ID, or with a new one if that is 0. Fails if another object has its ID or its slug.
pub(crate) async fn insert<E: Publishable>(
    transaction: &impl WriteConnection,
    row: E::Model,
) -> Result<E::Model, DbErr> {
    let has_id = row.id() != 0;
    let row = row.into_active_model();
    let row = if has_id { row.reset_all() } else { rows::new_row(row) };
    transaction.insert_row(row).await
}

/// Writes the changed columns of a row, sets its modification time and increments its version.
pub(crate) async fn update<E: Publishable>(
    transaction: &impl WriteConnection,
    before: &E::Model,
    mut after: E::Model,
    now: i64,
) -> Result<E::Model, DbErr> {
    let mut columns = after.common_columns();
    columns.version = before.common_columns().version + 1;
    columns.modified_at = now;
    after.set_common_columns(columns);
    transaction
        .update_row(rows::difference(
            before.clone().into_active_model(),
            after.into_active_model(),
        ))
        .await
}
