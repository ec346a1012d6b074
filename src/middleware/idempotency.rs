//! The header `Idempotency-Key`: a request that is sent twice takes effect once, and gets the same response
//! (<https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>).
//!
//! A request with a key is processed in a transaction that also stores its response, so that after a crash, either both
//! are stored or neither. Only successful responses are stored, since other requests have written nothing.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use chrono::Utc;
use poem::{
    Endpoint, Request, Response, Result,
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
};
use sea_orm::DbErr;
use sha2::{Digest, Sha256};

use super::{error_body::to_response, layers::LayeredEndpoint};
use crate::{
    Almanac,
    auth::{Login, log_in},
    error::Problem,
    extract::body::read_whole,
    response::ResponseMeta,
    store::{
        Transaction,
        entity::idempotency_key as rows,
        idempotency_keys,
        locks::{self, AdvisoryLock},
    },
};

/// The header of a request with its key.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header of a response that is repeated.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The maximum length of a key, in characters.
const MAX_LENGTH: usize = 255;
/// The maximum size of a response that is stored, in bytes. A small batch could otherwise store 100 times the longest
/// description.
const MAX_RESPONSE: usize = 4 * 1024 * 1024;

/// Responds to a POST with the stored response if a request with its key has succeeded before, and stores the response
/// otherwise. Keys belong to users: requests without valid credentials pass unchanged, and are refused.
pub(crate) async fn replay(next: LayeredEndpoint, request: Request) -> Result<Response> {
    if request.method() != Method::POST || !request.headers().contains_key(IDEMPOTENCY_KEY) {
        return next.call(request).await;
    }
    let almanac = Almanac::of(&request)?.clone();
    let now = Utc::now().timestamp();
    let login = match log_in(&almanac.store, &request, now).await {
        Ok(Some(login)) => login,
        // The handler might be able to log in again, and would write without the key.
        Err(problem) if problem.status().is_server_error() => return Err(problem.into()),
        // The handler reports wrong credentials, which are then counted.
        _ => return next.call(request).await,
    };
    let key = key(request.headers())?;
    let lock = AdvisoryLock::IdempotencyKey(login.id, key.clone());
    let request = KeyedRequest::of(request, login, key, now, almanac.settings.body_limit).await?;
    let _in_progress = almanac
        .keys_in_progress
        .add(request.login.id, &request.key)
        .ok_or_else(Problem::idempotency_key_in_use)?;
    let find = idempotency_keys::find(almanac.store.reader(), request.login.id, &request.key, now);
    if let Some(stored) = almanac.store.bounded(find).await.map_err(Problem::from)? {
        return Ok(request.repeat(stored)?);
    }
    // Boxed, because the future contains those of all inner layers.
    let attempt = |transaction| Box::pin(attempt(&almanac, &next, &request, &lock, transaction));
    match almanac.store.write(attempt).await {
        Ok(response) => Ok(response),
        Err(Failure::Response(response)) => Ok(*response),
        Err(Failure::Problem(problem)) => Err(problem.into()),
    }
}

/// Data of the requests whose responses are stored, those of a batch included.
#[derive(Clone, Copy)]
struct IsKeyed;

/// Whether the response to the request will be stored.
pub(crate) fn is_keyed(request: &Request) -> bool {
    request.data::<IsKeyed>().is_some()
}

/// Why nothing is stored.
enum Failure {
    /// The response to the request, which has failed.
    Response(Box<Response>),
    Problem(Problem),
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        Self::Problem(error.into())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Processes the request in the transaction, and stores its response. Another server may be doing that at the same time,
/// or have done so in the meantime.
async fn attempt<E: Endpoint<Output = Response>>(
    almanac: &Almanac,
    next: &E,
    request: &KeyedRequest,
    lock: &AdvisoryLock,
    transaction: Arc<Transaction>,
) -> Result<Response, Failure> {
    if !locks::try_take(&*transaction, lock).await? {
        return Err(Problem::idempotency_key_in_use().into());
    }
    let KeyedRequest { login, key, now, .. } = request;
    if let Some(stored) = idempotency_keys::find(&*transaction, login.id, key, *now).await? {
        return Ok(request.repeat(stored)?);
    }
    let mut enclosed = request.build();
    enclosed.set_data(almanac.store.within(transaction.clone()));
    let mut response = to_response(next.call(enclosed).await);
    if !response.status().is_success() || ResponseMeta::of(&response).is_rolled_back {
        return Err(Failure::Response(Box::new(response)));
    }
    let body = response.take_body().into_bytes().await.map_err(Problem::internal)?;
    if body.len() > MAX_RESPONSE {
        let message = format!(
            "can't be used for this request, whose response is larger than {} MB: send it without the key, or in parts",
            MAX_RESPONSE / 1024 / 1024
        );
        return Err(Problem::invalid_idempotency_key(&message).into());
    }
    let row = rows::Model {
        user_id: login.id,
        name: key.clone(),
        fingerprint: request.fingerprint.clone(),
        status: response.status().as_u16().into(),
        headers: headers_to_json(response.headers()),
        body: body.to_vec(),
        created_at: *now,
    };
    idempotency_keys::insert(&*transaction, row).await?;
    response.set_body(body);
    Ok(response)
}

/// A request with a key, which can be processed several times: a transaction is repeated after a conflict.
struct KeyedRequest {
    login: Login,
    key: String,
    /// The time of the request, in seconds since 1970 UTC.
    now: i64,
    /// SHA-256 of what distinguishes it from other requests, in hexadecimal.
    fingerprint: String,
    uri: Uri,
    headers: HeaderMap,
    extensions: Extensions,
    body: Bytes,
}

impl KeyedRequest {
    async fn of(mut request: Request, login: Login, key: String, now: i64, body_limit: usize) -> Result<Self, Problem> {
        let body = request.take_body();
        let body = read_whole(request.headers(), body, body_limit).await?;
        let media_type = request.headers().get(header::CONTENT_TYPE);
        let mut hash = Sha256::new();
        hash.update(request.uri().to_string());
        hash.update([0]);
        hash.update(media_type.map_or(&[][..], HeaderValue::as_bytes));
        hash.update([0]);
        hash.update(&body);
        let fingerprint = hex::encode(hash.finalize());
        request.set_data(login.clone());
        request.set_data(IsKeyed);
        Ok(Self {
            login,
            key,
            now,
            fingerprint,
            uri: request.uri().clone(),
            headers: request.headers().clone(),
            extensions: request.extensions().clone(),
            body,
        })
    }

