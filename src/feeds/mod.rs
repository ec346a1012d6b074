//! Feeds, to which calendars and news readers subscribe: iCalendar, RSS, Atom, JSON Feed, and events for FullCalendar.
//! Each lists events individually; only the calendar of a series ([`series`]) has its rule.
//!
//! A feed is a list of events in another format: `EventQuery` reads the same parameters, and a filter that is added to it
//! works in every feed. [`address`] has the addresses, [`period`] what they contain without dates in the query.

mod address;
mod atom;
mod events;
pub(crate) mod export;
mod feed;
mod full_calendar;
mod ical;
mod item;
mod json_feed;
mod linked;
mod period;
mod place;
mod rss;
mod selection;
mod series;
mod stream;
mod validators;
mod wordpress;

use std::sync::Arc;

use poem::{
    Body, Endpoint, Request, Response, Result,
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
};

pub(crate) use self::linked::LinkedCaches;
use self::{
    address::{FeedAddress, Format},
    feed::Feed,
    ical::CalendarWriter,
    item::Item,
    selection::Selection,
    validators::Validators,
};
use crate::{
    Almanac,
    api::{events::EventQuery, unknown_names},
    auth::{Caller, Identity},
    calendar::Variant,
    error::Problem,
    extract::Params,
    middleware::{
        compression::mark_etag, layers::LayeredEndpoint, negotiation::accepts_gzip, not_modified::Conditions,
    },
    response::{CachePolicy, ResponseMeta},
    store::{Snapshot, calendar_state, events::Outline, visibility::Visibility},
};

/// The maximum number of events of a calendar that is built in memory, and kept in the response cache.
const WHOLE_LIMIT: usize = 2_000;

/// How long clients may use a feed without asking again.
const PUBLIC: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// The same for a feed that was requested with credentials.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");

/// Serves the addresses of feeds. Other requests pass unchanged; the state of a feed, which is on the heap, does not take up
/// their stack.
pub(crate) async fn serve(next: LayeredEndpoint, mut request: Request) -> Result<Response> {
    if let Some(id) = series::id(request.uri()) {
        return Box::pin(series::respond(&request, id)).await;
    }
    let with_wordpress = !Almanac::of(&request)?.settings.no_wordpress_compat;
    let Some(address) = FeedAddress::of(request.uri(), with_wordpress) else {
        return next.call(request).await;
    };
    // Whatever the server's variant, feeds have the filters of variant B.
    request.set_data(Variant::B);
    let caller = Caller::of(&request).await?;
    if let Some(uri) = with_query(request.uri(), &address.query) {
        *request.uri_mut() = uri;
    }
    let unknown_names = (!address.is_wordpress).then(|| unknown_names::collect(&mut request));
    let params = Params::of(&request)?;
    let mut response = Box::pin(respond(&caller, request.headers(), &address, &params)).await?;
    if let Some(unknown_names) = unknown_names {
        unknown_names::add_headers(response.headers_mut(), &unknown_names);
    }
    Ok(response)
}

fn with_query(uri: &Uri, query: &str) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("{}?{query}", uri.path()).parse().ok();
    Uri::from_parts(parts).ok()
}

/// The content of a response.
enum Content {
    /// The client has it already.
    Known,
    /// A feed in memory.
    Whole(Vec<u8>),
    /// A calendar whose events are still to be read.
    Calendar(Box<CalendarWriter>, Visibility, Box<[i64]>),
}

/// A response before its content is sent.
struct Prepared {
    content: Content,
    validators: Validators,
    cache_policy: Option<CachePolicy>,
    file_name: String,
}

async fn respond(
    caller: &Caller,
    headers: &HeaderMap,
    address: &FeedAddress,
    params: &Params<EventQuery>,
) -> Result<Response, Problem> {
    let read = |snapshot: Arc<Snapshot>| async move { prepare(caller, &snapshot, headers, address, params).await };
    let prepared = caller.read(read).await?;
    send(caller, headers, address.format, address.is_download, prepared)
}

fn send(
    caller: &Caller,
    headers: &HeaderMap,
    format: Format,
    is_download: bool,
    prepared: Prepared,
) -> Result<Response, Problem> {
    let Prepared {
        content,
        validators,
        cache_policy,
        file_name,
    } = prepared;
    let (status, validators, body) = match content {
        Content::Known => (StatusCode::NOT_MODIFIED, validators.of_stream(), Body::empty()),
        Content::Whole(bytes) => (StatusCode::OK, validators.of_body(), bytes.into()),
        Content::Calendar(writer, visibility, ids) => {
            let body = stream::calendar(caller.clone(), *writer, visibility, ids);
            (StatusCode::OK, validators.of_stream(), body)
        }
    };
    let mut response = Response::builder().status(status).body(body);
    let is_public = matches!(caller.identity, Identity::Anonymous);
    let response_headers = response.headers_mut();
    response_headers.extend(validators);
    response_headers.insert(header::CACHE_CONTROL, if is_public { PUBLIC } else { PRIVATE });
    response_headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    if status == StatusCode::NOT_MODIFIED {
        if accepts_gzip(headers) {
            mark_etag(response_headers);
        }
        return Ok(response);
    }
    response_headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(format)));
    if is_download {
        let disposition = format!("attachment; filename=\"{file_name}\"");
        let value = HeaderValue::from_str(&disposition).map_err(Problem::internal)?;
        response_headers.insert(header::CONTENT_DISPOSITION, value);
    }
    let meta = ResponseMeta {
        cache_policy,
        ..ResponseMeta::default()
    };
    meta.attach_to(&mut response);
    Ok(response)
}

