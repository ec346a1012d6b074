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
        Writable, WritableLinkedResource, WriteContext, apply_linked_resource, name_reuse,
        publication::{self, Authorship, Publication},
        venue as service,
    },
    store::{
        Transaction,
        entity::{event_venue, venue},
        locks,
        publishable::{Key, PublishableRow},
    },
    views::{list::VenueList, venue::VenueView},
};

/// The endpoints of venues.
pub struct VenuesApi;

#[OpenApi(prefix_path = "/calendar/events/v1", tag = "Tag::Venues")]
impl VenuesApi {
    /// List venues
    ///
    /// Venues by their publication, newest first, then by ID, highest first. Filters combine with AND. Only published
    /// venues are listed, unless `status` asks for others, which needs credentials.
    #[oai(path = "/venues", method = "get", operation_id = "listVenues")]
    async fn list(&self, reader: Reader, params: Params<LinkedResourceQuery>) -> Result<Listed<VenueList>, Problem> {
        linked_resources::list::<event_venue::Entity, _>(&reader, params.query, params.errors).await
    }

    /// Create a venue
    ///
    /// The name is enough; another venue may have the same one. With coordinates, its events are found by place. A
    /// venue can also be created together with its event, inside of it.
    #[oai(path = "/venues", method = "post", operation_id = "createVenue")]
    async fn create(&self, writer: Writer, body: Create<VenuePayload>) -> Result<Created<VenueView>, Problem> {
        publishable::create::<venue::Entity>(&writer, body).await
    }

    /// Get a venue
    ///
    /// A venue that is not published is answered with 403, and one in the trash with 410, unless you have the
    /// right to it.
    #[oai(path = "/venues/:id", method = "get", operation_id = "getVenue")]
    async fn read(
        &self,
        reader: Reader,
        /// ID of the venue.
        id: IdInPath,
    ) -> Result<Found<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, id.into()).await
    }

    /// Update a venue
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. With a `status` other than `trash` it comes back from the trash. With `If-Match` it changes only what
    /// you have seen.
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
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. A second deletion is answered with
    /// 410. Events keep their link to it, and show it again when it is back.
    #[oai(path = "/venues/:id", method = "delete", operation_id = "deleteVenue")]
    async fn delete(
        &self,
        writer: Writer,
        /// ID of the venue.
        id: IdInPath,
    ) -> Result<Deleted<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, id.into()).await
    }

    /// Get a venue by its slug
    ///
    /// The same as by ID, for who knows the venue by the name in its public URL. What is in the trash is found
    /// by its ID alone.
    #[oai(path = "/venues/by-slug/:slug", method = "get", operation_id = "getVenueBySlug")]
    async fn read_by_slug(
        &self,
        reader: Reader,
        /// Slug of the venue.
        slug: SlugInPath,
    ) -> Result<FoundBySlug<VenueView>, Problem> {
        publishable::read::<venue::Entity, _>(&reader, slug.into()).await
    }

    /// Update a venue by its slug
    ///
    /// Changes the fields that are given and keeps the others; `null` clears a field. POST, PUT and PATCH do the
    /// same. A `slug` in the body is the new one. With `If-Match` it changes only what you have seen.
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
    /// It goes to the trash: it is in no list any more, and its slug is free for others. Whoever may delete it can
    /// still read it by its ID, and bring it back by an update of its `status`. Events keep their link to it, and
    /// show it again when it is back.
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
    ) -> Result<DeletedBySlug<VenueView>, Problem> {
        publishable::delete::<venue::Entity, _>(&writer, slug.into()).await
    }
}

