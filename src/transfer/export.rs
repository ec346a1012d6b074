//! Writes the calendar as lines of JSON, from one state of the data.
//!
//! Rows are read in pages by ID, and written by another thread. So the memory does not depend on the size of the
//! calendar, no statement takes long, and writers do not wait. The bytes depend on the rows only, not on the database.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};
use tokio::{sync::mpsc, task::spawn_blocking};

use super::{
    Contents, Progress, TransferError,
    header::{Counts, End, Header, ROW},
    kinds::{Record, RecordKind},
    plain_tables, record,
    tables::PlainTable,
};
use crate::{
    calendar::Kind,
    store::{
        Snapshot, Store,
        entity::{
            category, event, event_category, event_organizer, event_tag, event_venue, image, organizer, series, tag,
            user, venue,
        },
        links::LinkedEvent,
        read_connection::ReadConnection,
    },
};

/// Rows per statement.
const PAGE: u64 = 500;
/// The number of pages that wait to be written.
const WAITING_PAGES: usize = 4;

/// Writes all rows, and returns their number. `output` is not flushed.
pub(crate) async fn export<W: Write + Send + 'static>(
    store: &Store,
    contents: Contents,
    output: W,
    progress: &Progress,
) -> Result<(W, Counts), TransferError> {
    let (sender, receiver) = mpsc::channel(WAITING_PAGES);
    let writing = spawn_blocking(move || write_pages(output, receiver));
    let snapshot = store.snapshot().await?;
    let exporter = Exporter {
        snapshot: &snapshot,
        contents,
        progress,
        sender,
        counts: Counts::new(),
    };
    let exported = exporter.run().await;
    // Its error is the cause if the pages could not be sent.
    let output = writing.await.map_err(io::Error::other)??;
    Ok((output, exported?))
}

fn write_pages<W: Write>(mut output: W, mut pages: mpsc::Receiver<Vec<u8>>) -> io::Result<W> {
    while let Some(page) = pages.blocking_recv() {
        output.write_all(&page)?;
    }
    Ok(output)
}

struct Exporter<'a> {
    snapshot: &'a Snapshot,
    contents: Contents,
    progress: &'a Progress,
    sender: mpsc::Sender<Vec<u8>>,
    counts: Counts,
}

