//! Loads the rows of a file into an empty database, in one transaction.
//!
//! A thread reads the file ([`super::read`]), others compute the derived columns of batches ([`super::derive`]), and
//! meanwhile the batches before are inserted. Indexes and derived tables are built at the end, from all rows.

use std::{collections::BTreeMap, io::BufRead, sync::Arc};

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, Statement,
    sea_query::{Expr, Query},
};
use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};

use super::{
    Contents, Progress, Tokens, TransferError,
    batch::{Batch, FormerSlug, Summary},
    derive::{Markup, derive},
    errors::LineErrors,
    header::{self, Counts},
    kinds::RecordKind,
    plain_tables, read,
    renewal::begin_anew,
};
use crate::{
    auth::secret,
    store::{
        Store, Transaction,
        bulk_load::{self, DeferredSchema, LinkBuffers, listing_values},
        entity::{calendar_identity, category, event, image, organizer, series, tag, user, venue},
        read_connection::ReadConnection,
        users,
        write_connection::WriteConnection,
    },
};

/// The batches that are read ahead, and whose columns are computed at the same time.
const BATCHES_AHEAD: usize = 2;
/// The maximum number of rows in a statement that inserts former slugs.
const FORMER_SLUGS_AT_ONCE: usize = 200;

/// How to load a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadOptions {
    /// What the file has to contain.
    pub contents: Contents,
    pub tokens: Tokens,
    /// Do everything but commit.
    pub is_dry_run: bool,
    /// In seconds since 1970 UTC.
    pub now: i64,
}

/// What has been loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub counts: Counts,
    /// The number of texts whose markup was changed, because it is not allowed.
    pub cleaned: u64,
    /// The number of users without a password.
    pub users_without_password: u64,
}

/// Loads a file, and calls `before_commit` before it is stored. Fails, and stores nothing, if that fails, or if the
/// database has a calendar already. Takes a store from [`open_to_import`](crate::store::open_to_import).
pub(crate) async fn load(
    store: &Store,
    input: impl BufRead + Send + 'static,
    options: LoadOptions,
    before_commit: impl FnOnce() -> Result<(), TransferError>,
    progress: &Arc<Progress>,
) -> Result<Loaded, TransferError> {
    let transaction = bulk_load::begin(store).await?;
    users::lock_table(&transaction).await?;
    let is_empty = bulk_load::is_empty(&transaction).await?;
    if !is_empty || !plain_tables::are_empty(&transaction, options.contents).await? {
        return Err(TransferError::NotEmpty);
    }
    let existing = users::all(&transaction).await?;
    if options.contents == Contents::Backup && !existing.is_empty() {
        return Err(TransferError::NotEmpty);
    }
    let mut schema = DeferredSchema::drop_for_load(&transaction, &[]).await?;
    forget_deleted_events(&transaction).await?;
    let mut loader = Loader {
        transaction: &transaction,
        options,
        existing,
        links: LinkBuffers::new(),
        cleaned: 0,
        users_without_password: 0,
    };
    let summary = loader.insert_all(input, progress).await?;
    let Loader {
        links,
        cleaned,
        users_without_password,
        ..
    } = loader;
    links.insert_rest(&transaction).await?;
    check_slugs(&transaction).await?;
    check_places(&transaction).await?;
    progress.begin("building indexes", 0);
    schema.rebuild(&transaction).await?;
    set_followers(&transaction, &summary).await?;
    progress.check()?;
    progress.begin("indexing texts for searches", 0);
    schema.rebuild_search_index(&transaction).await?;
    progress.check()?;
    let loaded = Loaded {
        counts: summary.counts,
        cleaned,
        users_without_password,
    };
    if options.is_dry_run {
        return Ok(loaded);
    }
    set_identity(&transaction, &summary.uuid, &summary.last_ids).await?;
    begin_anew(&transaction, options.contents, options.tokens, options.now).await?;
    before_commit()?;
    transaction.commit().await?;
    store.analyze().await?;
    Ok(loaded)
}

struct Loader<'t> {
    transaction: &'t Transaction,
    options: LoadOptions,
    /// The users that the database already has.
    existing: Vec<user::Model>,
    links: LinkBuffers,
    cleaned: u64,
    users_without_password: u64,
}

/// A batch whose derived columns are being computed.
type Deriving = JoinHandle<Result<(Batch, u64), LineErrors>>;

