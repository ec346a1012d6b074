//! Searches find the same rows whatever has been indexed, and the indexes follow all writes.

use std::collections::{BTreeMap, BTreeSet};

use almanac::testing::{
    calendar::{search::Search, text::fold, window::Window},
    store::{
        PageRequest, Store,
        entity::event,
        events::{self, EventFilter, EventQuery},
        open,
        search_index::index_queued,
        write_connection::WriteConnection,
    },
};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, Statement};
use serde_json::{Value, json};

use crate::on_both_databases;

/// A time after the publication of all events.
const NOW: i64 = 1_000_000_000;
/// The number of random searches in each state of the index.
const SEARCHES: usize = 150;

/// Pieces of random texts: words that are parts of others, signs, and scripts without spaces.
const PIECES: [&str; 24] = [
    "jazz",
    "jaz",
    "azz",
    "a",
    "zz",
    "night",
    "hip-hop",
    "x2",
    " ",
    " ",
    " ",
    ", ",
    "-",
    "&",
    "100%",
    "_",
    "\\",
    "“",
    "йога",
    "हिन्दी",
    "音楽",
    "楽",
    "会",
    "เชียงใหม่",
];

fn random_text(rng: &mut StdRng) -> String {
    let mut text = String::new();
    for _ in 0..rng.random_range(1..14) {
        match rng.random_range(0..20) {
            // Longer than the longest word of the index.
            0 => text.push_str(&"abcde".repeat(rng.random_range(10..60))),
            _ => text.push_str(PIECES.choose(rng).expect("a piece")),
        }
    }
    fold(&text)
}

/// A part of one of the texts, or a text that none of them may have.
fn random_term(rng: &mut StdRng, texts: &BTreeMap<i64, String>) -> String {
    let texts: Vec<&String> = texts.values().collect();
    let text = match rng.random_range(0..6) {
        0 => random_text(rng),
        _ => (*texts.choose(rng).expect("a text")).clone(),
    };
    let characters: Vec<char> = text.chars().collect();
    let start = rng.random_range(0..=characters.len());
    let length = [2, 5, 12, 80][rng.random_range(0..4)];
    let part: String = characters
        .into_iter()
        .skip(start)
        .take(rng.random_range(1..=length))
        .collect();
    part.trim().to_owned()
}

fn random_search(rng: &mut StdRng, texts: &BTreeMap<i64, String>) -> Search {
    let mut terms = |number: usize| -> Vec<String> {
        let terms = (0..number).map(|_| random_term(rng, texts));
        terms.filter(|term| !term.is_empty()).collect()
    };
    Search {
        included: terms(2),
        excluded: terms(1),
    }
}

/// Runs a statement with one text as its value.
async fn execute(store: &Store, sql: &str, text: &str) {
    let backend = store.reader().get_database_backend();
    let parameter = if backend == DbBackend::Postgres { "$1" } else { "?" };
    let statement = Statement::from_sql_and_values(backend, sql.replace("TEXT", parameter), [text.into()]);
    let transaction = store.begin().await.expect("a transaction");
    transaction.execute_raw(statement).await.expect("the statement runs");
    transaction.commit().await.expect("a commit");
}

async fn insert(store: &Store, number: usize, text: &str) {
    let insert = format!(
        "INSERT INTO events (version, status, slug, published_at, modified_at, title, description, search_text, \
         excerpt, starts_at, ends_at, timezone, cost, website, custom_fields, all_day, show_map, show_map_link, \
         hide_from_listings, sticky, featured, ticketed) \
         VALUES (1, 'publish', 'event-{number}', 1, 1, 'Event', '', TEXT, '', {number}, {number}, 'UTC', '', '', \
         '{{}}', FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE)"
    );
    execute(store, &insert, text).await;
}

async fn stored_texts(store: &Store) -> BTreeMap<i64, String> {
    let rows = event::Entity::find().all(store.reader()).await.expect("the events");
    rows.into_iter().map(|row| (row.id, row.search_text)).collect()
}

async fn assert_found(store: &Store, texts: &BTreeMap<i64, String>, search: &Search) {
    let matches = |text: &String| {
        search.included.iter().all(|term| text.contains(term.as_str()))
            && !search.excluded.iter().any(|term| text.contains(term.as_str()))
    };
    let expected: BTreeSet<i64> = texts
        .iter()
        .filter(|(_, text)| matches(text))
        .map(|(id, _)| *id)
        .collect();
    let query = EventQuery::published(Window::default(), NOW).with(EventFilter::Search(search.clone()));
    let request = PageRequest {
        page: 1,
        per_page: 1000,
    };
    let page = events::list(store.reader(), &query, request).await.expect("a list");
    let found: BTreeSet<i64> = page.rows.iter().map(|row| row.id).collect();
    assert_eq!(found, expected, "{search:?}");
    assert_eq!(page.total, expected.len() as u64, "{search:?}");
}

