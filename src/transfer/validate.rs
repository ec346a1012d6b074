//! Checks of the rows of a file. The file may come from anywhere.

use sea_orm::DbErr;

use crate::{
    auth::Role,
    calendar::{event_status::EventStatus, status::Status},
    store::{
        entity::{category, event, image, organizer, series, tag, user, venue},
        series::Series,
    },
};

/// The longest slug, title, name of a time zone and UID, in bytes. Those that requests and imports may have are shorter.
const MAX_SLUG: usize = 255;
const MAX_TITLE: usize = 1024;
const MAX_ZONE: usize = 64;
const MAX_UID: usize = 1024;
/// The longest ID in another system, and name of the system, in characters. Requests have the same limit.
const MAX_EXTERNAL: usize = 255;

/// The columns of events, venues and organizers that have the same rules.
struct Publication<'a> {
    id: i64,
    version: i64,
    status: &'a str,
    trashed_status: Option<&'a str>,
    slug: &'a str,
    title: &'a str,
    external_source: Option<&'a str>,
    external_id: Option<&'a str>,
}

macro_rules! publication {
    ($row:expr) => {
        Publication {
            id: $row.id,
            version: $row.version,
            status: &$row.status,
            trashed_status: $row.trashed_status.as_deref(),
            slug: &$row.slug,
            title: &$row.title,
            external_source: $row.external_source.as_deref(),
            external_id: $row.external_id.as_deref(),
        }
    };
}

pub(super) fn user(row: &user::Model, errors: &mut Vec<String>) {
    check_id(row.id, errors);
    let is_known = Role::ALL.iter().any(|role| role.name() == row.role);
    check(
        is_known,
        "the member role must be the name of a role, such as editor",
        errors,
    );
    let is_name = !row.name.is_empty() && !row.name.contains(|letter: char| letter == ':' || letter.is_control());
    check(is_name, "the member name must be a login name, without a colon", errors);
}

pub(super) fn image(row: &image::Model, errors: &mut Vec<String>) {
    check_id(row.id, errors);
    check(!row.url.is_empty(), "the member url must not be empty", errors);
}

pub(super) fn category(row: &category::Model, errors: &mut Vec<String>) {
    check_term(row.id, row.version, &row.slug, &row.name, errors);
    check(
        row.parent >= 0,
        "the member parent must be the ID of a category, or 0",
        errors,
    );
}

pub(super) fn tag(row: &tag::Model, errors: &mut Vec<String>) {
    check_term(row.id, row.version, &row.slug, &row.name, errors);
}

pub(super) fn venue(row: &venue::Model, errors: &mut Vec<String>) {
    check_publication(&publication!(row), errors);
    let is_in = |degrees: Option<f64>, limit: f64| degrees.is_none_or(|degrees| degrees.abs() <= limit);
    check(
        is_in(row.geo_lat, 90.0),
        "the member geo_lat must be from -90 to 90",
        errors,
    );
    check(
        is_in(row.geo_lng, 180.0),
        "the member geo_lng must be from -180 to 180",
        errors,
    );
}

pub(super) fn organizer(row: &organizer::Model, errors: &mut Vec<String>) {
    check_publication(&publication!(row), errors);
}

pub(super) fn series(row: &series::Model, errors: &mut Vec<String>) {
    check_id(row.id, errors);
    check_version(row.version, errors);
    check_statuses(&row.status, row.trashed_status.as_deref(), errors);
    check(row.duration >= 0, "the member duration must not be negative", errors);
    // Time zone, rule and shared fields.
    match Series::of(row.clone()) {
        Ok(_) => {}
        Err(DbErr::Custom(error)) => errors.push(error),
        Err(error) => errors.push(error.to_string()),
    }
}

pub(super) fn event(row: &event::Model, errors: &mut Vec<String>) {
    check_publication(&publication!(row), errors);
    let is_uid = |uid: &String| !uid.is_empty() && uid.len() <= MAX_UID;
    check(
        row.uid.as_ref().is_none_or(is_uid),
        "the member uid must be null, or not be empty and have at most 1024 bytes",
        errors,
    );
    let is_zone = !row.timezone.is_empty() && row.timezone.len() <= MAX_ZONE;
    check(is_zone, "the member timezone must be the name of a time zone", errors);
    let is_known = EventStatus::ALL
        .iter()
        .any(|status| status.as_str() == row.event_status);
    check(
        is_known,
        "the member event_status must be the name of a status, such as scheduled",
        errors,
    );
    check(
        row.starts_at <= row.ends_at,
        "the member ends_at must not be before starts_at",
        errors,
    );
    let is_object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&row.custom_fields).is_ok();
    check(
        is_object,
        "the member custom_fields must be the text of a JSON object",
        errors,
    );
}

fn check_publication(row: &Publication<'_>, errors: &mut Vec<String>) {
    let Publication {
        id,
        version,
        status,
        trashed_status,
        slug,
        title,
        external_source,
        external_id,
    } = row;
    check_id(*id, errors);
    check_version(*version, errors);
    check_slug(slug, errors);
    check(title.len() <= MAX_TITLE, "the member title is too long", errors);
    check_statuses(status, *trashed_status, errors);
    check(
        external_source.is_some() == external_id.is_some(),
        "the members external_source and external_id must be both a text, or both null",
        errors,
    );
    let is_external =
        |text: &str| !text.is_empty() && text.chars().count() <= MAX_EXTERNAL && !text.contains(char::is_control);
    check(
        external_source.is_none_or(is_external),
        "the member external_source must have from 1 to 255 characters, and no control characters",
        errors,
    );
    check(
        external_id.is_none_or(is_external),
        "the member external_id must have from 1 to 255 characters, and no control characters",
        errors,
    );
}

fn check_statuses(status: &str, trashed_status: Option<&str>, errors: &mut Vec<String>) {
    let is_status = |status: &str| Status::ALL.iter().any(|known| known.stored() == status);
    check(
        is_status(status),
        "the member status must be publish, draft, pending, private or trash",
        errors,
    );
    check(
        trashed_status.is_none_or(is_status),
        "the member trashed_status must be a status or null",
        errors,
    );
}

fn check_term(id: i64, version: i64, slug: &str, name: &str, errors: &mut Vec<String>) {
    check_id(id, errors);
    check_version(version, errors);
    check_slug(slug, errors);
    let is_name = !name.is_empty() && name.len() <= MAX_TITLE;
    check(
        is_name,
        "the member name must not be empty, and not be too long",
        errors,
    );
}

fn check_id(id: i64, errors: &mut Vec<String>) {
    check(id > 0, "the member id must be at least 1", errors);
}

fn check_version(version: i64, errors: &mut Vec<String>) {
    check(version > 0, "the member version must be at least 1", errors);
}

fn check_slug(slug: &str, errors: &mut Vec<String>) {
    let is_slug = !slug.is_empty() && slug.len() <= MAX_SLUG && !slug.contains(char::is_control);
    check(
        is_slug,
        "the member slug must not be empty, and have at most 255 bytes",
        errors,
    );
}

fn check(is_valid: bool, error: &str, errors: &mut Vec<String>) {
    if !is_valid {
        errors.push(error.to_owned());
    }
}
