//! Users and their tokens.

use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::{read_connection::ReadConnection, write_connection::WriteConnection};

use super::entity::{token, user};

/// The data of a new user.
pub(crate) struct NewUser<'a> {
    pub name: &'a str,
    /// The name of a role.
    pub role: &'static str,
    /// SHA-256 of the application password, in hexadecimal.
    pub password_hash: String,
    /// Seconds since 1970 UTC.
    pub now: i64,
}

/// Adds a user.
pub(crate) async fn insert(transaction: &impl WriteConnection, new: NewUser<'_>) -> Result<user::Model, DbErr> {
    transaction
        .insert_row(user::ActiveModel {
            id: NotSet,
            name: Set(new.name.to_owned()),
            role: Set(new.role.to_owned()),
            password_hash: Set(new.password_hash),
            created_at: Set(new.now),
        })
        .await
}

/// Finds the user with this name.
pub async fn find_by_name(database: &impl ReadConnection, name: &str) -> Result<Option<user::Model>, DbErr> {
    database
        .model(user::Entity::find().filter(user::Column::Name.eq(name)))
        .await
}

/// Finds the user with this ID.
pub(crate) async fn find(database: &impl ReadConnection, id: i64) -> Result<Option<user::Model>, DbErr> {
    database.model(user::Entity::find_by_id(id)).await
}

/// Whether a user has this ID.
pub(crate) async fn exists(database: &impl ReadConnection, id: i64) -> Result<bool, DbErr> {
    Ok(find(database, id).await?.is_some())
}

/// Reads all users, sorted by ID.
pub(crate) async fn all(database: &impl ReadConnection) -> Result<Vec<user::Model>, DbErr> {
    database
        .models(user::Entity::find().order_by_asc(user::Column::Id))
        .await
}

/// Locks the table against other writers until the end of the transaction. SQLite has a single writer and needs no lock.
pub(crate) async fn lock_table(transaction: &impl WriteConnection) -> Result<(), DbErr> {
    if transaction.backend() == DbBackend::Postgres {
        let lock = "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE";
        transaction.execute_unprepared(lock).await?;
    }
    Ok(())
}

/// Finds the user with this role that was added first.
pub(crate) async fn first_with_role(database: &impl ReadConnection, role: &str) -> Result<Option<user::Model>, DbErr> {
    let select = user::Entity::find()
        .filter(user::Column::Role.eq(role))
        .order_by_asc(user::Column::Id);
    database.model(select).await
}

/// Reads the IDs of the users with this role. On PostgreSQL their rows stay locked until the end of the transaction.
pub(crate) async fn lock_with_role(transaction: &impl ReadConnection, role: &str) -> Result<Vec<i64>, DbErr> {
    let select = user::Entity::find()
        .filter(user::Column::Role.eq(role))
        .order_by_asc(user::Column::Id)
        .lock_exclusive();
    let users = transaction.models(select).await?;
    Ok(users.iter().map(|user| user.id).collect())
}

/// Changes the password of a user.
pub(crate) async fn set_password(
    transaction: &impl WriteConnection,
    user: user::Model,
    password_hash: String,
) -> Result<(), DbErr> {
    let mut user: user::ActiveModel = user.into();
    user.password_hash = Set(password_hash);
    transaction.update_row(user).await?;
    Ok(())
}

/// Removes a user with all tokens. The user's events, venues and organizers remain, without an author.
pub async fn remove(transaction: &impl WriteConnection, id: i64) -> Result<(), DbErr> {
    transaction.run(user::Entity::delete_by_id(id)).await?;
    Ok(())
}

/// Revokes the tokens of all users.
pub(crate) async fn remove_all_tokens(transaction: &impl WriteConnection) -> Result<(), DbErr> {
    transaction.run(token::Entity::delete_many()).await?;
    Ok(())
}

/// Adds a token.
pub async fn insert_token(
    transaction: &impl WriteConnection,
    user: &user::Model,
    name: &str,
    hash: String,
    now: i64,
    expires_at: Option<i64>,
) -> Result<token::Model, DbErr> {
    transaction
        .insert_row(token::ActiveModel {
            id: NotSet,
            user_id: Set(user.id),
            name: Set(name.to_owned()),
            hash: Set(hash),
            created_at: Set(now),
            expires_at: Set(expires_at),
        })
        .await
}

/// Finds the token with this hash, and its user.
pub async fn find_token(
    database: &impl ReadConnection,
    hash: &str,
) -> Result<Option<(token::Model, user::Model)>, DbErr> {
    let Some(token) = database
        .model(token::Entity::find().filter(token::Column::Hash.eq(hash)))
        .await?
    else {
        return Ok(None);
    };
    let user = database.model(user::Entity::find_by_id(token.user_id)).await?;
    Ok(user.map(|user| (token, user)))
}

/// Reads all tokens, sorted by ID.
pub(crate) async fn tokens(database: &impl ReadConnection) -> Result<Vec<token::Model>, DbErr> {
    database
        .models(token::Entity::find().order_by_asc(token::Column::Id))
        .await
}

/// Revokes a token. Returns whether it existed.
pub async fn remove_token(transaction: &impl WriteConnection, id: i64) -> Result<bool, DbErr> {
    let deleted = transaction.run(token::Entity::delete_by_id(id)).await?;
    Ok(deleted > 0)
}

/// Counts the tokens of a user.
pub async fn count_tokens(database: &impl ReadConnection, user: i64) -> Result<u64, DbErr> {
    let count = token::Entity::find()
        .select_only()
        .column_as(token::Column::Id.count(), "tokens")
        .filter(token::Column::UserId.eq(user));
    let count: Option<i64> = database.first_selected(count).await?;
    Ok(count.map_or(0, i64::cast_unsigned))
}

/// Revokes all tokens of a user. Returns their number.
pub(crate) async fn remove_tokens(transaction: &impl WriteConnection, user: i64) -> Result<u64, DbErr> {
    transaction
        .run(token::Entity::delete_many().filter(token::Column::UserId.eq(user)))
        .await
}
