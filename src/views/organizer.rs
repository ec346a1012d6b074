//! Organizers.

use poem_openapi::Object;
use serde::Serialize;

use super::{
    Detail, Represented, json_ld,
    publishable::{self, Images, PublishableView},
};
use crate::{
    auth::Caller,
    error::Problem,
    extract::{JsonText, selectable},
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
    pub json_ld: Nullable<JsonText>,
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
    let description = (detail == Detail::Single).then(|| row.description_text().into_owned());
    let mut view = OrganizerView {
        common,
        organizer: row.title,
        phone: row.phone,
        website: row.website,
        email: row.email,
        json_ld: Nullable(None),
    };
    if let Some(description) = description {
        let organization = Organization {
            description: &description,
            ..Organization::of(&view)
        };
        view.json_ld = Nullable(Some(json_ld::document(&organization)));
    }
    view
}

/// An organizer as a schema.org Organization, without empty members. Its URL is its website, or else its page.
#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
pub(super) struct Organization<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    /// Plain text.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub description: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    telephone: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    email: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    same_as: &'a str,
}

impl<'a> Organization<'a> {
    /// The organizer without its description.
    pub(super) fn of(organizer: &'a OrganizerView) -> Self {
        Self {
            name: &organizer.organizer,
            description: "",
            telephone: &organizer.phone,
            email: &organizer.email,
            url: match organizer.website.as_str() {
                "" => &organizer.common.url,
                website => website,
            },
            same_as: &organizer.website,
        }
    }
}
