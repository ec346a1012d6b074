//! Answers that are kept: what has been asked before is answered from memory, without a look at the tables.
//!
//! An answer is kept for those without credentials only, and is good until something is written that it hangs on or
//! the clock changes it ([`CachePolicy`]). The [`DataVersion`] of the data is asked for after a request has come in, and
//! noted before its answer is made: nobody gets older data than what had been written when he asked.
//!
//! Anybody may ask for addresses that don't exist elsewhere: by odd parameters, or under a made-up `Host` where
//! there is no base URL. Each makes entries of its own, which nobody else is answered from. They can't use more
//! memory than all entries may, and they drive out each other before they drive out what is asked often.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use metrics::{Counter, counter};
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, Method, StatusCode, header},
};
use quick_cache::{Weighter, sync};

use super::{
    base_url::Address,
    negotiation::{accepts_gzip, select},
};
use crate::{
    Almanac,
    calendar::window::next_midnight,
    response::{CachePolicy, ResponseMeta, body_length},
    store::{ChangeLog, DataVersion, EventDependencies, Upcoming},
};

/// The answers that a server keeps.
pub struct Cache {
    responses: sync::Cache<String, Arc<CachedResponse>, EntryWeighter>,
    /// What lies ahead, as it was found last.
    upcoming: Mutex<Option<KnownUpcoming>>,
    hits: Counter,
    misses: Counter,
}

/// A finished answer.
struct CachedResponse {
    data_version: DataVersion,
    texts: EventDependencies,
    /// The first second at which it is wrong, since 1970 UTC.
    expires_at: i64,
    headers: HeaderMap,
    /// Compressed, if the reader takes that.
    body: Bytes,
    weight: u64,
}

/// What the clock will change from one generation on, as seen from one second.
#[derive(Clone, Copy)]
struct KnownUpcoming {
    data_version: DataVersion,
    read_at: i64,
    upcoming: Upcoming,
}

#[derive(Clone)]
struct EntryWeighter;

impl Weighter<String, Arc<CachedResponse>> for EntryWeighter {
    fn weight(&self, _key: &String, entry: &Arc<CachedResponse>) -> u64 {
        entry.weight
    }
}

/// Answers the reads that have been answered before, and keeps what others are answered. Paths for which
/// `is_uncached` is true pass.
pub async fn serve<E: Endpoint<Output = Response>>(
    next: Arc<E>,
    request: Request,
    is_uncached: fn(&str) -> bool,
) -> Result<Response> {
    let Some(almanac) = request.data::<Arc<Almanac>>().cloned() else {
        return next.call(request).await;
    };
    let Some(cache) = almanac.cache.as_ref().filter(|_| is_cacheable(&request, is_uncached)) else {
        return next.call(request).await;
    };
    let change_log = almanac.store.change_log();
    let Some(data_version) = change_log.data_version().await else {
        return next.call(request).await;
    };
    let key = key(&request, &almanac);
    let now = Utc::now();
    if let Some(response) = cache.get(&key, change_log, now.timestamp()) {
        return Ok(response);
    }
    let mut response = next.call(request).await?;
    if let Some(cache_policy) = ResponseMeta::of(&response).cache_policy.clone()
        && response.status() == StatusCode::OK
        && body_length(&mut response).is_some()
        && let Some(expires_at) = cache.expires_at(&almanac, data_version, &cache_policy, now).await
    {
        let body = response.take_body().into_bytes().await?;
        let entry = CachedResponse::new(&key, data_version, cache_policy.texts, expires_at, &response, &body);
        cache.responses.insert(key, Arc::new(entry));
        response.set_body(body);
    }
    Ok(response)
}

/// Whether the answer is for everybody.
fn is_cacheable(request: &Request, is_uncached: fn(&str) -> bool) -> bool {
    request.method() == Method::GET
        && !request.headers().contains_key(header::AUTHORIZATION)
        && !is_uncached(request.uri().path())
}

/// Everything of a request that its answer may depend on: two requests with one key have one answer.
fn key(request: &Request, almanac: &Almanac) -> String {
    let headers = request.headers();
    let address = Address::known(request, &almanac.settings);
    let path_and_query = request.uri().path_and_query();
    let path_and_query = path_and_query.map_or("/", |path_and_query| path_and_query.as_str());
    let media_type = select(request).map_or("", |media_type| media_type.0);
    let language = almanac.documents.preferred_language(headers);
    let mut key = String::with_capacity(address.base.len() + path_and_query.len() + 8);
    // No part but the last may have spaces in it, so that no two lists of parts make one text.
    for part in [
        address.base.as_str(),
        language.tag(),
        if accepts_gzip(headers) { "gzip" } else { "" },
        media_type,
        path_and_query,
    ] {
        key.push_str(part);
        key.push(' ');
    }
    key
}

