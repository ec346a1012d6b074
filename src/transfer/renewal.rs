//! Makes loaded data a new beginning.

use sea_orm::DbErr;

use crate::store::{Transaction, change_log::epoch, users};

/// What to do with the API tokens of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    Keep,
    Revoke,
}

/// Disables what must not continue by itself, and begins an epoch of changes at `now`, in seconds since 1970 UTC.
pub(super) async fn begin_anew(transaction: &Transaction, tokens: Tokens, now: i64) -> Result<(), DbErr> {
    if tokens == Tokens::Revoke {
        users::remove_all_tokens(transaction).await?;
    }
    epoch::begin(transaction, now).await
}
