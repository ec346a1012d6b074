//! What the events of the demo calendar are made from.

use sea_orm::DbErr;

use super::{
    Size,
    images::Images,
    organizers::{self, OrganizerRef},
    random::Random,
    terms::Terms,
    venues::Venues,
};
use crate::store::Transaction;

/// Of a thousand events, so many have a second organizer.
const SECOND_ORGANIZER_PER_MILLE: u32 = 150;

/// What is the same for all venues, organizers and events.
#[derive(Default)]
pub struct GenerationContext {
    pub images: Images,
    pub author: Option<i64>,
    /// The first second of the present day, since 1970 UTC.
    pub today: i64,
}

/// All that an event may link to.
#[derive(Default)]
pub struct ReferenceData {
    pub context: GenerationContext,
    pub terms: Terms,
    pub venues: Venues,
    pub organizers: Vec<OrganizerRef>,
}

impl ReferenceData {
    /// Stores it.
    pub async fn insert(
        transaction: &Transaction,
        random: &mut Random,
        size: &Size,
        author: Option<i64>,
        today: i64,
    ) -> Result<Self, DbErr> {
        let context = GenerationContext {
            images: Images::insert(transaction).await?,
            author,
            today,
        };
        Ok(Self {
            terms: Terms::insert(transaction, size).await?,
            venues: Venues::insert(transaction, random, &context, size.venues).await?,
            organizers: organizers::insert(transaction, random, &context, size.organizers).await?,
            context,
        })
    }

    /// One who holds an event, and now and then a second one.
    pub fn organizers(&self, random: &mut Random) -> Vec<&OrganizerRef> {
        let mut organizers: Vec<&OrganizerRef> = random.pick_popular(&self.organizers).into_iter().collect();
        if random.per_mille(SECOND_ORGANIZER_PER_MILLE)
            && let Some(second) = random.pick_popular(&self.organizers)
            && !organizers.iter().any(|first| first.id == second.id)
        {
            organizers.push(second);
        }
        organizers
    }
}
