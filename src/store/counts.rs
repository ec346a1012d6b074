//! The number of public objects of each kind.

use sea_orm::{
    DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Query, SelectStatement},
};

use super::{
    Publishable, count,
    entity::{category, event, organizer, tag, venue},
    events,
    read_connection::ReadConnection,
    visibility::Visibility,
};

/// The number of published objects of each kind. Unlisted events are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The number of events.
    pub events: u64,
    /// The number of venues.
    pub venues: u64,
    /// The number of organizers.
    pub organizers: u64,
    /// The number of categories.
    pub categories: u64,
    /// The number of tags.
    pub tags: u64,
}

/// Counts the objects of all kinds with one statement. `now` is in seconds since 1970 UTC.
pub async fn counts(database: &impl ReadConnection, now: i64) -> Result<Counts, DbErr> {
    let counts = Query::select()
        .expr(events::published_total(now))
        .expr(count::subquery(published::<venue::Entity>(now)))
        .expr(count::subquery(published::<organizer::Entity>(now)))
        .expr(count::subquery(all::<category::Entity>()))
        .expr(count::subquery(all::<tag::Entity>()))
        .to_owned();
    let row: Option<[i64; 5]> = database.row(&counts).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("a row of counts".to_owned()))?;
    let [events, venues, organizers, categories, tags] = row.map(i64::unsigned_abs);
    Ok(Counts {
        events,
        venues,
        organizers,
        categories,
        tags,
    })
}

/// The number of rows of the five kinds, published or not.
pub(crate) async fn all_rows(database: &impl ReadConnection) -> Result<u64, DbErr> {
    let counts = Query::select()
        .expr(count::subquery(all::<event::Entity>()))
        .expr(count::subquery(all::<venue::Entity>()))
        .expr(count::subquery(all::<organizer::Entity>()))
        .expr(count::subquery(all::<category::Entity>()))
        .expr(count::subquery(all::<tag::Entity>()))
        .to_owned();
    let row: Option<[i64; 5]> = database.row(&counts).await?;
    Ok(row.map_or(0, |counts| counts.iter().sum::<i64>().unsigned_abs()))
}

fn published<E: Publishable>(now: i64) -> SelectStatement {
    E::find()
        .select_only()
        .expr(count::rows())
        .filter(Visibility::published(now).condition::<E>())
        .into_query()
}

fn all<E: EntityTrait>() -> SelectStatement {
    E::find().select_only().expr(count::rows()).into_query()
}
