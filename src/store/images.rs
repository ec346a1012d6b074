//! Images, which are stored by URL and never fetched.

use std::collections::HashMap;

use sea_orm::{
    ActiveValue::NotSet, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::OnConflict,
};

use super::{entity::image, read_connection::ReadConnection};

/// Returns the image with this URL, and inserts it if it is new.
pub(crate) async fn find_or_insert(transaction: &impl ConnectionTrait, url: &str) -> Result<image::Model, DbErr> {
    if let Some(image) = find_by_url(transaction, url).await? {
        return Ok(image);
    }
    let new = image::ActiveModel {
        id: NotSet,
        url: Set(url.to_owned()),
        width: NotSet,
        height: NotSet,
    };
    // If another writer inserts it at the same time, this statement waits for that transaction.
    let inserted = image::Entity::insert(new)
        .on_conflict(OnConflict::column(image::Column::Url).do_nothing().to_owned())
        .exec_with_returning_many(transaction)
        .await?;
    let stored = match inserted.into_iter().next() {
        None => find_by_url(transaction, url).await?,
        new => new,
    };
    stored.ok_or_else(|| DbErr::RecordNotFound(format!("image {url}")))
}

async fn find_by_url(transaction: &impl ConnectionTrait, url: &str) -> Result<Option<image::Model>, DbErr> {
    image::Entity::find()
        .filter(image::Column::Url.eq(url))
        .one(transaction)
        .await
}

/// Whether an image has this ID.
pub(crate) async fn exists(database: &impl ReadConnection, id: i64) -> Result<bool, DbErr> {
    Ok(!database.models(image::Entity::find_by_id(id)).await?.is_empty())
}

/// Finds the images with these IDs, keyed by ID.
pub async fn find_all(database: &impl ReadConnection, ids: Vec<i64>) -> Result<HashMap<i64, image::Model>, DbErr> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let images = image::Entity::find().filter(image::Column::Id.is_in(ids));
    let images = database.models(images).await?;
    Ok(images.into_iter().map(|image| (image.id, image)).collect())
}
