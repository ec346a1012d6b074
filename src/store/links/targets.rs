//! The IDs of the objects that an event links to.

use sea_orm::DbErr;
use serde::{Deserialize, Serialize};

use crate::{
    calendar::Kind,
    store::{lookup, read_connection::ReadConnection},
};

/// The IDs of venues, organizers, categories and tags, in the order of the links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TargetIds {
    pub venues: Vec<i64>,
    pub organizers: Vec<i64>,
    pub categories: Vec<i64>,
    pub tags: Vec<i64>,
}

impl TargetIds {
    /// Those of the objects that still exist.
    pub(crate) async fn existing(&self, database: &impl ReadConnection) -> Result<Self, DbErr> {
        let Self {
            venues,
            organizers,
            categories,
            tags,
        } = self;
        Ok(Self {
            venues: lookup::existing(database, Kind::Venue, venues).await?,
            organizers: lookup::existing(database, Kind::Organizer, organizers).await?,
            categories: lookup::existing(database, Kind::Category, categories).await?,
            tags: lookup::existing(database, Kind::Tag, tags).await?,
        })
    }
}
