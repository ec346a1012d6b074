//! RSS 2.0 (<https://www.rssboard.org/rss-specification>), with the event module of RSS 1.0
//! (<https://web.resource.org/rss/1.0/modules/event/>).

use chrono::{DateTime, Utc};
use quick_xml::Result;

use super::{feed::Feed, item::Item};
use crate::{calendar::date::instant_at, response::xml::XmlDocument};

pub(super) const MEDIA_TYPE: &str = "application/rss+xml; charset=utf-8";

/// How long readers may keep the feed, in minutes.
const TIME_TO_LIVE: &str = "60";

const NAMESPACES: [(&str, &str); 4] = [
    ("version", "2.0"),
    ("xmlns:atom", "http://www.w3.org/2005/Atom"),
    ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
    ("xmlns:ev", "http://purl.org/rss/1.0/modules/event/"),
];

/// Writes a feed.
pub(super) fn write(feed: &Feed, items: &[Item<'_>]) -> Result<Vec<u8>> {
    XmlDocument::write("rss", &NAMESPACES, |rss| {
        rss.element("channel", &[], |channel| {
            channel.text("title", &[], &feed.title)?;
            channel.text("link", &[], &feed.page_url)?;
            channel.text("description", &[], &feed.description)?;
            let itself = [
                ("href", feed.url.as_str()),
                ("rel", "self"),
                ("type", "application/rss+xml"),
            ];
            channel.empty("atom:link", &itself)?;
            channel.text("lastBuildDate", &[], &date(instant_at(feed.changed_at)))?;
            channel.text("ttl", &[], TIME_TO_LIVE)?;
            items.iter().try_for_each(|item| write_item(channel, item))
        })
    })
}

fn write_item(channel: &mut XmlDocument, item: &Item<'_>) -> Result<()> {
    channel.element("item", &[], |element| {
        element.text("title", &[], &item.title)?;
        element.text("link", &[], &item.event.url)?;
        element.text("guid", &[("isPermaLink", "false")], &item.urn)?;
        element.text("pubDate", &[], &date(item.published))?;
        for category in &item.categories {
            element.text("category", &[], category)?;
        }
        element.text("description", &[], &item.summary)?;
        element.text("content:encoded", &[], &item.html)?;
        element.text("ev:startdate", &[], &item.starts_at)?;
        element.text("ev:enddate", &[], &item.ends_at)?;
        if let Some(location) = &item.location {
            element.text("ev:location", &[], location)?;
        }
        for author in &item.authors {
            element.text("ev:organizer", &[], author)?;
        }
        Ok(())
    })
}

/// RFC 822, with a year of four digits.
fn date(instant: DateTime<Utc>) -> String {
    instant.to_rfc2822()
}
