//! How many statements each operation costs. One more is a decision: change the number here with it.

use almanac::store::Store;
use serde_json::json;

use crate::{on_both, support::Client};

on_both! {
    async fn reads_run_few_statements(on) {
        let server = on.server(&["--cache-size", "0"]).await;
        let admin = server.administrator().await;
        fill(&admin).await;
        let reader = server.anonymous();
        let mut wrong = Vec::new();
        for (path, expected) in [
            ("/events", 8),
            ("/events?featured=true", 8),
            ("/events?page=2&per_page=1", 8),
            ("/events?ends_after=2020-01-01", 8),
            ("/events?geoloc=true", 9),
            ("/events?search=choir", 8),
            ("/events?include=1,2", 8),
            ("/events?tags=1", 9),
            ("/events?categories=1", 9),
            ("/events?venue=1", 9),
            ("/events?organizer=1", 9),
            ("/events?tags=1&venue=1", 11),
            ("/events?search=nobodyhasthis", 1),
            ("/events/1", 7),
            ("/events/by-slug/choir", 7),
            ("/venues", 3),
            ("/venues?has_events=true", 3),
            ("/venues?only_with_upcoming=true", 3),
            ("/venues/1", 2),
            ("/organizers", 3),
            ("/organizers/1", 2),
            ("/categories", 4),
            ("/categories?orderby=count&hide_empty=false", 2),
            ("/categories/1", 2),
            ("/tags", 2),
            ("/tags/1", 2),
            ("/doc", 0),
            ("", 0),
        ] {
            let found = statements(&server.store, || reader.get(path)).await;
            if found != expected {
                wrong.push(format!("GET {path}: {found} statements, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// Two events, of which everything has an image that can have one.
async fn fill(admin: &Client) {
    let event = json!({
        "title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am", "featured": true,
        "image": "https://example.org/1.png",
        "venue": {"venue": "Hall", "geo_lat": 54.3, "geo_lng": 10.1, "image": "https://example.org/2.png"},
        "organizer": {"organizer": "Ann", "image": "https://example.org/3.png"},
        "categories": "Music", "tags": "new",
    });
    for _ in 0..2 {
        admin.post("/events", event.clone()).await.is(201);
    }
}

async fn statements<F: Future<Output = crate::support::Answer>>(
    store: &Store,
    ask: impl FnOnce() -> F,
) -> u64 {
    let before = store.statements();
    ask().await.is(200);
    store.statements() - before
}
