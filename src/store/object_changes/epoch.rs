//! Histories: positions in the order of changes are valid in the history in which they were read.

use sea_orm::{ActiveModelTrait, ActiveValue::NotSet, ActiveValue::Set, DbBackend, DbErr, EntityTrait};

use super::sqlite;
use crate::store::{Store, Transaction, entity::change_epoch};

/// Begins another history, after which no position is valid: the data were replaced without a trace in the order of
/// changes.
pub(crate) async fn begin_epoch(transaction: &Transaction, now: i64) -> Result<(), DbErr> {
    change_epoch::Entity::delete_many().exec(transaction).await?;
    insert(transaction, 0, now).await
}

/// Begins a history that continues the last one. The server does so when it starts: if the file was replaced by an
/// older copy in the meantime, positions after that copy are not valid. PostgreSQL shows by other means that a database
/// was restored.
pub(crate) async fn continue_epoch(store: &Store, now: i64) -> Result<(), DbErr> {
    if store.reader().get_database_backend() == DbBackend::Postgres {
        return Ok(());
    }
    store
        .write(|transaction| async move {
            let last = sqlite::last_number(&*transaction).await?;
            insert(&transaction, last, now).await
        })
        .await
}

async fn insert(transaction: &Transaction, first_number: i64, now: i64) -> Result<(), DbErr> {
    let epoch = change_epoch::ActiveModel {
        id: NotSet,
        uuid: Set(format!("{:032x}", rand::random::<u128>())),
        first_number: Set(first_number),
        created_at: Set(now),
    };
    epoch.insert(transaction).await?;
    Ok(())
}
