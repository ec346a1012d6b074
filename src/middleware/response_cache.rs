//! The cache of responses to requests without credentials, in memory.
//!
//! An entry is valid until data changes on which the response depends, or until the clock changes the response
//! ([`CachePolicy`]). The [`DataVersion`] is polled after a request has arrived, and before its response is produced. A
//! cached response is therefore never older than the last commit before the request.
//!
//! Clients may send requests with arbitrary parameters, or an arbitrary `Host` unless `--base-url` is set. Each of them
//! creates an entry that is used for the same request only. The size of the cache bounds such entries, and they evict
//! each other before they evict entries that are used often.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use metrics::{Counter, counter};
use poem::{
    Endpoint, Request, Response, Result,
    http::{HeaderMap, Method, StatusCode, header},
};
use quick_cache::{OptionsBuilder, Weighter, sync};

use super::{
    base_url::Address,
    layers::LayeredEndpoint,
    negotiation::{accepts_gzip, select},
};
use crate::{
    Almanac,
    calendar::window::next_midnight,
    response::{CachePolicy, Handling, ResponseMeta, body_length},
    store::{ChangeLog, DataVersion, EventDependencies},
};

/// The response cache.
pub struct Cache {
    responses: sync::Cache<String, Arc<CachedResponse>, EntryWeighter>,
    hits: Counter,
    misses: Counter,
}

/// An entry of the cache.
struct CachedResponse {
    data_version: DataVersion,
    dependencies: EventDependencies,
    /// The first second at which the response is outdated, as a Unix timestamp.
    expires_at: i64,
    headers: HeaderMap,
    /// Compressed if the client accepts that.
    body: Bytes,
    weight: u64,
}

#[derive(Clone)]
struct EntryWeighter;

impl Weighter<String, Arc<CachedResponse>> for EntryWeighter {
    fn weight(&self, _key: &String, entry: &Arc<CachedResponse>) -> u64 {
        entry.weight
    }
}

/// Responds from the cache, or stores the response in it, except for paths for which `is_uncached` is true.
pub(crate) async fn serve(
    next: LayeredEndpoint,
    mut request: Request,
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
    request.set_data(data_version);
    let mut response = next.call(request).await?;
    if let Some(cache_policy) = ResponseMeta::of(&response).cache_policy.clone()
        && response.status() == StatusCode::OK
        && body_length(&mut response).is_some()
        && let Some(expires_at) = Cache::expires_at(&almanac, data_version, &cache_policy, now).await
    {
        let body = response.take_body().into_bytes().await?;
        let entry = CachedResponse::new(&key, data_version, cache_policy.texts, expires_at, &response, &body);
        cache.responses.insert(key, Arc::new(entry));
        response.set_body(body);
    }
    Ok(response)
}

/// Whether the request is a read without credentials, of a path that may be cached.
fn is_cacheable(request: &Request, is_uncached: fn(&str) -> bool) -> bool {
    request.method() == Method::GET
        && !request.headers().contains_key(header::AUTHORIZATION)
        && !is_uncached(request.uri().path())
}

/// Everything in a request on which its response may depend.
fn key(request: &Request, almanac: &Almanac) -> String {
    let headers = request.headers();
    let address = Address::known(request, &almanac.settings);
    let path_and_query = request.uri().path_and_query();
    let path_and_query = path_and_query.map_or("/", |path_and_query| path_and_query.as_str());
    let media_type = select(request).map_or("", |media_type| media_type.0);
    let language = almanac.documents.preferred_language(headers);
    let mut key = String::with_capacity(address.base.len() + path_and_query.len() + 8);
    // Only the last part may contain spaces, so that different parts never make the same key.
    for part in [
        address.base.as_str(),
        language.tag(),
        if accepts_gzip(headers) { "gzip" } else { "" },
        media_type,
        match Handling::of(headers) {
            Handling::Lenient => "",
            Handling::Strict => "strict",
        },
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
        dependencies: EventDependencies,
        expires_at: i64,
        response: &Response,
        body: &[u8],
    ) -> Self {
        Self {
            weight: weight(key, &dependencies, response.headers(), body),
            data_version,
            dependencies,
            expires_at,
            headers: response.headers().clone(),
            // A copy has no spare capacity, which the weight would not include.
            body: Bytes::copy_from_slice(body),
        }
    }
}

