//! References in event payloads: linking and creating venues, organizers, categories and tags.

use almanac::testing::auth::Role;
use serde_json::{Value, json};

use crate::{
    assertions::assert_update_rejected,
    fixtures::{event_path, event_with, id, ids, minimal_event, post_concurrently, totals},
    on_both_databases,
    support::{Client, Response},
};

/// Creates an event with this value of one field, and returns the IDs in that field of the response.
async fn linked(client: &Client, field: &str, value: Value) -> Vec<i64> {
    ids(&client.create("/events", event_with(json!({field: value}))).await[field])
}

/// Asserts that creating an event with these fields fails with this error, and stores nothing.
async fn assert_rolled_back(admin: &Client, writer: &Client, fields: Value, status: u16, code: &str) -> Response {
    let before = totals(admin).await;
    let response = writer.post("/events", event_with(fields)).await.is_error(status, code);
    assert_eq!(totals(admin).await, before);
    response
}

on_both_databases! {
    async fn linking_by_id_object_or_list(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (field, path) in [("venue", "/venues"), ("organizer", "/organizers")] {
            let first = admin.create_id(path, json!({field: "First"})).await;
            let second = admin.create_id(path, json!({field: "Second"})).await;
            for (written, shown) in [
                (json!(first), vec![first]), (json!(first.to_string()), vec![first]), (json!([first]), vec![first]),
                (json!({"id": first}), vec![first]), (json!({"id": first.to_string()}), vec![first]),
                (json!([second, first]), vec![second, first]), (json!([{"id": second}, first]), vec![second, first]),
                (json!([first, first]), vec![first]), (json!([]), vec![]), (json!(null), vec![]), (json!(""), vec![]),
                (json!(0), vec![]), (json!("0"), vec![]), (json!({}), vec![]), (json!([0]), vec![]),
                (json!(["0", "", {}, first]), vec![first]),
            ] {
                assert_eq!(linked(&admin, field, written.clone()).await, shown, "{field}: {written}");
            }
            let unchanged = admin.get(&format!("{path}/{first}")).await.body;
            linked(&admin, field, json!({"id": first, field: "Renamed", "phone": "555"})).await;
            assert_eq!(admin.get(&format!("{path}/{first}")).await.body, unchanged);
        }
    }

    async fn empty_values_unlink(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (field, path) in [("venue", "/venues"), ("organizer", "/organizers")] {
            let linked = admin.create_id(path, json!({field: "Linked"})).await;
            let event = admin.create_id("/events", event_with(json!({field: linked}))).await;
            for empty in [json!(0), json!("0"), json!([0]), json!({}), json!([{}]), json!(""), json!([""])] {
                let path = format!("/events/{event}");
                let updated = admin.patch(&path, json!({field: empty})).await.is(200).body;
                assert_eq!(updated[field], json!([]), "{field}: {empty}");
                admin.patch(&path, json!({field: linked})).await.is(200);
            }
            let form = admin.request("POST", "/events").form(&[
                ("title", "Form"), ("start_date", "2027-01-01"), ("end_date", "2027-01-01"), (field, "0"),
            ]);
            assert_eq!(Response::fetch(form).await.is(201).body[field], json!([]), "{field}");
        }
    }

    async fn comma_separated_terms(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for field in ["categories", "tags"] {
            let known = admin.create_id(&format!("/{field}"), json!({"name": "Known"})).await;
            let text = format!("rock, Jazz,{known}");
            let event = admin.create("/events", event_with(json!({field: text}))).await;
            let terms = event[field].as_array().expect("an array");
            let names: Vec<&Value> = terms.iter().map(|term| &term["name"]).collect();
            assert_eq!(names, ["Jazz", "Known", "rock"], "{field}");
            let listed = admin.create("/events", event_with(json!({field: ["Rock, Paper"]}))).await;
            assert_eq!(listed[field][0]["name"], "Rock, Paper", "items of a list are not split");
        }
    }

    async fn terms_sorted_by_name(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for field in ["categories", "tags"] {
            let event = admin.create("/events", event_with(json!({field: ["delta", "Éclair", "Alpha"]}))).await;
            let path = format!("/events/{}", event["id"]);
            let read = admin.get(&path).await.is(200);
            let names = |body: &Value| -> Vec<Value> {
                body[field].as_array().expect("a list").iter().map(|term| term["name"].clone()).collect()
            };
            assert_eq!(names(&read.body), ["Alpha", "delta", "Éclair"], "{field}");
            // Writing them back in this order changes nothing.
            let written = admin.put(&path, json!({field: read.body[field]})).await.is(200);
            assert_eq!(written.header("etag"), read.header("etag"), "{field}");
        }
    }

    async fn object_without_id_is_created(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({
            "venue": {"venue": "City Hall", "city": "Berlin", "geo_lat": 52.5, "show_map": "false"},
            "organizer": [{"organizer": "Ann", "email": "ann@example.org"}, {"organizer": "Ben"}],
        }))).await;
        let venue = admin.get(&format!("/venues/{}", ids(&event["venue"])[0])).await.is(200).body;
        assert_eq!((&venue["venue"], &venue["city"]), (&json!("City Hall"), &json!("Berlin")));
        assert_eq!((&venue["geo_lat"], &venue["show_map"]), (&json!(52.5), &json!(false)));
        assert_eq!((&venue["slug"], &venue["status"]), (&json!("city-hall"), &json!("publish")));
        assert_eq!(venue["author"], event["author"]);
        assert_eq!(event["organizer"][0]["email"], "ann@example.org");
        assert_eq!(event["organizer"][1]["organizer"], "Ben");
        assert_eq!(totals(&admin).await, [1, 1, 2, 0, 0]);
    }

    async fn new_venue_inherits_event_status(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let contributor = server.user("ben", Role::Contributor).await;
        for (client, status, shown) in [
            (&admin, "draft", "draft"), (&admin, "private", "private"), (&admin, "publish", "publish"),
            (&contributor, "publish", "pending"), (&contributor, "draft", "draft"),
        ] {
            let event = client.create("/events", event_with(json!({
                "status": status, "venue": {"venue": format!("Hall of {shown} {status}")},
            }))).await;
            assert_eq!(event["venue"][0]["status"], shown, "{status}");
        }
    }

    async fn object_without_id_reuses_exact_match(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create_id("/venues", json!({"venue": "Café Noir", "city": "Paris", "zip": "75001"})).await;
        let second = admin.create_id("/venues", json!({"venue": "Café Noir", "city": "Lyon"})).await;
        for (written, shown) in [
            (json!({"venue": "Café Noir"}), first), (json!({"venue": "  cAFÉ nOIR "}), first),
            (json!({"venue": "Café Noir", "city": "Paris", "zip": "75001"}), first),
            (json!({"venue": "café noir", "city": "Lyon"}), second),
            (json!([{"venue": "Café Noir", "zip": ""}]), second),
        ] {
            assert_eq!(linked(&admin, "venue", written.clone()).await, [shown], "{written}");
        }
        for written in [
            json!({"venue": "Cafe Noir"}), json!({"venue": "Café Noir", "city": "Nice"}),
            json!({"venue": "Café Noir", "city": "Paris", "zip": "75002"}),
            json!({"venue": "Café Noir", "city": "paris"}),
        ] {
            let shown = linked(&admin, "venue", written.clone()).await[0];
            assert!(shown > second, "{written} linked {shown}");
        }
        // The existing object is not overwritten.
        let kept = admin.get(&format!("/venues/{first}")).await.body;
        assert_eq!((&kept["venue"], &kept["zip"]), (&json!("Café Noir"), &json!("75001")));
    }

    async fn duplicate_object_created_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let shown = linked(&admin, "organizer", json!([{"organizer": "Ann"}, {"organizer": "ann"}])).await;
        assert_eq!(shown.len(), 1);
        assert_eq!(totals(&admin).await, [1, 0, 1, 0, 0]);
    }

    async fn name_match_skips_drafts_of_others(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let hidden = admin.create_id("/venues", json!({"venue": "Hall", "status": "draft"})).await;
        let trashed = author.create_id("/venues", json!({"venue": "Hall"})).await;
        author.delete(&format!("/venues/{trashed}")).await.is(200);
        let own = linked(&author, "venue", json!({"venue": "Hall"})).await;
        assert!(own[0] != hidden && own[0] != trashed);
        author.patch(&format!("/venues/{}", own[0]), json!({"status": "draft"})).await.is(200);
        assert_eq!(linked(&author, "venue", json!({"venue": "hall"})).await, own);
    }

    async fn taken_nested_slug_is_numbered(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let hall = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        let barn = admin.create_id("/venues", json!({"venue": "Barn", "slug": "barn"})).await;
        let event = admin.create("/events", event_with(json!({"venue": {"venue": "Hall", "slug": "barn"}}))).await;
        assert_ne!(id(&event["venue"][0]), hall);
        assert_eq!(event["venue"][0]["slug"], "barn-2");
        assert_eq!(linked(&admin, "venue", json!({"venue": "Barn", "slug": "barn"})).await, [barn]);
    }

    async fn invalid_nested_object_rolls_back(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (field, code) in [("venue", "could-not-create-venue"), ("organizer", "could-not-create-organizer")] {
            for written in [
                json!({"phone": "555"}), json!({field: ""}), json!({field: "<b></b>"}),
                json!({field: "Good", "website": "bad"}),
                json!([{field: "Good"}, {"phone": "555"}]), json!({field: "Good", "status": "trash"}),
                json!({field: "Good", "author": 999}), json!({field: "Good", "phone": 5}), json!({"id": "x"}),
            ] {
                let fields = json!({"categories": ["New"], "tags": ["New"], field: written});
                let response = assert_rolled_back(&admin, &admin, fields, 400, code).await;
                assert_eq!(response.invalid_params(), [field], "{written}");
            }
        }
    }

    async fn invalid_field_rolls_back_nested_objects(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"venue": {"venue": "Hall"}, "organizer": {"email": "ann@example.org"}});
        assert_rolled_back(&admin, &admin, fields, 400, "could-not-create-organizer").await;
        let fields = json!({"venue": {"venue": "Hall"}, "tags": ["New"], "end_date": "2001-01-01"});
        assert_rolled_back(&admin, &admin, fields, 400, "rest_invalid_param").await;
        let fields = json!({"venue": {"venue": "Hall"}, "categories": [999]});
        assert_rolled_back(&admin, &admin, fields, 400, "rest_invalid_param").await;
    }

    async fn rejected_update_rolls_back(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/events", event_with(json!({"slug": "taken"}))).await;
        let path = event_path(&admin, json!({"venue": {"venue": "Hall"}})).await;
        let (before, counts) = (admin.get(&path).await.body, totals(&admin).await);
        for (change, status, code) in [
            (json!({"slug": "taken"}), 409, "slug_conflict"), (json!({"cost": true}), 400, "rest_invalid_param"),
            (json!({"organizer": [{"phone": "1"}]}), 400, "could-not-create-organizer"),
        ] {
            let mut body = json!({"title": "New", "venue": {"venue": "Barn"}, "tags": ["New"], "categories": ["New"]});
            body.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
            admin.patch(&path, body).await.is_error(status, code);
            assert_eq!((&admin.get(&path).await.body, &totals(&admin).await), (&before, &counts));
        }
    }

    async fn unknown_ids_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/events/{}", admin.create_id("/events", minimal_event()).await);
        for field in ["venue", "organizer", "categories", "tags"] {
            assert_update_rejected(&admin, &path, field, &[
                json!(999), json!([999]), json!("999"), json!({"id": 999}), json!([-1]), json!(true), json!([[1]]),
            ]).await;
        }
        let trashed = admin.create_id("/venues", json!({"venue": "Gone"})).await;
        admin.delete(&format!("/venues/{trashed}")).await.is(200);
        assert_update_rejected(&admin, &path, "venue", &[json!(trashed)]).await;
    }

    async fn terms_by_id_slug_or_name(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (field, path) in [("categories", "/categories"), ("tags", "/tags")] {
            let jazz = admin.create_id(path, json!({"name": "Jazz & Blues", "slug": "jazz"})).await;
            let rock = admin.create_id(path, json!({"name": "Rock"})).await;
            for (written, shown) in [
                (json!([jazz]), vec![jazz]), (json!(jazz), vec![jazz]), (json!("jazz"), vec![jazz]),
                (json!("Jazz & Blues"), vec![jazz]), (json!("jazz & BLUES"), vec![jazz]),
                (json!([rock.to_string(), "jazz"]), vec![jazz, rock]), (json!([{"id": rock}, jazz]), vec![jazz, rock]),
                (json!(["rock", "Rock", rock]), vec![rock]), (json!([]), vec![]),
            ] {
                assert_eq!(linked(&admin, field, written.clone()).await, shown, "{field}: {written}");
            }
            assert_eq!(admin.get(&format!("{path}?hide_empty=false")).await.body["total"], 2);
        }
    }

    async fn digits_match_id_before_name(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = admin.create_id("/tags", json!({"name": "Music"})).await;
        let named = admin.create_id("/tags", json!({"name": first.to_string()})).await;
        assert_ne!(first, named);
        assert_eq!(linked(&admin, "tags", json!([first.to_string()])).await, [first]);
    }

    async fn editors_create_terms_by_name(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let editor = server.user("eve", Role::Editor).await;
        for client in [&admin, &editor] {
            linked(client, "categories", json!(["Music", "Dance"])).await;
            let event = client.create("/events", event_with(json!({"tags": ["Open <b>air</b>, free"]}))).await;
            assert_eq!(event["tags"][0]["name"], "Open air, free");
        }
        assert_eq!(totals(&admin).await, [4, 0, 0, 2, 1]);
        assert_eq!(admin.get("/categories").await.texts("categories", "slug"), ["dance", "music"]);
    }

    async fn authors_may_not_create_terms(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (name, role) in [("ann", Role::Author), ("ben", Role::Contributor)] {
            let client = server.user(name, role).await;
            for field in ["categories", "tags"] {
                let fields = json!({"venue": {"venue": "Hall"}, field: ["New"]});
                let response = assert_rolled_back(&admin, &client, fields, 403, "rest_forbidden").await;
                assert_eq!(response.invalid_params(), [field]);
            }
        }
        let author = server.user("cleo", Role::Author).await;
        let music = admin.create_id("/categories", json!({"name": "Music"})).await;
        assert_eq!(linked(&author, "categories", json!(["music"])).await, [music]);
    }

    async fn update_replaces_given_lists_only(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let event = admin.create("/events", event_with(json!({
            "venue": [{"venue": "Hall"}, {"venue": "Barn"}], "organizer": {"organizer": "Ann"}, "tags": ["a", "b"],
        }))).await;
        let path = format!("/events/{}", id(&event));
        let (hall, barn) = (ids(&event["venue"])[0], ids(&event["venue"])[1]);
        let changed = admin.patch(&path, json!({"venue": [barn]})).await.is(200).body;
        assert_eq!(ids(&changed["venue"]), [barn]);
        assert_eq!((&changed["organizer"], ids(&changed["tags"])), (&event["organizer"], ids(&event["tags"])));
        let changed = admin.patch(&path, json!({"venue": [barn, hall], "tags": null})).await.is(200).body;
        assert_eq!((ids(&changed["venue"]), ids(&changed["tags"])), (vec![barn, hall], vec![]));
    }

    async fn unpublished_links_hidden_from_others(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("ann", Role::Author).await;
        let other = server.user("ben", Role::Author).await;
        let anonymous = server.anonymous();
        for (field, plural) in [("venue", "venues"), ("organizer", "organizers")] {
            let event = author.create("/events", event_with(json!({"title": field, field: {field: "Hall"}}))).await;
            let path = format!("/events/{}", id(&event));
            let link = format!("/{plural}/{}", id(&event[field][0]));
            for status in ["draft", "pending", "private", "trash"] {
                author.patch(&link, json!({"status": status})).await.is(200);
                for (reader, count) in [(&author, 1), (&admin, 1), (&other, 0), (&anonymous, 0)] {
                    let read = reader.get(&path).await.is(200);
                    assert_eq!(ids(&read.body[field]).len(), count, "{status} {field}");
                    let listed = reader.get(&format!("/events?include={}", id(&event))).await.is(200);
                    assert_eq!(ids(&listed.body["events"][0][field]).len(), count, "{status} {field} in a list");
                    assert_eq!(read.text.contains("Hall"), count == 1, "{}", read.text);
                }
            }
            author.patch(&link, json!({"status": "publish"})).await.is(200);
            assert_eq!(ids(&anonymous.get(&path).await.body[field]).len(), 1);
        }
    }

    async fn concurrent_nested_objects_created_once(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let body = event_with(json!({"organizer": {"organizer": "Ann"}, "tags": ["Free"], "categories": ["Music"]}));
        for response in post_concurrently(&admin, "/events", &body).await {
            response.is(201);
        }
        assert_eq!(totals(&admin).await[1..], [json!(0), json!(1), json!(1), json!(1)]);
    }
}
