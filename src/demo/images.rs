//! The addresses of pictures that the demo calendar shows.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::{
    bulk,
    programme::{FESTIVAL, KINDS},
    random::Random,
};
use crate::store::{Transaction, entity::image};

/// Pictures in each folder.
const EACH: usize = 12;
/// The folder of places, and that of organizers; each kind of event has its own.
pub const PLACES: &str = "place";
pub const PEOPLE: &str = "people";

/// The IDs of the pictures in each folder.
#[derive(Default)]
pub struct Images {
    folders: HashMap<&'static str, Vec<i64>>,
}

impl Images {
    /// Records the addresses.
    pub async fn insert(transaction: &Transaction) -> Result<Self, DbErr> {
        let kinds = KINDS.iter().chain([&FESTIVAL]).map(|kind| kind.name);
        let folders: Vec<&str> = kinds.chain([PLACES, PEOPLE]).collect();
        let row = |folder: &str, number| image::Model {
            id: 0,
            url: format!("https://images.example.org/{folder}/{number:02}.jpg"),
        };
        let rows = folders
            .iter()
            .flat_map(|folder| (1..=EACH).map(move |number| row(folder, number)))
            .collect();
        let ids: Vec<i64> = bulk::insert::<image::Entity>(transaction, rows).await?.collect();
        let shares = ids.chunks(EACH).map(<[i64]>::to_vec);
        Ok(Self {
            folders: folders.into_iter().zip(shares).collect(),
        })
    }

    /// A picture out of the folder, for this many in a thousand.
    pub fn any(&self, dice: &mut Random, folder: &str, chance: u32) -> Option<i64> {
        let folder = self.folders.get(folder).filter(|_| dice.per_mille(chance))?;
        Some(*dice.pick(folder))
    }
}
