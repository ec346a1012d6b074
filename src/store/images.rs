//! Images, which are stored by URL and never fetched.

use std::collections::HashMap;

use sea_orm::{
    ActiveValue::{NotSet, Set, Unchanged},
    ColumnTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::OnConflict,
};

use super::{entity::image, id_lists::padded, read_connection::ReadConnection, write_connection::WriteConnection};

/// Returns the image with this URL, and inserts it if it is new.
pub(crate) async fn find_or_insert(transaction: &impl WriteConnection, url: &str) -> Result<image::Model, DbErr> {
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
    let insert = image::Entity::insert(new).on_conflict(OnConflict::column(image::Column::Url).do_nothing().to_owned());
    let inserted = transaction.insert_all(insert).await?;
    let stored = match inserted.into_iter().next() {
        None => find_by_url(transaction, url).await?,
        new => new,
    };
    stored.ok_or_else(|| DbErr::RecordNotFound(format!("image {url}")))
}

/// Returns the ID of the image with this URL, and inserts it if it is new: with the given ID, unless another image has
/// that. Sets the size of the image if it is given.
pub(crate) async fn save(
    transaction: &impl WriteConnection,
    id: Option<i64>,
    url: &str,
    size: Option<(i64, i64)>,
) -> Result<i64, DbErr> {
    if let Some(image) = find_by_url(transaction, url).await? {
        if let Some((width, height)) = size
            && (image.width, image.height) != (Some(width), Some(height))
        {
            let resized = image::ActiveModel {
                id: Unchanged(image.id),
                width: Set(Some(width)),
                height: Set(Some(height)),
                ..Default::default()
            };
            transaction.update_row(resized).await?;
        }
        return Ok(image.id);
    }
    let free = match id {
        Some(id) if !exists(transaction, id).await? => Set(id),
        _ => NotSet,
    };
    let new = image::ActiveModel {
        id: free,
        url: Set(url.to_owned()),
        width: Set(size.map(|(width, _)| width)),
        height: Set(size.map(|(_, height)| height)),
    };
    Ok(transaction.insert_row(new).await?.id)
}

async fn find_by_url(transaction: &impl ReadConnection, url: &str) -> Result<Option<image::Model>, DbErr> {
    transaction
        .model(image::Entity::find().filter(image::Column::Url.eq(url)))
        .await
}

/// Whether an image has this ID.
pub(crate) async fn exists(database: &impl ReadConnection, id: i64) -> Result<bool, DbErr> {
    Ok(!database.models(image::Entity::find_by_id(id)).await?.is_empty())
}

/// Finds the images with these IDs, keyed by ID.
pub async fn find_all(database: &impl ReadConnection, ids: &[i64]) -> Result<HashMap<i64, image::Model>, DbErr> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let images = image::Entity::find().filter(image::Column::Id.is_in(padded(ids)));
    let images = database.models(images).await?;
    Ok(images.into_iter().map(|image| (image.id, image)).collect())
}
