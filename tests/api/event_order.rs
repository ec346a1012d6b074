//! Orders of lists of events, and the filters by title and author.

use almanac::testing::auth::Role;
use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected, list_names},
    fixtures::{create_event, create_event_at, execute, user_id},
    on_both_databases,
};

on_both_databases! {
    async fn order_by_start(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            for (title, day) in [("Late", 3), ("Early", 1), ("Middle", 2), ("Second", 2)] {
                create_event_at(&admin, title, &format!("2027-05-0{day} 09:00"), &format!("2027-05-0{day} 10:00")).await;
            }
            for key in ["", "orderby=date&", "orderby=start_date&", "orderby=event_date&"] {
                let key = format!("start_date=2000-01-01&{key}");
                assert_lists(&admin, "events", &[
                    (key.as_str(), "Early Middle Second Late"),
                    (&format!("{key}order=asc"), "Early Middle Second Late"),
                    (&format!("{key}order=DESC"), "Late Second Middle Early"),
                ]).await;
            }
            assert_rejected(&admin, "events", &[
                ("orderby=colour", "orderby"),
                ("orderby=Date", "orderby"),
                ("order=up", "order"),
                ("orderby=distance", "orderby"),
            ]).await;
        }
    }

    async fn order_by_title(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for title in ["zebra", "Östlich", "Café", "cafe", "Pause", "Äpfel", "12", "Яма"] {
            create_event(&admin, title, json!({"tags": ["All"]})).await;
        }
        let early = create_event_at(&admin, "Pause", "today 00:00", "today 23:59").await;
        let ascending = "12 Äpfel cafe Café Östlich Pause Pause zebra Яма";
        let descending = "Яма zebra Pause Pause Östlich Café cafe Äpfel 12";
        assert_lists(&admin, "events", &[
            ("orderby=title", ascending),
            ("orderby=title&order=desc", descending),
            ("orderby=title&tags=all", "12 Äpfel cafe Café Östlich Pause zebra Яма"),
            ("orderby=title&search=a&order=desc", "zebra Pause Pause Café cafe Äpfel"),
            ("orderby=title&include=3,1", "Café zebra"),
        ]).await;
        // The earlier one of the same title is first.
        let pages = admin.get("/events?orderby=title&per_page=1&page=6").await.is(200);
        assert_eq!(pages.body["events"][0]["id"], early);
        assert_eq!(pages.body["total"], 9);
        // A changed title changes the order, in cached lists too.
        assert_eq!(list_names(&server.anonymous(), "events", "orderby=title").await, ascending);
        admin.patch("/events/1", json!({"title": "Aal"})).await.is(200);
        let changed = "12 Aal Äpfel cafe Café Östlich Pause Pause Яма";
        assert_eq!(list_names(&server.anonymous(), "events", "orderby=title").await, changed);
    }

    async fn order_by_last_change(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for title in ["One", "Two", "Three"] {
            create_event(&admin, title, json!({})).await;
        }
        for (id, modified_at) in [(1, 300), (2, 100), (3, 200)] {
            execute(&server, &format!("UPDATE events SET modified_at = {modified_at} WHERE id = {id}")).await;
        }
        let anonymous = server.anonymous();
        assert_lists(&anonymous, "events", &[
            ("orderby=modified", "Two Three One"),
            ("orderby=modified&order=desc", "One Three Two"),
        ]).await;
        admin.patch("/events/2", json!({"cost": "5"})).await.is(200);
        assert_lists(&anonymous, "events", &[("orderby=modified&order=desc", "Two One Three")]).await;
    }

    async fn order_by_distance(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = |name: &str, latitude: f64| json!({"venue": name, "geo_lat": latitude, "geo_lng": 0});
        for (title, venues) in [
            ("Far", json!([venue("Far", 0.3)])),
            ("Near", json!([venue("Near", 0.01)])),
            ("Both", json!([venue("Far", 0.3), venue("South", -0.1)])),
            ("Nowhere", json!([])),
            ("There", json!([venue("Near", 0.01)])),
        ] {
            create_event(&admin, title, json!({"venue": venues})).await;
        }
        create_event(&admin, "Today", json!({"start_date": "today", "end_date": "tomorrow", "venue": [2]})).await;
        let here = "orderby=distance&geoloc_lat=0&geoloc_lng=0";
        assert_lists(&admin, "events", &[
            (here, "Today Near There Both Far"),
            (&format!("{here}&order=desc"), "Far Both There Near Today"),
            (&format!("{here}&geoloc_radius=5"), "Today Near There"),
            (&format!("{here}&venue=1"), "Both Far"),
            (&format!("{here}&search=e"), "Near There"),
            (&format!("{here}&include=1,2"), "Near Far"),
            ("orderby=distance&geoloc_lat=0.31&geoloc_lng=0&geoloc_radius=500", "Far Both Today Near There"),
        ]).await;
        let page = admin.get(&format!("/events?{here}&per_page=2&page=2")).await.is(200);
        assert_eq!(page.texts("events", "title"), ["There", "Both"]);
        assert_eq!(page.body["total"], 5);
    }

    async fn title_filter(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            for title in ["Jazz night", "JAZZ NIGHT", "Jazz nights", "Café", "Cafe", "A < B"] {
                create_event(&admin, title, json!({})).await;
            }
            assert_lists(&admin, "events", &[
                ("title=jazz%20night", "Jazz night JAZZ NIGHT"),
                ("title=jazz", ""),
                ("title=CAF%C3%89", "Café"),
                ("title=cafe", "Cafe"),
                ("title=a%20%3C%20b", "A < B"),
                ("title=", "Jazz night JAZZ NIGHT Jazz nights Café Cafe A < B"),
            ]).await;
            assert_rejected(&admin, "events", &[(&format!("title={}", "x".repeat(201)), "title")]).await;
        }
    }

    async fn author_filter(database) {
        let server = database.server(&[]).await;
        let editor = server.user("edi", Role::Editor).await;
        let author = server.user("aut", Role::Author).await;
        let contributor = server.user("con", Role::Contributor).await;
        create_event(&editor, "Edited", json!({})).await;
        create_event(&author, "Own", json!({})).await;
        create_event(&author, "Sketch", json!({"status": "draft"})).await;
        create_event(&contributor, "Offer", json!({})).await;
        let [edi, aut, con] = [user_id(&server, "edi").await, user_id(&server, "aut").await, user_id(&server, "con").await];
        let anonymous = server.anonymous();
        assert_lists(&anonymous, "events", &[
            (&format!("author={edi}"), "Edited"),
            (&format!("author={aut}"), "Own"),
            (&format!("author={edi},{aut},{con}"), "Edited Own"),
            (&format!("author={edi}&author={aut}"), "Edited Own"),
            // Users are not disclosed.
            ("author=999", ""),
            ("author=0", ""),
        ]).await;
        assert_lists(&author, "events", &[
            ("author=me", "Own"),
            ("author=me&status=any", "Own Sketch"),
            (&format!("author=me,{edi}"), "Edited Own"),
        ]).await;
        assert_lists(&contributor, "events", &[("author=me", ""), ("author=me&status=any", "Offer")]).await;
        anonymous.get("/events?author=me").await.is_error(401, "rest_not_logged_in");
        anonymous.get("/events?author=me&page=0").await.is_error(401, "rest_not_logged_in");
        assert_rejected(&author, "events", &[
            ("author=you", "author"), ("author=-1", "author"), ("author=1.5", "author"), ("author=ME", "author"),
        ]).await;
    }

    async fn pages_link_to_pages_in_the_same_order(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for title in ["B", "A", "C"] {
            create_event(&admin, title, json!({})).await;
        }
        let mut path = "/events?orderby=title&order=desc&per_page=1".to_owned();
        for title in ["C", "B", "A"] {
            let page = admin.get(&path).await.is(200);
            assert_eq!(page.texts("events", "title"), [title]);
            path = page.body["next_rest_url"].as_str().unwrap_or_default().to_owned();
        }
        assert_eq!(path, "");
    }
}
