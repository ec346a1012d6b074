//! The five kinds of resource, and their names.

/// A kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Event,
    Venue,
    Organizer,
    Category,
    Tag,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::Event, Self::Venue, Self::Organizer, Self::Category, Self::Tag];

    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Venue => "venue",
            Self::Organizer => "organizer",
            Self::Category => "category",
            Self::Tag => "tag",
        }
    }

    /// The name in paths, and of the member of list responses that has the items.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Event => "events",
            Self::Venue => "venues",
            Self::Organizer => "organizers",
            Self::Category => "categories",
            Self::Tag => "tags",
        }
    }

    /// Categories and tags are terms, by which events are classified.
    pub fn is_term(self) -> bool {
        matches!(self, Self::Category | Self::Tag)
    }

    /// The error code of a page beyond the last one.
    pub fn page_not_found(self) -> &'static str {
        match self {
            Self::Event => "event-archive-page-not-found",
            Self::Venue => "venue-archive-page-not-found",
            Self::Organizer => "organizer-archive-page-not-found",
            Self::Category | Self::Tag => "term-archive-page-not-found",
        }
    }

    /// The error code of invalid nested data.
    pub fn could_not_create(self) -> &'static str {
        match self {
            Self::Event => "could-not-create-event",
            Self::Venue => "could-not-create-venue",
            Self::Organizer => "could-not-create-organizer",
            Self::Category => "could-not-create-category",
            Self::Tag => "could-not-create-tag",
        }
    }
}
