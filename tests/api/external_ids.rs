//! IDs in other systems.

use almanac::testing::auth::Role;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{
    fixtures::{event_with, merge, name_field},
    on_both_databases,
};

const LISTS: [&str; 3] = ["events", "venues", "organizers"];

/// The smallest payload of an item of the list.
fn payload(list: &str, fields: Value) -> Value {
    let smallest = match list {
        "events" => event_with(json!({})),
        _ => json!({name_field(list): "A name"}),
    };
    merge(smallest, fields)
}

fn external(id: &str) -> Value {
    json!({"external_source": "league", "external_id": id})
}

on_both_databases! {
    async fn put_creates_then_updates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}/by-external-id/league/4711");
            let created = admin.put(&path, payload(list, json!({}))).await.is(201);
            assert_eq!(created.body["external_source"], "league");
            assert_eq!(created.body["external_id"], "4711");
            assert!(created.header("location").ends_with(&format!("/{list}/{}", created.body["id"])));
            let updated = admin.put(&path, json!({"description": "New"})).await.is(200);
            assert_eq!(updated.body["id"], created.body["id"]);
            assert_eq!(updated.body["description"], "New");
            assert_eq!(updated.body[name_field(list)], created.body[name_field(list)]);
            let all = admin.get(&format!("/{list}?external_source=league&start_date=2020-01-01")).await.is(200);
            assert_eq!(all.body["total"], 1, "{list}");
        }
    }

    async fn put_of_a_new_object_requires_its_fields(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = "/events/by-external-id/league/4711";
        let rejected = admin.put(path, json!({"cost": {}})).await.is_error(400, "rest_missing_callback_param");
        assert_eq!(rejected.invalid_params(), ["cost", "end_date", "start_date", "title"]);
        admin.put(path, payload("events", json!({}))).await.is(201);
        let rejected = admin.put(path, json!({"title": null})).await.is_error(400, "rest_invalid_param");
        assert_eq!(rejected.invalid_params(), ["title"]);
    }

    async fn read_and_delete_by_external_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}/by-external-id/league/4711");
            let kind = list.trim_end_matches('s');
            admin.get(&path).await.is_error(404, &format!("{kind}-not-found"));
            admin.delete(&path).await.is_error(404, &format!("{kind}-not-found"));
            let id = admin.create_id(&format!("/{list}"), payload(list, external("4711"))).await;
            assert_eq!(server.anonymous().get(&path).await.is(200).body["id"], id);
            assert_eq!(admin.delete(&path).await.is(200).body["status"], "trash");
            admin.delete(&path).await.is_error(410, &format!("{kind}-is-in-trash"));
            server.anonymous().get(&path).await.is_error(410, &format!("{kind}-no-longer-available"));
        }
    }

    async fn object_in_the_trash_is_restored_by_its_status(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}/by-external-id/league/4711");
            let id = admin.put(&path, payload(list, json!({}))).await.is(201).body["id"].clone();
            admin.delete(&path).await.is(200);
            let kind = list.trim_end_matches('s');
            for body in [json!({}), json!({"status": "trash"})] {
                admin.put(&path, body).await.is_error(410, &format!("{kind}-no-longer-available"));
            }
            let restored = admin.put(&path, json!({"status": "publish"})).await.is(200);
            assert_eq!(restored.body["id"], id);
            assert_eq!(restored.body["status"], "publish");
        }
    }

    async fn ids_are_percent_encoded_segments(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (segment, expected) in [("a%2Fb", "a/b"), ("Gr%C3%B6%C3%9Fe", "Größe"), ("a%20b%3Fc%23d", "a b?c#d"), ("A", "A"), ("a", "a")] {
            let path = format!("/venues/by-external-id/league/{segment}");
            let created = admin.put(&path, json!({"venue": "Hall"})).await.is(201);
            assert_eq!(created.body["external_id"], expected);
            assert_eq!(admin.get(&path).await.is(200).body["id"], created.body["id"]);
        }
        admin.get("/venues/by-external-id/league/a/b").await.is_error(404, "rest_no_route");
        let long = format!("/venues/by-external-id/league/{}", "a".repeat(256));
        let rejected = admin.put(&long, json!({"venue": "Hall"})).await.is_error(400, "rest_invalid_param");
        assert_eq!(rejected.invalid_params(), ["external_id"]);
    }

    async fn pairs_are_unique_per_kind(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}");
            let first = admin.create_id(&path, payload(list, external("1"))).await;
            admin.post(&path, payload(list, external("1"))).await.is_error(409, "external_id_conflict");
            let second = admin.create_id(&path, payload(list, external("2"))).await;
            let conflict = admin.patch(&format!("{path}/{second}"), json!({"external_id": "1"})).await;
            let conflict = conflict.is_error(409, "external_id_conflict");
            assert_eq!(conflict.invalid_params(), ["external_id"]);
            // Objects in the trash keep theirs.
            admin.delete(&format!("{path}/{first}")).await.is(200);
            admin.post(&path, payload(list, external("1"))).await.is_error(409, "external_id_conflict");
            admin.patch(&format!("{path}/{first}"), json!({"external_source": "", "external_id": null})).await.is(200);
            admin.post(&path, payload(list, external("1"))).await.is(201);
        }
    }

    async fn both_fields_are_given_or_neither(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}");
            for (given, missing) in [("external_source", "external_id"), ("external_id", "external_source")] {
                let rejected = admin.post(&path, payload(list, json!({given: "1"}))).await;
                let rejected = rejected.is_error(400, "rest_invalid_param");
                assert_eq!(rejected.invalid_params(), [missing], "{list}");
            }
            let id = admin.create_id(&path, payload(list, external("1"))).await;
            let rejected = admin.patch(&format!("{path}/{id}"), json!({"external_id": null})).await.is(400);
            assert_eq!(rejected.invalid_params(), ["external_id"]);
            let cleared = admin.patch(&format!("{path}/{id}"), json!({"external_id": null, "external_source": ""})).await;
            assert_eq!(cleared.is(200).body["external_source"], Value::Null);
        }
    }

    async fn representation_can_be_sent_back(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}/by-external-id/league/1");
            admin.put(&path, payload(list, json!({}))).await.is(201);
            let stored = admin.get(&path).await.is(200);
            let again = admin.put(&path, stored.body.clone()).await.is(200);
            assert_eq!(again.body["modified_at"], stored.body["modified_at"]);
            let by_id = format!("/{list}/{}", stored.body["id"]);
            assert_eq!(admin.put(&by_id, stored.body).await.is(200).body["external_id"], "1");
        }
    }

    async fn lists_are_filtered(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}");
            for (source, id) in [("league", "1"), ("league", "2"), ("museum", "1")] {
                let fields = json!({"external_source": source, "external_id": id});
                admin.create_id(&path, payload(list, fields)).await;
            }
            admin.create_id(&path, payload(list, json!({}))).await;
            let all = "start_date=2020-01-01";
            for (query, expected) in [
                ("external_source=league", 2),
                ("external_source=museum", 1),
                ("external_source=other", 0),
                ("external_source=league&external_id=1", 1),
                ("external_source=museum&external_id=2", 0),
            ] {
                let found = admin.get(&format!("{path}?{all}&{query}")).await.is(200);
                assert_eq!(found.body["total"], expected, "{list} {query}");
                assert_eq!(found.each(list, "id").len(), expected, "{list} {query}");
            }
            let rejected = admin.get(&format!("{path}?external_id=1")).await.is_error(400, "rest_invalid_param");
            assert_eq!(rejected.invalid_params(), ["external_source"]);
        }
    }

    async fn cached_list_follows_a_change(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/events", payload("events", json!({}))).await;
        let list = "/events?start_date=2020-01-01&external_source=league";
        assert_eq!(server.anonymous().get(list).await.is(200).body["total"], 0);
        admin.patch(&format!("/events/{id}"), external("1")).await.is(200);
        assert_eq!(server.anonymous().get(list).await.is(200).body["total"], 1);
    }

    async fn permissions_are_those_of_the_object(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = "/venues/by-external-id/league/1";
        server.anonymous().put(path, json!({"venue": "Hall"})).await.is(401);
        let subscriber = server.user("sue", Role::Subscriber).await;
        subscriber.put(path, json!({"venue": "Hall"})).await.is_error(403, "rest_forbidden");
        admin.put(path, json!({"venue": "Hall"})).await.is(201);
        let author = server.user("ann", Role::Author).await;
        author.put(path, json!({"venue": "Mine"})).await.is_error(403, "rest_forbidden");
        author.delete(path).await.is_error(403, "rest_forbidden");
    }

    async fn if_match_applies(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = "/venues/by-external-id/league/1";
        let put = |tag: &str, city: &str| {
            let request = admin.request("PUT", path).header("If-Match", tag);
            crate::support::Response::fetch(request.json(&json!({"venue": "Hall", "city": city})))
        };
        put("*", "Kiel").await.is_error(412, "rest_precondition_failed");
        let created = admin.put(path, json!({"venue": "Hall"})).await.is(201);
        let tag = created.header("etag").to_owned();
        put(&tag, "Kiel").await.is(200);
        put(&tag, "Bonn").await.is_error(412, "rest_precondition_failed");
    }

    async fn first_event_of_a_series_has_the_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = payload("events", json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=3"}));
        let created = admin.put("/events/by-external-id/league/1", series.clone()).await.is(201);
        assert_eq!(created.body["external_id"], "1");
        let events = admin.get("/events?start_date=2020-01-01").await.is(200);
        assert_eq!(events.each("events", "external_id"), [json!("1"), Value::Null, Value::Null]);
        let again = admin.put("/events/by-external-id/league/1", series).await.is(200);
        assert_eq!(again.body["id"], created.body["id"]);
        let path = format!("/events/{}?scope=all", created.body["id"]);
        admin.patch(&path, json!({"title": "Choir", "external_id": "1"})).await.is(200);
        let rejected = admin.patch(&path, json!({"external_id": "2"})).await.is(400);
        assert_eq!(rejected.invalid_params(), ["external_id"]);
    }

    async fn concurrent_puts_create_one_object(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let path = format!("/{list}/by-external-id/league/1");
            let puts = (0..6).map(|_| admin.put(&path, payload(list, json!({}))));
            let responses = join_all(puts).await;
            let created = responses.iter().filter(|response| response.status == 201).count();
            assert_eq!(created, 1, "{list}");
            for response in responses {
                assert!(response.status.is_success(), "{}", response.text);
            }
        }
    }

    async fn nested_venue_has_an_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = |title: &str, id: &str| event_with(json!({"title": title, "venue": merge(json!({"venue": "Hall"}), external(id))}));
        let first = admin.create("/events", event("One", "1")).await;
        let hall = format!("/venues/{}", first["venue"][0]["id"]);
        admin.patch(&hall, json!({"venue": "Renamed hall"})).await.is(200);
        let second = admin.create("/events", event("Two", "1")).await;
        assert_eq!(first["venue"][0]["id"], second["venue"][0]["id"]);
        let other = admin.create("/events", event("Three", "2")).await;
        assert_ne!(first["venue"][0]["id"], other["venue"][0]["id"]);
    }
}
