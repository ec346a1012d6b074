//! The resources that events refer to.

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

/// Share of events with a second organizer.
const SECOND_ORGANIZER_PER_MILLE: u32 = 150;

/// Data common to all venues, organizers and events.
#[derive(Default)]
pub(super) struct GenerationContext {
    pub images: Images,
    pub author: Option<i64>,
    /// The first second of the current day, in Unix seconds.
    pub today: i64,
}

/// All resources that events refer to.
#[derive(Default)]
pub(super) struct ReferenceData {
    pub context: GenerationContext,
    pub terms: Terms,
    pub venues: Venues,
    pub organizers: Vec<OrganizerRef>,
}

impl ReferenceData {
    /// Generates and inserts them.
    pub(super) async fn insert(
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
            terms: Terms::insert(transaction, size, today).await?,
            venues: Venues::insert(transaction, random, &context, size.venues).await?,
            organizers: organizers::insert(transaction, random, &context, size.organizers).await?,
            context,
        })
    }

    /// A random organizer, and sometimes a second one.
    pub(super) fn organizers(&self, random: &mut Random) -> Vec<&OrganizerRef> {
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
