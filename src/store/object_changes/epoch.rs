//! Histories: positions in the order of changes are valid in the history in which they were read.
//!
//! They concern clients, which keep positions for months, and must notice that data were replaced while no server was
//! running. The numbers of the change log ([`crate::store::change_log::epoch`]) belong to no history: they are part of
//! validators such as entity tags, which are only compared, and it is enough that no number is used again.

use sea_orm::{
    ActiveValue::{NotSet, Set},
    DbBackend, DbErr, EntityTrait,
};

use super::sqlite;
use crate::store::{
    Store, Transaction, entity::change_epoch, read_connection::ReadConnection, write_connection::WriteConnection,
};

/// Begins another history, in which no former position is valid, and nothing has changed yet: the data were replaced
/// without a trace in the order of changes, so that everybody has to read all of them.
pub(crate) async fn begin_epoch(transaction: &Transaction, now: i64) -> Result<(), DbErr> {
    transaction.execute_unprepared("DELETE FROM object_changes").await?;
    transaction.run(change_epoch::Entity::delete_many()).await?;
    insert(transaction, 0, now).await
}

/// Begins a history if there is none.
pub(crate) async fn ensure_epoch(transaction: &Transaction, now: i64) -> Result<(), DbErr> {
    match transaction.model(change_epoch::Entity::find()).await? {
        Some(_) => Ok(()),
        None => begin_epoch(transaction, now).await,
    }
}

/// Begins a history that continues the last one. The server does so when it starts: if the file was replaced by an
/// older copy in the meantime, positions after that copy are not valid. PostgreSQL shows by other means that a database
/// was restored.
pub(crate) async fn continue_epoch(store: &Store, now: i64) -> Result<(), DbErr> {
    if store.reader().backend() == DbBackend::Postgres {
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
    transaction.insert_row(epoch).await?;
    Ok(())
}
