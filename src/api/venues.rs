//! Venues.

use almanac_derive::Parameters;
use poem_openapi::OpenApi;
use sea_orm::DbErr;

use super::{
    Tag,
    linked_resources::{self, LinkedResourceQuery},
    publishable,
};
use crate::{
    auth::{Caller, Reader, Writer},
    calendar::Kind,
    error::Problem,
    extract::{
        ApplyTo, Create, IdInPath, MaybeUndefined, NestedPayload, Params, Payload, SlugInPath, Update,
        choice::StatusName,
        image::ImageReference,
        lenient_bool::TextBool,
        number::Number,
        text::{Html, Line, Slug, Title, WebAddress},
    },
    response::{Created, Deleted, DeletedBySlug, Found, FoundBySlug, Listed, Updated, UpdatedBySlug},
    services::{
        Writable, WritableLinkedResource, WriteContext, apply_linked_resource,
        event_references::{EventReferences, ReferencedRows},
        external_id::{External, IdentifiedPayload},
        name_reuse,
        publication::{self, Authorship, Publication},
        venue as service,
    },
    store::{
        Transaction,
        entity::{event_venue, venue},
        locks::{self, AdvisoryLock},
        publishable::{Key, PublishableRow},
    },
    views::{list::VenueList, venue::VenueView},
};

/// The endpoints of venues.
pub(crate) struct VenuesApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Venues")]
impl VenuesApi {
    /// List venues
    ///
    /// Lists venues ordered by publication date, newest first, then by ID, highest first. Filters combine with AND.
    /// Only published venues are listed, unless `status` selects others, which requires credentials.
    #[oai(path = "/venues", method = "get", operation_id = "listVenues")]
    async fn list(
        &self,
        reader: Reader,
        params: Params<LinkedResourceQuery, VenueView>,
    ) -> Result<Listed<VenueList>, Problem> {
        linked_resources::list::<event_venue::Entity, _>(&reader, params).await
    }

    /// Create a venue
    ///
    /// Only the name is required; it need not be unique. If the venue has coordinates, the `geoloc` filters find its
    /// events. A venue can also be created together with an event, nested in the event.
    #[oai(path = "/venues", method = "post", operation_id = "createVenue")]
    async fn create(&self, writer: Writer, body: Create<VenuePayload>) -> Result<Created<VenueView>, Problem> {
        publishable::create::<venue::Entity>(&writer, body).await
    }

    /// Get a venue
    ///
    /// Without permission to read it, an unpublished venue returns 403, and one in the trash 410.
    #[oai(path = "/venues/:id", method = "get", operation_id = "getVenue")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the venue.
        id: IdInPath,
        params: Params<(), VenueView>,
    ) -> Result<Found<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, id.into(), params).await
    }

    /// Update a venue
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent. A
    /// `status` other than `trash` restores the object from the trash. With `If-Match`, the update applies only to the
    /// version that you have read.
    #[oai(path = "/venues/:id", method = "post", method = "put", method = "patch")]
    async fn update(
        &self,
        writer: Writer,
        /// ID of the venue.
        id: IdInPath,
        body: Update<VenuePayload>,
    ) -> Result<Updated<VenueView>, Problem> {
        publishable::update::<venue::Entity, _>(&writer, id.into(), body).await
    }

    /// Delete a venue
    ///
    /// Moves it to the trash: lists no longer contain it, and others can use its slug. Users who may delete it can
    /// still read it by ID, and restore it by updating its `status`. A second deletion returns 410. Events keep their
    /// link to it, and show it again once it is restored.
    #[oai(path = "/venues/:id", method = "delete", operation_id = "deleteVenue")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the venue.
        id: IdInPath,
        params: Params<()>,
    ) -> Result<Deleted<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, id.into(), params).await
    }

    /// Get a venue by its slug
    ///
    /// Like the lookup by ID, but by the name in the public URL of the venue. Objects in the trash can only be found by
    /// ID.
    #[oai(path = "/venues/by-slug/:slug", method = "get", operation_id = "getVenueBySlug")]
    async fn read_by_slug(
        &self,
        reader: Reader,
        /// Slug of the venue.
        slug: SlugInPath,
        params: Params<(), VenueView>,
    ) -> Result<FoundBySlug<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, slug.into(), params).await
    }

    /// Update a venue by its slug
    ///
    /// Changes the given fields and keeps the others; `null` clears a field. POST, PUT and PATCH are equivalent. A
    /// `slug` in the body is the new slug. With `If-Match`, the update applies only to the version that you have read.
    #[oai(path = "/venues/by-slug/:slug", method = "post", method = "put", method = "patch")]
    async fn update_by_slug(
        &self,
        writer: Writer,
        /// Slug of the venue.
        slug: SlugInPath,
        body: Update<VenuePayload>,
    ) -> Result<UpdatedBySlug<VenueView>, Problem> {
        publishable::update::<venue::Entity, _>(&writer, slug.into(), body).await
    }

    /// Delete a venue by its slug
    ///
    /// Moves it to the trash: lists no longer contain it, and others can use its slug. Users who may delete it can
    /// still read it by ID, and restore it by updating its `status`. Events keep their link to it, and show it again
    /// once it is restored.
    #[oai(
        path = "/venues/by-slug/:slug",
        method = "delete",
        operation_id = "deleteVenueBySlug"
    )]
    async fn delete_by_slug(
        &self,
        writer: Writer,
        /// Slug of the venue.
        slug: SlugInPath,
        params: Params<()>,
    ) -> Result<DeletedBySlug<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, slug.into(), params).await
    }
}

