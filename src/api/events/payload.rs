//! The payload of events.

use almanac_derive::Parameters;
use poem_openapi::registry::MetaSchema;
use serde_json::json;

use crate::{
    api::{organizers::OrganizerPayload, venues::VenuePayload},
    calendar::date::DateTimeInput,
    extract::{
        JsonObject, MaybeUndefined, Payload,
        choice::{EventStatusName, StatusName},
        image::ImageReference,
        lenient_bool::LenientBool,
        linked_references::LinkedReferences,
        number::{Id, integer_list_schema},
        recurrence::RecurrenceLines,
        references::{MAX_ITEMS, TermReferences},
        text::{CostInput, Html, Slug, Title, WebAddress, ZoneName},
    },
    services::{
        external_id::{External, IdentifiedPayload},
        publication::Authorship,
    },
    views::event::EventView,
};

/// The fields of an event.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct EventPayload {
    #[param(flatten)]
    pub authorship: Authorship,
    /// Title in plain text, 1 to 200 characters. Markup is removed; a single `<`, as in `A < B`, is kept.
    #[param(required, example = "Spring concert")]
    pub title: MaybeUndefined<Title>,
    #[param(example = "<p>Doors open at seven.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(example = "spring-concert")]
    pub slug: MaybeUndefined<Slug>,
    /// Summary in HTML, up to 100,000 characters, sanitised like `description`.
    #[param(example = "<p>Two hours of chamber music.</p>")]
    pub excerpt: MaybeUndefined<Html>,
    #[param(example = "publish")]
    pub status: MaybeUndefined<StatusName>,
    /// Time zone of the event: an IANA name in any letter case, or an offset from UTC of up to 14 hours, such as
    /// `UTC+2`, `UTC-5:30`, `UTC+5.5` or `+05:30`. Default on create: the site's time zone. An update of this field
    /// alone keeps the local times. When the rules of a zone change, events keep their local times, and their UTC times
    /// are recalculated.
    #[param(example = "Europe/Berlin")]
    pub timezone: MaybeUndefined<ZoneName>,
    /// Whether the event lasts all day. `true` sets the times to 00:00:00 and 23:59:59 local time; in an update,
    /// `false` keeps them.
    #[param(default = false, example = false)]
    pub all_day: MaybeUndefined<LenientBool>,
    /// Start in the event's time zone. Formats: `2027-03-01`, `2027-03-01 09:00`, `2027-03-01 09:00:00`, slashes
    /// instead of hyphens, `T` instead of the space; RFC 3339 with `Z` or an offset, which is converted; or relative to
    /// today, such as `tomorrow 9am` or `next monday`. Expressions that name no day, such as `now` or `+1 day`, return
    /// 400. When clocks go forward, a skipped time is moved by the length of the gap; when they go back, an ambiguous
    /// time is the first of the two. An update of this field alone keeps `end_date`.
    #[param(required, example = "2027-05-07 19:30:00")]
    pub start_date: MaybeUndefined<DateTimeInput>,
    /// End in the event's time zone, not before `start_date`, and in the same formats. An update of this field alone
    /// keeps `start_date`.
    #[param(required, example = "2027-05-07 22:00:00")]
    pub end_date: MaybeUndefined<DateTimeInput>,
    #[param(example = "https://example.org/images/spring.jpg")]
    pub image: MaybeUndefined<ImageReference>,
    /// Price: a string, a number, or a list of them. A last separator with one or two digits after it is the decimal
    /// separator, others separate thousands: `$1,000.00`, `10,50 €`. A range is written `£10 – £20` or `[10, 20]`. An
    /// ISO code, `£`, `€` or `¥` determines the currency. `Free` and `0` are distinct values.
    #[param(example = "€12.50")]
    pub cost: MaybeUndefined<CostInput>,
    /// URL of the event's own website, `http` or `https`, or empty.
    #[param(untyped, nullable, example = "https://example.org/spring-concert")]
    pub website: MaybeUndefined<WebAddress>,
    /// Whether the event's page shows a map of the venue. Default on create: `false`.
    #[param(example = true)]
    pub show_map: MaybeUndefined<LenientBool>,
    /// Whether the event's page links to a map of the venue. Default on create: `false`.
    #[param(example = true)]
    pub show_map_link: MaybeUndefined<LenientBool>,
    /// Whether to hide the event from lists. It can still be read by ID or slug, and listed with `include`.
    #[param(example = false)]
    pub hide_from_listings: MaybeUndefined<LenientBool>,
    /// Whether to pin the event in calendar views. The order of lists is unaffected.
    #[param(example = false)]
    pub sticky: MaybeUndefined<LenientBool>,
    /// Whether the event is featured. Lists can be filtered by this field.
    #[param(example = true)]
    pub featured: MaybeUndefined<LenientBool>,
    /// Categories: IDs, slugs or names, as one value, a list, or a string with commas. Digits are read as an ID first;
    /// an unknown ID returns 400. An unknown name creates a category if you are an editor or administrator; otherwise
    /// it returns 403. In an update, the list replaces the previous one. Objects with `id`, as in responses, are
    /// accepted too.
    #[param(nullable, schema_in(B, list_of_ids), example = json!([1]))]
    pub categories: MaybeUndefined<TermReferences>,
    /// Tags: IDs, slugs or names, as one value, a list, or a string with commas. Digits are read as an ID first; an
    /// unknown ID returns 400. An unknown name creates a tag if you are an editor or administrator; otherwise it
    /// returns 403. In an update, the list replaces the previous one. Objects with `id`, as in responses, are accepted
    /// too.
    #[param(nullable, schema_in(B, list_of_ids), example = json!([1]))]
    pub tags: MaybeUndefined<TermReferences>,
    /// Venues: IDs or nested objects, as one value or a list. An object with `id` links that venue without changing it.
    /// An object without `id` links a published venue, or one of yours, whose name and given fields match; if there is
    /// none, it creates a venue with the event's status. In an update, the list replaces the previous one.
    #[param(nullable, example = json!([{"venue": "City Hall", "city": "Berlin", "country": "Germany"}]))]
    pub venue: MaybeUndefined<LinkedReferences<VenuePayload>>,
    /// Organizers: IDs or nested objects, as one value or a list. An object with `id` links that organizer without
    /// changing it. An object without `id` links a published organizer, or one of yours, whose name and given fields
    /// match; if there is none, it creates an organizer with the event's status. In an update, the list replaces the
    /// previous one.
    #[param(nullable, example = json!([{"organizer": "City Orchestra", "email": "office@example.org"}]))]
    pub organizer: MaybeUndefined<LinkedReferences<OrganizerPayload>>,
    /// ID of the object that the event belongs to, such as the first event of a series. Not validated.
    #[param(
        shared_nullable("PostParent", "ID of the object that an event belongs to, or null if there is none."),
        example = 1
    )]
    pub post_parent: MaybeUndefined<Id>,
    /// Whether the event has tickets.
    #[param(example = true)]
    pub ticketed: MaybeUndefined<LenientBool>,
    /// Your own data as a JSON object, stored with the event and visible to all its readers.
    #[param(shared("CustomFields", "Custom data of an event: a JSON object with any members."), example = json!({"dress_code": "casual"}))]
    pub custom_fields: MaybeUndefined<JsonObject>,
    /// Whether the event takes place as planned: `scheduled`, `canceled`, `postponed` to a date that is not yet known,
    /// or `moved_online`. It stays in lists, and its public page shows the status. Default on create: `scheduled`.
    #[param(example = "scheduled")]
    pub event_status: MaybeUndefined<EventStatusName>,
    /// Rule of a series (RFC 5545): at most one `RRULE` line, and `RDATE` and `EXDATE` lines, as a list or as one text.
    /// `start_date` and `end_date` are those of the first event, which the rule has to generate. Times without `Z` are
    /// in the event's time zone: an event at 19:00 stays at 19:00 when clocks change. At most 1,000 events; if the rule
    /// has no end, those of the next two years (or as configured) are created now, and the others later. In an update of
    /// an event without a series, the event becomes the first one of a series. In an update of an event of a series, a
    /// change requires `scope=following` or `scope=all`; events keep their IDs if the new rule has their start or their
    /// day, and others go to the trash. `null` with `scope=all` keeps this event alone.
    #[param(nullable, example = json!(["RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=10"]))]
    pub recurrence: MaybeUndefined<RecurrenceLines>,
    #[param(flatten)]
    pub external: External,
}

/// The schema in variant B: a list of IDs, although slugs, names and objects are accepted too.
fn list_of_ids(_schema: MetaSchema) -> MetaSchema {
    MetaSchema {
        max_items: Some(MAX_ITEMS),
        ..integer_list_schema(1)
    }
}

impl Payload for EventPayload {
    type Representation = EventView;

    const NAME: &'static str = "Event";
    const CREATE: &'static str = "A new event with its categories, tags, venues and organizers. On any error, nothing \
        is stored. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to an event. Absent fields keep their values; `null` or an empty string \
         clears a field, but the title and dates can't be cleared. Unknown and read-only fields are ignored, so the \
         representation of an event can be sent back unchanged.";
    const UPDATES_HAVE_PARAMETERS: bool = true;
}

impl IdentifiedPayload for EventPayload {
    fn external(&mut self) -> &mut External {
        &mut self.external
    }

    fn status(&self) -> &MaybeUndefined<StatusName> {
        &self.status
    }
}