    fn build(&self) -> Request {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(self.uri.clone())
            .body(self.body.clone());
        *request.headers_mut() = self.headers.clone();
        *request.extensions_mut() = self.extensions.clone();
        request
    }

    /// The stored response, or 422 if it is that to another request.
    fn repeat(&self, stored: rows::Model) -> Result<Response, Problem> {
        if stored.fingerprint != self.fingerprint {
            return Err(Problem::idempotency_key_reused());
        }
        let status = u16::try_from(stored.status).map_err(Problem::internal)?;
        let mut response = Response::builder()
            .status(StatusCode::from_u16(status).map_err(Problem::internal)?)
            .body(stored.body);
        let headers: Vec<(String, String)> = serde_json::from_str(&stored.headers).map_err(Problem::internal)?;
        for (name, value) in headers {
            let name = name.parse::<HeaderName>().map_err(Problem::internal)?;
            let value = value.parse::<HeaderValue>().map_err(Problem::internal)?;
            response.headers_mut().append(name, value);
        }
        response
            .headers_mut()
            .insert(REPLAYED, HeaderValue::from_static("true"));
        Ok(response)
    }
}

/// The headers with values that are text, which all of them are.
fn headers_to_json(headers: &HeaderMap) -> String {
    let text = |(name, value): (&HeaderName, &HeaderValue)| Some((name.to_string(), value.to_str().ok()?.to_owned()));
    let pairs: Vec<(String, String)> = headers.iter().filter_map(text).collect();
    serde_json::json!(pairs).to_string()
}

/// The key: bare, or quoted as a string (RFC 9651, section 3.3.3).
fn key(headers: &HeaderMap) -> Result<String, Problem> {
    let expected = || {
        let message = format!("must be one key of 1 to {MAX_LENGTH} printable ASCII characters, bare or in quotes");
        Problem::invalid_idempotency_key(&message)
    };
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(expected());
    };
    let text = value.to_str().map_err(|_| expected())?.trim();
    let key = match text.strip_prefix('"') {
        Some(rest) => unquote(rest).ok_or_else(expected)?,
        None => text.to_owned(),
    };
    let is_printable = key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    match (1..=MAX_LENGTH).contains(&key.len()) && is_printable {
        true => Ok(key),
        false => Err(expected()),
    }
}

/// The string whose opening quotation mark has been removed. A backslash escapes quotation marks and backslashes.
fn unquote(text: &str) -> Option<String> {
    let mut unquoted = String::new();
    let mut letters = text.chars();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => unquoted.push(letters.next().filter(|letter| matches!(letter, '"' | '\\'))?),
            letter => unquoted.push(letter),
        }
    }
    letters.next().is_none().then_some(unquoted)
}

/// The keys of the requests that this server is processing, with their users. A second request with a key is refused at
/// once, instead of waiting for a transaction. [`AdvisoryLock::IdempotencyKey`] does the same for other servers.
#[derive(Debug, Default)]
pub struct KeysInProgress(Mutex<HashSet<(i64, String)>>);

/// Removes a key from [`KeysInProgress`] when it is dropped.
struct InProgress<'a> {
    keys: &'a KeysInProgress,
    key: (i64, String),
}

impl KeysInProgress {
    /// Adds a key. None if it has been added and not been removed yet.
    fn add(&self, user: i64, key: &str) -> Option<InProgress<'_>> {
        let key = (user, key.to_owned());
        let is_new = self.lock().insert(key.clone());
        is_new.then_some(InProgress { keys: self, key })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<(i64, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        self.keys.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_str(value).expect("a value"));
        }
        key(&headers).ok()
    }

    #[test]
    fn keys_are_bare_or_quoted() {
        for (sent, expected) in [
            ("7f3a", Some("7f3a")),
            (" 7f3a ", Some("7f3a")),
            ("\"7f3a\"", Some("7f3a")),
            (r#""a \"b\" \\""#, Some(r#"a "b" \"#)),
            ("", None),
            ("\"\"", None),
            ("\"a", None),
            ("\"a\" b", None),
            (r#""a\b""#, None),
            ("é", None),
        ] {
            assert_eq!(read(&[sent]).as_deref(), expected, "{sent}");
        }
        assert_eq!(read(&["a", "b"]), None);
        assert!(read(&[&"k".repeat(255)]).is_some());
        assert!(read(&[&"k".repeat(256)]).is_none());
    }

    #[test]
    fn key_is_in_progress_once_per_user() {
        let keys = KeysInProgress::default();
        let first = keys.add(1, "a");
        assert!(first.is_some());
        assert!(keys.add(1, "a").is_none());
        assert!(keys.add(2, "a").is_some());
        drop(first);
        assert!(keys.add(1, "a").is_some());
    }
}
