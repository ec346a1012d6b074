//! What begins anew after a load.

use sea_orm::DbErr;

use super::Contents;
use crate::{
    services,
    store::{Transaction, change_log::epoch, imports, object_changes, users},
};

/// What to do with the API tokens of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    Keep,
    Revoke,
}

/// Renews what refers to the former data, at `now`, in seconds since 1970 UTC. Disables what must not continue by
/// itself if the data come from a backup: the calendar that it was taken of may still be running, and would send and
/// import the same.
pub(super) async fn begin_anew(
    transaction: &Transaction,
    contents: Contents,
    tokens: Tokens,
    now: i64,
) -> Result<(), DbErr> {
    if tokens == Tokens::Revoke {
        users::remove_all_tokens(transaction).await?;
    }
    if contents == Contents::Backup {
        imports::remove_intervals(transaction).await?;
        services::webhook::disable_restored(transaction).await?;
    }
    epoch::begin(transaction, now).await?;
    object_changes::begin_epoch(transaction, now).await?;
    services::webhook::continue_from_now(transaction, now).await
}
