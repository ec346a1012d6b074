//! `almanac token`.

use std::time::Duration;

use clap::Subcommand;

use super::{CommandError, duration, now, output::print_line, user::find_user};
use crate::{
    auth::secret,
    config::DatabaseArgs,
    store::{self, users},
};

/// The subcommands of `almanac token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it, alone on one line
    Add {
        /// User whose permissions the token has
        #[arg(long, value_name = "NAME")]
        user: String,
        /// When the token expires, such as 90d or 12h (default: never)
        #[arg(long, value_name = "TIME", value_parser = duration)]
        expires: Option<Duration>,
        /// Description of the token
        #[arg(long, default_value = "", value_name = "TEXT")]
        name: String,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List all tokens, without their values, which are not stored
    List {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Revoke a token
    Revoke {
        /// ID of the token, from `almanac token list`
        id: i64,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// Runs the subcommand.
pub(crate) async fn run(command: TokenCommand) -> Result<(), CommandError> {
    match command {
        TokenCommand::Add {
            user,
            expires,
            name,
            database,
        } => {
            let store = store::open(&database.database_url, true).await?;
            let user = find_user(store.reader(), &user).await?;
            let token = secret::new_token();
            let expires_at = expires.map(|time| now().saturating_add_unsigned(time.as_secs()));
            let transaction = store.begin().await?;
            let hash = secret::hash(&token);
            users::insert_token(&transaction, &user, &name, hash, now(), expires_at).await?;
            transaction.commit().await?;
            print_line(&token)?;
            store.close().await?;
        }
        TokenCommand::List { database } => {
            let store = store::open_to_read(&database.database_url).await?;
            let names = users::all(store.reader()).await?;
            for token in users::tokens(store.reader()).await? {
                let user = names.iter().find(|user| user.id == token.user_id);
                let expires = token
                    .expires_at
                    .and_then(|end| chrono::DateTime::from_timestamp(end, 0))
                    .map_or_else(|| "never".to_owned(), |end| end.to_rfc3339());
                print_line(format_args!(
                    "{}\t{}\t{expires}\t{}",
                    token.id,
                    user.map_or("", |user| &user.name),
                    token.name
                ))?;
            }
            store.close().await?;
        }
        TokenCommand::Revoke { id, database } => {
            let store = store::open(&database.database_url, true).await?;
            let transaction = store.begin().await?;
            let revoked = users::remove_token(&transaction, id).await?;
            transaction.commit().await?;
            store.close().await?;
            if !revoked {
                return Err(CommandError::Refused(format!(
                    "no token {id}; see `almanac token list`"
                )));
            }
        }
    }
    Ok(())
}