/// The fields of a venue.
#[derive(Clone, Debug, Default, PartialEq, Parameters)]
pub struct VenuePayload {
    #[param(flatten)]
    pub authorship: Authorship,
    /// Name in plain text, 1 to 200 characters. Markup is removed.
    #[param(required, example = "City Hall")]
    pub venue: MaybeUndefined<Title>,
    #[param(nullable, example = "<p>By the north entrance.</p>")]
    pub description: MaybeUndefined<Html>,
    #[param(example = "publish")]
    pub status: MaybeUndefined<StatusName>,
    /// Whether its page shows a map, as the text `true` or `false`. A boolean is accepted too. `true` on create, and
    /// where it is cleared.
    #[param(nullable, example = "true")]
    pub show_map: MaybeUndefined<TextBool>,
    /// Whether its page links to a map, as the text `true` or `false`. A boolean is accepted too. `true` on create, and
    /// where it is cleared.
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
    /// Postal code. Leading zeros stay.
    #[param(nullable, example = "10969")]
    pub zip: MaybeUndefined<Line>,
    /// Phone number, as people would write it.
    #[param(nullable, example = "+49 30 123456")]
    pub phone: MaybeUndefined<Line>,
    /// State or province, whichever fits: it sets `state` if the country is the United States or absent, else
    /// `province`. Where that one is given itself, this one is ignored.
    #[param(nullable, example = "Brandenburg")]
    pub stateprovince: MaybeUndefined<Line>,
    /// URL of its own site, `http` or `https`, or empty.
    #[param(nullable, example = "https://example.org")]
    pub website: MaybeUndefined<WebAddress>,
    #[param(nullable, example = "https://example.org/images/house.jpg")]
    pub image: MaybeUndefined<ImageReference>,
    /// Latitude in decimal degrees, north positive. Give `geo_lng` with it; the `geoloc` filters go by the two.
    #[param(
        shared_nullable("Latitude", "Degrees north of the equator, or null for no place."),
        example = 52.52
    )]
    pub geo_lat: MaybeUndefined<Number<-90, 90>>,
    /// Longitude in decimal degrees, east positive. Give `geo_lat` with it.
    #[param(
        shared_nullable("Longitude", "Degrees east of Greenwich, or null for no place."),
        example = 13.405
    )]
    pub geo_lng: MaybeUndefined<Number<-180, 180>>,
    #[param(example = "city-hall")]
    pub slug: MaybeUndefined<Slug>,
}

impl Payload for VenuePayload {
    const NAME: &'static str = "Venue";
    const CREATE: &'static str = "A new venue. Unknown and read-only fields are ignored.";
    const UPDATE: &'static str = "Changes to a venue. A field that is absent stays; `null` or an empty string clears it, but the name, \
         `venue`, and the dates can't be cleared. Unknown and read-only fields are ignored, so a venue can be sent \
         back as it was read.";
}

impl NestedPayload for VenuePayload {
    const KIND: Kind = Kind::Venue;
    const NESTED: &'static str = "A venue inside an event. With `id` it is that venue, and other fields are ignored; without, `venue` is \
         required, and a venue that agrees in all given fields is taken before a new one is created.";
    const REFERENCE: &'static str = "A venue of an event, by its ID or by data. 0 and an empty object are none.";

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
        let is_on_map_as_before = |payload: &VenuePayload| {
            payload.status.is_undefined() && payload.geo_lat.is_undefined() && payload.geo_lng.is_undefined()
        };
        // No event links to a new venue.
        if key.is_some() && !payload.is_some_and(is_on_map_as_before) {
            locks::category_tree(transaction).await?;
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

    async fn save_links(_context: &WriteContext<'_>, _id: i64, (): ()) -> Result<bool, Problem> {
        Ok(false)
    }
}

impl WritableLinkedResource for venue::Entity {
    fn set_columns(row: &mut venue::Model, payload: VenuePayload) -> Publication {
        // Taken apart, so that no field can be forgotten here.
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
        } = payload;
        let (state_is_open, province_is_open) = (state.is_undefined(), province.is_undefined());
        for (field, place) in [
            (address, &mut row.address),
            (city, &mut row.city),
            (country, &mut row.country),
            (province, &mut row.province),
            (state, &mut row.state),
            (zip, &mut row.zip),
            (phone, &mut row.phone),
        ] {
            field.map_value(String::from).apply_to(place);
        }
        website.map_value(String::from).apply_to(&mut row.website);
        service::apply_state_or_province(row, stateprovince, state_is_open, province_is_open);
        geo_lat.map_value(|degrees| degrees.0).update_to(&mut row.geo_lat);
        geo_lng.map_value(|degrees| degrees.0).update_to(&mut row.geo_lng);
        for (field, place) in [(show_map, &mut row.show_map), (show_map_link, &mut row.show_map_link)] {
            // Cleared, it is what it is by default.
            match field {
                MaybeUndefined::Undefined => {}
                MaybeUndefined::Null => *place = true,
                MaybeUndefined::Value(flag) => *place = flag.0,
            }
        }
        Publication {
            authorship,
            title: venue,
            description,
            slug,
            status,
            image,
        }
    }

    fn derive(row: &mut venue::Model) {
        service::derive(row);
    }
}
