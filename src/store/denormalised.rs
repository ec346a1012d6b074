//! Denormalised columns and tables, computed as a whole.
//!
//! Triggers maintain them with each write (see `migrations/`). This module computes them for rows that were loaded in
//! bulk, while the triggers were off.

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, IdenStatic,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use super::{
    count,
    entity::{
        category, category_closure,
        event::{self, Column, Entity},
        event_category, event_category_closure, event_organizer, event_time_bucket, event_venue, tag,
    },
    linked_resource::LinkedResource,
    links::Link,
    term::Term,
    write_connection::WriteConnection,
};
use crate::calendar::status::Status;

/// The columns of events that lists filter and sort by. Links have copies of them.
pub(crate) const LISTING_COLUMNS: [Column; 7] = [
    Column::StartsAt,
    Column::EndsAt,
    Column::PublishedAt,
    Column::HideFromListings,
    Column::Featured,
    Column::Ticketed,
    Column::Located,
];

/// The columns of events that PostgreSQL's search index has copies of: those that the visibility and the window of a list
/// depend on.
pub(crate) const SEARCH_COLUMNS: [Column; 4] = [
    Column::StartsAt,
    Column::EndsAt,
    Column::PublishedAt,
    Column::HideFromListings,
];

/// The value of such a column for a row of events with this name in the statement, in SQL.
pub(crate) fn event_value(event: &str, column: Column) -> String {
    match column {
        Column::PublishedAt => format!("CASE WHEN {event}.status = 'publish' THEN {event}.published_at END"),
        column => format!("{event}.{}", column.as_str()),
    }
}

/// The value of the links' column `published_at`: null unless the status of the event is `publish`.
pub(crate) fn published_at(event: &event::Model) -> Option<i64> {
    (event.status == Status::Publish.as_str()).then_some(event.published_at)
}

/// Events longer than this many seconds are few and have an index of their own, `events_long`. All others that are in
/// progress at an instant have started within this time before it.
pub(crate) const LONG_EVENT: i64 = 7 * 24 * 60 * 60;
/// Events longer than this many seconds are in the index `events_very_long`, too.
pub(crate) const VERY_LONG_EVENT: i64 = 92 * 24 * 60 * 60;

/// Inserts the closure of the categories of all events, from the links of the events.
pub async fn fill_event_category_closure(database: &impl WriteConnection) -> Result<(), DbErr> {
    let link = |column: &'static str| Expr::col((event_category::Entity, column));
    let listing = LISTING_COLUMNS.map(|column| column.as_str());
    let ancestor = Expr::col(category_closure::Column::AncestorId.as_column_ref());
    let category = Expr::col(category_closure::Column::CategoryId.as_column_ref());
    let rows = Query::select()
        .distinct()
        .exprs([link("event_id"), ancestor])
        .exprs(listing.map(link))
        .from(event_category::Entity)
        .inner_join(category_closure::Entity, category.eq(link("target_id")))
        .to_owned();
    let columns = ["event_id", "target_id"].into_iter().chain(listing);
    insert_selected(database, event_category_closure::Entity, columns, rows).await
}

/// Recomputes all counts of events, and the end of the last event of each venue and organizer.
pub async fn fill_counts(database: &impl WriteConnection) -> Result<(), DbErr> {
    fill_event_time_buckets(database).await?;
    fill_term_counts::<category::Entity>(database).await?;
    fill_term_counts::<tag::Entity>(database).await?;
    fill_last_ends::<event_venue::Entity>(database).await?;
    fill_last_ends::<event_organizer::Entity>(database).await
}

async fn fill_event_time_buckets(database: &impl WriteConnection) -> Result<(), DbErr> {
    use event_time_bucket::Column as Key;
    database.run(event_time_bucket::Entity::delete_many()).await?;
    let event = |column: Column| Expr::col(column.as_column_ref());
    let keys = [
        (Key::Status, event(Column::Status)),
        (Key::HideFromListings, event(Column::HideFromListings)),
        (Key::TimeBucket, event_time_bucket::of_start()),
        (Key::Featured, event(Column::Featured)),
        (Key::Ticketed, event(Column::Ticketed)),
        (Key::Located, event(Column::Located)),
    ];
    let mut rows = Query::select();
    rows.from(Entity);
    for (_, value) in &keys {
        rows.expr(value.clone()).add_group_by([value.clone()]);
    }
    rows.expr(count::rows());
    let columns = keys.into_iter().map(|(key, _)| key.as_str());
    let columns = columns.chain([Key::EventCount.as_str()]);
    insert_selected(database, event_time_bucket::Entity, columns, rows).await
}

async fn fill_term_counts<E: Term>(database: &impl WriteConnection) -> Result<(), DbErr> {
    database.run(E::EventCounts::delete_many()).await?;
    let link = |column: &'static str| Expr::col((E::Links::default(), column));
    let rows = Query::select()
        .exprs([link("target_id"), count::rows()])
        .from(E::Links::default())
        .and_where(link("published_at").is_not_null())
        .and_where(link("hide_from_listings").eq(false))
        .add_group_by([link("target_id")])
        .to_owned();
    insert_selected(database, E::EventCounts::default(), ["target_id", "event_count"], rows).await
}

async fn fill_last_ends<L: Link<Target: LinkedResource>>(database: &impl WriteConnection) -> Result<(), DbErr> {
    let link = |column: &'static str| Expr::col((L::default(), column));
    let last = Query::select()
        .expr(link("ends_at").max())
        .from(L::default())
        .and_where(link("target_id").eq(Expr::col(L::TARGET_KEY.as_column_ref())))
        .and_where(link("published_at").is_not_null())
        .to_owned();
    database
        .run(L::Target::update_many().col_expr(L::Target::LAST_ENDS_AT, count::subquery(last)))
        .await?;
    Ok(())
}

/// Inserts the selected rows, whose columns are in this order.
pub(crate) async fn insert_selected(
    database: &impl WriteConnection,
    table: impl EntityTrait,
    columns: impl IntoIterator<Item = &'static str>,
    rows: SelectStatement,
) -> Result<(), DbErr> {
    let mut insert = Query::insert();
    insert.into_table(table).columns(columns);
    insert
        .select_from(rows)
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    database.execute(&insert).await?;
    Ok(())
}
