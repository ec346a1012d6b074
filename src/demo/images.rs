//! Images, which are pictures of this program.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::{
    picture::{HEIGHT, PICTURES_PER_FOLDER, WIDTH, folders, path},
    random::Random,
};
use crate::store::{Transaction, bulk_load, entity::image};

/// The IDs of the images by folder.
#[derive(Default)]
pub(super) struct Images {
    folders: HashMap<&'static str, Vec<i64>>,
}

impl Images {
    /// Inserts all images.
    pub(super) async fn insert(transaction: &Transaction) -> Result<Self, DbErr> {
        let row = |folder: &str, number| image::Model {
            id: 0,
            url: path(folder, number),
            width: Some(WIDTH),
            height: Some(HEIGHT),
        };
        let rows = folders()
            .flat_map(|folder| (1..=PICTURES_PER_FOLDER).map(move |number| row(folder, number)))
            .collect();
        let ids: Vec<i64> = bulk_load::insert::<image::Entity>(transaction, rows).await?.collect();
        let ids_by_folder = ids.chunks(PICTURES_PER_FOLDER as usize).map(<[i64]>::to_vec);
        Ok(Self {
            folders: folders().zip(ids_by_folder).collect(),
        })
    }

    /// A random image of the folder, with a probability in per mille.
    pub(super) fn pick(&self, random: &mut Random, folder: &str, per_mille: u32) -> Option<i64> {
        let folder = self.folders.get(folder).filter(|_| random.per_mille(per_mille))?;
        Some(*random.pick(folder))
    }
}
