//! Lists of events agree with a brute-force oracle.

use std::sync::Arc;

use almanac::testing::{
    calendar::{window::Window, zone::Zone},
    demo::{self, Size},
    store::{
        PageRequest, Snapshot, Store,
        counts::{Counts, counts},
        entity::{category, organizer, tag, venue},
        events::{self, Direction, EventFilter, EventOrder, EventQuery, SortKey},
        open, pagination,
        visibility::Visibility,
        write_connection::WriteConnection,
    },
};
use chrono::{DateTime, Utc};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use crate::{filters::Events, on_both_databases};

/// The number of random queries, of which about a fifth match nothing.
const QUERIES: usize = 800;

/// Opens a database, and fills it with events with several venues, authors, series and external IDs, and very long ones.
async fn fill(url: &str, now: DateTime<Utc>) -> Store {
    let store = open(url, false).await.expect("the database opens");
    let size = Size {
        events: 3_000,
        ..Size::DEFAULT
    };
    demo::fill(&store, &size, None, now, &Zone::UTC, |_| ())
        .await
        .expect("the calendar fills");
    let transaction = store.begin().await.expect("a transaction");
    // Every fifth event has a second venue.
    let second_venues = "INSERT INTO event_venues (event_id, target_id, position) \
                         SELECT event_id, target_id + 1, 1 FROM event_venues \
                         WHERE event_id % 5 = 0 AND target_id IN (SELECT id - 1 FROM venues)";
    transaction
        .execute_unprepared(second_venues)
        .await
        .expect("more venues");
    for id in 1..4 {
        let user = format!(
            "INSERT INTO users (id, name, role, password_hash, created_at) VALUES ({id}, 'u{id}', 'author', '', 0)"
        );
        transaction.execute_unprepared(&user).await.expect("a user");
    }
    let authors = "UPDATE events SET author_id = id % 7 WHERE id % 7 BETWEEN 1 AND 3";
    transaction.execute_unprepared(authors).await.expect("authors");
    for id in 1..6 {
        let series = format!(
            "INSERT INTO series (id, version, status, published_at, modified_at, timezone, starts_local, duration, \
             all_day, recurrence, fields) VALUES ({id}, 1, 'publish', 0, 0, 'UTC', 0, 0, FALSE, '', '{{}}')"
        );
        transaction.execute_unprepared(&series).await.expect("a series");
    }
    let in_series = "UPDATE events SET series_id = 1 + id % 5, recurrence_id = id WHERE id % 3 = 0";
    transaction
        .execute_unprepared(in_series)
        .await
        .expect("events of series");
    let very_long = "UPDATE events SET ends_at = ends_at + 10000000 WHERE id % 50 = 0";
    transaction
        .execute_unprepared(very_long)
        .await
        .expect("very long events");
    let external = "UPDATE events SET external_source = 'league', external_id = CAST(id AS text) WHERE id % 4 <> 0";
    transaction.execute_unprepared(external).await.expect("external IDs");
    transaction.commit().await.expect("a commit");
    store
}