impl CachedResponse {
    fn new(
        key: &str,
        data_version: DataVersion,
        texts: EventDependencies,
        expires_at: i64,
        response: &Response,
        body: &[u8],
    ) -> Self {
        Self {
            weight: weight(key, &texts, response.headers(), body),
            data_version,
            texts,
            expires_at,
            headers: response.headers().clone(),
            // A copy has no room at its end, which would not be counted.
            body: Bytes::copy_from_slice(body),
        }
    }
}

impl Cache {
    /// A cache of so many MiB; none of no size.
    pub fn with_mebibytes(mebibytes: u64) -> Option<Self> {
        let bytes = mebibytes.saturating_mul(1024 * 1024);
        (bytes > 0).then(|| Self::with_bytes(bytes))
    }

    fn with_bytes(bytes: u64) -> Self {
        /// A guess, by which the cache lays out its tables.
        const USUAL: u64 = 8192;
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self {
            responses: sync::Cache::with_weighter(entries, bytes, EntryWeighter),
            upcoming: Mutex::default(),
            hits: counter!("almanac_cache_hits_total"),
            misses: counter!("almanac_cache_misses_total"),
        }
    }

    /// The answer, if it is still right.
    fn get(&self, key: &str, change_log: &ChangeLog, now: i64) -> Option<Response> {
        let entry = self
            .responses
            .get(key)
            .filter(|entry| now < entry.expires_at && change_log.is_unchanged(entry.data_version, &entry.texts));
        let Some(entry) = entry else {
            self.misses.increment(1);
            return None;
        };
        self.hits.increment(1);
        let mut response = Response::builder().body(entry.body.clone());
        *response.headers_mut() = entry.headers.clone();
        Some(response)
    }

    /// The first second at which an answer that was asked for at `now` is wrong. None if that can't be told.
    async fn expires_at(
        &self,
        almanac: &Almanac,
        data_version: DataVersion,
        cache_policy: &CachePolicy,
        now: DateTime<Utc>,
    ) -> Option<i64> {
        let second = now.timestamp();
        let change_log = almanac.store.change_log();
        let known = *self.upcoming();
        let known = known.filter(|upcoming| {
            upcoming.is_valid_at(second) && change_log.is_unchanged(upcoming.data_version, &EventDependencies::NONE)
        });
        let upcoming = match known {
            Some(upcoming) => upcoming.upcoming,
            None => {
                let upcoming = change_log.upcoming(second).await?;
                *self.upcoming() = Some(KnownUpcoming {
                    data_version,
                    read_at: second,
                    upcoming,
                });
                upcoming
            }
        };
        let end = upcoming.end.filter(|_| cache_policy.until_an_event_ends);
        let midnight = || next_midnight(&almanac.settings.site.zone, now);
        [
            upcoming.publication,
            end.map(|last| last + 1),
            cache_policy.until_midnight.then(midnight),
        ]
        .into_iter()
        .flatten()
        .min()
        .or(Some(i64::MAX))
    }

