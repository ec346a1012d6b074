//! The two variants of the interface. They differ in what `openapi/` says of them, and in what the window of
//! events means.

use super::described::{
    CategoryCreate, CategoryFields, CategoryUpdate, EventCreate, EventFields, EventUpdate, GetIndex, ListCategories,
    ListEvents, ListOrganizers, ListTags, ListVenues, OrganizerCreate, OrganizerFields, OrganizerUpdate, TagCreate,
    TagFields, TagUpdate, VenueCreate, VenueFields, VenueUpdate,
};
use crate::{calendar::window::Meaning, extract::Described};

/// Variant A: ten items a page, and a window over the start of events.
pub enum A {}

/// Variant B: five items a page, more filters by date, and a window over start and end.
pub enum B {}

/// One of the variants: how it describes what comes in, and what its dates mean.
pub trait Variant: Send + Sync + Sized + 'static {
    const MEANING: Meaning;
    const NAME: VariantName;
    type GetIndex: Described<Self, Fields = GetIndex>;
    type ListEvents: Described<Self, Fields = ListEvents>;
    type ListVenues: Described<Self, Fields = ListVenues>;
    type ListOrganizers: Described<Self, Fields = ListOrganizers>;
    type ListCategories: Described<Self, Fields = ListCategories>;
    type ListTags: Described<Self, Fields = ListTags>;
    type EventCreate: Described<Self, Fields = EventFields>;
    type EventUpdate: Described<Self, Fields = EventFields>;
    type VenueCreate: Described<Self, Fields = VenueFields>;
    type VenueUpdate: Described<Self, Fields = VenueFields>;
    type OrganizerCreate: Described<Self, Fields = OrganizerFields>;
    type OrganizerUpdate: Described<Self, Fields = OrganizerFields>;
    type CategoryCreate: Described<Self, Fields = CategoryFields>;
    type CategoryUpdate: Described<Self, Fields = CategoryFields>;
    type TagCreate: Described<Self, Fields = TagFields>;
    type TagUpdate: Described<Self, Fields = TagFields>;
}

macro_rules! variant {
    ($variant:ident) => {
        impl Variant for $variant {
            const MEANING: Meaning = Meaning::$variant;
            const NAME: VariantName = VariantName::$variant;
            type GetIndex = GetIndex;
            type ListEvents = ListEvents;
            type ListVenues = ListVenues;
            type ListOrganizers = ListOrganizers;
            type ListCategories = ListCategories;
            type ListTags = ListTags;
            type EventCreate = EventCreate;
            type EventUpdate = EventUpdate;
            type VenueCreate = VenueCreate;
            type VenueUpdate = VenueUpdate;
            type OrganizerCreate = OrganizerCreate;
            type OrganizerUpdate = OrganizerUpdate;
            type CategoryCreate = CategoryCreate;
            type CategoryUpdate = CategoryUpdate;
            type TagCreate = TagCreate;
            type TagUpdate = TagUpdate;
        }
    };
}

variant!(A);
variant!(B);

/// A variant as it is chosen when the server starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum VariantName {
    A,
    B,
}
