//! The objects of sources, and the objects of this calendar that were created for them.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, OnConflict},
};

use super::ROWS;
use crate::{
    calendar::Kind,
    store::{entity::import_item, read_connection::ReadConnection, write_connection::WriteConnection},
};

/// Reads the items with these keys.
pub(crate) async fn items(
    database: &impl ReadConnection,
    source: i64,
    kind: Kind,
    keys: &[String],
) -> Result<HashMap<String, import_item::Model>, DbErr> {
    let mut found = HashMap::new();
    for keys in keys.chunks(ROWS) {
        let select = import_item::Entity::find()
            .filter(import_item::Column::SourceId.eq(source))
            .filter(import_item::Column::Kind.eq(kind.name()))
            .filter(import_item::Column::Key.is_in(keys));
        let items = database.models(select).await?;
        found.extend(items.into_iter().map(|item| (item.key.clone(), item)));
    }
    Ok(found)
}

/// The items of one kind that the source did not have in this run, sorted by their targets.
pub(crate) async fn missing_items(
    database: &impl ReadConnection,
    source: i64,
    kind: Kind,
    run: i64,
) -> Result<Vec<import_item::Model>, DbErr> {
    let select = import_item::Entity::find()
        .filter(import_item::Column::SourceId.eq(source))
        .filter(import_item::Column::Kind.eq(kind.name()))
        .filter(import_item::Column::SeenBy.ne(run))
        .order_by_asc(import_item::Column::TargetId);
    database.models(select).await
}

/// Those of the IDs that belong to items of the source.
pub(crate) async fn targets(
    database: &impl ReadConnection,
    source: i64,
    kind: Kind,
    ids: &[i64],
) -> Result<Vec<i64>, DbErr> {
    let mut found = Vec::new();
    for ids in ids.chunks(ROWS) {
        let select = import_item::Entity::find()
            .select_only()
            .column(import_item::Column::TargetId)
            .filter(import_item::Column::SourceId.eq(source))
            .filter(import_item::Column::Kind.eq(kind.name()))
            .filter(import_item::Column::TargetId.is_in(ids.iter().copied()));
        let targets: Vec<i64> = database.selected(select).await?;
        found.extend(targets);
    }
    Ok(found)
}

/// The items that a run has created, sorted by kind and target.
pub(crate) async fn created_items(
    database: &impl ReadConnection,
    run: i64,
    kind: Kind,
) -> Result<Vec<import_item::Model>, DbErr> {
    let select = import_item::Entity::find()
        .filter(import_item::Column::CreatedBy.eq(run))
        .filter(import_item::Column::Kind.eq(kind.name()))
        .order_by_asc(import_item::Column::TargetId);
    database.models(select).await
}

/// Up to `limit` items of a kind in a random order.
pub(crate) async fn random_items(
    database: &impl ReadConnection,
    source: i64,
    kind: Kind,
    limit: u64,
) -> Result<Vec<import_item::Model>, DbErr> {
    let select = import_item::Entity::find()
        .filter(import_item::Column::SourceId.eq(source))
        .filter(import_item::Column::Kind.eq(kind.name()))
        .order_by_asc(Expr::cust("random()"))
        .limit(limit);
    database.models(select).await
}

/// Removes the items with these keys.
pub(crate) async fn remove_items(
    transaction: &impl WriteConnection,
    source: i64,
    kind: Kind,
    keys: &[String],
) -> Result<(), DbErr> {
    for keys in keys.chunks(ROWS) {
        let delete = import_item::Entity::delete_many()
            .filter(import_item::Column::SourceId.eq(source))
            .filter(import_item::Column::Kind.eq(kind.name()))
            .filter(import_item::Column::Key.is_in(keys));
        transaction.run(delete).await?;
    }
    Ok(())
}

/// Inserts items, or replaces those with the same keys.
pub(crate) async fn save_items(
    transaction: &impl WriteConnection,
    items: Vec<import_item::Model>,
) -> Result<(), DbErr> {
    use import_item::Column;
    for items in items.chunks(ROWS) {
        let rows = items.iter().cloned().map(|item| {
            let row: import_item::ActiveModel = item.into();
            row.reset_all()
        });
        let same_key = OnConflict::columns([Column::SourceId, Column::Kind, Column::Key])
            .update_columns([
                Column::TargetId,
                Column::CreatedBy,
                Column::SeenBy,
                Column::Digest,
                Column::Stored,
                Column::IsGone,
            ])
            .to_owned();
        transaction
            .run(import_item::Entity::insert_many(rows).on_conflict(same_key))
            .await?;
    }
    Ok(())
}
