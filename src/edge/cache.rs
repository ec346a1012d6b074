//! Answers that are kept: what has been asked before is answered from memory, without a look at the tables.
//!
//! An answer is kept for those without credentials only, and is good for one [`Generation`] of the data and until
//! the next moment at which the clock changes it ([`Freshness`]). The generation is asked for after a request has
//! come in, and noted before its answer is made: nobody gets older data than what had been written when he asked.
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
    http::{HeaderMap, HeaderName, Method, StatusCode, header},
};
use quick_cache::{Weighter, sync};

use super::{address::Address, delivery::accepts_gzip, negotiation::accepts_json};
use crate::{
    Almanac,
    calendar::window::midnight,
    store::{Generation, Upcoming},
    wire::Freshness,
};

/// What turns a request into another one is no plain read.
const METHOD_OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// The answers that a server keeps.
pub struct Cache {
    answers: sync::Cache<String, Arc<Kept>, Weight>,
    /// What lies ahead, as it was found last.
    ahead: Mutex<Option<Ahead>>,
    hits: Counter,
    misses: Counter,
}

/// A finished answer.
struct Kept {
    generation: Generation,
    /// The first second at which it is wrong, since 1970 UTC.
    until: i64,
    headers: HeaderMap,
    /// Compressed, if the reader takes that.
    body: Bytes,
    weight: u64,
}

/// What the clock will change in one generation, as seen from one second.
#[derive(Clone)]
struct Ahead {
    generation: Generation,
    seen_at: i64,
    upcoming: Upcoming,
}

#[derive(Clone)]
struct Weight;

impl Weighter<String, Arc<Kept>> for Weight {
    fn weight(&self, _key: &String, kept: &Arc<Kept>) -> u64 {
        kept.weight
    }
}

/// Answers the reads that have been answered before, and keeps what others are answered.
pub async fn keep<E: Endpoint<Output = Response>>(
    next: Arc<E>,
    request: Request,
) -> Result<Response> {
    let Some(almanac) = request.data::<Arc<Almanac>>().cloned() else {
        return next.call(request).await;
    };
    let Some(cache) = almanac.cache.as_ref().filter(|_| may_be_kept(&request)) else {
        return next.call(request).await;
    };
    let Some(generation) = almanac.store.watch().generation().await else {
        return next.call(request).await;
    };
    let key = key(&request, &almanac);
    let now = Utc::now();
    if let Some(answer) = cache.find(&key, &generation, now.timestamp()) {
        return Ok(answer);
    }
    let mut response = next.call(request).await?;
    if let Some(freshness) = response.data::<Freshness>().copied()
        && response.status() == StatusCode::OK
        && let Some(until) = cache.until(&almanac, &generation, freshness, now).await
    {
        let body = response.take_body().into_bytes().await?;
        cache.insert(key, generation, until, response.headers(), &body);
        response.set_body(body);
    }
    Ok(response)
}

/// Whether the answer is for everybody.
fn may_be_kept(request: &Request) -> bool {
    request.method() == Method::GET
        && !request.headers().contains_key(header::AUTHORIZATION)
        && !request.headers().contains_key(METHOD_OVERRIDE)
}

