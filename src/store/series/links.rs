//! Links the events of a series.

use sea_orm::DbErr;

use crate::store::{
    Transaction,
    batch::Batch,
    entity::{event, venue},
    linked_resource::LinkedResource,
    links::{self, TargetIds},
    publishable,
};

/// Events per message to the database.
const EVENTS: usize = 100;

/// Links events that have no links yet to the same objects.
pub(crate) async fn insert_links(
    transaction: &Transaction,
    events: &[event::Model],
    links: &TargetIds,
) -> Result<(), DbErr> {
    for events in events.chunks(EVENTS) {
        let mut batch = Batch::new(transaction);
        links::insert_all(&mut batch, events.iter().map(|event| (event, links)));
        batch.run(transaction).await?;
    }
    Ok(())
}

/// Whether one of the venues is published and has coordinates.
pub(crate) async fn is_located(transaction: &Transaction, venues: &[i64]) -> Result<bool, DbErr> {
    let venues = publishable::find_all::<venue::Entity>(transaction, venues).await?;
    Ok(venues.iter().any(venue::Entity::is_located))
}
