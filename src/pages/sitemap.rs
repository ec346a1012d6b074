//! `/sitemap.xml`, an index of the files below `/sitemap/`, which list the public pages (sitemaps.org).

use std::{ops::Range, sync::Arc};

use poem::{Request, Response, handler};

use super::data_response;
use crate::{
    auth::Caller,
    calendar::{
        Kind,
        date::{format_utc, instant_at},
    },
    error::Problem,
    response::{CachePolicy, xml::XmlDocument},
    store::{
        Publishable, Snapshot, Term,
        entity::{category, event, organizer, tag, venue},
        sitemap::{SitemapPage, has_pages, last_id, pages, slugs},
    },
    views::publishable::page_url,
};

/// The maximum number of URLs of a file, and so the number of IDs that it covers.
const IDS_OF_FILE: i64 = 50_000;

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

#[handler]
pub(crate) async fn index(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_index(&caller, snapshot)).await
}

async fn render_index(caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let mut files = vec!["calendar.xml".to_owned()];
    files.extend(files_of::<event::Entity>(caller, snapshot).await?);
    files.extend(files_of::<venue::Entity>(caller, snapshot).await?);
    files.extend(files_of::<organizer::Entity>(caller, snapshot).await?);
    let xml = XmlDocument::write("sitemapindex", &[("xmlns", NAMESPACE)], |root| {
        files.iter().try_for_each(|name| {
            let url = format!("{}/sitemap/{name}", caller.address.base);
            root.element("sitemap", &[], |sitemap| sitemap.text("loc", &[], &url))
        })
    });
    let xml = xml.map_err(Problem::internal)?;
    Ok(data_response(MEDIA_TYPE, xml, CachePolicy::WITHOUT_EVENT_TEXTS))
}

/// The names of the files of a kind that are not empty, such as `event-1.xml`.
async fn files_of<E: Publishable>(caller: &Caller, snapshot: &Snapshot) -> Result<Vec<String>, Problem> {
    let last = last_id::<E>(snapshot).await?;
    let mut files = Vec::new();
    for number in 1..=last.unsigned_abs().div_ceil(IDS_OF_FILE.unsigned_abs()) {
        let ids = ids_of_file(number).ok_or_else(Problem::no_route)?;
        if has_pages::<E>(snapshot, caller.timestamp(), ids).await? {
            files.push(format!("{}-{number}.xml", E::KIND.name()));
        }
    }
    Ok(files)
}

/// The IDs that a file covers, which has a number from 1.
fn ids_of_file(number: u64) -> Option<Range<i64>> {
    let end = i64::try_from(number).ok()?.checked_mul(IDS_OF_FILE)?;
    let start = end.checked_sub(IDS_OF_FILE)?;
    Some(start + 1..end + 1)
}

#[handler]
pub(crate) async fn file(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    let name = request.raw_path_param("file").unwrap_or_default();
    let name = name.strip_suffix(".xml").ok_or_else(Problem::no_route)?;
    caller.read(|snapshot| render_file(&caller, snapshot, name)).await
}

async fn render_file(caller: &Caller, snapshot: Arc<Snapshot>, name: &str) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    let pages = match name.rsplit_once('-') {
        None if name == "calendar" => calendar(caller, snapshot).await?,
        Some((kind, number)) => {
            let number = number.parse().ok().filter(|number| *number > 0);
            let ids = number.and_then(ids_of_file).ok_or_else(Problem::no_route)?;
            match Kind::ALL.into_iter().find(|known| known.name() == kind) {
                Some(Kind::Event) => pages_of::<event::Entity>(caller, snapshot, ids).await?,
                Some(Kind::Venue) => pages_of::<venue::Entity>(caller, snapshot, ids).await?,
                Some(Kind::Organizer) => pages_of::<organizer::Entity>(caller, snapshot, ids).await?,
                _ => return Err(Problem::no_route()),
            }
        }
        None => return Err(Problem::no_route()),
    };
    let xml = XmlDocument::write("urlset", &[("xmlns", NAMESPACE)], |urls| {
        pages.iter().try_for_each(|page| page.write(urls))
    });
    let xml = xml.map_err(Problem::internal)?;
    Ok(data_response(MEDIA_TYPE, xml, CachePolicy::UNLIMITED))
}

/// A page in a file.
struct Page {
    url: String,
    /// The last write, in seconds since 1970 UTC; None for views, which depend on many objects.
    modified_at: Option<i64>,
}

impl Page {
    fn write(&self, urls: &mut XmlDocument) -> quick_xml::Result<()> {
        urls.element("url", &[], |element| {
            element.text("loc", &[], &self.url)?;
            match self.modified_at {
                Some(modified_at) => element.text("lastmod", &[], &format_utc(instant_at(modified_at))),
                None => Ok(()),
            }
        })
    }
}

/// The views of the calendar, of each category and of each tag.
async fn calendar(caller: &Caller, snapshot: &Snapshot) -> Result<Vec<Page>, Problem> {
    let views = ["/", "/events", "/events/month"].map(|path| format!("{}{path}", caller.address.base));
    let mut urls = Vec::from(views);
    urls.extend(urls_of_terms::<category::Entity>(caller, snapshot).await?);
    urls.extend(urls_of_terms::<tag::Entity>(caller, snapshot).await?);
    let pages = urls.into_iter().map(|url| Page { url, modified_at: None });
    Ok(pages.collect())
}

async fn urls_of_terms<E: Term>(caller: &Caller, snapshot: &Snapshot) -> Result<Vec<String>, Problem> {
    let slugs = slugs::<E>(snapshot).await?;
    Ok(slugs.iter().map(|slug| page_url(caller, E::KIND, slug)).collect())
}

async fn pages_of<E: Publishable>(caller: &Caller, snapshot: &Snapshot, ids: Range<i64>) -> Result<Vec<Page>, Problem> {
    let pages = pages::<E>(snapshot, caller.timestamp(), ids).await?;
    let pages = pages.iter().map(|SitemapPage { slug, modified_at }| Page {
        url: page_url(caller, E::KIND, slug),
        modified_at: Some(*modified_at),
    });
    Ok(pages.collect())
}

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_cover_all_ids_once() {
        assert_eq!(ids_of_file(1), Some(1..50_001));
        assert_eq!(ids_of_file(2), Some(50_001..100_001));
        assert_eq!(ids_of_file(u64::MAX), None);
    }
}
