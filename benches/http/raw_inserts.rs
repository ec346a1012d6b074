//! Raw inserts, with which creates are compared: the same rows inserted with plain SQL over the connections of the
//! server's store, hence with the same durability. One transaction inserts a venue, an organizer, an event and its
//! links.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use almanac::testing::store::{
    self, Store,
    entity::{event, event_category, event_organizer, event_tag, event_venue, organizer, venue},
    links::Link,
    read_connection::ReadConnection,
    write_connection::WriteConnection,
};
use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, IdenStatic, IntoActiveModel, Iterable,
    QueryFilter, Statement, Value,
    sea_query::{PostgresQueryBuilder, Query, SqliteQueryBuilder, Values},
};
use tokio::runtime::Runtime;

use crate::generator::{Measurement, RequestNumbers};

/// The rows of one event, which can be inserted repeatedly.
pub(crate) struct RawInserts {
    runtime: Runtime,
    store: Store,
    rows: Arc<Rows>,
}

struct Rows {
    venue: Insert,
    organizer: Insert,
    event: Insert,
    venues: Insert,
    organizers: Insert,
    categories: Insert,
    tags: Insert,
}

/// A statement, and the positions of the parameters that change with each execution.
struct Insert {
    backend: DbBackend,
    sql: String,
    values: Vec<Value>,
    slugs: Vec<usize>,
    events: Vec<usize>,
    /// The positions of the ID of the new venue or organizer.
    targets: Vec<usize>,
}

/// The parameters that change with each execution.
#[derive(Default)]
struct NewValues {
    slug: String,
    event: i64,
    target: i64,
}

impl RawInserts {
    /// Copies the rows of an existing event with one venue and one organizer.
    pub(crate) fn from_event(url: &str, event: i64) -> Result<Self> {
        let runtime = Runtime::new()?;
        let (store, rows) = runtime.block_on(async {
            let store = store::open(url, false).await?;
            let rows = Rows::of(&store, event).await?;
            anyhow::Ok((store, rows))
        })?;
        Ok(Self {
            runtime,
            store,
            rows: Arc::new(rows),
        })
    }

    /// Inserts rows for the duration, with this number of concurrent tasks.
    pub(crate) fn drive(
        &self,
        connections: usize,
        duration: Duration,
        numbers: &Arc<RequestNumbers>,
    ) -> Result<Measurement> {
        self.runtime.block_on(async {
            let begin = Instant::now();
            let tasks: Vec<_> = (0..connections)
                .map(|_| {
                    let (store, rows) = (self.store.clone(), Arc::clone(&self.rows));
                    let numbers = Arc::clone(numbers);
                    tokio::spawn(async move {
                        let mut latencies = Histogram::<u64>::new(3)?;
                        while begin.elapsed() < duration {
                            let started = Instant::now();
                            rows.insert(&store, numbers.next()).await?;
                            latencies.record(u64::try_from(started.elapsed().as_nanos())?)?;
                        }
                        anyhow::Ok(latencies)
                    })
                })
                .collect();
            let mut latencies = Histogram::<u64>::new(3)?;
            for task in tasks {
                latencies.add(task.await??)?;
            }
            let quantile = |q| Duration::from_nanos(latencies.value_at_quantile(q));
            Ok(Measurement {
                rate: latencies.len() as f64 / begin.elapsed().as_secs_f64(),
                p50: quantile(0.5),
                p99: quantile(0.99),
                error: None,
            })
        })
    }
}

impl Rows {
    async fn of(store: &Store, id: i64) -> Result<Self> {
        let database = store.reader();
        let backend = database.get_database_backend();
        let event = event::Entity::find_by_id(id).one(database).await?;
        let [venue] = links::<event_venue::Entity>(database, id).await?[..] else {
            anyhow::bail!("the event must have one venue");
        };
        let [organizer] = links::<event_organizer::Entity>(database, id).await?[..] else {
            anyhow::bail!("the event must have one organizer");
        };
        let venue = venue::Entity::find_by_id(venue).one(database).await?;
        let organizer = organizer::Entity::find_by_id(organizer).one(database).await?;
        Ok(Self {
            venue: Insert::of_row(backend, venue.context("no such venue")?),
            organizer: Insert::of_row(backend, organizer.context("no such organizer")?),
            event: Insert::of_row(backend, event.context("no such event")?),
            venues: Insert::of_links::<event_venue::Entity>(database, id, true).await?,
            organizers: Insert::of_links::<event_organizer::Entity>(database, id, true).await?,
            categories: Insert::of_links::<event_category::Entity>(database, id, false).await?,
            tags: Insert::of_links::<event_tag::Entity>(database, id, false).await?,
        })
    }

