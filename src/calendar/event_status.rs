//! The status of an event: scheduled, canceled, postponed or moved online.

/// Tells to what extent an event takes place as planned (<https://schema.org/EventStatusType>).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EventStatus {
    /// As planned.
    #[default]
    Scheduled,
    /// Not at all.
    Canceled,
    /// At a later date that is not yet known.
    Postponed,
    /// Online instead of at its venue.
    MovedOnline,
}

impl EventStatus {
    /// All statuses, in the order of error messages.
    pub const ALL: [Self; 4] = [Self::Scheduled, Self::Canceled, Self::Postponed, Self::MovedOnline];

    /// The name in requests, responses and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Canceled => "canceled",
            Self::Postponed => "postponed",
            Self::MovedOnline => "moved_online",
        }
    }

    /// The status with this name in the database. Names that this program does not write are treated as scheduled.
    pub(crate) fn stored(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|status| status.as_str() == name).unwrap_or_default()
    }

    /// The member of schema.org's EventStatusType.
    pub(crate) fn schema_org(self) -> &'static str {
        match self {
            Self::Scheduled => "https://schema.org/EventScheduled",
            Self::Canceled => "https://schema.org/EventCancelled",
            Self::Postponed => "https://schema.org/EventPostponed",
            Self::MovedOnline => "https://schema.org/EventMovedOnline",
        }
    }
}
