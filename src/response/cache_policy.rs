//! How long an answer stays right.

use crate::{calendar::date::CacheLifetime, store::EventDependencies};

/// What of the time and of the data an answer hangs on. That what is planned comes out it always hangs on, and on
/// everything that is written but texts of events.
///
/// An endpoint puts it into its response, where the cache finds it. Who makes a response out of another one hands
/// it on, or the answer is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachePolicy {
    /// It is about today.
    pub until_midnight: bool,
    /// It is about what goes on.
    pub until_an_event_ends: bool,
    /// It tells the texts of these events, or was found by them.
    pub texts: EventDependencies,
}

impl CachePolicy {
    /// It has nothing to do with today.
    pub const LASTING: Self = Self {
        until_midnight: false,
        until_an_event_ends: false,
        texts: EventDependencies::All,
    };
    /// Nor does it tell any text of an event.
    pub const WITHOUT_EVENTS: Self = Self {
        texts: EventDependencies::NONE,
        ..Self::LASTING
    };
    /// Until the site's day ends.
    pub const TODAY: Self = Self {
        until_midnight: true,
        ..Self::LASTING
    };

    /// That of an answer which was made of such a date. None where it is about this very moment.
    pub fn of(cache_lifetime: CacheLifetime) -> Option<Self> {
        match cache_lifetime {
            CacheLifetime::Unlimited => Some(Self::LASTING),
            CacheLifetime::UntilMidnight => Some(Self::TODAY),
            CacheLifetime::Uncacheable => None,
        }
    }

    /// The same of an answer that tells the texts of these events and was found without.
    #[must_use]
    pub fn telling(self, texts: EventDependencies) -> Self {
        Self { texts, ..self }
    }
}