impl Cache {
    /// A cache of this size, or none if it is 0.
    pub fn with_mebibytes(mebibytes: u64) -> Option<Self> {
        let bytes = mebibytes.saturating_mul(1024 * 1024);
        (bytes > 0).then(|| Self::with_bytes(bytes))
    }

    fn with_bytes(bytes: u64) -> Self {
        /// The expected weight of an entry, from which the number of entries is estimated.
        const EXPECTED_WEIGHT: u64 = 8192;
        /// The minimum size of a shard, which must have room for the largest entry: a feed that is built in memory has
        /// up to about 3 MB. By default, the shards of many cores are smaller.
        const SHARD: u64 = 4 * 1024 * 1024;
        const MAX_SHARDS: u64 = 64;
        let entries = usize::try_from(bytes / EXPECTED_WEIGHT).unwrap_or(usize::MAX);
        let shards = (bytes / SHARD).clamp(1, MAX_SHARDS);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(entries)
            .weight_capacity(bytes)
            // A power of two: another number would be rounded up.
            .shards(1 << shards.ilog2())
            .build()
            .expect("all required options are set");
        Self {
            responses: sync::Cache::with_options(options, EntryWeighter, Default::default(), Default::default()),
            hits: counter!("almanac_cache_hits_total"),
            misses: counter!("almanac_cache_misses_total"),
        }
    }

    /// The cached response, if it is still valid.
    fn get(&self, key: &str, change_log: &ChangeLog, now: i64) -> Option<Response> {
        let entry = self
            .responses
            .get(key)
            .filter(|entry| now < entry.expires_at && change_log.is_unchanged(entry.data_version, &entry.dependencies));
        let Some(entry) = entry else {
            self.misses.increment(1);
            return None;
        };
        self.hits.increment(1);
        let mut response = Response::builder().body(entry.body.clone());
        *response.headers_mut() = entry.headers.clone();
        Some(response)
    }

