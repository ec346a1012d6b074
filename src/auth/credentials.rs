//! From an `Authorization` header to an identity.

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

/// What is compared with when nobody has the name, so that an unknown user costs the same time.
const DUMMY_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Who the headers say that asks. Credentials that are wrong, or that no scheme here reads, are 401.
pub async fn identify(store: &Store, request: &Request, now: i64) -> Result<Identity, Problem> {
    let Some(user) = authenticate(store, request.headers(), now).await? else {
        return Ok(Identity::Anonymous);
    };
    LoggedUser::set(request, &user.name);
    let role: Role = user.role.parse().map_err(Problem::internal)?;
    Ok(Identity::User { id: user.id, role })
}

/// The user to whom the credentials belong. None for a request without credentials.
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

/// The user name that the headers give, if they give one: right or wrong, by HTTP Basic.
pub fn user_name(headers: &HeaderMap) -> Option<String> {
    let credentials = headers.typed_get::<Authorization<Basic>>()?;
    Some(credentials.username().to_owned())
}

async fn check_password(store: &Store, name: &str, password: &str) -> Result<user::Model, Problem> {
    // A name with a NUL can't exist, and PostgreSQL would not even look for it.
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

/// 401: the same for a user who does not exist.
pub fn wrong_password() -> Problem {
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