fn media_type(format: Format) -> &'static str {
    match format {
        Format::Calendar => ical::MEDIA_TYPE,
        Format::Rss => rss::MEDIA_TYPE,
        Format::Atom => atom::MEDIA_TYPE,
        Format::Json => json_feed::MEDIA_TYPE,
        Format::FullCalendar => full_calendar::MEDIA_TYPE,
    }
}

/// Reads what the response needs, in one state of the data: everything but the events of a large calendar.
async fn prepare(
    caller: &Caller,
    snapshot: &Snapshot,
    headers: &HeaderMap,
    address: &FeedAddress,
    params: &Params<EventQuery>,
) -> Result<Prepared, Problem> {
    let state = calendar_state::read(snapshot, caller.timestamp()).await?;
    let selection = Selection::resolve(caller, snapshot, address, params.clone()).await?;
    let validators = Validators::new(caller, &state, selection.cache_lifetime);
    let content = match has_feed(headers, &validators) {
        true => Content::Known,
        false => {
            let page_url = selection.page_url.clone();
            let feed = Feed::new(caller, state.uuid, state.changed_at, &selection.names, page_url);
            write(caller, snapshot, address, &selection, &feed).await?
        }
    };
    let texts = selection.dependencies();
    snapshot.depend_on(&texts);
    let cache_policy = CachePolicy::of(selection.cache_lifetime);
    Ok(Prepared {
        content,
        validators,
        cache_policy: cache_policy.map(|cache_policy| cache_policy.depending_on_texts(texts)),
        file_name: file_name(address),
    })
}

/// Whether the client has the feed with these validators.
fn has_feed(headers: &HeaderMap, validators: &Validators) -> bool {
    let mut current = validators.of_stream();
    if accepts_gzip(headers) {
        mark_etag(&mut current);
    }
    Conditions::of(headers).match_response(&current)
}

/// The name of the file: that of the first object in the address.
fn file_name(address: &FeedAddress) -> String {
    let slug = address.subjects.first().map_or("events", |subject| &subject.slug);
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || *character == '-';
    format!("{}.ics", slug.chars().filter(is_plain).collect::<String>())
}

async fn write(
    caller: &Caller,
    snapshot: &Snapshot,
    address: &FeedAddress,
    selection: &Selection,
    feed: &Feed,
) -> Result<Content, Problem> {
    let visibility = selection.visibility(caller);
    match address.format {
        Format::Calendar => {
            let outline = selection.outline(snapshot).await?;
            write_calendar(caller, snapshot, feed, outline, visibility).await
        }
        Format::FullCalendar => {
            let ids = selection.outline(snapshot).await?.ids;
            full_calendar::check_limit(ids.len())?;
            let site = &caller.almanac.settings.site.zone;
            let zone = full_calendar::output_zone(address.full_calendar.time_zone.as_deref())
                .ok()
                .flatten();
            let mut entries = Vec::with_capacity(ids.len());
            for batch in events::batches(caller, &ids) {
                let events = events::read(caller, snapshot, &visibility, batch).await?;
                entries.extend(events.iter().map(|event| full_calendar::Entry::new(event, site, zone)));
            }
            Ok(Content::Whole(serde_json::to_vec(&entries).map_err(Problem::internal)?))
        }
        format @ (Format::Rss | Format::Atom | Format::Json) => {
            let ids = selection.newest(snapshot, item::LIMIT).await?;
            let events = events::read(caller, snapshot, &visibility, &ids).await?;
            let settings = &caller.almanac.settings;
            let (site, language) = (&settings.site.zone, settings.language);
            let items: Vec<Item> = events
                .iter()
                .map(|event| Item::new(feed, event, site, language))
                .collect();
            let bytes = match format {
                Format::Rss => rss::write(feed, &items).map_err(Problem::internal)?,
                Format::Atom => atom::write(feed, &items).map_err(Problem::internal)?,
                _ => json_feed::write(feed, &items).map_err(Problem::internal)?,
            };
            Ok(Content::Whole(bytes))
        }
    }
}

/// Writes a small calendar. A large one is only begun.
async fn write_calendar(
    caller: &Caller,
    snapshot: &Snapshot,
    feed: &Feed,
    outline: Outline,
    visibility: Visibility,
) -> Result<Content, Problem> {
    let mut writer = CalendarWriter::begin(caller, feed, &outline);
    if outline.ids.len() > WHOLE_LIMIT {
        let mut ids = outline.ids;
        // As they are stored: half of the time of a batch is reading pages of the database. Readers sort events.
        ids.sort_unstable();
        return Ok(Content::Calendar(Box::new(writer), visibility, ids));
    }
    for batch in events::batches(caller, &outline.ids) {
        writer.write(&events::read(caller, snapshot, &visibility, batch).await?);
    }
    Ok(Content::Whole(writer.finish().into_bytes()))
}
