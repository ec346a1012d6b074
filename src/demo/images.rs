//! Image URLs.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::{
    bulk,
    event_type_table::{EVENT_TYPES, FESTIVAL},
    random::Random,
};
use crate::store::{Transaction, entity::image};

const IMAGES_PER_FOLDER: usize = 12;
/// The folders of venue and organizer images. Each event type has its own.
pub(super) const VENUE_FOLDER: &str = "place";
pub(super) const ORGANIZER_FOLDER: &str = "people";

/// The IDs of the images by folder.
#[derive(Default)]
pub(super) struct Images {
    folders: HashMap<&'static str, Vec<i64>>,
}

impl Images {
    /// Inserts all images.
    pub(super) async fn insert(transaction: &Transaction) -> Result<Self, DbErr> {
        let event_types = EVENT_TYPES.iter().chain([&FESTIVAL]).map(|event_type| event_type.name);
        let folders: Vec<&str> = event_types.chain([VENUE_FOLDER, ORGANIZER_FOLDER]).collect();
        let row = |folder: &str, number| image::Model {
            id: 0,
            url: format!("https://images.example.org/{folder}/{number:02}.jpg"),
        };
        let rows = folders
            .iter()
            .flat_map(|folder| (1..=IMAGES_PER_FOLDER).map(move |number| row(folder, number)))
            .collect();
        let ids: Vec<i64> = bulk::insert::<image::Entity>(transaction, rows).await?.collect();
        let ids_by_folder = ids.chunks(IMAGES_PER_FOLDER).map(<[i64]>::to_vec);
        Ok(Self {
            folders: folders.into_iter().zip(ids_by_folder).collect(),
        })
    }

    /// A random image of the folder, with a probability in per mille.
    pub(super) fn pick(&self, random: &mut Random, folder: &str, per_mille: u32) -> Option<i64> {
        let folder = self.folders.get(folder).filter(|_| random.per_mille(per_mille))?;
        Some(*random.pick(folder))
    }
}
