//! Writes objects as CSV (RFC 4180): events, venues and organizers in the columns that the importer of The Events
//! Calendar reads.

use std::{collections::HashMap, io};

use csv::Terminator;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select};

use super::{Progress, TransferError};
use crate::{
    calendar::{Kind, local_time::LocalTime, status::Status, zone::Zone},
    store::{
        Publishable, Snapshot, Term,
        entity::{category, event_category, event_organizer, event_tag, event_venue, organizer, tag, venue},
        images,
        links::{Link, LinkedEvent},
        publishable::{PublishableRow, find_events},
        read_connection::ReadConnection,
        term::TermRow,
    },
};

/// Rows per statement.
const PAGE: u64 = 200;

const EVENT_COLUMNS: [&str; 26] = [
    "Event Name",
    "Event Description",
    "Event Excerpt",
    "Event Start Date",
    "Event Start Time",
    "Event End Date",
    "Event End Time",
    "Event Time Zone",
    "All Day Event",
    "Hide Event From Event Listings",
    "Event Sticky in Month View",
    "Feature Event",
    "Event Venue Name",
    "Event Organizer Name(s) or ID(s)",
    "Event Show Map Link",
    "Event Show Map",
    "Event Cost",
    "Event Currency Symbol",
    "Event Currency Position",
    "Event ISO Currency Code",
    "Event Category",
    "Event Tags",
    "Event Website",
    "Event Featured Image",
    "Event Allow Comments",
    "Event Allow Trackbacks and Pingbacks",
];
const VENUE_COLUMNS: [&str; 11] = [
    "Venue Name",
    "Description",
    "Country",
    "Address",
    "Address 2",
    "City",
    "State/Province",
    "Zip",
    "Phone",
    "Website",
    "Featured Image",
];
const ORGANIZER_COLUMNS: [&str; 6] = [
    "Organizer Name",
    "Description",
    "Email",
    "Website",
    "Phone",
    "Featured Image",
];
const CATEGORY_COLUMNS: [&str; 5] = ["ID", "Name", "Slug", "Parent", "Description"];
const TAG_COLUMNS: [&str; 4] = ["ID", "Name", "Slug", "Description"];

/// Records that end with CRLF.
struct Records(csv::Writer<Vec<u8>>);

impl Records {
    fn new() -> Self {
        Self(
            csv::WriterBuilder::new()
                .terminator(Terminator::CRLF)
                .from_writer(Vec::new()),
        )
    }

    fn add<T: AsRef<[u8]>>(&mut self, fields: impl IntoIterator<Item = T>) -> Result<(), TransferError> {
        self.0
            .write_record(fields)
            .map_err(|error| io::Error::from(error).into())
    }

    fn into_bytes(self) -> Result<Vec<u8>, TransferError> {
        self.0.into_inner().map_err(|error| error.into_error().into())
    }
}

/// What CSV can't express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CsvLosses {
    /// The number of events with several venues, of which only the first is written.
    pub events_with_several_venues: u64,
}

/// Passes the records of these events to `send`, with their number. `site` is the zone of events whose zone is unknown.
pub(crate) async fn write_events(
    snapshot: &Snapshot,
    ids: &[i64],
    site: &Zone,
    mut send: impl AsyncFnMut(Vec<u8>, usize) -> Result<(), TransferError>,
) -> Result<CsvLosses, TransferError> {
    let names = Names {
        venues: titles::<venue::Entity>(snapshot).await?,
        organizers: titles::<organizer::Entity>(snapshot).await?,
        categories: term_names::<category::Entity>(snapshot).await?,
        tags: term_names::<tag::Entity>(snapshot).await?,
    };
    let mut losses = CsvLosses::default();
    let mut header = Records::new();
    header.add(EVENT_COLUMNS)?;
    send(header.into_bytes()?, 0).await?;
    for batch in ids.chunks(PAGE as usize) {
        let mut events = find_events(snapshot, batch).await?;
        let positions: HashMap<i64, usize> = batch.iter().copied().zip(0..).collect();
        events.sort_unstable_by_key(|event| positions.get(&event.id).copied());
        let images = image_urls(snapshot, events.iter().map(|event| event.image_id)).await?;
        let mut records = Records::new();
        for event in &events {
            losses.events_with_several_venues += u64::from(event.targets::<event_venue::Entity>().len() > 1);
            records.add(event_fields(event, &names, &images, site))?;
        }
        send(records.into_bytes()?, batch.len()).await?;
    }
    Ok(losses)
}

