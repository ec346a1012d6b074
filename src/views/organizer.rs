//! Organizers.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Detail, Represented,
    publishable::{self, Images, PublishableView},
    venue::non_empty,
};
use crate::{
    auth::Caller,
    error::Problem,
    extract::{JsonObject, selectable},
    response::{Nullable, Representation},
    store::{Snapshot, entity::organizer, publishable::PublishableRow},
};

/// An organizer of events. Every field is always present; unknown texts are empty.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Organizer")]
pub(crate) struct OrganizerView {
    #[oai(flatten)]
    #[serde(flatten)]
    pub common: PublishableView,
    /// The name, in plain text.
    pub organizer: String,
    /// Phone number.
    pub phone: String,
    /// The URL of its website; empty if it has none.
    pub website: String,
    /// Email address.
    pub email: String,
    /// The organizer as a schema.org Organization; null in lists and inside events.
    pub json_ld: Nullable<JsonObject>,
}

impl Representation for OrganizerView {}

selectable!(OrganizerView, "id", "organizer");

impl Represented for organizer::Entity {
    type View = OrganizerView;

    async fn represent(
        caller: &Caller,
        snapshot: &Snapshot,
        rows: Vec<organizer::Model>,
        detail: Detail,
    ) -> Result<Vec<OrganizerView>, Problem> {
        let images = publishable::images(caller, snapshot, rows.iter().map(|row| row.image_id)).await?;
        Ok(rows
            .into_iter()
            .map(|row| represent(caller, row, &images, detail))
            .collect())
    }
}

/// The representation of one organizer.
pub(crate) fn represent(caller: &Caller, row: organizer::Model, images: &Images, detail: Detail) -> OrganizerView {
    let common = publishable::represent::<organizer::Entity>(caller, row.common_columns(), images);
    let json_ld = (detail == Detail::Single).then(|| {
        let mut organization = organization(&row, &common.url);
        organization.insert("@context".to_owned(), "https://schema.org".into());
        JsonObject(organization)
    });
    OrganizerView {
        common,
        organizer: row.title,
        phone: row.phone,
        website: row.website,
        email: row.email,
        json_ld: json_ld.into(),
    }
}

/// The organizer as a schema.org Organization, without empty members. Its URL is its website, or else its page.
pub(crate) fn organization(row: &organizer::Model, page_url: &str) -> Map<String, Value> {
    let url = match row.website.as_str() {
        "" => page_url,
        website => website,
    };
    let mut organization = Map::new();
    organization.insert("@type".to_owned(), "Organization".into());
    organization.extend(non_empty([
        ("name", &row.title),
        ("description", &row.description_text().into_owned()),
        ("telephone", &row.phone),
        ("email", &row.email),
        ("url", &url.to_owned()),
        ("sameAs", &row.website),
    ]));
    organization
}