async fn assert_searches(store: &Store, rng: &mut StdRng) {
    let texts = stored_texts(store).await;
    for _ in 0..SEARCHES {
        assert_found(store, &texts, &random_search(rng, &texts)).await;
    }
}

/// The words by which the rows of a table are found, by the ID of the row.
async fn indexed_words(store: &Store, kind: &str) -> BTreeMap<i64, BTreeSet<String>> {
    let database = store.reader();
    let select = match database.get_database_backend() {
        DbBackend::Postgres => format!(
            "SELECT indexed.id, words.word FROM {kind}_search AS indexed CROSS JOIN unnest(word_ids) AS word_id \
             JOIN words ON words.id = word_id"
        ),
        _ => format!(
            "SELECT indexed.rowid, words.word FROM words CROSS JOIN {kind}_search AS indexed \
             WHERE indexed.{kind}_search MATCH CAST(words.id AS text)"
        ),
    };
    let mut words: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    for (id, word) in pairs(store, &select).await {
        words.entry(id).or_default().insert(word);
    }
    words
}

async fn pairs(store: &Store, select: &str) -> Vec<(i64, String)> {
    let database = store.reader();
    let select = Statement::from_string(database.get_database_backend(), select);
    let rows = database.query_all_raw(select).await.expect("the rows");
    rows.iter()
        .map(|row| {
            let id = row.try_get_by_index(0).expect("an ID");
            (id, row.try_get_by_index(1).expect("a text"))
        })
        .collect()
}