impl Exporter<'_> {
    async fn run(mut self) -> Result<Counts, TransferError> {
        let header = Header::of(self.snapshot, self.contents).await?;
        // An estimate: not all IDs are in use.
        let total: i64 = header.last_ids.values().sum();
        self.progress.begin("exporting rows", total.unsigned_abs());
        self.send_line(&header).await?;
        for kind in RecordKind::ALL {
            match kind {
                RecordKind::User => self.rows::<user::Entity>(None).await?,
                RecordKind::Image => self.rows::<image::Entity>(None).await?,
                RecordKind::Category => self.rows::<category::Entity>(Some(Kind::Category)).await?,
                RecordKind::Tag => self.rows::<tag::Entity>(Some(Kind::Tag)).await?,
                RecordKind::Venue => self.rows::<venue::Entity>(Some(Kind::Venue)).await?,
                RecordKind::Organizer => self.rows::<organizer::Entity>(Some(Kind::Organizer)).await?,
                RecordKind::Series => self.rows::<series::Entity>(None).await?,
                RecordKind::Event => self.events().await?,
            }
        }
        for table in self.contents.plain_tables() {
            self.plain_table(table).await?;
        }
        self.send_line(&End::new(self.counts.clone())).await?;
        Ok(self.counts)
    }

    /// Exports a table. Objects of a kind also have former slugs.
    async fn rows<E: Record>(&mut self, kind: Option<Kind>) -> Result<(), TransferError>
    where
        E::Model: HasId,
    {
        let columns = record::columns::<E>(self.contents);
        let mut last = 0;
        loop {
            let select = E::find().filter(E::ID.gt(last)).order_by_asc(E::ID).limit(PAGE);
            let rows = self.snapshot.models(select).await?;
            let Some(highest) = rows.last().map(HasId::id) else {
                return self.count(E::KIND.table(), 0);
            };
            let former_slugs = match kind {
                Some(kind) => former_slugs(self.snapshot, kind, last, highest).await?,
                None => HashMap::new(),
            };
            last = highest;
            let mut page = Vec::new();
            for row in &rows {
                record::begin::<E>(&mut page, row, &columns)?;
                if kind.is_some() {
                    add_former_slugs(&mut page, &former_slugs, row.id())?;
                }
                record::end(&mut page);
            }
            self.count(E::KIND.table(), rows.len())?;
            self.send(page).await?;
        }
    }

    async fn events(&mut self) -> Result<(), TransferError> {
        let columns = record::columns::<event::Entity>(self.contents);
        let mut last = 0;
        loop {
            let select = event::Entity::find()
                .filter(event::Column::Id.gt(last))
                .order_by_asc(event::Column::Id)
                .limit(PAGE);
            let events = LinkedEvent::all(self.snapshot, select).await?;
            let Some(highest) = events.last().map(|event| event.id) else {
                return self.count(RecordKind::Event.table(), 0);
            };
            let former_slugs = former_slugs(self.snapshot, Kind::Event, last, highest).await?;
            last = highest;
            let mut page = Vec::new();
            for event in &events {
                record::begin::<event::Entity>(&mut page, &event.row, &columns)?;
                // The order of venues and organizers is significant.
                record::add_list(&mut page, "venues", &event.targets::<event_venue::Entity>())?;
                record::add_list(&mut page, "organizers", &event.targets::<event_organizer::Entity>())?;
                record::add_list(
                    &mut page,
                    "categories",
                    &sorted(event.targets::<event_category::Entity>()),
                )?;
                record::add_list(&mut page, "tags", &sorted(event.targets::<event_tag::Entity>()))?;
                add_former_slugs(&mut page, &former_slugs, event.id)?;
                record::end(&mut page);
            }
            self.count(RecordKind::Event.table(), events.len())?;
            self.send(page).await?;
        }
    }

    async fn plain_table(&mut self, table: &PlainTable) -> Result<(), TransferError> {
        let columns = plain_tables::columns(self.snapshot, table.name).await?;
        let mut after = Vec::new();
        loop {
            let rows = plain_tables::read_page(self.snapshot, table, &columns, after).await?;
            self.count(table.name, rows.len())?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = plain_tables::key(table, last)?;
            let name = table.name;
            let lines = rows
                .iter()
                .map(|row| format!("{{\"kind\":\"{ROW}\",\"table\":\"{name}\",\"values\":{row}}}\n"));
            self.send(lines.collect::<String>().into_bytes()).await?;
        }
    }

    fn count(&mut self, table: &str, rows: usize) -> Result<(), TransferError> {
        *self.counts.entry(table.to_owned()).or_default() += rows as u64;
        self.progress.add(rows as u64);
        self.progress.check()
    }

    async fn send_line(&self, line: &impl serde::Serialize) -> Result<(), TransferError> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.send(bytes).await
    }

    /// Fails if the pages can't be written.
    async fn send(&self, page: Vec<u8>) -> Result<(), TransferError> {
        let sent = self.sender.send(page).await;
        sent.map_err(|_| io::Error::other("the output was closed").into())
    }
}

/// A row with an ID.
trait HasId {
    fn id(&self) -> i64;
}

macro_rules! has_id {
    ($($module:ident),*) => {
        $(impl HasId for $module::Model {
            fn id(&self) -> i64 {
                self.id
            }
        })*
    };
}

has_id!(user, image, category, tag, venue, organizer, series);

/// Reads the former slugs of objects with IDs above `after`, up to `until`.
async fn former_slugs(
    snapshot: &Snapshot,
    kind: Kind,
    after: i64,
    until: i64,
) -> Result<HashMap<i64, Vec<String>>, TransferError> {
    let select = Query::select()
        .columns(["target_id", "slug"])
        .from("former_slugs")
        .and_where(Expr::col("kind").eq(kind.name()))
        .and_where(Expr::col("target_id").gt(after))
        .and_where(Expr::col("target_id").lte(until))
        .to_owned();
    let rows: Vec<(i64, String)> = snapshot.rows(&select).await?;
    let mut slugs: HashMap<i64, Vec<String>> = HashMap::new();
    for (target, slug) in rows {
        slugs.entry(target).or_default().push(slug);
    }
    Ok(slugs)
}

/// Adds the former slugs of an object, in an order that does not depend on the database.
fn add_former_slugs(page: &mut Vec<u8>, slugs: &HashMap<i64, Vec<String>>, id: i64) -> Result<(), TransferError> {
    let mut slugs: Vec<&String> = slugs.get(&id).into_iter().flatten().collect();
    slugs.sort_unstable();
    record::add_list(page, "former_slugs", &slugs)
}

fn sorted(ids: &[i64]) -> Vec<i64> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids
}