on_both_databases! {
    async fn lists_agree_with_brute_force_search(on) {
        let now = Utc::now();
        let store = fill(&on.url().await, now).await;
        let mut rng = StdRng::seed_from_u64(7);
        for with_scheduled_venues in [false, true] {
            if with_scheduled_venues {
                let transaction = store.begin().await.expect("a transaction");
                let scheduled = venue::Entity::update_many()
                    .col_expr(venue::Column::PublishedAt, Expr::val(now.timestamp() + 1000))
                    .filter(venue::Column::Id.is_in([1, 2]));
                transaction.run(scheduled).await.expect("scheduled venues");
                transaction.commit().await.expect("a commit");
            }
            let all = Events::load(store.reader()).await;
            for _ in 0..QUERIES / 2 {
                let query = all.random_query(&mut rng, now.timestamp());
                let expected = all.ids(&query);
                let per_page = rng.random_range(1..=30);
                let pages = expected.len() as u64 / per_page + 2;
                let request = PageRequest { page: rng.random_range(1..=pages), per_page };
                let page = events::list(store.reader(), &query, request).await.expect("a list");
                let found: Vec<i64> = page.rows.iter().map(|row| row.id).collect();
                let expected_ids: Vec<i64> = expected
                    .iter()
                    .copied()
                    .skip(request.offset() as usize)
                    .take(per_page as usize)
                    .collect();
                assert_eq!(page.total, expected.len() as u64, "{query:?}");
                assert_eq!(found, expected_ids, "{request:?} of {query:?}");
                let first_ids = |direction| events::first_ids(store.reader(), &query, direction, per_page);
                let by_start = all.ids_by_start(&query);
                let first: Vec<i64> = by_start.iter().copied().take(per_page as usize).collect();
                assert_eq!(first_ids(Direction::Forward).await.expect("IDs"), first, "{query:?}");
                let last: Vec<i64> = by_start.iter().rev().copied().take(per_page as usize).collect();
                assert_eq!(first_ids(Direction::Backward).await.expect("IDs"), last, "{query:?}");
            }
        }
    }

    async fn areas_agree_with_brute_force_search(on) {
        let now = Utc::now();
        let store = fill(&on.url().await, now).await;
        let mut rng = StdRng::seed_from_u64(8);
        let all = Events::load(store.reader()).await;
        let mut queries: Vec<EventQuery> = (0..40).map(|_| all.random_query(&mut rng, now.timestamp())).collect();
        let public = EventQuery::published(Window::default(), now.timestamp());
        queries.extend((1..6).map(|id| public.clone().with(EventFilter::Tags(vec![id]))));
        queries.extend((1..6).map(|id| public.clone().with(EventFilter::Categories(vec![id, id + 1]))));
        queries.extend([public.clone().with(EventFilter::Featured(true)), public]);
        for mut query in queries {
            // From the fourth area on, the events may be counted in memory.
            for _ in 0..8 {
                let filters = query.filters.len();
                query.filters.extend(all.random_area(&mut rng));
                if let Some(EventFilter::Near(circle)) = query.filters.get(filters) {
                    let key = [SortKey::Start, SortKey::Distance(*circle)][rng.random_range(0..2)];
                    let direction = [Direction::Forward, Direction::Backward][rng.random_range(0..2)];
                    query.order = EventOrder { key, direction };
                }
                let expected = all.ids(&query);
                let pages = expected.len() as u64 / 10 + 1;
                let request = PageRequest { page: rng.random_range(1..=pages), per_page: 10 };
                let read = |snapshot: Arc<Snapshot>| {
                    let query = query.clone();
                    async move { events::list(&*snapshot, &query, request).await }
                };
                let page = store.read(None, read).await.expect("a list");
                assert_eq!(page.total, expected.len() as u64, "{query:?}");
                let found: Vec<i64> = page.rows.iter().map(|row| row.id).collect();
                let ids: Vec<i64> = expected.into_iter().skip(request.offset() as usize).take(10).collect();
                assert_eq!(found, ids, "{request:?} of {query:?}");
                query.filters.truncate(filters);
                query.order = EventOrder::default();
            }
        }
    }

    async fn counts_agree_with_lists(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        let size = Size { events: 500, ..Size::DEFAULT };
        let now = Utc::now();
        demo::fill(&store, &size, None, now, &Zone::UTC, |_| ()).await.expect("the calendar fills");
        let (database, now) = (store.reader(), now.timestamp());
        let all = EventQuery::published(Window::default(), now);
        let published = Visibility::published(now);
        let venues = venue::Entity::find().filter(published.condition::<venue::Entity>());
        let organizers = organizer::Entity::find().filter(published.condition::<organizer::Entity>());
        let expected = Counts {
            events: Events::load(database).await.ids(&all).len() as u64,
            venues: pagination::count(database, venues).await.expect("a count"),
            organizers: pagination::count(database, organizers).await.expect("a count"),
            categories: pagination::count(database, category::Entity::find()).await.expect("a count"),
            tags: pagination::count(database, tag::Entity::find()).await.expect("a count"),
        };
        assert!(expected.events > 0 && expected.tags > 0, "{expected:?}");
        assert_eq!(counts(database, now).await.expect("counts"), expected);
    }
}