/// The fields of a venue.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub(crate) struct VenuePayload {
    #[param(flatten)]
    pub authorship: Authorship,
    /// Name in plain text, 1 to 200 characters. Markup is removed.
    #[param(required, example = "City Hall")]
    pub venue: MaybeUndefined<Title>,
    #[param(nullable, example = "<p>By the north entrance.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(example = "publish")]
    pub status: MaybeUndefined<StatusName>,
    /// Whether the venue's page shows a map: the string `true` or `false`. A boolean is accepted too. Default on create
    /// and after clearing: `true`.
    #[param(nullable, example = "true")]
    pub show_map: MaybeUndefined<TextBool>,
    /// Whether the venue's page links to a map: the string `true` or `false`. A boolean is accepted too. Default on
    /// create and after clearing: `true`.
    #[param(nullable, example = "true")]
    pub show_map_link: MaybeUndefined<TextBool>,
    /// Street and number.
    #[param(nullable, example = "Lindenstraße 12")]
    pub address: MaybeUndefined<Line>,
    /// City or town.
    #[param(nullable, example = "Berlin")]
    pub city: MaybeUndefined<Line>,
    /// Name of the country.
    #[param(nullable, example = "Germany")]
    pub country: MaybeUndefined<Line>,
    /// Province or region, outside the United States.
    #[param(nullable, example = "Brandenburg")]
    pub province: MaybeUndefined<Line>,
    /// State, in the United States.
    #[param(nullable, example = "California")]
    pub state: MaybeUndefined<Line>,
    /// Postal code. Leading zeros are kept.
    #[param(nullable, example = "10969")]
    pub zip: MaybeUndefined<Line>,
    /// Phone number, in any notation.
    #[param(nullable, example = "+49 30 123456")]
    pub phone: MaybeUndefined<Line>,
    /// State or province: sets `state` if the country is the United States or absent, otherwise `province`. Ignored if
    /// that field is given itself.
    #[param(nullable, example = "Brandenburg")]
    pub stateprovince: MaybeUndefined<Line>,
    /// URL of its own website, `http` or `https`, or empty.
    #[param(nullable, example = "https://example.org")]
    pub website: MaybeUndefined<WebAddress>,
    #[param(nullable, example = "https://example.org/images/house.jpg")]
    pub image: MaybeUndefined<ImageReference>,
    /// Latitude in decimal degrees, north positive. Give `geo_lng` too; the `geoloc` filters use both.
    #[param(
        shared_nullable("Latitude", "Degrees north of the equator, or null without a position."),
        example = 52.52
    )]
    pub geo_lat: MaybeUndefined<Number<-90, 90>>,
    /// Longitude in decimal degrees, east positive. Give `geo_lat` too.
    #[param(
        shared_nullable("Longitude", "Degrees east of Greenwich, or null without a position."),
        example = 13.405
    )]
    pub geo_lng: MaybeUndefined<Number<-180, 180>>,
    #[param(example = "city-hall")]
    pub slug: MaybeUndefined<Slug>,
    #[param(flatten)]
    pub external: External,
}

impl Payload for VenuePayload {
    type Representation = VenueView;

