//! Every statement of a list is served by an index: on SQLite by the plans that its fixed statistics give, on
//! PostgreSQL wherever an index can serve it.

use std::sync::{Arc, Mutex};

use almanac::{
    calendar::{
        search::Search,
        window::{Span, Window},
    },
    store::{
        self, PageRequest,
        counts::counts,
        entity::{category, event_organizer, event_venue, tag},
        events::{self, Direction, EventFilter, EventQuery, GeoCircle, Scope},
        linked_resource::{self, LinkedResourceFilter},
        term_list::{self, TermFilter, TermOrder},
        visibility::Visibility,
    },
};
use sea_orm::{ConnectionTrait, Database as Connect, DatabaseConnection, DbBackend, Statement, TransactionTrait};
use serde_json::json;

use crate::{on_both_databases, support::Server};

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 86_400;
const FIRST: PageRequest = PageRequest { page: 1, per_page: 10 };

on_both_databases! {
    async fn lists_of_events_are_read_by_index(on) {
        let seen = Seen::connect(&on.url().await).await;
        for (name, query) in queries() {
            events::list(&seen.database, &query, FIRST).await.expect("a list");
            // No statement reads on where the total says that there is nothing: ask for the rows as well.
            seen.are_by_index(name).await;
            for direction in [Direction::Forward, Direction::Backward] {
                events::first_ids(&seen.database, &query, direction, 10).await.expect("IDs");
                seen.are_by_index(name).await;
            }
        }
    }

    async fn events_around_a_place_are_read_by_index_where_there_are_some(on) {
        let url = on.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let venue = json!({"venue": "Here", "geo_lat": NEAR.latitude, "geo_lng": NEAR.longitude});
        let event = |venue| json!({"title": "Choir", "start_date": "2030-05-01", "end_date": "2030-05-01", "venue": venue});
        admin.create("/events", event(venue)).await;
        let seen = Seen::connect(&url).await;
        let query = EventQuery::published(Window::default(), NOW).with(EventFilter::Near(NEAR));
        // Much of the calendar is there, and then little of it.
        for others in [0, 20] {
            for _ in 0..others {
                admin.create("/events", event(json!([]))).await;
            }
            let found = events::list(&seen.database, &query, FIRST).await.expect("a list");
            assert_eq!(found.rows.len(), 1);
            seen.are_by_index("around a place").await;
        }
    }

    async fn everything_is_counted_by_index(on) {
        let seen = Seen::connect(&on.url().await).await;
        counts(&seen.database, NOW).await.expect("a counts");
        seen.are_by_index("counts").await;
    }

    async fn lists_of_venues_and_organizers_are_read_by_index(on) {
        let seen = Seen::connect(&on.url().await).await;
        for has_events in [None, Some(true), Some(false)] {
            for only_with_upcoming in [false, true] {
                let filter = LinkedResourceFilter {
                    visibility: Visibility::published(NOW),
                    search: Search::parse("hall -dance"),
                    events: None,
                    has_events,
                    only_with_upcoming,
                };
                linked_resource::list::<event_venue::Entity>(&seen.database, &filter, FIRST).await.expect("a list");
                linked_resource::list::<event_organizer::Entity>(&seen.database, &filter, FIRST).await.expect("a list");
                seen.are_by_index("hosts").await;
            }
        }
    }

    async fn counts_of_terms_are_read_by_index(on) {
        let seen = Seen::connect(&on.url().await).await;
        term_list::with_counts::<category::Entity>(&seen.database, &[1, 2], NOW).await.expect("terms");
        term_list::with_counts::<tag::Entity>(&seen.database, &[1, 2], NOW).await.expect("terms");
        let filter = TermFilter {
            search: Search::default(),
            include: None,
            exclude: None,
            slug: None,
            parent: None,
            events: Some(vec![1]),
            hide_empty: false,
            order_by: TermOrder::Count,
            descending: true,
            now: NOW,
        };
        term_list::list::<tag::Entity>(&seen.database, &filter, FIRST).await.expect("a list");
        seen.are_by_index("terms").await;
    }
}

#[tokio::test]
async fn who_has_made_the_schema_merges_the_index_of_words_by_its_key() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite://{}/almanac.db", folder.path().display());
    let store = store::open(&url, true).await.expect("a database");
    let writer = store.begin().await.expect("a transaction");
    // As FTS5 removes what it has merged.
    let plan = "EXPLAIN QUERY PLAN DELETE FROM event_search_data WHERE id >= ? AND id <= ?";
    let plan = Statement::from_sql_and_values(DbBackend::Sqlite, plan, [1.into(), 2.into()]);
    let steps = writer.query_all_raw(plan).await.expect("a plan");
    let step: String = steps[0].try_get("", "detail").expect("a step");
    assert!(step.starts_with("SEARCH"), "{step}");
}

