//! Authentication by the `Authorization` header.

use poem::{
    Request,
    http::HeaderMap,
    web::headers::{
        Authorization, HeaderMapExt,
        authorization::{Basic, Bearer},
    },
};

use super::{Identity, Role, secret};
use crate::{
    error::Problem,
    middleware::access_log::LoggedUser,
    store::{Store, entity::user, users},
};

/// Compared with the password if the user is unknown, so that the response time does not reveal it.
const DUMMY_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Authenticates the `Authorization` header. Wrong credentials and unknown schemes return 401.
pub(crate) async fn identify(store: &Store, request: &Request, now: i64) -> Result<Identity, Problem> {
    let Some(user) = authenticate(store, request.headers(), now).await? else {
        return Ok(Identity::Anonymous);
    };
    LoggedUser::set(request, &user.name);
    let role: Role = user.role.parse().map_err(Problem::internal)?;
    Ok(Identity::User { id: user.id, role })
}

/// The user with the credentials, or none for a request without credentials.
async fn authenticate(store: &Store, headers: &HeaderMap, now: i64) -> Result<Option<user::Model>, Problem> {
    let Some(header) = headers.get(poem::http::header::AUTHORIZATION) else {
        return Ok(None);
    };
    let scheme = header
        .to_str()
        .ok()
        .and_then(|text| text.split_whitespace().next())
        .unwrap_or_default();
    if scheme.eq_ignore_ascii_case("basic") {
        let credentials = headers.typed_get::<Authorization<Basic>>().ok_or_else(wrong_password)?;
        let user = check_password(store, credentials.username(), credentials.password()).await?;
        Ok(Some(user))
    } else if scheme.eq_ignore_ascii_case("bearer") {
        let credentials = headers.typed_get::<Authorization<Bearer>>().ok_or_else(wrong_token)?;
        Ok(Some(check_token(store, credentials.token(), now).await?))
    } else {
        Err(Problem::unauthorized(
            "rest_not_logged_in",
            "The Authorization header must be Basic or Bearer.",
        ))
    }
}

/// The user name of HTTP Basic, without a check of the password.
pub(crate) fn user_name(headers: &HeaderMap) -> Option<String> {
    let credentials = headers.typed_get::<Authorization<Basic>>()?;
    Some(credentials.username().to_owned())
}

async fn check_password(store: &Store, name: &str, password: &str) -> Result<user::Model, Problem> {
    // PostgreSQL rejects strings with a NUL character.
    let user = match name.contains('\0') {
        true => None,
        false => store.bounded(users::find_by_name(store.reader(), name)).await?,
    };
    let stored = user.as_ref().map_or(DUMMY_HASH, |user| &user.password_hash);
    let is_correct = secret::matches(password, stored);
    user.filter(|_| is_correct).ok_or_else(wrong_password)
}

async fn check_token(store: &Store, token: &str, now: i64) -> Result<user::Model, Problem> {
    let hash = secret::hash(token);
    match store.bounded(users::find_token(store.reader(), &hash)).await? {
        Some((token, user)) if token.expires_at.is_none_or(|end| now < end) => Ok(user),
        _ => Err(wrong_token()),
    }
}

/// 401 for an unknown user name or a wrong password. The responses must not differ.
pub(crate) fn wrong_password() -> Problem {
    Problem::unauthorized(
        "incorrect_password",
        "The user name or the application password is wrong.",
    )
}

fn wrong_token() -> Problem {
    Problem::unauthorized(
        "rest_invalid_token",
        "The token is wrong, has expired or has been revoked.",
    )
}