/// Checks that the index has the words of all stored texts, which must be ASCII, and no others.
async fn assert_indexed(store: &Store) {
    for kind in ["event", "venue", "organizer"] {
        let texts = pairs(store, &format!("SELECT id, search_text FROM {kind}s")).await;
        let expected: BTreeMap<i64, BTreeSet<String>> = texts
            .into_iter()
            .map(|(id, text)| {
                let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
                (id, words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
            })
            .collect();
        assert_eq!(indexed_words(store, kind).await, expected, "{kind}");
    }
}

on_both_databases! {
    async fn searches_agree_with_brute_force(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        let mut rng = StdRng::seed_from_u64(14);
        for number in 0..80 {
            insert(&store, number, &random_text(&mut rng)).await;
        }
        // Nothing has been indexed yet.
        assert_searches(&store, &mut rng).await;
        assert_eq!(index_queued(&store).await.expect("it is indexed"), 80);
        assert_searches(&store, &mut rng).await;
        // Part of the index is outdated, and part of it is missing.
        for id in 20..40 {
            let update = format!("UPDATE events SET search_text = TEXT WHERE id = {id}");
            execute(&store, &update, &random_text(&mut rng)).await;
        }
        execute(&store, "DELETE FROM events WHERE id > 70 AND slug <> TEXT", "").await;
        for number in 80..90 {
            insert(&store, number, &random_text(&mut rng)).await;
        }
        assert_searches(&store, &mut rng).await;
        assert_eq!(index_queued(&store).await.expect("it is indexed"), 40);
        assert_searches(&store, &mut rng).await;
        assert_eq!(index_queued(&store).await.expect("nothing is left"), 0);
    }

    /// Most texts have a word of their own that contains "the". Texts are compared with it, because that costs less than
    /// reading the posting lists of so many words.
    async fn rare_words_are_found_beside_words_of_most_texts(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        for number in 0..600 {
            let text = match number {
                100 => "velvet in the open air".to_owned(),
                300 => "velvet".to_owned(),
                500 => "velvet curtains, bathed in light".to_owned(),
                _ => format!("all about the choir, the{number}"),
            };
            insert(&store, number, &text).await;
        }
        assert_eq!(index_queued(&store).await.expect("it is indexed"), 600);
        let texts = stored_texts(&store).await;
        for search in [
            "velvet the",
            "velvet -the",
            "velvet light the -choir",
            "\"velvet in\" the",
            "\"the open\" -choir",
            "velvet choir",
            "unknown the",
            "the -velvet",
        ] {
            assert_found(&store, &texts, &Search::parse(search)).await;
        }
    }

    async fn index_follows_writes(on) {
        let server = on.server(&[]).await;
        let store = &server.store;
        let admin = server.administrator().await;
        let event = json!({
            "title": "Choir, open-air", "start_date": "tomorrow", "end_date": "tomorrow",
            "venue": {"venue": "Town Hall", "city": "Kiel"}, "organizer": {"organizer": "Ann's Friends"},
        });
        let first = admin.create("/events", event.clone()).await;
        let second = admin.create("/events", event).await;
        let path = |object: &Value, resource: &str| format!("/{resource}/{}", object["id"]);
        let [event, other] = [path(&first, "events"), path(&second, "events")];
        let [venue, organizer] = [path(&first["venue"][0], "venues"), path(&first["organizer"][0], "organizers")];
        index_queued(store).await.expect("it is indexed");
        assert_indexed(store).await;
        for (path, change) in [
            (&event, json!({"title": "Jazz choir", "description": "A choir"})),
            (&other, json!({"status": "draft"})),
            (&venue, json!({"venue": "Village Hall"})),
            (&organizer, json!({"organizer": "Ben"})),
        ] {
            admin.patch(path, change).await.is(200);
            index_queued(store).await.expect("it is indexed");
            assert_indexed(store).await;
        }
        execute(store, "DELETE FROM event_venues WHERE TEXT <> ''", "all").await;
        execute(store, "DELETE FROM event_organizers WHERE TEXT <> ''", "all").await;
        for table in ["events", "venues", "organizers"] {
            execute(store, &format!("DELETE FROM {table} WHERE TEXT <> ''"), "all").await;
        }
        index_queued(store).await.expect("it is indexed");
        assert_indexed(store).await;
    }

    async fn found_events_have_current_dates_and_visibility(on) {
        // Lists of this variant have events that start and end in the window.
        let server = on.server(&["--variant", "b"]).await;
        let admin = server.administrator().await;
        let event = json!({"title": "Choir", "start_date": "2031-05-01", "end_date": "2031-05-01"});
        let event = admin.create("/events", event).await;
        let path = format!("/events/{}", event["id"]);
        for (change, in_may, in_june) in [
            (json!({"hide_from_listings": true}), 0, 0),
            (json!({"hide_from_listings": false}), 1, 0),
            (json!({"start_date": "2031-06-01", "end_date": "2031-06-02"}), 0, 1),
            (json!({"status": "draft"}), 0, 0),
            (json!({"status": "publish"}), 0, 1),
            (json!({"date": "2099-01-01"}), 0, 0),
            (json!({"date": "2021-01-01"}), 0, 1),
            (json!({"start_date": "2031-05-31"}), 0, 0),
            (json!({"end_date": "2031-05-31"}), 1, 0),
        ] {
            // The index has the state before the change.
            index_queued(&server.store).await.expect("it is indexed");
            admin.patch(&path, change.clone()).await.is(200);
            for is_indexed in [false, true] {
                if is_indexed {
                    index_queued(&server.store).await.expect("it is indexed");
                }
                for (dates, expected) in [
                    ("start_date=2031-05-01&end_date=2031-05-31", in_may),
                    ("start_date=2031-06-01&end_date=2031-06-30", in_june),
                ] {
                    let list = server.anonymous().get(&format!("/events?search=choir&{dates}")).await;
                    assert_eq!(list.is(200).body["total"], expected, "{change} {dates} {is_indexed}");
                }
            }
        }
    }

    /// Very many words are not looked for in the index.
    async fn terms_in_many_words(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        for number in 0..10 {
            let words: Vec<String> = (0..500).map(|word| format!("w{}q", number * 500 + word)).collect();
            insert(&store, number, &format!("{} group {number}", words.join(" "))).await;
        }
        index_queued(&store).await.expect("it is indexed");
        let texts = stored_texts(&store).await;
        for (included, excluded) in [
            ("4999q", ""),
            ("99q", ""),
            ("9q", ""),
            ("q", ""),
            ("w1", "w12"),
            ("9q w1", ""),
            ("9q group", "4999q"),
            ("q group", "9q"),
            ("\"group 3\"", ""),
            ("9q \"q group\"", "\"group 3\""),
            ("nothing", ""),
            ("group", "nothing"),
        ] {
            let search = Search {
                included: Search::parse(included).included,
                excluded: Search::parse(excluded).included,
            };
            assert_found(&store, &texts, &search).await;
        }
    }
}
