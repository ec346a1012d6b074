//! The fields that the representations of events, venues and organizers share.

use std::collections::HashMap;

use poem_openapi::Object;
use serde::Serialize;

use super::{ROOT, dates::format_instant, image::ImageView};
use crate::{
    auth::Caller,
    calendar::{Kind, date::instant_at, slug::encoded, status},
    error::Problem,
    response::Nullable,
    store::{
        Publishable, Snapshot, images,
        publishable::{CommonColumns, ExternalId},
    },
};

/// The common fields of events, venues and organizers.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct PublishableView {
    /// The ID, unique among objects of the same type and never reused.
    pub id: i64,
    /// An ID that is unique across sites: host, type and ID, such as `example.org?event=5`.
    pub global_id: String,
    /// The global IDs that the object has had; always just its current one.
    pub global_id_lineage: Vec<String>,
    /// ID of the author; null if that user has been removed.
    pub author: Nullable<i64>,
    /// `publish`, `draft`, `pending` (awaits review), `private`, `future` (published from its date on) or `trash`.
    /// Readers without further permissions see only `publish`.
    pub status: String,
    /// Publication in the site's time zone, `YYYY-MM-DD HH:MM:SS`.
    pub date: String,
    /// Publication in UTC, `YYYY-MM-DD HH:MM:SS`.
    pub date_utc: String,
    /// Publication, RFC 3339, with the offset of the site's time zone.
    pub published_at: String,
    /// Last change in the site's time zone, `YYYY-MM-DD HH:MM:SS`.
    pub modified: String,
    /// Last change in UTC, `YYYY-MM-DD HH:MM:SS`.
    pub modified_utc: String,
    /// Last change, RFC 3339, with the offset of the site's time zone.
    pub modified_at: String,
    /// The URL of the public page, for people.
    pub url: String,
    /// The URL in this interface, for programs.
    pub rest_url: String,
    /// The name in the public URL, unique among objects of the same type outside the trash.
    pub slug: String,
    /// The featured image; null if there is none.
    pub image: Nullable<ImageView>,
    /// Sanitised HTML; empty if there is none.
    pub description: String,
    /// The name of another system in which the object has the ID `external_id`; null if it has none.
    pub external_source: Nullable<String>,
    /// The ID of the object in the system `external_source`; null if it has none.
    pub external_id: Nullable<String>,
}

/// The images of rows, by ID.
pub(crate) type Images = HashMap<i64, ImageView>;

/// The images with these IDs.
pub(crate) async fn images(
    caller: &Caller,
    snapshot: &Snapshot,
    ids: impl Iterator<Item = Option<i64>>,
) -> Result<Images, Problem> {
    let cache = &caller.almanac.shared_views.images;
    let version = snapshot.list_version();
    let base = &caller.address.base;
    let (known, mut missing) = cache.split(version, ids.flatten());
    let mut images: Images = known.into_iter().map(|(id, image)| (id, image.at(base))).collect();
    missing.sort_unstable();
    missing.dedup();
    for (id, image) in images::find_all(snapshot, &missing).await? {
        let bytes = image.url.len();
        let image = ImageView::from(&image);
        cache.insert(version, id, image.clone(), bytes);
        images.insert(id, image.at(base));
    }
    Ok(images)
}

/// The representation of the common columns.
pub(crate) fn represent<E: Publishable>(caller: &Caller, columns: CommonColumns, images: &Images) -> PublishableView {
    let site = &caller.almanac.settings.site.zone;
    let published = instant_at(columns.published_at);
    let format_at_site = |instant| format_instant(instant, site.to_local(instant));
    let published_at = format_at_site(published);
    let modified_at = format_at_site(instant_at(columns.modified_at));
    let (external_source, external_id) = columns.external.map(|ExternalId { source, id }| (source, id)).unzip();
    let global_id = format!("{}?{}={}", caller.address.host(), E::KIND.name(), columns.id);
    PublishableView {
        id: columns.id,
        global_id_lineage: vec![global_id.clone()],
        global_id,
        author: columns.author_id.into(),
        status: status::effective(columns.status, published, caller.now)
            .as_str()
            .to_owned(),
        date: published_at.local,
        date_utc: published_at.utc,
        published_at: published_at.rfc3339,
        modified: modified_at.local,
        modified_utc: modified_at.utc,
        modified_at: modified_at.rfc3339,
        url: page_url(caller, E::KIND, &columns.slug),
        rest_url: rest_url(caller, E::KIND, columns.id),
        slug: columns.slug,
        image: columns.image_id.and_then(|id| images.get(&id).cloned()).into(),
        description: columns.description,
        external_source: external_source.into(),
        external_id: external_id.into(),
    }
}

/// The URL of the public page of an object. That of a category or tag is the list of its events.
pub(crate) fn page_url(caller: &Caller, kind: Kind, slug: &str) -> String {
    let folder = if kind.is_term() { "/events" } else { "" };
    format!("{}{folder}/{}/{}", caller.address.base, kind.name(), encoded(slug))
}

/// The URL of a collection in this interface.
pub(crate) fn collection_url(caller: &Caller, kind: Kind) -> String {
    format!("{}{ROOT}/{}", caller.address.base, kind.plural())
}

/// The URL of an object in this interface.
pub(crate) fn rest_url(caller: &Caller, kind: Kind, id: i64) -> String {
    format!("{}/{id}", collection_url(caller, kind))
}
