//! `almanac user`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sea_orm::ConnectionTrait;

use super::{
    CommandError, now,
    output::{print_error_line, print_line},
    password_file,
};
use crate::{
    auth::{Role, secret},
    config::DatabaseArgs,
    store::{self, Store, entity::user, users},
};

/// The name of the first administrator.
const ADMINISTRATOR: &str = "admin";

/// What to do with users.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user and print the application password, alone on one line
    Add {
        /// Name to log in with
        #[arg(value_parser = name)]
        name: String,
        /// What the user may do
        #[arg(long, value_parser = ["subscriber", "contributor", "author", "editor", "administrator"])]
        role: String,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List all users
    List {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Remove a user; what the user wrote stays, the user's tokens go
    Remove {
        /// Name of the user
        name: String,
        /// Remove the last administrator too; the next start of the server makes a new one
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Give a user a new application password and print it, alone on one line; the user's tokens stay valid
    Password {
        /// Name of the user
        name: String,
        /// Revoke all tokens of the user
        #[arg(long)]
        revoke_tokens: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// HTTP Basic ends a name at the first colon (RFC 7617, section 2).
fn name(text: &str) -> Result<String, String> {
    let is_wrong = |letter: char| letter == ':' || letter.is_control();
    if text.trim() != text || text.is_empty() || text.len() > 60 || text.contains(is_wrong) {
        return Err("a name has 1 to 60 characters, no colon, and no space around it".to_owned());
    }
    Ok(text.to_owned())
}

/// Does it.
pub async fn run(command: UserCommand) -> Result<(), CommandError> {
    match command {
        UserCommand::Add { name, role, database } => {
            let store = store::open(&database.database_url, true).await?;
            let role: Role = role
                .parse()
                .map_err(|error: crate::auth::UnknownRole| CommandError::Refused(error.to_string()))?;
            print_line(add(&store, &name, role).await?)?;
            store.close().await?;
        }
        UserCommand::List { database } => {
            let store = store::open(&database.database_url, true).await?;
            for user in users::all(store.reader()).await? {
                print_line(format_args!("{}\t{}\t{}", user.id, user.name, user.role))?;
            }
            store.close().await?;
        }
        UserCommand::Remove { name, force, database } => {
            let store = store::open(&database.database_url, true).await?;
            remove(&store, &name, force).await?;
            store.close().await?;
        }
        UserCommand::Password {
            name,
            revoke_tokens,
            database,
        } => {
            let store = store::open(&database.database_url, true).await?;
            let password = renew_password(&store, &name, revoke_tokens).await?;
            print_line(&password)?;
            store.close().await?;
        }
    }
    Ok(())
}

/// Removes a user, but the last administrator by force only.
async fn remove(store: &Store, name: &str, force: bool) -> Result<(), CommandError> {
    let transaction = store.begin().await?;
    let user = find_user(&transaction, name).await?;
    let administrators = users::lock_with_role(&transaction, Role::Administrator.name()).await?;
    if administrators == [user.id] && !force {
        return Err(CommandError::Refused(format!(
            "{name} is the last administrator: add another one before, as in `almanac user add NAME --role \
             administrator`, or remove this one with --force"
        )));
    }
    users::remove(&transaction, user.id).await?;
    transaction.commit().await?;
    Ok(())
}

/// Gives the user a new password and returns it. What happens to the tokens is told on standard error: the password
/// stands alone on standard output.
async fn renew_password(store: &Store, name: &str, revoke_tokens: bool) -> Result<String, CommandError> {
    let password = secret::new_password();
    let transaction = store.begin().await?;
    let user = find_user(&transaction, name).await?;
    let id = user.id;
    users::set_password(&transaction, user, secret::hash(&password)).await?;
    let message = if revoke_tokens {
        let revoked = users::remove_tokens(&transaction, id).await?;
        format!("revoked tokens of {name}: {revoked}")
    } else {
        let valid = users::count_tokens(&transaction, id).await?;
        format!("tokens of {name} that stay valid: {valid}; --revoke-tokens revokes them")
    };
    transaction.commit().await?;
    print_error_line(message);
    Ok(password)
}

/// Where the password of the first administrator comes from.
#[derive(Args, Clone, Debug, Default)]
pub struct AdministratorArgs {
    /// File with the first administrator's application password; if empty or absent, it receives a new one
    #[arg(long, env = "ALMANAC_ADMIN_PASSWORD_FILE", value_name = "FILE")]
    pub admin_password_file: Option<PathBuf>,
}

/// Gives a database without an administrator a new one, whose password is in the file, or is told now and never again.
/// That is the first start, whether or not other users were added before, and the one after the last administrator was
/// removed.
pub async fn ensure_administrator(store: &Store, arguments: &AdministratorArgs) -> Result<(), CommandError> {
    if has_administrator(store.reader()).await? {
        return Ok(());
    }
    let transaction = store.begin().await?;
    users::lock_table(&transaction).await?;
    // Another server, which started at the same time, may have been first.
    if has_administrator(&transaction).await? {
        return Ok(());
    }
    let name = free_name(&transaction).await?;
    let file = arguments.admin_password_file.as_deref();
    let (password, message) = match file {
        Some(file) => {
            let password = password_file::read_or_create(file)?;
            (password, format!(" in {}", file.display()))
        }
        None => {
            let password = secret::new_password();
            let message = format!(": {password}");
            (password, message)
        }
    };
    insert(&transaction, &name, Role::Administrator, &password).await?;
    transaction.commit().await?;
    print_line(format_args!("administrator: {name}, application password{message}"))
}

async fn has_administrator(database: &impl ConnectionTrait) -> Result<bool, CommandError> {
    let role = Role::Administrator.name();
    Ok(users::first_with_role(database, role).await?.is_some())
}

/// A name for a new administrator: `admin`, or `admin-2`, `admin-3`, … where users of other roles have it.
async fn free_name(database: &impl ConnectionTrait) -> Result<String, CommandError> {
    let mut name = ADMINISTRATOR.to_owned();
    let mut number = 1;
    while users::find_by_name(database, &name).await?.is_some() {
        number += 1;
        name = format!("{ADMINISTRATOR}-{number}");
    }
    Ok(name)
}

/// Adds a user and returns the application password, which is stored nowhere.
pub async fn add(store: &Store, name: &str, role: Role) -> Result<String, CommandError> {
    let password = secret::new_password();
    let transaction = store.begin().await?;
    if users::find_by_name(&transaction, name).await?.is_some() {
        return Err(CommandError::Refused(format!("there is a user {name} already")));
    }
    insert(&transaction, name, role, &password).await?;
    transaction.commit().await?;
    Ok(password)
}

async fn insert(
    transaction: &impl ConnectionTrait,
    name: &str,
    role: Role,
    password: &str,
) -> Result<(), CommandError> {
    let new = users::NewUser {
        name,
        role: role.name(),
        password_hash: secret::hash(password),
        now: now(),
    };
    users::insert(transaction, new).await?;
    Ok(())
}

/// The user of this name.
pub async fn find_user(database: &impl ConnectionTrait, name: &str) -> Result<user::Model, CommandError> {
    users::find_by_name(database, name)
        .await?
        .ok_or_else(|| CommandError::Refused(format!("there is no user {name}; see `almanac user list`")))
}