/// The names of everything that events link to, by ID.
struct Names {
    venues: HashMap<i64, String>,
    organizers: HashMap<i64, String>,
    categories: HashMap<i64, String>,
    tags: HashMap<i64, String>,
}

fn event_fields(event: &LinkedEvent, names: &Names, images: &HashMap<i64, String>, site: &Zone) -> [String; 26] {
    let times = event.times(site);
    let date = |time: LocalTime| time.local.format("%Y-%m-%d").to_string();
    let time = |time: LocalTime| time.local.format("%H:%M:%S").to_string();
    let none = String::new;
    [
        event.title.clone(),
        event.description.clone(),
        event.excerpt.clone(),
        date(times.start),
        time(times.start),
        date(times.end),
        time(times.end),
        times.zone.name(),
        flag(event.all_day),
        flag(event.hide_from_listings),
        flag(event.sticky),
        flag(event.featured),
        linked::<event_venue::Entity>(event, &names.venues)
            .into_iter()
            .next()
            .unwrap_or_default(),
        joined(event.targets::<event_organizer::Entity>(), &names.organizers),
        flag(event.show_map_link),
        flag(event.show_map),
        // With its currency.
        event.cost.clone(),
        none(),
        none(),
        none(),
        joined(event.targets::<event_category::Entity>(), &names.categories),
        joined(event.targets::<event_tag::Entity>(), &names.tags),
        event.website.clone(),
        image(event.image_id, images),
        flag(false),
        flag(false),
    ]
}

fn flag(value: bool) -> String {
    if value { "true" } else { "false" }.to_owned()
}

fn linked<L: Link>(event: &LinkedEvent, names: &HashMap<i64, String>) -> Vec<String> {
    let names = event.targets::<L>().iter().filter_map(|id| names.get(id));
    names.cloned().collect()
}

/// The names, separated by commas. Instead of a name with a comma, its ID.
fn joined(ids: &[i64], names: &HashMap<i64, String>) -> String {
    let names = ids.iter().filter_map(|id| {
        let name = names.get(id)?;
        Some(if name.contains(',') {
            id.to_string()
        } else {
            name.clone()
        })
    });
    names.collect::<Vec<_>>().join(",")
}

fn image(id: Option<i64>, urls: &HashMap<i64, String>) -> String {
    id.and_then(|id| urls.get(&id).cloned()).unwrap_or_default()
}

async fn image_urls(
    snapshot: &Snapshot,
    ids: impl Iterator<Item = Option<i64>>,
) -> Result<HashMap<i64, String>, TransferError> {
    let images = images::find_all(snapshot, &ids.flatten().collect::<Vec<_>>()).await?;
    Ok(images.into_iter().map(|(id, image)| (id, image.url)).collect())
}

async fn titles<E: Publishable>(snapshot: &Snapshot) -> Result<HashMap<i64, String>, TransferError> {
    let select = E::find().select_only().columns([E::ID, E::TITLE]);
    read_names(snapshot, select).await
}

async fn term_names<E: Term>(snapshot: &Snapshot) -> Result<HashMap<i64, String>, TransferError> {
    let rows = snapshot.models(E::find()).await?;
    let columns = rows.iter().map(TermRow::common_columns);
    Ok(columns.map(|columns| (columns.id, columns.name)).collect())
}

async fn read_names<E: EntityTrait>(
    snapshot: &Snapshot,
    select: Select<E>,
) -> Result<HashMap<i64, String>, TransferError> {
    let rows: Vec<(i64, String)> = snapshot.rows(&select.into_query()).await?;
    Ok(rows.into_iter().collect())
}

