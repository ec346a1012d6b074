//! No statement scans a whole table: on SQLite with its fixed statistics, on PostgreSQL with sequential scans disabled.

use std::sync::{Arc, Mutex};

use almanac::testing::{
    calendar::{
        event_status::EventStatus,
        search::Search,
        window::{Span, Window},
    },
    store::{
        self, PageRequest,
        counts::counts,
        entity::{category, event, event_organizer, event_venue, organizer, tag, venue},
        events::{self, Direction, EventFilter, EventOrder, EventQuery, SortKey},
        images,
        linked_resource::{self, LinkedResourceFilter},
        links,
        publishable::{self, Key},
        term,
        term_list::{self, TermFilter, TermOrder},
        users,
        visibility::Visibility,
    },
};
use rusqlite::config::DbConfig;
use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, DbBackend, Statement, TransactionTrait};
use serde_json::json;

use crate::{
    on_both_databases,
    plan_queries::{NEAR, NOW, queries},
    support::Server,
};

const FIRST: PageRequest = PageRequest { page: 1, per_page: 10 };

on_both_databases! {
    async fn event_lists(on) {
        let recorder = StatementRecorder::connect(&on.url().await).await;
        for (name, query) in queries() {
            events::list(&recorder.database, &query, FIRST).await.expect("a list");
            // `list` does not read rows if the total is 0. `first_ids` always does.
            recorder.assert_indexed(name).await;
            for direction in [Direction::Forward, Direction::Backward] {
                events::first_ids(&recorder.database, &query, direction, 10).await.expect("IDs");
                recorder.assert_indexed(name).await;
            }
        }
    }

    async fn geo_lists_in_dense_and_sparse_calendars(on) {
        let url = on.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let venue = json!({"venue": "Here", "geo_lat": NEAR.latitude, "geo_lng": NEAR.longitude});
        let event = |venue| json!({"title": "Choir", "start_date": "2030-05-01", "end_date": "2030-05-01", "venue": venue});
        admin.create("/events", event(venue)).await;
        let recorder = StatementRecorder::connect(&url).await;
        let query = EventQuery::published(Window::default(), NOW).with(EventFilter::Near(NEAR));
        // First all events are in the area, then few of them.
        for others in [0, 20] {
            for _ in 0..others {
                admin.create("/events", event(json!([]))).await;
            }
            let found = events::list(&recorder.database, &query, FIRST).await.expect("a list");
            assert_eq!(found.rows.len(), 1);
            recorder.assert_indexed("near").await;
        }
    }

    async fn orders_of_dense_and_sparse_lists(on) {
        let url = on.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let venue = json!({"venue": "Here", "geo_lat": NEAR.latitude, "geo_lng": NEAR.longitude});
        let event = |more| json!({"title": "Choir", "start_date": "2030-05-01", "end_date": "2030-05-01", "venue": more});
        admin.create("/events", event(venue)).await;
        let recorder = StatementRecorder::connect(&url).await;
        let near = EventQuery::published(Window::default(), NOW).with(EventFilter::Near(NEAR));
        // First all events are in the list, then few of them.
        for others in [0, 20] {
            for _ in 0..others {
                admin.create("/events", event(json!([]))).await;
            }
            for key in [SortKey::Start, SortKey::Title, SortKey::Modified, SortKey::Distance(NEAR)] {
                for direction in [Direction::Forward, Direction::Backward] {
                    let filters = [
                        None,
                        Some(EventFilter::Venues(vec![1])),
                        Some(EventFilter::EventStatuses(vec![EventStatus::Scheduled])),
                        Some(EventFilter::Authors(vec![1])),
                    ];
                    for filter in filters {
                        let mut query = near.clone();
                        query.filters.extend(filter);
                        query.order = EventOrder { key, direction };
                        let found = events::list(&recorder.database, &query, FIRST).await.expect("a list");
                        assert_eq!(found.rows.len(), 1, "{query:?}");
                        recorder.assert_indexed("orders").await;
                    }
                }
            }
        }
    }

    async fn total_counts(on) {
        let recorder = StatementRecorder::connect(&on.url().await).await;
        counts(&recorder.database, NOW).await.expect("the counts");
        recorder.assert_indexed("counts").await;
    }

    async fn venue_and_organizer_lists(on) {
        let recorder = StatementRecorder::connect(&on.url().await).await;
        let external = [None, Some(("league".to_owned(), None)), Some(("league".to_owned(), Some("4711".to_owned())))];
        for has_events in [None, Some(true), Some(false)] {
            for (only_with_upcoming, external) in [false, true].into_iter().flat_map(|flag| external.iter().map(move |id| (flag, id))) {
                let filter = LinkedResourceFilter {
                    visibility: Visibility::published(NOW),
                    search: Search::parse("hall -dance"),
                    events: None,
                    has_events,
                    only_with_upcoming,
                    modified: Span { from: Some(NOW), before: None },
                    external: external.clone(),
                };
                linked_resource::list::<event_venue::Entity>(&recorder.database, &filter, FIRST).await.expect("a list");
                linked_resource::list::<event_organizer::Entity>(&recorder.database, &filter, FIRST).await.expect("a list");
                recorder.assert_indexed("venues and organizers").await;
            }
        }
    }

    async fn term_lists(on) {
        let recorder = StatementRecorder::connect(&on.url().await).await;
        term_list::with_counts::<category::Entity>(&recorder.database, &[1, 2], NOW).await.expect("terms");
        term_list::with_counts::<tag::Entity>(&recorder.database, &[1, 2], NOW).await.expect("terms");
        let filter = TermFilter {
            search: Search::default(),
            include: None,
            exclude: None,
            slug: None,
            parent: None,
            events: Some(vec![1]),
            hide_empty: false,
            modified: Span::default(),
            order_by: TermOrder::Count,
            descending: true,
            now: NOW,
        };
        term_list::list::<tag::Entity>(&recorder.database, &filter, FIRST).await.expect("a list");
        recorder.assert_indexed("terms").await;
    }

    async fn lookups(on) {
        let recorder = StatementRecorder::connect(&on.url().await).await;
        let database = &recorder.database;
        for key in [Key::Id(1), Key::Slug("choir".to_owned())] {
            publishable::find::<event::Entity>(database, &key).await.expect("a lookup");
            publishable::find::<venue::Entity>(database, &key).await.expect("a lookup");
            publishable::find::<organizer::Entity>(database, &key).await.expect("a lookup");
        }
        linked_resource::find_by_name::<venue::Entity>(database, "hall", 1, NOW).await.expect("a lookup");
        linked_resource::followers::<venue::Entity>(database, 1, NOW).await.expect("a lookup");
        term::find_by_slug::<category::Entity>(database, "music").await.expect("a lookup");
        term::find_by_name::<category::Entity>(database, "music", Some(0)).await.expect("a lookup");
        term::find_by_slug::<tag::Entity>(database, "new").await.expect("a lookup");
        term::find_by_name::<tag::Entity>(database, "new", None).await.expect("a lookup");
        links::of_events(database, &[1, 2]).await.expect("a lookup");
        images::find_all(database, &[1, 2]).await.expect("a lookup");
        users::find_by_name(database, "ann").await.expect("a lookup");
        users::find_token(database, "0").await.expect("a lookup");
        users::count_tokens(database, 1).await.expect("a lookup");
        recorder.assert_indexed("lookups").await;
    }
}

