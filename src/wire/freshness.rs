//! How long an answer stays right while nothing is written.

use crate::calendar::date::Lasting;

/// What of the time an answer hangs on. That what is planned comes out, it always hangs on.
///
/// An endpoint puts it into its response, where the cache finds it. Who makes a response out of another one hands
/// it on, or the answer is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// It is about today.
    pub until_midnight: bool,
    /// It is about what goes on.
    pub until_an_event_ends: bool,
}

impl Freshness {
    /// It has nothing to do with today.
    pub const LASTING: Self = Self {
        until_midnight: false,
        until_an_event_ends: false,
    };
    /// Until the site's day ends.
    pub const TODAY: Self = Self {
        until_midnight: true,
        until_an_event_ends: false,
    };

    /// That of an answer which was made of such a date. None where it is about this very moment.
    pub fn of(lasting: Lasting) -> Option<Self> {
        match lasting {
            Lasting::Always => Some(Self::LASTING),
            Lasting::ThisDay => Some(Self::TODAY),
            Lasting::ThisMoment => None,
        }
    }
}
