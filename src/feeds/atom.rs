//! Atom (RFC 4287).

use quick_xml::Result;

use super::{feed::Feed, item::Item};
use crate::{
    calendar::date::{format_utc, instant_at},
    response::xml::XmlDocument,
};

pub(super) const MEDIA_TYPE: &str = "application/atom+xml; charset=utf-8";

/// Writes a feed.
pub(super) fn write(feed: &Feed, items: &[Item<'_>]) -> Result<Vec<u8>> {
    XmlDocument::write("feed", &[("xmlns", "http://www.w3.org/2005/Atom")], |document| {
        document.text("id", &[], &feed.urn())?;
        document.text("title", &[], &feed.title)?;
        document.text("subtitle", &[], &feed.description)?;
        let itself = [("rel", "self"), ("type", "application/atom+xml"), ("href", &*feed.url)];
        document.empty("link", &itself)?;
        document.empty(
            "link",
            &[
                ("rel", "alternate"),
                ("type", "text/html"),
                ("href", feed.page_url.as_str()),
            ],
        )?;
        document.text("updated", &[], &format_utc(instant_at(feed.changed_at)))?;
        // Required, since entries without organizers have no author (section 4.1.1).
        document.element("author", &[], |author| author.text("name", &[], &feed.title))?;
        document.text("generator", &[], "Almanac")?;
        items.iter().try_for_each(|item| write_entry(document, item))
    })
}

fn write_entry(document: &mut XmlDocument, item: &Item<'_>) -> Result<()> {
    document.element("entry", &[], |entry| {
        entry.text("id", &[], &item.urn)?;
        entry.text("title", &[], &item.title)?;
        entry.empty(
            "link",
            &[
                ("rel", "alternate"),
                ("type", "text/html"),
                ("href", item.event.url.as_str()),
            ],
        )?;
        entry.text("published", &[], &format_utc(item.published))?;
        entry.text("updated", &[], &format_utc(item.modified))?;
        for author in &item.authors {
            entry.element("author", &[], |element| element.text("name", &[], author))?;
        }
        for category in &item.categories {
            entry.empty("category", &[("term", *category)])?;
        }
        entry.text("summary", &[], &item.summary)?;
        entry.text("content", &[("type", "html")], &item.html)
    })
}
