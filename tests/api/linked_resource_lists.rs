//! Lists of venues and organizers, which have the same filters.

use almanac::testing::auth::Role;
use serde_json::{Value, json};

use crate::{
    assertions::{assert_lists, assert_rejected, list_names},
    fixtures::{create_event, create_named, merge, name_field},
    on_both_databases,
    support::Client,
};

/// Both lists, and the field of an event that links to their items.
const KINDS: [(&str, &str); 2] = [("venues", "venue"), ("organizers", "organizer")];

/// Creates a venue or organizer with these fields, and returns its ID.
async fn create_linked(client: &Client, list: &str, name: &str, fields: Value) -> i64 {
    let body = merge(json!({name_field(list): name}), fields);
    client.create_id(&format!("/{list}"), body).await
}

on_both_databases! {
    async fn ordered_by_publication_then_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, _) in KINDS {
            for (name, date) in [
                ("Middle", "2020-05-01 10:00:00"),
                ("Old", "2001-01-01 00:00:00"),
                ("Same", "2020-05-01 10:00:00"),
                ("New", "2026-01-01 00:00:00"),
            ] {
                create_linked(&admin, list, name, json!({"date": date})).await;
            }
            assert_lists(&server.anonymous(), list, &[("", "New Same Middle Old")]).await;
        }
    }

    async fn unfiltered_list_includes_unused(database) {
        let server = database.server(&["--variant", "a"]).await;
        let admin = server.administrator().await;
        for (list, link) in KINDS {
            let used = create_linked(&admin, list, "Used", json!({"date": "2021-01-01"})).await;
            create_linked(&admin, list, "Idle", json!({"date": "2020-01-01"})).await;
            create_event(&admin, "Event", json!({link: [used]})).await;
            assert_lists(
                &admin,
                list,
                &[("", "Used Idle"), ("has_events=&only_with_upcoming=&event=&status=&search=", "Used Idle")],
            )
            .await;
        }
    }

    async fn event_filter(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, link) in KINDS {
            let one = create_linked(&admin, list, "One", json!({"date": "2022-01-01"})).await;
            let two = create_linked(&admin, list, "Two", json!({"date": "2021-01-01"})).await;
            create_linked(&admin, list, "Three", json!({"date": "2020-01-01"})).await;
            let both = create_event(&admin, "Both", json!({link: [two, one]})).await;
            let past =
                create_event(&admin, "Past", json!({link: [two], "start_date": "2001-01-01", "end_date": "2001-01-02"}))
                    .await;
            let none = create_event(&admin, "None", json!({})).await;
            assert_lists(&admin, list, &[
                (&format!("event={both}"), "One Two"),
                (&format!("event={past}"), "Two"),
                (&format!("event={none}"), ""),
                (&format!("event={both}&search=two"), "Two"),
            ]).await;
            assert_rejected(&admin, list, &[("event=999", "event"), ("event=party", "event"), ("event=-1", "event")])
                .await;
        }
    }

    async fn has_events_filter(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, link) in KINDS {
            for (name, fields) in [
                ("Past", Some(json!({"start_date": "2001-01-01", "end_date": "2001-01-02"}))),
                ("Coming", Some(json!({}))),
                ("Draft", Some(json!({"status": "draft"}))),
                ("Private", Some(json!({"status": "private"}))),
                ("Planned", Some(json!({"date": "2099-01-01"}))),
                ("Trashed", Some(json!({}))),
                ("Idle", None),
            ] {
                let id = create_named(&admin, list, name).await;
                if let Some(mut fields) = fields {
                    fields[link] = json!([id]);
                    let event = create_event(&admin, name, fields).await;
                    if name == "Trashed" {
                        admin.delete(&format!("/events/{event}")).await.is(200);
                    }
                }
            }
            for (query, expected) in [
                ("has_events=true", "Coming Past"),
                ("has_events=1", "Coming Past"),
                ("has_events=false", "Draft Idle Planned Private Trashed"),
                ("has_events=0", "Draft Idle Planned Private Trashed"),
            ] {
                assert_eq!(sorted(&admin, list, query).await, expected, "{list}?{query}");
                assert_eq!(sorted(&server.anonymous(), list, query).await, expected, "{list}?{query}");
            }
            assert_rejected(&admin, list, &[("has_events=perhaps", "has_events")]).await;
        }
    }

    async fn only_with_upcoming_filter(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, link) in KINDS {
            for (name, fields) in [
                ("Past", json!({"start_date": "2001-01-01", "end_date": "2001-01-02"})),
                ("Running", json!({"start_date": "2001-01-01", "end_date": "2099-01-01"})),
                ("Coming", json!({})),
                ("Far", json!({"start_date": "2098-01-01", "end_date": "2099-01-01"})),
                ("Draft", json!({"status": "draft"})),
                ("Planned", json!({"date": "2099-01-01"})),
            ] {
                let id = create_named(&admin, list, name).await;
                let mut fields = fields;
                fields[link] = json!([id]);
                create_event(&admin, name, fields).await;
            }
            // Many past events do not hide an upcoming one.
            let busy = create_named(&admin, list, "Busy").await;
            for _ in 0..12 {
                let past = json!({"start_date": "2001-01-01", "end_date": "2001-01-02", link: [busy]});
                create_event(&admin, "Past", past).await;
            }
            create_event(&admin, "Coming", json!({link: [busy]})).await;
            create_named(&admin, list, "Idle").await;
            for (query, expected) in [
                ("only_with_upcoming=true", "Busy Coming Far Running"),
                ("only_with_upcoming=yes", "Busy Coming Far Running"),
                ("only_with_upcoming=false", "Busy Coming Draft Far Idle Past Planned Running"),
                ("only_with_upcoming=1&has_events=1", "Busy Coming Far Running"),
                ("only_with_upcoming=1&has_events=0", ""),
                ("only_with_upcoming=1&search=com", "Coming"),
            ] {
                assert_eq!(sorted(&admin, list, query).await, expected, "{list}?{query}");
            }
            assert_rejected(&admin, list, &[("only_with_upcoming=2", "only_with_upcoming")]).await;
        }
    }

    async fn status_filter_by_role(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let author = server.user("aut", Role::Author).await;
        let contributor = server.user("con", Role::Contributor).await;
        for (list, _) in KINDS {
            for (client, name, fields) in [
                (&admin, "Open", json!({})),
                (&admin, "Sketch", json!({"status": "draft"})),
                (&admin, "Private", json!({"status": "private"})),
                (&admin, "Later", json!({"date": "2099-01-01"})),
                (&admin, "Gone", json!({})),
                (&author, "Own", json!({"status": "draft"})),
                (&contributor, "Offer", json!({})),
            ] {
                let id = create_linked(client, list, name, fields).await;
                if name == "Gone" {
                    client.delete(&format!("/{list}/{id}")).await.is(200);
                }
            }
            for (client, query, expected) in [
                (&server.anonymous(), "", "Open"),
                (&server.anonymous(), "status=publish", "Open"),
                (&admin, "", "Open"),
                (&admin, "status=any", "Later Offer Open Own Private Sketch"),
                (&admin, "status=draft,pending", "Offer Own Sketch"),
                (&admin, "status=future", "Later"),
                (&admin, "status=trash", "Gone"),
                (&author, "", "Open"),
                (&author, "status=any", "Open Own"),
                (&author, "status=draft", "Own"),
                (&author, "status=trash", ""),
                (&contributor, "status=any", "Offer Open"),
            ] {
                assert_eq!(sorted(client, list, query).await, expected, "{list}?{query}");
            }
            for status in ["draft", "any", "publish,private", "trash"] {
                let response = server.anonymous().get(&format!("/{list}?status={status}")).await;
                assert_eq!(response.is_error(403, "rest_forbidden").invalid_params(), ["status"]);
            }
            assert_rejected(&admin, list, &[("status=open", "status")]).await;
        }
        let subscriber = server.user("sub", Role::Subscriber).await;
        subscriber.get("/venues?status=any").await.is_error(403, "rest_forbidden");
    }

    async fn search_covers_all_venue_texts(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/venues", json!({
            "venue": "Große-Halle", "description": "<p>Alter <b>Bahn</b>hof</p>",
            "address": "Hauptstraße 5", "city": "Köln",
            "country": "Germany", "province": "Rheinland", "state": "Westfalen", "zip": "50667", "phone": "+49 221 123",
            "website": "https://halle.example.org/",
        })).await;
        create_named(&admin, "venues", "100%_Club").await;
        for word in [
            "halle",
            "HALLE",
            "alter",
            "bahnhof",
            "hauptstr",
            "koln",
            "K%C3%96LN",
            "germany",
            "rheinland",
            "westfalen",
            "50667",
            "221",
            "halle.example",
            "koln%20halle%20bahn",
        ] {
            assert_lists(&admin, "venues", &[(&format!("search={word}"), "Große-Halle")]).await;
        }
        assert_lists(&admin, "venues", &[
            ("search=%25", "100%_Club"),
            ("search=%25_", "100%_Club"),
            ("search=_5", ""),
            ("search=koln%20club", ""),
            ("search=%3Cb%3E", ""),
        ]).await;
    }

    async fn search_covers_all_organizer_texts(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/organizers", json!({
            "organizer": "Zoë", "description": "<p>Books <em>bands</em></p>", "phone": "030 555",
            "website": "https://zoe.example.org/",
            "email": "mail@booking.example.com",
        })).await;
        create_named(&admin, "organizers", "Back\\slash").await;
        for word in ["zoe", "ZO%C3%8B", "books", "ands", "555", "zoe.example", "mail@", "booking", "zoe%20mail%20030"]
        {
            assert_lists(&admin, "organizers", &[(&format!("search={word}"), "Zoë")]).await;
        }
        assert_lists(&admin, "organizers", &[
            ("search=%5C", "Back\\slash"), ("search=zoe%20slash", ""), ("search=%25", ""),
        ])
            .await;
    }

    async fn search_sees_updates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = admin.create_id("/venues", json!({"venue": "Hall", "city": "Rome"})).await;
        admin.patch(&format!("/venues/{id}"), json!({"city": "Paris"})).await.is(200);
        assert_lists(&admin, "venues", &[("search=rome", ""), ("search=paris%20hall", "Hall")]).await;
    }

    async fn unknown_parameters_ignored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, _) in KINDS {
            create_named(&admin, list, "Thing").await;
            assert_lists(&admin, list, &[("_locale=user&include=999&slug=x&start_date=soon&a[b]=c", "Thing")]).await;
        }
    }
}

/// The names that a query lists, sorted: objects published within the same second are ordered by ID.
async fn sorted(client: &Client, list: &str, query: &str) -> String {
    let found = list_names(client, list, query).await;
    let mut names: Vec<&str> = found.split_whitespace().collect();
    names.sort_unstable();
    names.join(" ")
}
