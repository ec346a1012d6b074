//! JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>).

use serde::Serialize;

use super::{events::FeedEvent, feed::Feed, item::Item};
use crate::calendar::date::format_utc;

pub(super) const MEDIA_TYPE: &str = "application/feed+json; charset=utf-8";

/// A feed.
#[derive(Serialize)]
struct JsonFeed<'a> {
    version: &'static str,
    title: &'a str,
    description: &'a str,
    home_page_url: &'a str,
    feed_url: &'a str,
    items: Vec<JsonItem<'a>>,
}

/// An item.
#[derive(Serialize)]
struct JsonItem<'a> {
    id: &'a str,
    url: &'a str,
    title: &'a str,
    content_html: &'a str,
    summary: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    date_published: String,
    date_modified: String,
    authors: Vec<Author<'a>>,
    tags: &'a [&'a str],
    _event: EventExtension<'a>,
}

#[derive(Serialize)]
struct Author<'a> {
    name: &'a str,
}

/// The event of an item, as an extension: its name begins with an underscore.
#[derive(Serialize)]
struct EventExtension<'a> {
    id: i64,
    /// RFC 3339.
    starts_at: &'a str,
    ends_at: &'a str,
    all_day: bool,
    timezone: &'a str,
    event_status: &'a str,
    location: Option<&'a str>,
}

/// Writes a feed.
pub(super) fn write(feed: &Feed, items: &[Item<'_>]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: &feed.title,
        description: &feed.description,
        home_page_url: &feed.page_url,
        feed_url: &feed.url,
        items: items.iter().map(json_item).collect(),
    })
}

fn json_item<'a>(item: &'a Item<'_>) -> JsonItem<'a> {
    let FeedEvent { row, url, linked: _ } = item.event;
    JsonItem {
        id: &item.urn,
        url,
        title: &item.title,
        content_html: &item.html,
        summary: &item.summary,
        image: item.image,
        date_published: format_utc(item.published),
        date_modified: format_utc(item.modified),
        authors: item.authors.iter().map(|name| Author { name }).collect(),
        tags: &item.categories,
        _event: EventExtension {
            id: row.id,
            starts_at: &item.starts_at,
            ends_at: &item.ends_at,
            all_day: row.all_day,
            timezone: &item.timezone,
            event_status: item.event_status.as_str(),
            location: item.location.as_deref(),
        },
    }
}
