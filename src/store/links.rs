//! The links of events to venues, organizers, categories and tags.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait,
    QueryFilter, QueryOrder, QuerySelect,
};

use super::entity::{
    category, event, event_category, event_organizer, event_tag, event_venue, organizer, tag, venue,
};
use crate::calendar::status::Status;

/// A table of links from events to one other kind of object.
pub trait Link: EntityTrait {
    const EVENT_ID: Self::Column;
    const TARGET_ID: Self::Column;
    const POSITION: Self::Column;
    /// What the links lead to.
    type Target: EntityTrait<Model: Clone + Send + Sync>;
    const TARGET_KEY: <Self::Target as EntityTrait>::Column;
    fn target_key(target: &<Self::Target as EntityTrait>::Model) -> i64;
    fn row(event_id: i64, target_id: i64, position: i64) -> Self::ActiveModel;
    /// The row with what the database would copy from the event.
    fn listed(row: Self::ActiveModel, event: &event::Model) -> Self::ActiveModel;
}

macro_rules! link {
    ($link:ident, $target:ident) => {
        impl Link for $link::Entity {
            const EVENT_ID: Self::Column = $link::Column::EventId;
            const TARGET_ID: Self::Column = $link::Column::TargetId;
            const POSITION: Self::Column = $link::Column::Position;
            type Target = $target::Entity;
            const TARGET_KEY: $target::Column = $target::Column::Id;

            fn target_key(target: &$target::Model) -> i64 {
                target.id
            }

            fn row(event_id: i64, target_id: i64, position: i64) -> Self::ActiveModel {
                $link::ActiveModel {
                    event_id: Set(event_id),
                    target_id: Set(target_id),
                    position: Set(position),
                    ..Default::default()
                }
            }

            fn listed(row: Self::ActiveModel, event: &event::Model) -> Self::ActiveModel {
                let is_published = event.status == Status::Publish.as_str();
                $link::ActiveModel {
                    starts_at: Set(event.starts_at),
                    ends_at: Set(event.ends_at),
                    published_at: Set(is_published.then_some(event.published_at)),
                    hide_from_listings: Set(event.hide_from_listings),
                    featured: Set(event.featured),
                    ticketed: Set(event.ticketed),
                    located: Set(event.located),
                    ..row
                }
            }
        }
    };
}

link!(event_venue, venue);
link!(event_organizer, organizer);
link!(event_category, category);
link!(event_tag, tag);

/// What events link to, by event and in the order in which it was given.
pub type Linked<L> = HashMap<i64, Vec<<<L as Link>::Target as EntityTrait>::Model>>;

/// What the events with these IDs link to.
pub async fn of_events<L: Link>(
    database: &impl ConnectionTrait,
    events: &[i64],
) -> Result<Linked<L>, DbErr> {
    if events.is_empty() {
        return Ok(HashMap::new());
    }
    let links: Vec<(i64, i64)> = L::find()
        .select_only()
        .column(L::EVENT_ID)
        .column(L::TARGET_ID)
        .filter(L::EVENT_ID.is_in(events.iter().copied()))
        .order_by_asc(L::EVENT_ID)
        .order_by_asc(L::POSITION)
        .order_by_asc(L::TARGET_ID)
        .into_tuple()
        .all(database)
        .await?;
    if links.is_empty() {
        return Ok(HashMap::new());
    }
    let mut ids: Vec<i64> = links.iter().map(|(_, target)| *target).collect();
    ids.sort_unstable();
    ids.dedup();
    let targets: HashMap<i64, _> = L::Target::find()
        .filter(L::TARGET_KEY.is_in(ids))
        .all(database)
        .await?
        .into_iter()
        .map(|target| (L::target_key(&target), target))
        .collect();
    let mut linked: Linked<L> = HashMap::new();
    for (event, target) in links {
        if let Some(target) = targets.get(&target) {
            linked.entry(event).or_default().push(target.clone());
        }
    }
    Ok(linked)
}

/// The IDs of what one event links to, in the order in which they were given.
pub async fn ids_of_event<L: Link>(
    database: &impl ConnectionTrait,
    event: i64,
) -> Result<Vec<i64>, DbErr> {
    L::find()
        .select_only()
        .column(L::TARGET_ID)
        .filter(L::EVENT_ID.eq(event))
        .order_by_asc(L::POSITION)
        .order_by_asc(L::TARGET_ID)
        .into_tuple()
        .all(database)
        .await
}

/// Makes the event link to exactly these, in this order. Says whether that changed anything.
pub async fn replace<L: Link>(
    transaction: &impl ConnectionTrait,
    event: i64,
    targets: &[i64],
) -> Result<bool, DbErr>
where
    L::ActiveModel: ActiveModelTrait<Entity = L> + Send,
{
    if ids_of_event::<L>(transaction, event).await? == targets {
        return Ok(false);
    }
    L::delete_many()
        .filter(L::EVENT_ID.eq(event))
        .exec(transaction)
        .await?;
    if !targets.is_empty() {
        let rows = (0..)
            .zip(targets)
            .map(|(position, target)| L::row(event, *target, position));
        L::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(true)
}
