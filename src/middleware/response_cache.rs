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
    answers: sync::Cache<String, Arc<CachedResponse>, Weight>,
    /// What lies ahead, as it was found last.
    ahead: Mutex<Option<Ahead>>,
    hits: Counter,
    misses: Counter,
}

/// A finished answer.
struct CachedResponse {
    data_version: DataVersion,
    texts: EventDependencies,
    /// The first second at which it is wrong, since 1970 UTC.
    until: i64,
    headers: HeaderMap,
    /// Compressed, if the reader takes that.
    body: Bytes,
    weight: u64,
}

/// What the clock will change from one generation on, as seen from one second.
#[derive(Clone, Copy)]
struct Ahead {
    data_version: DataVersion,
    seen_at: i64,
    upcoming: Upcoming,
}

#[derive(Clone)]
struct Weight;

impl Weighter<String, Arc<CachedResponse>> for Weight {
    fn weight(&self, _key: &String, kept: &Arc<CachedResponse>) -> u64 {
        kept.weight
    }
}

/// Answers the reads that have been answered before, and keeps what others are answered. Paths for which
/// `is_uncached` is true pass.
pub async fn keep<E: Endpoint<Output = Response>>(
    next: Arc<E>,
    request: Request,
    is_uncached: fn(&str) -> bool,
) -> Result<Response> {
    let Some(almanac) = request.data::<Arc<Almanac>>().cloned() else {
        return next.call(request).await;
    };
    let Some(cache) = almanac.cache.as_ref().filter(|_| may_be_kept(&request, is_uncached)) else {
        return next.call(request).await;
    };
    let watch = almanac.store.watch();
    let Some(data_version) = watch.data_version().await else {
        return next.call(request).await;
    };
    let key = key(&request, &almanac);
    let now = Utc::now();
    if let Some(answer) = cache.find(&key, watch, now.timestamp()) {
        return Ok(answer);
    }
    let mut response = next.call(request).await?;
    if let Some(cache_policy) = ResponseMeta::of(&response).cache_policy.clone()
        && response.status() == StatusCode::OK
        && body_length(&mut response).is_some()
        && let Some(until) = cache.until(&almanac, data_version, &cache_policy, now).await
    {
        let body = response.take_body().into_bytes().await?;
        let kept = CachedResponse::new(&key, data_version, cache_policy.texts, until, &response, &body);
        cache.answers.insert(key, Arc::new(kept));
        response.set_body(body);
    }
    Ok(response)
}

/// Whether the answer is for everybody.
fn may_be_kept(request: &Request, is_uncached: fn(&str) -> bool) -> bool {
    request.method() == Method::GET
        && !request.headers().contains_key(header::AUTHORIZATION)
        && !is_uncached(request.uri().path())
}

/// Everything of a request that its answer may depend on: two requests with one key have one answer.
fn key(request: &Request, almanac: &Almanac) -> String {
    let headers = request.headers();
    let address = Address::known(request, &almanac.settings);
    let asked = request.uri().path_and_query();
    let asked = asked.map_or("/", |asked| asked.as_str());
    let media_type = select(request).map_or("", |media_type| media_type.0);
    let language = almanac.documents.preferred_language(headers);
    let mut key = String::with_capacity(address.base.len() + asked.len() + 8);
    // No part but the last may have spaces in it, so that no two lists of parts make one text.
    for part in [
        address.base.as_str(),
        language.tag(),
        if accepts_gzip(headers) { "gzip" } else { "" },
        media_type,
        asked,
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
        until: i64,
        response: &Response,
        body: &[u8],
    ) -> Self {
        Self {
            weight: weight(key, &texts, response.headers(), body),
            data_version,
            texts,
            until,
            headers: response.headers().clone(),
            // A copy has no room at its end, which would not be counted.
            body: Bytes::copy_from_slice(body),
        }
    }
}

impl Cache {
    /// A cache of so many MiB; none of no size.
    pub fn of_size(mebibytes: u64) -> Option<Self> {
        let bytes = mebibytes.saturating_mul(1024 * 1024);
        (bytes > 0).then(|| Self::of_bytes(bytes))
    }

    fn of_bytes(bytes: u64) -> Self {
        /// A guess, by which the cache lays out its tables.
        const USUAL: u64 = 8192;
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self {
            answers: sync::Cache::with_weighter(entries, bytes, Weight),
            ahead: Mutex::default(),
            hits: counter!("almanac_cache_hits_total"),
            misses: counter!("almanac_cache_misses_total"),
        }
    }