    const NAME: &'static str = "Venue";
    const CREATE: &'static str = "A new venue. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to a venue. Absent fields keep their values; `null` or an empty string \
         clears a field, but the name, `venue`, and the dates can't be cleared. Unknown and read-only fields are \
         ignored, so the representation of a venue can be sent back unchanged.";
}

impl IdentifiedPayload for VenuePayload {
    fn external(&mut self) -> &mut External {
        &mut self.external
    }

    fn status(&self) -> &MaybeUndefined<StatusName> {
        &self.status
    }
}

impl NestedPayload for VenuePayload {
    const KIND: Kind = Kind::Venue;
    const NESTED: &'static str = "A venue nested in an event. With `id`, that venue is linked and the other fields are \
        ignored. Without it, `venue` is required; an existing venue that has the external ID or matches all given fields \
        is linked, otherwise a new one is created.";
    const REFERENCE: &'static str = "A venue of an event: its ID or a nested object. 0 and an empty object mean no \
        venue.";

    fn name(&self) -> Option<&str> {
        self.venue.value().map(|name| name.0.as_str())
    }
}

impl Writable for venue::Entity {
    type Payload = VenuePayload;
    type Links = ();

    async fn lock_before(
        transaction: &Transaction,
        key: Option<&Key>,
        payload: Option<&VenuePayload>,
    ) -> Result<(), DbErr> {
        let leaves_map_unchanged = |payload: &VenuePayload| {
            payload.status.is_undefined() && payload.geo_lat.is_undefined() && payload.geo_lng.is_undefined()
        };
        // No events link to a new venue yet.
        if key.is_some() && !payload.is_some_and(leaves_map_unchanged) {
            locks::take(transaction, [AdvisoryLock::CategoryTree]).await?;
        }
        Ok(())
    }

    fn blank(caller: &Caller) -> venue::Model {
        let mut row = venue::Model {
            show_map: true,
            show_map_link: true,
            ..venue::Model::default()
        };
        row.set_common_columns(publication::blank(caller));
        row
    }

    async fn reuse(context: &mut WriteContext<'_>, payload: &VenuePayload) -> Result<Option<venue::Model>, Problem> {
        name_reuse::reuse::<venue::Entity>(context, payload).await
    }

    async fn apply(
        context: &mut WriteContext<'_>,
        row: &mut venue::Model,
        payload: VenuePayload,
    ) -> Result<(), Problem> {
        apply_linked_resource::<venue::Entity>(context, row, payload).await
    }

    async fn save_links(_context: &WriteContext<'_>, _row: &venue::Model, (): ()) -> Result<bool, Problem> {
        Ok(false)
    }
}

impl WritableLinkedResource for venue::Entity {
    fn set_columns(row: &mut venue::Model, payload: VenuePayload) -> Publication {
        // Destructured so that the compiler reports unused fields.
        let VenuePayload {
            authorship,
            venue,
            description,
            slug,
            status,
            show_map,
            show_map_link,
            address,
            city,
            country,
            province,
            state,
            zip,
            phone,
            stateprovince,
            website,
            image,
            geo_lat,
            geo_lng,
            external,
        } = payload;
        let (state_is_undefined, province_is_undefined) = (state.is_undefined(), province.is_undefined());
        for (field, column) in [
            (address, &mut row.address),
            (city, &mut row.city),
            (country, &mut row.country),
            (province, &mut row.province),
            (state, &mut row.state),
            (zip, &mut row.zip),
            (phone, &mut row.phone),
        ] {
            field.map_value(String::from).apply_to(column);
        }
        website.map_value(String::from).apply_to(&mut row.website);
        service::apply_state_or_province(row, stateprovince, state_is_undefined, province_is_undefined);
        geo_lat.map_value(|degrees| degrees.0).update_to(&mut row.geo_lat);
        geo_lng.map_value(|degrees| degrees.0).update_to(&mut row.geo_lng);
        for (field, column) in [(show_map, &mut row.show_map), (show_map_link, &mut row.show_map_link)] {
            // Clearing restores the default.
            match field {
                MaybeUndefined::Undefined => {}
                MaybeUndefined::Null => *column = true,
                MaybeUndefined::Value(flag) => *column = flag.0,
            }
        }
        Publication {
            authorship,
            title: venue,
            description,
            slug,
            status,
            image,
            external,
        }
    }

    fn derive(row: &mut venue::Model) {
        service::derive(row);
    }

    fn referenced(references: &mut EventReferences) -> &mut ReferencedRows<Self> {
        &mut references.venues
    }
}
