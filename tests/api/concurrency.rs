//! Many writers at once.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::json;

use crate::on_both;

/// Writers at the same time.
const WRITERS: usize = 12;

on_both! {
    async fn events_of_one_title_that_are_created_at_once_get_slugs_of_their_own(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = json!({"title": "Choir", "start_date": "tomorrow 9am", "end_date": "tomorrow 10am"});
        let created = join_all((0..WRITERS).map(|_| admin.post("/events", event.clone()))).await;
        let slugs: BTreeSet<String> = created
            .into_iter()
            .map(|answer| answer.is(201).body["slug"].as_str().expect("a slug").to_owned())
            .collect();
        let expected = (2..=WRITERS).map(|number| format!("choir-{number}"));
        let expected: BTreeSet<String> = expected.chain(["choir".to_owned()]).collect();
        assert_eq!(slugs, expected);
    }

    async fn a_venue_that_many_events_describe_at_once_is_created_once(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = |number: usize| json!({
            "title": format!("Event {number}"), "start_date": "tomorrow 9am", "end_date": "tomorrow 10am",
            "venue": {"venue": "Hall", "city": "Kiel"}, "tags": "new",
        });
        let created = join_all((0..WRITERS).map(|number| admin.post("/events", event(number)))).await;
        for answer in created {
            answer.is(201);
        }
        assert_eq!(admin.get("/venues").await.is(200).body["total"], 1);
        assert_eq!(admin.get("/tags").await.is(200).body["total"], 1);
    }

    async fn of_updates_of_one_version_at_once_the_first_wins(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let path = format!("/venues/{id}");
        let tag = admin.get(&path).await.is(200).header("etag").to_owned();
        let updates = (0..WRITERS).map(|number| {
            let request = admin.request("PATCH", &path).header("If-Match", &tag);
            crate::support::Answer::of(request.json(&json!({"city": format!("City {number}")})))
        });
        let answers = join_all(updates).await;
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        let lost = answers.iter().filter(|answer| answer.status == 412).count();
        assert_eq!((won, lost), (1, WRITERS - 1));
    }

    async fn a_category_name_that_is_taken_at_once_is_given_once(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let category = json!({"name": "Music"});
        let answers = join_all((0..WRITERS).map(|_| admin.post("/categories", category.clone()))).await;
        let won = answers.iter().filter(|answer| answer.status == 201).count();
        let lost = answers.iter().filter(|answer| answer.body["code"] == "term_exists").count();
        assert_eq!((won, lost), (1, WRITERS - 1));
    }
}
