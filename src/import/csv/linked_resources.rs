//! Lines with venues or organizers. A line with the name of an existing one updates it.

use super::{
    super::{
        ImportError,
        fit::Fit,
        page::{Identity, Page},
        records::{Common, OrganizerRecord, Record, VenueRecord},
    },
    RowResult, image,
    table::Row,
    website,
};
use crate::{
    calendar::{Kind, status::Status, text::fold},
    services::venue::has_states,
    store::{
        entity::{organizer, venue},
        imports,
        linked_resource::LinkedResource,
    },
};

/// Imports a line with a venue.
pub(super) async fn import_venue(page: &mut Page<'_>, row: &Row) -> Result<RowResult<i64>, ImportError> {
    let mut fit = Fit::default();
    let Some((key, name)) = name(row, "venue_name", &mut fit) else {
        return Ok(Err(vec![row.error("venue_name", "must not be empty")]));
    };
    let before: Option<VenueRecord> = known::<VenueRecord, venue::Entity>(page, Kind::Venue, &key, &name).await?;
    let mut record = before.unwrap_or_else(|| VenueRecord {
        show_map: true,
        show_map_link: true,
        ..VenueRecord::default()
    });
    set_common(&mut record.common, row, "venue_description", name, &mut fit);
    for (column, value) in [
        ("venue_country", &mut record.country),
        ("venue_city", &mut record.city),
        ("venue_zip", &mut record.zip),
        ("venue_phone", &mut record.phone),
    ] {
        if let Some(text) = row.get(column) {
            *value = fit.line(column, text);
        }
    }
    if let Some(first) = row.get("venue_address") {
        let both: Vec<&str> = [Some(first), row.filled("venue_address2")]
            .into_iter()
            .flatten()
            .filter(|line| !line.is_empty())
            .collect();
        record.address = fit.line("venue_address", &both.join(", "));
    }
    if let Some(text) = row.get("venue_state") {
        let value = fit.line("venue_state", text);
        (record.state, record.province) = match has_states(&record.country) {
            true => (value, String::new()),
            false => (String::new(), value),
        };
    }
    if let Some(text) = row.get("venue_url") {
        record.website = fit.url("venue_url", &website(text));
    }
    let identity = Identity { key: &key, id: None };
    let id = page.linked_resource(identity, record).await?;
    page.note(Kind::Venue, &key, fit.notes);
    Ok(Ok(id))
}

/// Imports a line with an organizer.
pub(super) async fn import_organizer(page: &mut Page<'_>, row: &Row) -> Result<RowResult<i64>, ImportError> {
    let mut fit = Fit::default();
    let Some((key, name)) = name(row, "organizer_name", &mut fit) else {
        return Ok(Err(vec![row.error("organizer_name", "must not be empty")]));
    };
    let before = known::<OrganizerRecord, organizer::Entity>(page, Kind::Organizer, &key, &name).await?;
    let mut record: OrganizerRecord = before.unwrap_or_default();
    set_common(&mut record.common, row, "organizer_description", name, &mut fit);
    if let Some(text) = row.get("organizer_email") {
        record.email = fit.email("organizer_email", text);
    }
    if let Some(text) = row.get("organizer_website") {
        record.website = fit.url("organizer_website", &website(text));
    }
    if let Some(text) = row.get("organizer_phone") {
        record.phone = fit.line("organizer_phone", text);
    }
    let identity = Identity { key: &key, id: None };
    let id = page.linked_resource(identity, record).await?;
    page.note(Kind::Organizer, &key, fit.notes);
    Ok(Ok(id))
}

/// The key of a line, and the name.
fn name(row: &Row, column: &str, fit: &mut Fit) -> Option<(String, String)> {
    let name = fit.title(column, row.filled(column)?);
    Some((fold(&name), name))
}

/// Finds what has this name: imported before, or created otherwise. It is the target of the line.
pub(super) async fn known<R: Record, E: LinkedResource>(
    page: &mut Page<'_>,
    kind: Kind,
    key: &str,
    name: &str,
) -> Result<Option<R>, ImportError> {
    page.load(kind, &[key.to_owned()]).await?;
    let imported = match page.target(kind, key) {
        Some(id) => page.existing::<R>(id).await?,
        None => None,
    };
    if imported.is_some() {
        return Ok(imported);
    }
    match imports::same_name::<E>(&page.transaction, name).await? {
        Some(id) => {
            page.adopt(kind, key, id);
            page.existing(id).await
        }
        None => {
            page.forget(kind, key);
            Ok(None)
        }
    }
}

/// Sets the common values of a line.
fn set_common(common: &mut Common, row: &Row, description: &str, name: String, fit: &mut Fit) {
    common.title = name;
    // The import is the last change.
    common.modified_at = None;
    if common.status.is_empty() {
        common.status = Status::Publish.as_str().to_owned();
    }
    if let Some(html) = row.get(description) {
        common.description = fit.html(description, html);
    }
    if row.get("featured_image").is_some() {
        common.image = image(row, fit);
    }
}
