//! What the calendar already has of the objects of a source.

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};

use crate::{
    calendar::{Kind, text::fold, title_key::title_key},
    store::{
        entity::{event, series},
        linked_resource::LinkedResource,
        locks::is_postgres,
        publishable::not_in_trash,
        read_connection::ReadConnection,
        write_connection::WriteConnection,
    },
};

/// Whether the table of a kind has objects that are not items of the source.
pub(crate) async fn has_others(database: &impl ReadConnection, source: i64, kind: Kind) -> Result<bool, DbErr> {
    let (table, name) = (kind.plural(), kind.name());
    let select = format!(
        "SELECT 1 FROM {table} WHERE NOT EXISTS (SELECT 1 FROM import_items WHERE source_id = $1 \
         AND kind = '{name}' AND target_id = {table}.id) LIMIT 1"
    );
    let statement = Statement::from_sql_and_values(database.backend(), select, [source.into()]);
    let others: Vec<()> = database.rows_of(statement).await?;
    Ok(!others.is_empty())
}

/// The event outside the trash with this title and these times that has the lowest ID.
pub(crate) async fn same_event(
    database: &impl ReadConnection,
    title: &str,
    starts_at: i64,
    ends_at: i64,
) -> Result<Option<i64>, DbErr> {
    let select = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::TitleKey.eq(title_key(title)))
        .filter(event::Column::StartsAt.eq(starts_at))
        .filter(event::Column::EndsAt.eq(ends_at))
        .filter(not_in_trash())
        .order_by_asc(event::Column::Id);
    database.first_selected(select).await
}

/// The event with this identifier that has the lowest ID.
pub(crate) async fn event_with_uid(database: &impl ReadConnection, uid: &str) -> Result<Option<i64>, DbErr> {
    let select = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::Uid.eq(uid))
        .order_by_asc(event::Column::Id);
    database.first_selected(select).await
}

/// The series with this identifier: outside the trash, if there is one, and with the lowest ID.
pub(crate) async fn series_with_uid(database: &impl ReadConnection, uid: &str) -> Result<Option<i64>, DbErr> {
    let select = series::Entity::find()
        .select_only()
        .column(series::Column::Id)
        .filter(series::Column::Uid.eq(uid))
        .order_by_asc(Expr::col(series::Column::TrashedAt).is_not_null())
        .order_by_asc(series::Column::Id);
    database.first_selected(select).await
}

/// The event with the lowest ID of the series with this identifier.
pub(crate) async fn event_of_series_with_uid(database: &impl ReadConnection, uid: &str) -> Result<Option<i64>, DbErr> {
    let Some(series) = series_with_uid(database, uid).await? else {
        return Ok(None);
    };
    let select = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::SeriesId.eq(series))
        .order_by_asc(event::Column::Id);
    database.first_selected(select).await
}

/// The venue or organizer outside the trash with this name that has the lowest ID.
pub(crate) async fn same_name<E: LinkedResource>(
    database: &impl ReadConnection,
    name: &str,
) -> Result<Option<i64>, DbErr> {
    let select = E::find()
        .select_only()
        .column(E::ID)
        .filter(E::NAME_KEY.eq(fold(name)))
        .filter(not_in_trash())
        .order_by_asc(E::ID);
    database.first_selected(select).await
}

/// Continues the IDs of a table after the highest one, once rows were inserted with given IDs. SQLite does so anyway.
pub(crate) async fn continue_ids(transaction: &impl WriteConnection, table: &str) -> Result<(), DbErr> {
    if is_postgres(transaction) {
        // Another writer may have taken a higher ID that is not committed yet.
        let continued = format!(
            "SELECT setval(sequence, GREATEST((SELECT MAX(id) FROM {table}), nextval(sequence))) \
             FROM (SELECT pg_get_serial_sequence('{table}', 'id')::regclass AS sequence) AS names"
        );
        transaction.execute_unprepared(&continued).await?;
    }
    Ok(())
}
