//! What lists of the events around a place are read from: the venues of a circle by an index alone, and the links to
//! venues beside the first one of an event, which are few, so that no event is counted twice.

use sea_orm_migration::prelude::*;

use super::fill_statistics;

#[derive(DeriveMigrationName)]
pub struct Migration;

const STATEMENTS: [&str; 3] = [
    "DROP INDEX venues_position",
    "CREATE INDEX venues_position ON venues \
     (geo_lat, geo_lng, status, published_at, globe_x, globe_y, globe_z)",
    "CREATE INDEX event_venues_further ON event_venues (starts_at, event_id, position, target_id, \
     ends_at, published_at, hide_from_listings, featured, ticketed, located) WHERE position > 0",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in STATEMENTS {
            connection.execute_unprepared(statement).await?;
        }
        // Those of an index go with it.
        fill_statistics(connection).await
    }
}
