//! Authentication by the `Authorization` header.

use poem::{
    Request,
    http::HeaderMap,
    web::headers::{
        Authorization, HeaderMapExt,
        authorization::{Basic, Bearer},
    },
};
use poem_openapi::Enum;
use serde::Serialize;

use super::{Identity, Role, secret};
use crate::{
    error::Problem,
    middleware::access_log::LoggedUser,
    store::{
        Store,
        entity::{token, user},
        users,
    },
};

/// Compared with the password if the user is unknown, so that the response time does not reveal it.
const DUMMY_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// How a request has authenticated: with an application password (HTTP Basic) or an API token (Bearer).
#[derive(Clone, Copy, Debug, Enum, PartialEq, Eq, Serialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(crate) enum AuthenticationMethod {
    Basic,
    Bearer,
}

/// A user who has authenticated.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub id: i64,
    pub name: String,
    pub role: Role,
    pub method: AuthenticationMethod,
    /// As a Unix timestamp. None for passwords, and for tokens that do not expire.
    pub token_expires_at: Option<i64>,
}

impl Login {
    fn of(user: user::Model, method: AuthenticationMethod, token_expires_at: Option<i64>) -> Result<Self, Problem> {
        Ok(Self {
            id: user.id,
            role: user.role.parse().map_err(Problem::internal)?,
            name: user.name,
            method,
            token_expires_at,
        })
    }

    pub(crate) fn identity(&self) -> Identity {
        let Self { id, role, .. } = *self;
        Identity::User { id, role }
    }
}

/// The identity of the caller. Wrong credentials and unknown schemes return 401.
pub(crate) async fn identify(store: &Store, request: &Request, now: i64) -> Result<Identity, Problem> {
    let login = log_in(store, request, now).await?;
    Ok(login.map_or(Identity::Anonymous, |login| login.identity()))
}

/// Authenticates the `Authorization` header. None for a request without credentials; wrong credentials and unknown
/// schemes return 401. A login that is data of the request is used as it is: the requests of a batch have that of the
/// batch.
pub(crate) async fn log_in(store: &Store, request: &Request, now: i64) -> Result<Option<Login>, Problem> {
    if let Some(login) = request.data::<Login>() {
        return Ok(Some(login.clone()));
    }
    let login = authenticate(store, request.headers(), now).await?;
    if let Some(login) = &login {
        LoggedUser::set(request, &login.name);
    }
    Ok(login)
}

async fn authenticate(store: &Store, headers: &HeaderMap, now: i64) -> Result<Option<Login>, Problem> {
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
        Login::of(user, AuthenticationMethod::Basic, None).map(Some)
    } else if scheme.eq_ignore_ascii_case("bearer") {
        let credentials = headers.typed_get::<Authorization<Bearer>>().ok_or_else(wrong_token)?;
        let (token, user) = check_token(store, credentials.token(), now).await?;
        Login::of(user, AuthenticationMethod::Bearer, token.expires_at).map(Some)
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

async fn check_token(store: &Store, token: &str, now: i64) -> Result<(token::Model, user::Model), Problem> {
    let hash = secret::hash(token);
    let found = store.bounded(users::find_token(store.reader(), &hash)).await?;
    let is_valid = |(token, _): &(token::Model, user::Model)| token.expires_at.is_none_or(|end| now < end);
    found.filter(is_valid).ok_or_else(wrong_token)
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