impl Loader<'_> {
    async fn insert_all(
        &mut self,
        input: impl BufRead + Send + 'static,
        progress: &Arc<Progress>,
    ) -> Result<Summary, TransferError> {
        let (sender, batches) = mpsc::channel(1);
        let reading = {
            let (contents, progress) = (self.options.contents, progress.clone());
            spawn_blocking(move || read::read(input, contents, sender, &progress))
        };
        let mut deriving = derive_ahead(batches, self.options.contents);
        let mut invalid = LineErrors::default();
        let mut inserted = Ok(());
        while let Some(batch) = deriving.recv().await {
            match batch.await.map_err(std::io::Error::other)? {
                // The rest of an invalid file is only read to find all errors.
                Ok((batch, cleaned)) if invalid.is_empty() => {
                    self.cleaned += cleaned;
                    inserted = self.insert(batch).await;
                }
                Ok(_) => {}
                Err(errors) => invalid.append(errors),
            }
            if inserted.is_err() {
                break;
            }
        }
        // Lets the reader stop.
        drop(deriving);
        let read = reading.await.map_err(std::io::Error::other)?;
        // If inserting has failed, the reader was only interrupted.
        inserted?;
        match read {
            Ok(summary) if invalid.is_empty() => Ok(summary),
            Ok(_) => Err(TransferError::Lines(invalid)),
            Err(TransferError::Lines(errors)) => {
                invalid.append(errors);
                Err(TransferError::Lines(invalid))
            }
            Err(error) => Err(error),
        }
    }

    async fn insert(&mut self, batch: Batch) -> Result<(), TransferError> {
        let Batch {
            users,
            images,
            categories,
            tags,
            venues,
            organizers,
            series,
            events,
            former_slugs,
            plain_rows,
            ..
        } = batch;
        let transaction = self.transaction;
        let users = self.new_users(users)?;
        bulk_load::insert_with_ids::<user::Entity>(transaction, users).await?;
        bulk_load::insert_with_ids::<image::Entity>(transaction, images).await?;
        bulk_load::insert_with_ids::<category::Entity>(transaction, categories).await?;
        bulk_load::insert_with_ids::<tag::Entity>(transaction, tags).await?;
        let venues = venues.into_iter().map(|line| line.row).collect();
        bulk_load::insert_with_ids::<venue::Entity>(transaction, venues).await?;
        let organizers = organizers.into_iter().map(|line| line.row).collect();
        bulk_load::insert_with_ids::<organizer::Entity>(transaction, organizers).await?;
        let series = series.into_iter().map(|line| line.row).collect();
        bulk_load::insert_with_ids::<series::Entity>(transaction, series).await?;
        let mut rows = Vec::with_capacity(events.len());
        for line in events {
            let (row, links) = line.row;
            self.links.add(row.id, &links, &listing_values(&row));
            rows.push(row);
        }
        bulk_load::insert_with_ids::<event::Entity>(transaction, rows).await?;
        self.links.insert_full(transaction).await?;
        insert_former_slugs(transaction, &former_slugs).await?;
        plain_tables::insert(transaction, &plain_rows).await
    }

    /// The users that the database does not have yet. Those of an export have no password, so that nobody can log in
    /// until one is set.
    fn new_users(&mut self, users: Vec<user::Model>) -> Result<Vec<user::Model>, TransferError> {
        let mut new = Vec::new();
        let mut conflicts = LineErrors::default();
        for mut user in users {
            let same = |other: &&user::Model| other.id == user.id || other.name == user.name;
            match self.existing.iter().find(same) {
                None => {
                    if self.options.contents == Contents::Export {
                        user.password_hash = secret::hash(&secret::new_password());
                        user.created_at = self.options.now;
                        self.users_without_password += 1;
                    }
                    new.push(user);
                }
                Some(other) if other.id == user.id && other.name == user.name => {}
                Some(other) => conflicts.add_general(&format!(
                    "user {} is {:?}, but the database has user {} with the name {:?}; remove that user, or name \
                     another database",
                    user.id, user.name, other.id, other.name
                )),
            }
        }
        match conflicts.is_empty() {
            true => Ok(new),
            false => Err(TransferError::Lines(conflicts)),
        }
    }
}