    async fn insert(&self, store: &Store, number: u64) -> Result<()> {
        let transaction = store.begin().await?;
        let mut new_values = NewValues {
            slug: format!("raw-{number}"),
            ..NewValues::default()
        };
        let venue = self.venue.insert_returning_id(&transaction, &new_values).await?;
        let organizer = self.organizer.insert_returning_id(&transaction, &new_values).await?;
        new_values.event = self.event.insert_returning_id(&transaction, &new_values).await?;
        new_values.target = venue;
        self.venues.insert(&transaction, &new_values).await?;
        new_values.target = organizer;
        self.organizers.insert(&transaction, &new_values).await?;
        self.categories.insert(&transaction, &new_values).await?;
        self.tags.insert(&transaction, &new_values).await?;
        Ok(transaction.commit().await?)
    }
}

async fn links<L: Link>(database: &impl ReadConnection, event: i64) -> Result<Vec<i64>> {
    let linked = store::links::of_events(database, &[event]).await?;
    Ok(linked.of_event::<L>(event))
}

impl Insert {
    /// Inserts a row without its ID, and returns the new ID.
    fn of_row<M>(backend: DbBackend, row: M) -> Self
    where
        M: IntoActiveModel<<M::Entity as EntityTrait>::ActiveModel> + sea_orm::ModelTrait,
        <M::Entity as EntityTrait>::ActiveModel: ActiveModelTrait<Entity = M::Entity>,
    {
        let row = row.into_active_model();
        Self::of::<M::Entity>(backend, vec![row], &["id"], false)
    }

    /// Inserts all links of the event to one kind of resource.
    async fn of_links<L>(database: &DatabaseConnection, event: i64, has_new_target: bool) -> Result<Self>
    where
        L: Link<Model: IntoActiveModel<L::ActiveModel>, ActiveModel: ActiveModelTrait<Entity = L>>,
    {
        let links = L::find().filter(L::EVENT_ID.eq(event)).all(database).await?;
        let rows = links.into_iter().map(IntoActiveModel::into_active_model);
        let backend = database.get_database_backend();
        Ok(Self::of::<L>(backend, rows.collect(), &[], has_new_target))
    }

    fn of<E: EntityTrait>(
        backend: DbBackend,
        rows: Vec<impl ActiveModelTrait<Entity = E>>,
        without: &[&str],
        has_new_target: bool,
    ) -> Self {
        let is_wanted = |column: &E::Column| !without.contains(&column.as_str());
        let columns: Vec<E::Column> = E::Column::iter().filter(is_wanted).collect();
        let positions = |name: &str| -> Vec<usize> {
            let all = columns.iter().cycle().take(columns.len() * rows.len());
            let named = all.enumerate().filter(|(_, column)| column.as_str() == name);
            named.map(|(position, _)| position).collect()
        };
        let (slugs, events) = (positions("slug"), positions("event_id"));
        let targets = if has_new_target {
            positions("target_id")
        } else {
            Vec::new()
        };
        let mut insert = Query::insert();
        insert.into_table(E::default()).columns(columns.iter().copied());
        for row in &rows {
            let values = columns.iter().filter_map(|column| row.get(*column).into_value());
            insert.values_panic(values.map(Into::into));
        }
        if without.contains(&"id") {
            insert.returning_col("id");
        }
        let (sql, Values(values)) = match backend {
            DbBackend::Postgres => insert.build(PostgresQueryBuilder),
            _ => insert.build(SqliteQueryBuilder),
        };
        Self {
            backend,
            sql,
            values,
            slugs,
            events,
            targets,
        }
    }

    fn statement(&self, new_values: &NewValues) -> Statement {
        let mut values = self.values.clone();
        for position in &self.slugs {
            values[*position] = new_values.slug.clone().into();
        }
        for position in &self.events {
            values[*position] = new_values.event.into();
        }
        for position in &self.targets {
            values[*position] = new_values.target.into();
        }
        Statement::from_sql_and_values(self.backend, &self.sql, values)
    }

    async fn insert_returning_id(&self, transaction: &impl WriteConnection, new_values: &NewValues) -> Result<i64> {
        let ids = transaction.rows_of(self.statement(new_values)).await?;
        ids.into_iter().next().context("no ID returned")
    }

    async fn insert(&self, transaction: &impl WriteConnection, new_values: &NewValues) -> Result<()> {
        transaction.execute_raw(self.statement(new_values)).await?;
        Ok(())
    }
}