/// These plans include the statements of triggers and foreign key actions.
#[tokio::test]
async fn writes_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("almanac.db");
    let store = store::open(&format!("sqlite://{}", file.display()), true).await;
    store.expect("a database").close().await.expect("it closes");
    let database = rusqlite::Connection::open(&file).expect("the file exists");
    database
        .set_db_config(DbConfig::SQLITE_DBCONFIG_TRIGGER_EQP, true)
        .expect("an option");
    // The last column of each row.
    let texts = |query: &str| -> Vec<String> {
        let mut query = database.prepare(query).expect("a query");
        let last = query.column_count() - 1;
        let rows = query
            .query_map([], |row| row.get::<_, Option<String>>(last))
            .expect("rows");
        rows.map(|text| text.expect("a text").unwrap_or_default()).collect()
    };
    let tables = texts(SQLITE_TABLES);
    for table in &tables {
        let columns = texts(&format!("SELECT name FROM pragma_table_info('{table}')"));
        let key = &columns[0];
        let set: Vec<String> = columns.iter().map(|name| format!("{name} = {name}")).collect();
        for write in [
            format!("INSERT INTO {table} DEFAULT VALUES"),
            format!("UPDATE {table} SET {} WHERE {key} = 1", set.join(", ")),
            format!("DELETE FROM {table} WHERE {key} = 1"),
        ] {
            // A step without text precedes the plan of a foreign key action.
            for step in texts(&format!("EXPLAIN QUERY PLAN {write}")) {
                if let Some(scanned) = scanned_table(&step, &tables) {
                    assert!(ALLOWED_SCANS.contains(&(table, scanned)), "{write}: {step}");
                }
            }
        }
    }
}