    fn upcoming(&self) -> std::sync::MutexGuard<'_, Option<KnownUpcoming>> {
        self.upcoming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownUpcoming {
    /// Whether it tells what lies ahead at `now`. A later look has missed what lay between.
    fn is_valid_at(&self, now: i64) -> bool {
        let Upcoming { publication, end } = self.upcoming;
        self.read_at <= now && publication.is_none_or(|next| now < next) && end.is_none_or(|last| now <= last)
    }
}

/// About the bytes that an entry takes.
fn weight(key: &str, texts: &EventDependencies, headers: &HeaderMap, body: &[u8]) -> u64 {
    /// The structs around the bytes, with the allocator's own.
    const ENTRY: usize = 512;
    const HEADER: usize = 160;
    let headers: usize = headers.values().map(|value| value.len() + HEADER).sum();
    let texts = match texts {
        EventDependencies::All => 0,
        EventDependencies::Of(events) => size_of_val(events.as_slice()),
    };
    let bytes = ENTRY + key.len() + texts + headers + body.len();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use sea_orm::ConnectionTrait;

    use super::*;
    use crate::store::{self, Store};

    const NOW: i64 = 1_000;

    /// A cache, the store behind it, and the state that this is in.
    struct Stage {
        cache: Cache,
        store: Store,
        before: DataVersion,
        _folder: tempfile::TempDir,
    }

    impl Stage {
        async fn new(bytes: u64) -> Self {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let url = format!("sqlite://{}/almanac.db", folder.path().display());
            let store = store::open(&url, true).await.expect("a database");
            let before = store.change_log().data_version().await.expect("a generation");
            Self {
                cache: Cache::with_bytes(bytes),
                store,
                before,
                _folder: folder,
            }
        }

        fn insert(&self, key: &str, texts: EventDependencies) {
            let response = Response::builder().finish();
            let body = [b' '; 4096];
            let entry = CachedResponse::new(key, self.before, texts, NOW, &response, &body);
            self.cache.responses.insert(key.to_owned(), Arc::new(entry));
        }

        fn has(&self, key: &str, now: i64) -> bool {
            self.cache.get(key, self.store.change_log(), now).is_some()
        }

        async fn write(&self, statement: &str) {
            let transaction = self.store.begin().await.expect("a transaction");
            transaction.execute_unprepared(statement).await.expect("a write");
            transaction.commit().await.expect("a commit");
            let change_log = self.store.change_log();
            change_log.data_version().await.expect("a generation");
        }
    }

    #[tokio::test]
    async fn an_answer_is_good_until_its_time() {
        let stage = Stage::new(1024 * 1024).await;
        stage.insert("a", EventDependencies::All);
        assert!(stage.has("a", NOW - 1));
        assert!(!stage.has("a", NOW));
        assert!(!stage.has("b", NOW - 1));
    }

    #[tokio::test]
    async fn an_answer_is_good_until_what_it_hangs_on_is_written() {
        let stage = Stage::new(1024 * 1024).await;
        stage.insert("found by words", EventDependencies::All);
        stage.insert("tells it", EventDependencies::Of(vec![1, 2]));
        stage.insert("tells another one", EventDependencies::Of(vec![2]));
        stage.insert("tells none", EventDependencies::NONE);
        stage.write("INSERT INTO changes (event_id) VALUES (1)").await;
        assert!(!stage.has("found by words", 0));
        assert!(!stage.has("tells it", 0));
        assert!(stage.has("tells another one", 0));
        assert!(stage.has("tells none", 0));
        stage.write("INSERT INTO changes (event_id) VALUES (NULL)").await;
        assert!(!stage.has("tells another one", 0));
        assert!(!stage.has("tells none", 0));
    }

    #[tokio::test]
    async fn what_lies_ahead_is_looked_for_again_where_it_has_come_or_was_seen_later() {
        let stage = Stage::new(1024).await;
        let upcoming = KnownUpcoming {
            data_version: stage.before,
            read_at: NOW,
            upcoming: Upcoming {
                publication: Some(NOW + 10),
                end: Some(NOW + 5),
            },
        };
        assert!(upcoming.is_valid_at(NOW) && upcoming.is_valid_at(NOW + 5));
        assert!(!upcoming.is_valid_at(NOW - 1), "something may come between");
        assert!(!upcoming.is_valid_at(NOW + 6), "an event has ended");
        assert!(!upcoming.is_valid_at(NOW + 10), "something has come out");
    }

    #[tokio::test]
    async fn made_up_addresses_take_no_more_memory_than_there_is() {
        const BYTES: u64 = 1024 * 1024;
        let stage = Stage::new(BYTES).await;
        for number in 0..10_000 {
            let key = format!("http://host-{number}.example /events?nonsense={number} ");
            stage.insert(&key, EventDependencies::All);
        }
        assert!(stage.cache.responses.weight() <= BYTES);
        assert!(stage.cache.responses.len() as u64 <= BYTES / 4096);
        assert!(!stage.cache.responses.is_empty());
    }

    #[tokio::test]
    async fn what_is_asked_often_outlives_a_flood_of_made_up_addresses() {
        let stage = Stage::new(1024 * 1024).await;
        stage.insert("often", EventDependencies::All);
        for number in 0..10_000 {
            stage.insert(&format!("once {number}"), EventDependencies::All);
            assert!(stage.has("often", 0), "{number}");
        }
    }

    #[test]
    fn an_entry_weighs_all_its_bytes() {
        let mut headers = HeaderMap::new();
        let light = weight("", &EventDependencies::All, &headers, b"");
        headers.insert("link", "<http://example.org>".parse().expect("a value"));
        let texts = EventDependencies::Of(vec![1; 100]);
        let heavy = weight(&"k".repeat(1000), &texts, &headers, &[b' '; 2000]);
        assert!(heavy > light + 3000 + 800 + 20);
    }

    #[test]
    fn a_cache_of_no_size_is_none() {
        assert!(Cache::with_mebibytes(0).is_none());
        assert!(Cache::with_mebibytes(1).is_some());
    }
}
