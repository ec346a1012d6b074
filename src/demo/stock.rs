//! What the events of the demo calendar are made from.

use sea_orm::DbErr;

use super::{
    Size,
    images::Images,
    organizers::{self, Host},
    random::Random,
    terms::Terms,
    venues::Places,
};
use crate::store::Transaction;

/// Of a thousand events, so many have a second organizer.
const JOINTLY_HELD: u32 = 150;

/// What is the same for all venues, organizers and events.
#[derive(Default)]
pub struct Background {
    pub images: Images,
    pub author: Option<i64>,
    /// The first second of the present day, since 1970 UTC.
    pub today: i64,
}

/// All that an event may link to.
#[derive(Default)]
pub struct Stock {
    pub background: Background,
    pub terms: Terms,
    pub places: Places,
    pub hosts: Vec<Host>,
}

impl Stock {
    /// Stores it.
    pub async fn insert(
        transaction: &Transaction,
        dice: &mut Random,
        size: &Size,
        author: Option<i64>,
        today: i64,
    ) -> Result<Self, DbErr> {
        let background = Background {
            images: Images::insert(transaction).await?,
            author,
            today,
        };
        Ok(Self {
            terms: Terms::insert(transaction, size).await?,
            places: Places::insert(transaction, dice, &background, size.venues).await?,
            hosts: organizers::insert(transaction, dice, &background, size.organizers).await?,
            background,
        })
    }

    /// One who holds an event, and now and then a second one.
    pub fn hosts(&self, dice: &mut Random) -> Vec<&Host> {
        let mut hosts: Vec<&Host> = dice.favourite(&self.hosts).into_iter().collect();
        if dice.per_mille(JOINTLY_HELD)
            && let Some(second) = dice.favourite(&self.hosts)
            && !hosts.iter().any(|first| first.id == second.id)
        {
            hosts.push(second);
        }
        hosts
    }
}