#[tokio::test]
async fn full_text_index_is_merged_by_key_after_migration() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite://{}/almanac.db", folder.path().display());
    let store = store::open(&url, true).await.expect("a database");
    // The statement by which FTS5 deletes merged segments.
    let plan = "EXPLAIN QUERY PLAN DELETE FROM event_search_data WHERE id >= ? AND id <= ?";
    let plan = Statement::from_sql_and_values(DbBackend::Sqlite, plan, [1.into(), 2.into()]);
    let steps = store.reader().query_all_raw(plan).await.expect("a plan");
    let step: String = steps[0].try_get("", "detail").expect("a step");
    assert!(step.starts_with("SEARCH"), "{step}");
}

/// A connection that records its statements.
struct StatementRecorder {
    database: DatabaseConnection,
    statements: Arc<Mutex<Vec<Statement>>>,
    /// All tables.
    tables: Vec<String>,
}

impl StatementRecorder {
    async fn connect(url: &str) -> Self {
        let mut database = Connect::connect(url).await.expect("the database opens");
        let backend = database.get_database_backend();
        let names = match backend {
            DbBackend::Postgres => POSTGRES_TABLES,
            _ => SQLITE_TABLES,
        };
        let names = database
            .query_all_raw(Statement::from_string(backend, names))
            .await
            .expect("tables");
        let statements: Arc<Mutex<Vec<Statement>>> = Arc::default();
        let recorded = statements.clone();
        database.set_metric_callback(move |info| {
            recorded.lock().expect("no panic").push(info.statement.clone());
        });
        Self {
            database,
            statements,
            tables: names
                .iter()
                .map(|row| row.try_get_by_index(0).expect("a name"))
                .collect(),
        }
    }

    /// Checks the plans of the statements recorded since the last check.
    async fn assert_indexed(&self, name: &str) {
        let statements = std::mem::take(&mut *self.statements.lock().expect("no panic"));
        assert!(!statements.is_empty(), "{name}");
        let transaction = self.database.begin().await.expect("a transaction");
        let is_postgres = self.database.get_database_backend() == DbBackend::Postgres;
        if is_postgres {
            // Otherwise PostgreSQL would scan small tables even if an index serves the statement.
            transaction
                .execute_unprepared("SET LOCAL enable_seqscan = off")
                .await
                .expect("a setting");
        }
        for statement in statements {
            let explain = if is_postgres { "EXPLAIN" } else { "EXPLAIN QUERY PLAN" };
            let explain = format!("{explain} {statement}");
            let plan = Statement::from_string(self.database.get_database_backend(), explain);
            for row in transaction.query_all_raw(plan).await.expect("a plan") {
                let column = if is_postgres { "QUERY PLAN" } else { "detail" };
                let step: String = row.try_get("", column).expect("a step");
                if let Some(table) = scanned_table(&step, &self.tables) {
                    assert!(ALLOWED_SCANS.contains(&(name, table)), "{name}: {step}\n{statement}");
                }
            }
        }
        drop(transaction);
        self.statements.lock().expect("no panic").clear();
    }
}

/// Names of statements or written tables, and the tables that they may scan.
const ALLOWED_SCANS: [(&str, &str); 7] = [
    // Lists and counts of terms read all terms, which are few compared with events.
    ("counts", "categories"),
    ("counts", "tags"),
    ("terms", "categories"),
    ("terms", "tags"),
    // A sorted subquery, which has the name of its table. The index of the category serves it.
    ("free in category", "event_category_closure"),
    // The author columns of venues and organizers have no index: users are rarely removed.
    ("users", "venues"),
    ("users", "organizers"),
];

/// All tables except the full-text indexes and their shadow tables.
const SQLITE_TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                             AND name NOT LIKE '%_search%' AND name <> 'migrations'";
const POSTGRES_TABLES: &str = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' \
                               AND tablename <> 'migrations'";

/// The table that a step of a plan scans. `other` is the alias of link tables in subqueries.
fn scanned_table<'step>(step: &'step str, tables: &[String]) -> Option<&'step str> {
    let scanned = match step.split_once("Seq Scan on ") {
        Some((_, scanned)) => scanned,
        None => step.trim_start().strip_prefix("SCAN ")?,
    };
    let name = scanned.split_whitespace().next()?;
    (name == "other" || tables.iter().any(|table| table == name)).then_some(name)
}
