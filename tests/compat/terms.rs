//! Terms, prices and linked objects of events that this root handles differently from the native one.

use almanac::testing::auth::Role;
use serde_json::{Value, json};

use crate::on_both_databases;

const EVENTS: &str = "~/wp-json/tribe/events/v1/events";

fn event(member: &str, value: Value) -> Value {
    json!({"title": "Event", "start_date": "2030-01-01", "end_date": "2030-01-01", member: value})
}

fn names(event: &Value, field: &str) -> Vec<String> {
    let terms = event[field].as_array().expect("a list");
    terms
        .iter()
        .map(|term| term["name"].as_str().expect("a name").to_owned())
        .collect()
}

on_both_databases! {
    async fn unknown_terms_are_skipped(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("author", Role::Author).await;
        for field in ["categories", "tags"] {
            admin.create(&format!("/{field}"), json!({"name": "Known"})).await;
            let made = author.post(EVENTS, event(field, json!([999, "Known", "New", "998"]))).await.is(201);
            assert_eq!(names(&made.body, field), ["Known"], "{field}");
            let made = admin.post(EVENTS, event(field, json!([999, "Known", "New"]))).await.is(201);
            assert_eq!(names(&made.body, field), ["Known", "New"], "{field}");
            // The native root rejects both.
            author.post("/events", event(field, json!([999]))).await.is_error(400, "rest_invalid_param");
            author.post("/events", event(field, json!(["Newer"]))).await.is_error(403, "rest_forbidden");
        }
    }

    async fn comma_separated_term_names(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let made = admin.post(EVENTS, event("categories", json!("rock,R&amp;B"))).await.is(201);
        assert_eq!(names(&made.body, "categories"), ["R&amp;B", "rock"]);
        let native = admin.get("/categories?hide_empty=false").await.is(200);
        assert_eq!(native.texts("categories", "name"), ["R&B", "rock"]);
    }

    async fn cost_without_amount(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (cost, values) in [
            ("Donation", json!(["donation"])), ("By Donation", json!(["by donation"])), ("$25", json!(["25"])),
            ("", json!([])),
        ] {
            let made = admin.post(EVENTS, event("cost", cost.into())).await.is(201).body;
            assert_eq!(made["cost_details"]["values"], values, "{cost}");
            let native = admin.get(&format!("/events/{}", made["id"])).await.is(200).body;
            let native_values = if cost == "$25" { json!(["25"]) } else { json!([]) };
            assert_eq!(native["cost_details"]["values"], native_values, "{cost}");
        }
    }

    async fn empty_venue_and_organizer(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for none in [json!(0), json!("0"), json!([0]), json!({}), json!(""), json!([]), json!([""])] {
            for field in ["venue", "organizer"] {
                let made = admin.post(EVENTS, event(field, none.clone())).await.is(201).body;
                assert_eq!(made[field], json!([]), "{field} {none}");
            }
        }
    }
}