/// Everything of a request that its answer may depend on: two requests with one key have one answer.
fn key(request: &Request, almanac: &Almanac) -> String {
    let headers = request.headers();
    let address = Address::known(request, &almanac.settings);
    let asked = request.uri().path_and_query();
    let asked = asked.map_or("/", |asked| asked.as_str());
    let language = almanac.documents.preferred_language(headers);
    let mut key = String::with_capacity(address.base.len() + asked.len() + 8);
    // No part but the last may have spaces in it, so that no two lists of parts make one text.
    for part in [
        address.base.as_str(),
        language.tag(),
        if accepts_gzip(headers) { "gzip" } else { "" },
        if accepts_json(headers) { "json" } else { "" },
        asked,
    ] {
        key.push_str(part);
        key.push(' ');
    }
    key
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
    fn find(&self, key: &str, generation: &Generation, now: i64) -> Option<Response> {
        let kept = self
            .answers
            .get(key)
            .filter(|kept| kept.generation == *generation && now < kept.until);
        let Some(kept) = kept else {
            self.misses.increment(1);
            return None;
        };
        self.hits.increment(1);
        let mut response = Response::builder().body(kept.body.clone());
        *response.headers_mut() = kept.headers.clone();
        Some(response)
    }

    fn insert(
        &self,
        key: String,
        generation: Generation,
        until: i64,
        headers: &HeaderMap,
        body: &[u8],
    ) {
        let kept = Kept {
            weight: weight(&key, headers, body),
            generation,
            until,
            headers: headers.clone(),
            // A copy has no room at its end, which would not be counted.
            body: Bytes::copy_from_slice(body),
        };
        self.answers.insert(key, Arc::new(kept));
    }

    /// The first second at which an answer that was asked for at `now` is wrong. None if that can't be told.
    async fn until(
        &self,
        almanac: &Almanac,
        generation: &Generation,
        freshness: Freshness,
        now: DateTime<Utc>,
    ) -> Option<i64> {
        let second = now.timestamp();
        let Freshness {
            until_midnight,
            until_an_event_ends,
        } = freshness;
        let known = self.ahead().clone();
        let upcoming = match known.filter(|ahead| ahead.is_for(generation, second)) {
            Some(ahead) => ahead.upcoming,
            None => {
                let upcoming = almanac.store.watch().upcoming(second).await?;
                *self.ahead() = Some(Ahead {
                    generation: generation.clone(),
                    seen_at: second,
                    upcoming,
                });
                upcoming
            }
        };
        let end = upcoming.end.filter(|_| until_an_event_ends);
        [
            upcoming.publication,
            end.map(|last| last + 1),
            until_midnight.then(|| midnight(&almanac.settings.timezone, now)),
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
    /// Whether it tells what lies ahead at `now` in this generation. A later look has missed what lay between.
    fn is_for(&self, generation: &Generation, now: i64) -> bool {
        let Upcoming { publication, end } = self.upcoming;
        self.generation == *generation
            && self.seen_at <= now
            && publication.is_none_or(|next| now < next)
            && end.is_none_or(|last| now <= last)
    }
}

/// About the bytes that an entry takes.
fn weight(key: &str, headers: &HeaderMap, body: &[u8]) -> u64 {
    /// The structs around the bytes, with the allocator's own.
    const ENTRY: usize = 512;
    const HEADER: usize = 160;
    let headers: usize = headers.values().map(|value| value.len() + HEADER).sum();
    let bytes = ENTRY + key.len() + headers + body.len();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store;

    const NOW: i64 = 1_000;

    /// Two generations of one file.
    async fn generations() -> [Generation; 2] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}/almanac.db", folder.path().display());
        let store = store::open(&url, true).await.expect("a database");
        let before = store.watch().generation().await.expect("a generation");
        let transaction = store.begin().await.expect("a transaction");
        crate::store::users::find_by_name(&transaction, "nobody")
            .await
            .expect("a read");
        sea_orm::ConnectionTrait::execute_unprepared(
            &transaction,
            "INSERT INTO tags (version, name, name_key, slug, description, search_text) VALUES (1, '', '', '', '', '')",
        )
        .await
        .expect("a write");
        transaction.commit().await.expect("a commit");
        let after = store.watch().generation().await.expect("a generation");
        [before, after]
    }

    #[tokio::test]
    async fn an_answer_is_good_in_its_generation_and_until_its_time() {
        let [before, after] = generations().await;
        let cache = Cache::of_bytes(1024 * 1024);
        cache.insert(
            "a".to_owned(),
            before.clone(),
            NOW,
            &HeaderMap::new(),
            b"text",
        );
        assert!(cache.find("a", &before, NOW - 1).is_some());
        assert!(cache.find("a", &before, NOW).is_none());
        assert!(cache.find("a", &after, NOW - 1).is_none());
        assert!(cache.find("b", &before, NOW - 1).is_none());
    }

    #[tokio::test]
    async fn what_lies_ahead_is_looked_for_again_where_it_has_come_or_was_seen_later() {
        let [before, after] = generations().await;
        let ahead = Ahead {
            generation: before.clone(),
            seen_at: NOW,
            upcoming: Upcoming {
                publication: Some(NOW + 10),
                end: Some(NOW + 5),
            },
        };
        assert!(ahead.is_for(&before, NOW) && ahead.is_for(&before, NOW + 5));
        assert!(!ahead.is_for(&after, NOW));
        assert!(
            !ahead.is_for(&before, NOW - 1),
            "something may come between"
        );
        assert!(!ahead.is_for(&before, NOW + 6), "an event has ended");
        assert!(!ahead.is_for(&before, NOW + 10), "something has come out");
    }

    #[tokio::test]
    async fn made_up_addresses_take_no_more_memory_than_there_is() {
        const BYTES: u64 = 1024 * 1024;
        let [generation, _] = generations().await;
        let cache = Cache::of_bytes(BYTES);
        for number in 0..10_000 {
            let key = format!("http://host-{number}.example /events?nonsense={number} ");
            cache.insert(
                key,
                generation.clone(),
                NOW,
                &HeaderMap::new(),
                &[b' '; 4096],
            );
        }
        assert!(cache.answers.weight() <= BYTES);
        assert!(cache.answers.len() as u64 <= BYTES / 4096);
        assert!(!cache.answers.is_empty());
    }

    #[tokio::test]
    async fn what_is_asked_often_outlives_a_flood_of_made_up_addresses() {
        let [generation, _] = generations().await;
        let cache = Cache::of_bytes(1024 * 1024);
        let keep = |key: String| {
            cache.insert(
                key,
                generation.clone(),
                NOW,
                &HeaderMap::new(),
                &[b' '; 4096],
            )
        };
        keep("often".to_owned());
        for number in 0..10_000 {
            keep(format!("once {number}"));
            assert!(cache.find("often", &generation, 0).is_some(), "{number}");
        }
    }

    #[test]
    fn an_entry_weighs_all_its_bytes() {
        let mut headers = HeaderMap::new();
        let light = weight("", &headers, b"");
        headers.insert("link", "<http://example.org>".parse().expect("a value"));
        let heavy = weight(&"k".repeat(1000), &headers, &[b' '; 2000]);
        assert!(heavy > light + 3000 + 20);
    }

    #[test]
    fn a_cache_of_no_size_is_none() {
        assert!(Cache::of_size(0).is_none());
        assert!(Cache::of_size(1).is_some());
    }
}
