//! Writers that lock the same rows on PostgreSQL: events are filed, moved and taken off while the tree of categories
//! changes, and venues come and go on the map. `ALMANAC_FAULTS_FACTOR=50` makes it 30,000 writes.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{
    repetitions,
    support::{Client, Database, program::Serving},
};

/// Clients that write at the same time.
const WRITERS: usize = 8;
/// Writes of a short run.
const WRITES: u32 = 600;
/// Fewer writes than this may be refused, of 30,000 as of 600.
const REFUSED: u32 = 3;

/// What the writers have in common. There are few of each kind, so that they meet often.
struct Stage {
    categories: Vec<i64>,
    venues: Vec<i64>,
    organizers: Vec<i64>,
    events: Vec<i64>,
}

impl Stage {
    async fn set(client: &Client) -> Self {
        let mut stage = Self {
            categories: Vec::new(),
            venues: Vec::new(),
            organizers: Vec::new(),
            events: Vec::new(),
        };
        for number in 0..6 {
            let category = json!({"name": format!("Category {number}")});
            stage.categories.push(client.create_id("/categories", category).await);
            let venue = json!({"venue": format!("Hall {number}"), "geo_lat": 54.3, "geo_lng": 10.1});
            stage.venues.push(client.create_id("/venues", venue).await);
            let organizer = json!({"organizer": format!("Choir {number}")});
            stage.organizers.push(client.create_id("/organizers", organizer).await);
        }
        for _ in 0..12 {
            let event = stage.event();
            stage.events.push(client.create_id("/events", event).await);
        }
        stage
    }

    /// An event with two of each, in any order, that ends at any hour.
    fn event(&self) -> Value {
        json!({
            "title": format!("Event {}", rand::random::<u32>()),
            "start_date": "2027-03-01 08:00",
            "end_date": format!("2027-03-01 {}:00", rand::random_range(10..24)),
            "categories": [any(&self.categories), any(&self.categories)],
            "venue": [any(&self.venues), any(&self.venues)],
            "organizer": [any(&self.organizers), any(&self.organizers)],
        })
    }

    /// Method, path and body of a write.
    fn write(&self) -> (&'static str, String, Value) {
        let event = format!("/events/{}", any(&self.events));
        match rand::random_range(0..10) {
            0..2 => ("POST", "/events".to_owned(), self.event()),
            2..4 => ("PUT", event, self.event()),
            4 => ("PATCH", event, json!({"end_date": self.event()["end_date"]})),
            5 => {
                let status = any(&["draft", "publish"]);
                ("PATCH", event, json!({"status": status}))
            }
            6 => {
                let venue = format!("/venues/{}", any(&self.venues));
                let latitude = any(&[json!(54.3), Value::Null]);
                ("PATCH", venue, json!({"geo_lat": latitude}))
            }
            _ => {
                // A category below itself is refused with 400, which is no concern here.
                let category = format!("/categories/{}", any(&self.categories));
                let parent = any(&[0, any(&self.categories)]);
                ("PATCH", category, json!({"parent": parent}))
            }
        }
    }
}

fn any<T: Clone>(items: &[T]) -> T {
    items[rand::random_range(0..items.len())].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_beside_category_moves_succeed() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let url = database.url().await;
    let serving = Serving::start(&["--database-url", &url]);
    let client = serving.anonymous().with_password("admin", serving.password());
    let stage = Stage::set(&client).await;
    let left = AtomicU32::new(repetitions(WRITES));
    let refused = AtomicU32::new(0);
    let take_one = || {
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.is_ok()
    };
    join_all((0..WRITERS).map(|_| async {
        while take_one() {
            let (method, path, body) = stage.write();
            let response = client.request(method, &path).json(&body).send().await;
            let status = response.expect("a response").status();
            if status.is_server_error() {
                eprintln!("{method} {path} {body}: {status}");
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    }))
    .await;
    let refused = refused.into_inner();
    let metrics = serving.anonymous().get("~/metrics").await.is(200).text;
    let retries = metrics
        .lines()
        .find(|line| line.starts_with("almanac_transaction_retries_total"));
    eprintln!("{refused} writes refused; {retries:?}");
    assert!(refused < REFUSED, "{refused} writes were refused");
}