/// Computes the derived columns of several batches at the same time. They are received in the order of the file.
fn derive_ahead(mut batches: mpsc::Receiver<Batch>, contents: Contents) -> mpsc::Receiver<Deriving> {
    let markup = match contents {
        Contents::Export => Markup::Untrusted,
        Contents::Backup => Markup::Trusted,
    };
    let (sender, receiver) = mpsc::channel(BATCHES_AHEAD);
    tokio::spawn(async move {
        while let Some(mut batch) = batches.recv().await {
            let deriving = spawn_blocking(move || derive(&mut batch, markup).map(|cleaned| (batch, cleaned)));
            if sender.send(deriving).await.is_err() {
                return;
            }
        }
    });
    receiver
}

/// Removes events from the search index and its queue that were deleted before, and not yet taken out of the index.
async fn forget_deleted_events(transaction: &Transaction) -> Result<(), DbErr> {
    transaction.execute_unprepared("DELETE FROM search_queue").await?;
    for index in ["event_search", "venue_search", "organizer_search"] {
        transaction.execute_unprepared(&format!("DELETE FROM {index}")).await?;
    }
    Ok(())
}

async fn insert_former_slugs(transaction: &Transaction, slugs: &[FormerSlug]) -> Result<(), TransferError> {
    for chunk in slugs.chunks(FORMER_SLUGS_AT_ONCE) {
        let mut insert = Query::insert();
        insert.into_table("former_slugs").columns(["kind", "slug", "target_id"]);
        for FormerSlug { kind, slug, target_id } in chunk {
            insert.values_panic([kind.name().into(), slug.as_str().into(), (*target_id).into()]);
        }
        transaction.execute(&insert).await?;
    }
    Ok(())
}

/// The index that requires slugs of events to be unique is built later, and would not name them.
async fn check_slugs(transaction: &Transaction) -> Result<(), TransferError> {
    let duplicates = "SELECT MAX(id), slug FROM events WHERE status <> 'trash' \
                      GROUP BY slug HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 100";
    let duplicates = Statement::from_string(transaction.backend(), duplicates);
    let rows: Vec<(i64, String)> = transaction.rows_of(duplicates).await?;
    let mut errors = LineErrors::default();
    for (id, slug) in rows {
        errors.add_general(&format!("another event has the same slug as event {id}, {slug:?}"));
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(TransferError::Lines(errors)),
    }
}

/// The index that requires the places of events in their series to be unique is built later, too.
async fn check_places(transaction: &Transaction) -> Result<(), TransferError> {
    let duplicates = "SELECT MAX(id), series_id FROM events WHERE series_id IS NOT NULL AND recurrence_id IS NOT NULL \
                      GROUP BY series_id, recurrence_id HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 100";
    let duplicates = Statement::from_string(transaction.backend(), duplicates);
    let rows: Vec<[i64; 2]> = transaction.rows_of(duplicates).await?;
    let mut errors = LineErrors::default();
    for [id, series] in rows {
        errors.add_general(&format!(
            "another event of series {series} has the same recurrence_id as event {id}"
        ));
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(TransferError::Lines(errors)),
    }
}

/// Lets venues and organizers follow the publication of events, which they precede in the file.
async fn set_followers(transaction: &Transaction, summary: &Summary) -> Result<(), DbErr> {
    for follower in &summary.followers {
        let event_id = Expr::value(follower.event_id);
        match follower.kind {
            RecordKind::Venue => {
                let update = venue::Entity::update_many()
                    .col_expr(venue::Column::FollowsEventId, event_id)
                    .filter(venue::Column::Id.eq(follower.id));
                transaction.run(update).await?;
            }
            _ => {
                let update = organizer::Entity::update_many()
                    .col_expr(organizer::Column::FollowsEventId, event_id)
                    .filter(organizer::Column::Id.eq(follower.id));
                transaction.run(update).await?;
            }
        }
    }
    Ok(())
}

/// Continues the calendar of the file: its identity and its IDs.
async fn set_identity(transaction: &Transaction, uuid: &str, last_ids: &BTreeMap<String, i64>) -> Result<(), DbErr> {
    transaction
        .run(calendar_identity::Entity::update_many().col_expr(calendar_identity::Column::Uuid, Expr::value(uuid)))
        .await?;
    for (table, id) in last_ids {
        header::set_last_id(transaction, table, *id).await?;
    }
    Ok(())
}
