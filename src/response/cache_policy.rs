//! What invalidates a cached response.

use crate::{calendar::date::CacheLifetime, store::EventDependencies};

/// What invalidates a cached response. Scheduled publications and all writes invalidate every response, except writes
/// that only change texts of events: these only invalidate the responses that depend on those texts.
///
/// Handlers attach it to the response, for the cache. Middleware that builds a new response must copy it; otherwise the
/// response is not cached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CachePolicy {
    /// The response depends on the current date.
    pub until_midnight: bool,
    /// The response depends on which events have ended.
    pub until_an_event_ends: bool,
    /// The events whose texts determine the response, as content or in a search.
    pub texts: EventDependencies,
}

impl CachePolicy {
    /// Independent of the current time.
    pub(crate) const UNLIMITED: Self = Self {
        until_midnight: false,
        until_an_event_ends: false,
        texts: EventDependencies::All,
    };
    /// Independent of the current time and of the texts of events.
    pub(crate) const WITHOUT_EVENT_TEXTS: Self = Self {
        texts: EventDependencies::NONE,
        ..Self::UNLIMITED
    };
    /// Valid until the end of the day in the site's time zone.
    pub(crate) const UNTIL_MIDNIGHT: Self = Self {
        until_midnight: true,
        ..Self::UNLIMITED
    };

    /// The policy of a response that depends on a date with this lifetime. None if it must not be cached.
    pub(crate) fn of(cache_lifetime: CacheLifetime) -> Option<Self> {
        match cache_lifetime {
            CacheLifetime::Unlimited => Some(Self::UNLIMITED),
            CacheLifetime::UntilMidnight => Some(Self::UNTIL_MIDNIGHT),
            CacheLifetime::Uncacheable => None,
        }
    }

    /// Limits the dependencies on texts to these events.
    #[must_use]
    pub(crate) fn depending_on_texts(self, texts: EventDependencies) -> Self {
        Self { texts, ..self }
    }
}