    /// The answer, if it is still right.
    fn find(&self, key: &str, watch: &ChangeLog, now: i64) -> Option<Response> {
        let kept = self
            .answers
            .get(key)
            .filter(|kept| now < kept.until && watch.is_unchanged(kept.data_version, &kept.texts));
        let Some(kept) = kept else {
            self.misses.increment(1);
            return None;
        };
        self.hits.increment(1);
        let mut response = Response::builder().body(kept.body.clone());
        *response.headers_mut() = kept.headers.clone();
        Some(response)
    }

    /// The first second at which an answer that was asked for at `now` is wrong. None if that can't be told.
    async fn until(
        &self,
        almanac: &Almanac,
        data_version: DataVersion,
        cache_policy: &CachePolicy,
        now: DateTime<Utc>,
    ) -> Option<i64> {
        let second = now.timestamp();
        let watch = almanac.store.watch();
        let known = *self.ahead();
        let known = known
            .filter(|ahead| ahead.is_for(second) && watch.is_unchanged(ahead.data_version, &EventDependencies::NONE));
        let upcoming = match known {
            Some(ahead) => ahead.upcoming,
            None => {
                let upcoming = watch.upcoming(second).await?;
                *self.ahead() = Some(Ahead {
                    data_version,
                    seen_at: second,
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

    fn ahead(&self) -> std::sync::MutexGuard<'_, Option<Ahead>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ahead {
    /// Whether it tells what lies ahead at `now`. A later look has missed what lay between.
    fn is_for(&self, now: i64) -> bool {
        let Upcoming { publication, end } = self.upcoming;
        self.seen_at <= now && publication.is_none_or(|next| now < next) && end.is_none_or(|last| now <= last)
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
            let before = store.watch().data_version().await.expect("a generation");
            Self {
                cache: Cache::of_bytes(bytes),
                store,
                before,
                _folder: folder,
            }
        }

        fn keep(&self, key: &str, texts: EventDependencies) {
            let response = Response::builder().finish();
            let body = [b' '; 4096];
            let kept = CachedResponse::new(key, self.before, texts, NOW, &response, &body);
            self.cache.answers.insert(key.to_owned(), Arc::new(kept));
        }

        fn has(&self, key: &str, now: i64) -> bool {
            self.cache.find(key, self.store.watch(), now).is_some()
        }

        async fn write(&self, statement: &str) {
            let transaction = self.store.begin().await.expect("a transaction");
            transaction.execute_unprepared(statement).await.expect("a write");
            transaction.commit().await.expect("a commit");
            let watch = self.store.watch();
            watch.data_version().await.expect("a generation");
        }
    }

    #[tokio::test]
    async fn an_answer_is_good_until_its_time() {
        let stage = Stage::new(1024 * 1024).await;
        stage.keep("a", EventDependencies::All);
        assert!(stage.has("a", NOW - 1));
        assert!(!stage.has("a", NOW));
        assert!(!stage.has("b", NOW - 1));
    }

    #[tokio::test]
    async fn an_answer_is_good_until_what_it_hangs_on_is_written() {
        let stage = Stage::new(1024 * 1024).await;
        stage.keep("found by words", EventDependencies::All);
        stage.keep("tells it", EventDependencies::Of(vec![1, 2]));
        stage.keep("tells another one", EventDependencies::Of(vec![2]));
        stage.keep("tells none", EventDependencies::NONE);
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
        let ahead = Ahead {
            data_version: stage.before,
            seen_at: NOW,
            upcoming: Upcoming {
                publication: Some(NOW + 10),
                end: Some(NOW + 5),
            },
        };
        assert!(ahead.is_for(NOW) && ahead.is_for(NOW + 5));
        assert!(!ahead.is_for(NOW - 1), "something may come between");
        assert!(!ahead.is_for(NOW + 6), "an event has ended");
        assert!(!ahead.is_for(NOW + 10), "something has come out");
    }

    #[tokio::test]
    async fn made_up_addresses_take_no_more_memory_than_there_is() {
        const BYTES: u64 = 1024 * 1024;
        let stage = Stage::new(BYTES).await;
        for number in 0..10_000 {
            let key = format!("http://host-{number}.example /events?nonsense={number} ");
            stage.keep(&key, EventDependencies::All);
        }
        assert!(stage.cache.answers.weight() <= BYTES);
        assert!(stage.cache.answers.len() as u64 <= BYTES / 4096);
        assert!(!stage.cache.answers.is_empty());
    }

    #[tokio::test]
    async fn what_is_asked_often_outlives_a_flood_of_made_up_addresses() {
        let stage = Stage::new(1024 * 1024).await;
        stage.keep("often", EventDependencies::All);
        for number in 0..10_000 {
            stage.keep(&format!("once {number}"), EventDependencies::All);
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
        assert!(Cache::of_size(0).is_none());
        assert!(Cache::of_size(1).is_some());
    }
}
