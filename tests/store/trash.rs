//! The columns of objects in the trash.

use almanac::testing::store::{
    Store,
    entity::{event, organizer, venue},
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::on_both_databases;

/// The previous status of the first event, venue and organizer, and when they went to the trash.
async fn trashed(store: &Store) -> Vec<(Option<String>, Option<i64>)> {
    let database = store.reader();
    let event = event::Entity::find_by_id(1).one(database).await;
    let venue = venue::Entity::find_by_id(1).one(database).await;
    let organizer = organizer::Entity::find_by_id(1).one(database).await;
    let event = event.expect("a result").expect("an event");
    let venue = venue.expect("a result").expect("a venue");
    let organizer = organizer.expect("a result").expect("an organizer");
    vec![
        (event.trashed_status, event.trashed_at),
        (venue.trashed_status, venue.trashed_at),
        (organizer.trashed_status, organizer.trashed_at),
    ]
}

/// The smallest valid body of each kind of object.
fn kinds() -> [(&'static str, Value); 3] {
    [
        (
            "/events",
            json!({"title": "Gone", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"}),
        ),
        ("/venues", json!({"venue": "Gone"})),
        ("/organizers", json!({"organizer": "Gone"})),
    ]
}

on_both_databases! {
    async fn previous_status_is_stored_only_in_trash(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let start = chrono::Utc::now().timestamp();
        for (collection, body) in kinds() {
            let mut body = body;
            body["status"] = json!("pending");
            admin.create_id(collection, body).await;
            admin.delete(&format!("{collection}/1")).await.is(200);
        }
        let end = chrono::Utc::now().timestamp();
        for (status, at) in trashed(&server.store).await {
            assert_eq!(status.as_deref(), Some("pending"));
            assert!(at.is_some_and(|at| (start..=end).contains(&at)), "{at:?}");
        }
        for (collection, _) in kinds() {
            admin.patch(&format!("{collection}/1"), json!({"status": "publish"})).await.is(200);
        }
        assert_eq!(trashed(&server.store).await, [(None, None), (None, None), (None, None)]);
    }
}
