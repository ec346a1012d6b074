//! Values that were computed from the data, in memory, until the data change.

use std::{fmt, hash::Hash};

use quick_cache::{Weighter, sync};

use super::ListVersion;

/// A cache of values that depend on all data but the texts of events. Values of other versions are not returned, and
/// those that are used rarely are evicted first.
pub struct VersionedCache<K, V>(sync::Cache<K, Entry<V>, EntryWeighter>);

#[derive(Clone)]
struct Entry<V> {
    version: ListVersion,
    bytes: u64,
    value: V,
}

#[derive(Clone)]
struct EntryWeighter;

impl<K, V> Weighter<K, Entry<V>> for EntryWeighter {
    fn weight(&self, _key: &K, entry: &Entry<V>) -> u64 {
        entry.bytes
    }
}

impl<K, V> fmt::Debug for VersionedCache<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("VersionedCache").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash, V: Clone> VersionedCache<K, V> {
    /// A cache of this size in bytes, for small entries.
    pub(crate) fn with_bytes(bytes: u64) -> Self {
        Self::for_entries_of(2048, bytes)
    }

    /// A cache of this size in bytes. It has several parts, each with its own lock. Their number follows from the expected
    /// size of an entry, and no entry can be larger than a part.
    pub(crate) fn for_entries_of(expected_bytes: u64, bytes: u64) -> Self {
        let entries = usize::try_from(bytes / expected_bytes).unwrap_or(usize::MAX);
        Self(sync::Cache::with_weighter(entries, bytes, EntryWeighter))
    }

    /// The value of a version. None if the version is unknown.
    pub(crate) fn get(&self, version: Option<ListVersion>, key: &K) -> Option<V> {
        let entry = self.0.get(key)?;
        (version? == entry.version).then_some(entry.value)
    }

    /// The values of a version that are in memory, and the keys of the others.
    pub(crate) fn split(
        &self,
        version: Option<ListVersion>,
        keys: impl IntoIterator<Item = K>,
    ) -> (Vec<(K, V)>, Vec<K>) {
        let mut known = Vec::new();
        let mut missing = Vec::new();
        for key in keys {
            match self.get(version, &key) {
                Some(value) => known.push((key, value)),
                None => missing.push(key),
            }
        }
        (known, missing)
    }

    /// Adds the value of a version, unless the version is unknown. `bytes` is its approximate size.
    pub(crate) fn insert(&self, version: Option<ListVersion>, key: K, value: V, bytes: usize) {
        /// The approximate size of what surrounds a value.
        const OVERHEAD: usize = 128;
        if let Some(version) = version {
            let bytes = (bytes + OVERHEAD) as u64;
            self.0.insert(key, Entry { version, bytes, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_not_returned() {
        let [old, new] = [1, 2].map(|number| Some(ListVersion::numbered(number)));
        let cache = VersionedCache::with_bytes(1024 * 1024);
        cache.insert(old, 1, "old", 3);
        assert_eq!(cache.get(old, &1), Some("old"));
        assert_eq!(cache.get(new, &1), None);
        assert_eq!(cache.get(None, &1), None);
        assert_eq!(cache.get(old, &2), None);
        cache.insert(new, 1, "new", 3);
        assert_eq!(cache.get(new, &1), Some("new"));
        assert_eq!(cache.get(old, &1), None);
        cache.insert(None, 2, "unknown", 7);
        assert_eq!(cache.get(new, &2), None);
        assert_eq!(cache.split(new, [2, 1]), (vec![(1, "new")], vec![2]));
    }

    #[test]
    fn large_entries_fit() {
        const MEGABYTE: u64 = 1024 * 1024;
        let cache = VersionedCache::for_entries_of(MEGABYTE, 16 * MEGABYTE);
        for number in 0..3 {
            cache.insert(Some(ListVersion::default()), number, number, 5_000_000);
        }
        assert_eq!(cache.0.len(), 3);
    }

    #[test]
    fn size_is_bounded() {
        let cache = VersionedCache::with_bytes(64 * 1024);
        for number in 0..10_000 {
            cache.insert(Some(ListVersion::default()), number, number, 1000);
        }
        assert!(cache.0.weight() <= 64 * 1024);
        assert!(!cache.0.is_empty());
    }
}