/// Passes the records of all objects of a kind to `send`, with their number: of venues, organizers, categories or tags.
/// Objects in the trash are left out.
pub(crate) async fn write_others(
    snapshot: &Snapshot,
    kind: Kind,
    progress: &Progress,
    mut send: impl AsyncFnMut(Vec<u8>, usize) -> Result<(), TransferError>,
) -> Result<(), TransferError> {
    let mut header = Records::new();
    match kind {
        Kind::Venue => header.add(VENUE_COLUMNS)?,
        Kind::Organizer => header.add(ORGANIZER_COLUMNS)?,
        Kind::Category => header.add(CATEGORY_COLUMNS)?,
        Kind::Tag => header.add(TAG_COLUMNS)?,
        Kind::Event => header.add(EVENT_COLUMNS)?,
    }
    send(header.into_bytes()?, 0).await?;
    let mut last = 0;
    loop {
        progress.check()?;
        let mut records = Records::new();
        let (highest, rows) = match kind {
            Kind::Venue => add_publishable::<venue::Entity>(snapshot, last, &mut records, venue_fields).await?,
            Kind::Organizer => {
                add_publishable::<organizer::Entity>(snapshot, last, &mut records, organizer_fields).await?
            }
            Kind::Category => add_terms::<category::Entity>(snapshot, last, &mut records).await?,
            Kind::Tag => add_terms::<tag::Entity>(snapshot, last, &mut records).await?,
            Kind::Event => return Ok(()),
        };
        let Some(highest) = highest else {
            return Ok(());
        };
        last = highest;
        send(records.into_bytes()?, rows).await?;
    }
}

/// Adds the next objects. Returns the highest ID, if there are any, and their number.
async fn add_publishable<E: Publishable>(
    snapshot: &Snapshot,
    after: i64,
    records: &mut Records,
    fields: impl Fn(&E::Model, String) -> Vec<String>,
) -> Result<(Option<i64>, usize), TransferError> {
    let select = E::find()
        .filter(E::ID.gt(after))
        .filter(E::STATUS.ne(Status::Trash.as_str()))
        .order_by_asc(E::ID)
        .limit(PAGE);
    let rows = snapshot.models(select).await?;
    let images = image_urls(snapshot, rows.iter().map(PublishableRow::image_id)).await?;
    for row in &rows {
        records.add(fields(row, image(row.image_id(), &images)))?;
    }
    Ok((rows.last().map(PublishableRow::id), rows.len()))
}

fn venue_fields(row: &venue::Model, image: String) -> Vec<String> {
    let state_or_province = if row.state.is_empty() {
        &row.province
    } else {
        &row.state
    };
    let fields: [&str; 11] = [
        &row.title,
        &row.description,
        &row.country,
        &row.address,
        "",
        &row.city,
        state_or_province,
        &row.zip,
        &row.phone,
        &row.website,
        &image,
    ];
    fields.map(str::to_owned).into()
}

fn organizer_fields(row: &organizer::Model, image: String) -> Vec<String> {
    let fields: [&str; 6] = [
        &row.title,
        &row.description,
        &row.email,
        &row.website,
        &row.phone,
        &image,
    ];
    fields.map(str::to_owned).into()
}

async fn add_terms<E: Term>(
    snapshot: &Snapshot,
    after: i64,
    records: &mut Records,
) -> Result<(Option<i64>, usize), TransferError> {
    let select = E::find().filter(E::ID.gt(after)).order_by_asc(E::ID).limit(PAGE);
    let rows = snapshot.models(select).await?;
    let mut last = None;
    for columns in rows.iter().map(TermRow::common_columns) {
        last = Some(columns.id);
        let id = columns.id.to_string();
        let parent = columns.parent.to_string();
        match E::PARENT {
            Some(_) => records.add([&id, &columns.name, &columns.slug, &parent, &columns.description])?,
            None => records.add([&id, &columns.name, &columns.slug, &columns.description])?,
        }
    }
    Ok((last, rows.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_if_necessary() {
        let mut records = Records::new();
        records.add(["plain", "a,b", "say \"hi\"", "two\nlines", ""]).unwrap();
        let text = String::from_utf8(records.into_bytes().unwrap()).unwrap();
        assert_eq!(text, "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n");
    }

    #[test]
    fn name_with_comma_is_an_id() {
        let names = HashMap::from([(1, "Ann".to_owned()), (2, "Ben, Cleo & Co".to_owned())]);
        assert_eq!(joined(&[1, 2, 3], &names), "Ann,2");
    }
}