/// By `.cargo/config.toml`, which tells why.
#[tokio::test]
async fn sqlite_is_built_as_it_is_meant() {
    let database = Connect::connect("sqlite::memory:").await.expect("a database");
    let options = Statement::from_string(DbBackend::Sqlite, "PRAGMA compile_options");
    let options = database.query_all_raw(options).await.expect("options");
    let options: Vec<String> = options
        .iter()
        .map(|row| row.try_get_by_index(0).expect("an option"))
        .collect();
    for (option, is_wanted) in [
        ("ENABLE_QPSG", true),
        ("ENABLE_MEMORY_MANAGEMENT", false),
        ("DEFAULT_MEMSTATUS=0", true),
    ] {
        let is_there = options.iter().any(|other| other == option);
        assert_eq!(is_there, is_wanted, "{option} of {options:?}");
    }
}

/// A query with each window and each filter, and one with several.
fn queries() -> Vec<(&'static str, EventQuery)> {
    let year = |from: Option<i64>, before: Option<i64>| Span {
        from: from.map(|days| NOW + days * DAY),
        before: before.map(|days| NOW + days * DAY),
    };
    let during = |starts, ends| EventQuery::published(Window { starts, ends }, NOW);
    let default = || during(year(Some(0), None), year(None, Some(730)));
    let by = |filter| default().with(filter);
    let open = Span::default();
    let mut include = default();
    include.scope = Scope::Ids(vec![1, 2, 3]);
    vec![
        ("default", default()),
        ("all", during(open, open)),
        ("ends after", during(open, year(Some(0), None))),
        ("ends before", during(open, year(None, Some(0)))),
        ("starts before", during(year(None, Some(0)), open)),
        ("starts after", during(year(Some(0), None), open)),
        ("featured", by(EventFilter::Featured(true))),
        ("located", by(EventFilter::Located(false))),
        ("category", by(EventFilter::Categories(vec![1]))),
        ("categories", by(EventFilter::Categories(vec![1, 2, 3]))),
        ("tag", by(EventFilter::Tags(vec![1]))),
        ("venue", by(EventFilter::Venues(vec![1]))),
        ("organizer", by(EventFilter::Organizers(vec![1]))),
        ("words", by(EventFilter::Search(Search::parse("jazz \"night\" -rock")))),
        ("include", include),
        ("parent", by(EventFilter::Parent(1))),
        ("near", by(EventFilter::Near(NEAR))),
        (
            "several",
            by(EventFilter::Featured(true))
                .with(EventFilter::Search(Search::parse("jazz")))
                .with(EventFilter::Categories(vec![1, 2]))
                .with(EventFilter::Tags(vec![1]))
                .with(EventFilter::Venues(vec![1]))
                .with(EventFilter::Organizers(vec![1]))
                .with(EventFilter::Parent(1)),
        ),
    ]
}

const NEAR: GeoCircle = GeoCircle {
    latitude: 54.3,
    longitude: 10.1,
    radius_in_km: 5.0,
};

/// A connection that remembers its statements.
struct Seen {
    database: DatabaseConnection,
    statements: Arc<Mutex<Vec<Statement>>>,
}

impl Seen {
    async fn connect(url: &str) -> Self {
        let mut database = Connect::connect(url).await.expect("the database answers");
        let statements: Arc<Mutex<Vec<Statement>>> = Arc::default();
        let seen = statements.clone();
        database.set_metric_callback(move |info| {
            seen.lock().expect("no panic").push(info.statement.clone());
        });
        Self { database, statements }
    }

    /// Checks the plans of what was seen since the last time.
    async fn are_by_index(&self, name: &str) {
        let statements = std::mem::take(&mut *self.statements.lock().expect("no panic"));
        assert!(!statements.is_empty(), "{name}");
        let transaction = self.database.begin().await.expect("a transaction");
        let is_postgres = self.database.get_database_backend() == DbBackend::Postgres;
        if is_postgres {
            // Small tables are read faster as a whole; what counts here is that an index can serve.
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
                assert!(!reads_a_whole_table(&step), "{name}: {step}\n{statement}");
            }
        }
        drop(transaction);
        self.statements.lock().expect("no panic").clear();
    }
}

/// Tables that grow with the calendar.
const TABLES: [&str; 9] = [
    "events",
    "event_time_buckets",
    "event_venues",
    "event_organizers",
    "event_categories",
    "event_tags",
    "venues",
    "organizers",
    "other",
];

fn reads_a_whole_table(step: &str) -> bool {
    let words: Vec<&str> = step.split_whitespace().collect();
    TABLES.iter().any(|table| {
        let is_scan = |pair: &[&str]| pair == ["SCAN", *table];
        words.windows(2).any(is_scan) || step.contains(&format!("Seq Scan on {table} "))
    })
}