    /// The first second at which a response to a request at `now` is outdated. None if it is unknown.
    async fn expires_at(
        almanac: &Almanac,
        data_version: DataVersion,
        cache_policy: &CachePolicy,
        now: DateTime<Utc>,
    ) -> Option<i64> {
        let second = now.timestamp();
        let upcoming = almanac.store.change_log().upcoming(data_version, second).await?;
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
}

/// The approximate size of an entry in bytes.
fn weight(key: &str, dependencies: &EventDependencies, headers: &HeaderMap, body: &[u8]) -> u64 {
    /// The structs around the bytes, with the overhead of the allocator.
    const ENTRY: usize = 512;
    const HEADER: usize = 160;
    let headers: usize = headers.values().map(|value| value.len() + HEADER).sum();
    let dependencies = match dependencies {
        EventDependencies::All => 0,
        EventDependencies::Of(events) => size_of_val(events.as_slice()),
    };
    let bytes = ENTRY + key.len() + dependencies + headers + body.len();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{self, Store, write_connection::WriteConnection};

    const NOW: i64 = 1_000;

    /// A cache, its store, and the data version of the store.
    struct Fixture {
        cache: Cache,
        store: Store,
        before: DataVersion,
        _folder: tempfile::TempDir,
    }

    impl Fixture {
        async fn new(bytes: u64) -> Self {
            let folder = tempfile::tempdir().expect("a temporary directory");
            let url = format!("sqlite://{}/almanac.db", folder.path().display());
            let store = store::open(&url, true).await.expect("a database");
            let before = store.change_log().data_version().await.expect("a data version");
            Self {
                cache: Cache::with_bytes(bytes),
                store,
                before,
                _folder: folder,
            }
        }

        fn insert(&self, key: &str, dependencies: EventDependencies) {
            let response = Response::builder().finish();
            let body = [b' '; 4096];
            let entry = CachedResponse::new(key, self.before, dependencies, NOW, &response, &body);
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
            change_log.data_version().await.expect("a data version");
        }
    }

    #[tokio::test]
    async fn entry_expires() {
        let fixture = Fixture::new(1024 * 1024).await;
        fixture.insert("a", EventDependencies::All);
        assert!(fixture.has("a", NOW - 1));
        assert!(!fixture.has("a", NOW));
        assert!(!fixture.has("b", NOW - 1));
    }

    #[tokio::test]
    async fn writes_invalidate_dependent_entries() {
        let fixture = Fixture::new(1024 * 1024).await;
        fixture.insert("search", EventDependencies::All);
        fixture.insert("event 1", EventDependencies::Of(vec![1, 2]));
        fixture.insert("event 2", EventDependencies::Of(vec![2]));
        fixture.insert("no event", EventDependencies::NONE);
        fixture.write("INSERT INTO change_log (event_id) VALUES (1)").await;
        assert!(!fixture.has("search", 0));
        assert!(!fixture.has("event 1", 0));
        assert!(fixture.has("event 2", 0));
        assert!(fixture.has("no event", 0));
        fixture.write("INSERT INTO change_log (event_id) VALUES (NULL)").await;
        assert!(!fixture.has("event 2", 0));
        assert!(!fixture.has("no event", 0));
    }

    #[tokio::test]
    async fn arbitrary_requests_are_bounded() {
        const BYTES: u64 = 1024 * 1024;
        let fixture = Fixture::new(BYTES).await;
        for number in 0..10_000 {
            let key = format!("http://host-{number}.example /events?nonsense={number} ");
            fixture.insert(&key, EventDependencies::All);
        }
        assert!(fixture.cache.responses.weight() <= BYTES);
        assert!(fixture.cache.responses.len() as u64 <= BYTES / 4096);
        assert!(!fixture.cache.responses.is_empty());
    }

    #[tokio::test]
    async fn frequent_entry_outlives_arbitrary_requests() {
        let fixture = Fixture::new(1024 * 1024).await;
        fixture.insert("often", EventDependencies::All);
        for number in 0..10_000 {
            fixture.insert(&format!("once {number}"), EventDependencies::All);
            assert!(fixture.has("often", 0), "{number}");
        }
    }

    #[test]
    fn shards_have_room_for_large_feeds() {
        for (mebibytes, shards) in [(1, 1), (7, 1), (8, 2), (32, 8), (100, 16), (500, 64)] {
            let cache = Cache::with_mebibytes(mebibytes).expect("a cache");
            assert_eq!(cache.responses.num_shards(), shards, "{mebibytes} MiB");
        }
    }

    #[tokio::test]
    async fn large_feeds_are_stored() {
        let fixture = Fixture::new(32 * 1024 * 1024).await;
        let body = vec![b' '; 3 * 1024 * 1024];
        let response = Response::builder().finish();
        let entry = CachedResponse::new("", fixture.before, EventDependencies::All, NOW, &response, &body);
        fixture.cache.responses.insert("feed".to_owned(), Arc::new(entry));
        assert!(fixture.has("feed", 0));
    }

    #[test]
    fn weight_includes_all_bytes() {
        let mut headers = HeaderMap::new();
        let light = weight("", &EventDependencies::All, &headers, b"");
        headers.insert("link", "<http://example.org>".parse().expect("a value"));
        let dependencies = EventDependencies::Of(vec![1; 100]);
        let heavy = weight(&"k".repeat(1000), &dependencies, &headers, &[b' '; 2000]);
        assert!(heavy > light + 3000 + 800 + 20);
    }

    #[test]
    fn cache_of_size_0_is_disabled() {
        assert!(Cache::with_mebibytes(0).is_none());
        assert!(Cache::with_mebibytes(1).is_some());
    }
}
