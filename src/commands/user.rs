//! `almanac user`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{
    CommandError, now,
    output::{print_error_line, print_line},
    password_file,
};
use crate::{
    auth::{Role, secret},
    config::DatabaseArgs,
    store::{self, Store, entity::user, read_connection::ReadConnection, users, write_connection::WriteConnection},
};

/// The name of the first administrator.
const ADMINISTRATOR: &str = "admin";

/// The subcommands of `almanac user`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user and print the application password, alone on one line
    Add {
        /// Login name
        #[arg(value_parser = name)]
        name: String,
        /// Role of the user
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
    /// Remove a user and their tokens; events and other objects they created stay
    Remove {
        /// Name of the user
        name: String,
        /// Also remove the last administrator; the server creates a new one when it starts
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Reset the application password of a user and print it, alone on one line; the tokens stay valid
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

/// Parses a user name. HTTP Basic does not allow a colon in it (RFC 7617, section 2).
fn name(text: &str) -> Result<String, String> {
    let is_invalid = |letter: char| letter == ':' || letter.is_control();
    if text.trim() != text || text.is_empty() || text.chars().count() > 60 || text.contains(is_invalid) {
        return Err("must have 1 to 60 characters, no colon, and no surrounding spaces".to_owned());
    }
    Ok(text.to_owned())
}

/// Runs the subcommand.
pub(crate) async fn run(command: UserCommand) -> Result<(), CommandError> {
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
            let store = store::open_to_read(&database.database_url).await?;
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

/// Removes a user. The last administrator is only removed with `force`.
async fn remove(store: &Store, name: &str, force: bool) -> Result<(), CommandError> {
    let transaction = store.begin().await?;
    let user = find_user(&transaction, name).await?;
    let administrators = users::lock_with_role(&transaction, Role::Administrator.name()).await?;
    if administrators == [user.id] && !force {
        return Err(CommandError::Refused(format!(
            "{name} is the last administrator: first add another one with `almanac user add NAME --role \
             administrator`, or remove this one with --force"
        )));
    }
    users::remove(&transaction, user.id).await?;
    transaction.commit().await?;
    Ok(())
}

/// Resets the password of a user and returns it. Prints what happens to the tokens to standard error, since the
/// password is alone on standard output.
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

/// The password of the first administrator.
#[derive(Args, Clone, Debug, Default)]
pub struct AdministratorArgs {
    /// File that contains the first administrator's application password; an empty or absent file receives a new one
    #[arg(long, env = "ALMANAC_ADMIN_PASSWORD_FILE", value_name = "FILE")]
    pub admin_password_file: Option<PathBuf>,
}

/// Creates an administrator if the database has none: at the first start, and after the last one was removed. The
/// password is read from the password file or written to it; without one, it is printed once.
pub(crate) async fn ensure_administrator(store: &Store, arguments: &AdministratorArgs) -> Result<(), CommandError> {
    if has_administrator(store.reader()).await? {
        return Ok(());
    }
    let transaction = store.begin().await?;
    users::lock_table(&transaction).await?;
    // Another server that starts at the same time may have been first.
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

async fn has_administrator(database: &impl ReadConnection) -> Result<bool, CommandError> {
    let role = Role::Administrator.name();
    Ok(users::first_with_role(database, role).await?.is_some())
}

/// A name for a new administrator: `admin`, or `admin-2`, `admin-3`, … if it is taken.
async fn free_name(database: &impl ReadConnection) -> Result<String, CommandError> {
    let mut name = ADMINISTRATOR.to_owned();
    let mut number = 1;
    while users::find_by_name(database, &name).await?.is_some() {
        number += 1;
        name = format!("{ADMINISTRATOR}-{number}");
    }
    Ok(name)
}

/// Adds a user and returns the application password, which is only stored as a hash.
pub async fn add(store: &Store, name: &str, role: Role) -> Result<String, CommandError> {
    let password = secret::new_password();
    let transaction = store.begin().await?;
    if users::find_by_name(&transaction, name).await?.is_some() {
        return Err(CommandError::Refused(format!("a user named {name} already exists")));
    }
    insert(&transaction, name, role, &password).await?;
    transaction.commit().await?;
    Ok(password)
}

async fn insert(
    transaction: &impl WriteConnection,
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

/// Finds a user by name.
pub(crate) async fn find_user(database: &impl ReadConnection, name: &str) -> Result<user::Model, CommandError> {
    users::find_by_name(database, name)
        .await?
        .ok_or_else(|| CommandError::Refused(format!("no user named {name}; see `almanac user list`")))
}
