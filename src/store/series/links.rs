//! Links the events of a series.

use sea_orm::{ActiveModelTrait, DbErr};

use super::TargetIds;
use crate::store::{
    Transaction,
    batch::Batch,
    entity::{event, event_category, event_organizer, event_tag, event_venue},
    links::{self, Link, NewLink},
};

/// Events per message to the database.
const EVENTS: usize = 100;

/// Links events that have no links yet to the same objects.
pub(crate) async fn insert_links(
    transaction: &Transaction,
    events: &[event::Model],
    links: &TargetIds,
) -> Result<(), DbErr> {
    for batch in events.chunks(EVENTS) {
        link(transaction, batch, links).await?;
    }
    Ok(())
}

async fn link(transaction: &Transaction, events: &[event::Model], links: &TargetIds) -> Result<(), DbErr> {
    let TargetIds {
        venues,
        organizers,
        categories,
        tags,
    } = links;
    let mut batch = Batch::new(transaction);
    add_links::<event_venue::Entity>(&mut batch, events, venues);
    add_links::<event_organizer::Entity>(&mut batch, events, organizers);
    add_links::<event_category::Entity>(&mut batch, events, categories);
    add_links::<event_tag::Entity>(&mut batch, events, tags);
    batch.run(transaction).await
}

/// Adds the statements that link each of the events to each of the targets.
fn add_links<L: Link>(batch: &mut Batch, events: &[event::Model], targets: &[i64])
where
    L::ActiveModel: ActiveModelTrait<Entity = L> + Send,
{
    let links = events.iter().flat_map(|event| NewLink::all(event, targets));
    links::insert::<L>(batch, links.collect());
}
