//! The addresses of The Events Calendar for WordPress.

use serde_json::json;

use crate::{
    fixtures::{create_event, summaries},
    on_both_databases,
    support::{Client, Server},
};

/// A server with events in December 2099, and one that ended yesterday.
async fn with_events(server: &Server) -> Client {
    let admin = server.administrator().await;
    let jazz = admin.create_id("/categories", json!({"name": "Music"})).await;
    admin
        .create("/categories", json!({"name": "Jazz", "parent": jazz}))
        .await;
    for (title, fields) in [
        (
            "Ended",
            json!({"start_date": "yesterday 9am", "end_date": "yesterday 10am"}),
        ),
        (
            "Jazz",
            json!({
                "start_date": "2099-12-24 19:00", "end_date": "2099-12-24 21:00", "categories": ["Jazz"], "tags": ["free"],
                "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"}, "featured": true,
            }),
        ),
        (
            "Fair",
            json!({"start_date": "2099-12-30 10:00", "end_date": "2100-01-02 10:00"}),
        ),
    ] {
        create_event(&admin, title, fields).await;
    }
    server.anonymous()
}

on_both_databases! {
    async fn existing_subscriptions_work(on) {
        let server = on.server(&[]).await;
        let anonymous = with_events(&server).await;
        for (path, expected) in [
            ("/?ical=1", vec!["Jazz", "Fair"]),
            ("/events/?ical=1", vec!["Jazz", "Fair"]),
            ("/events/?outlook-ical=1", vec!["Jazz", "Fair"]),
            ("/events/list/?ical=1", vec!["Jazz", "Fair"]),
            ("/events/ical/", vec!["Jazz", "Fair"]),
            ("/events/list/?ical=1&eventDisplay=past", vec!["Ended"]),
            ("/events/month/2099-12/?ical=1", vec!["Jazz", "Fair"]),
            ("/events/month/2100-01/?ical=1", vec!["Fair"]),
            ("/events/month/2100-02/?ical=1", vec![]),
            ("/events/2099-12-24/?ical=1", vec!["Jazz"]),
            ("/events/category/jazz/?ical=1", vec!["Jazz"]),
            ("/events/category/music/jazz/?ical=1", vec!["Jazz"]),
            ("/events/category/music/?ical=1", vec!["Jazz"]),
            ("/events/tag/free/?ical=1", vec!["Jazz"]),
            ("/events/featured/?ical=1", vec!["Jazz"]),
            ("/event/jazz/?ical=1", vec!["Jazz"]),
            ("/event/jazz/ical/", vec!["Jazz"]),
            ("/venue/hall/?ical=1", vec!["Jazz"]),
            ("/organizer/ann/?ical=1", vec!["Jazz"]),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list", vec!["Jazz", "Fair"]),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list&tribe-bar-date=2099-12-28", vec!["Fair"]),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list&tribe_events_cat=jazz&tag=free", vec!["Jazz"]),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list&featured=1", vec!["Jazz"]),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list&event_ids=1,2", vec!["Ended", "Jazz"]),
        ] {
            let response = anonymous.get(&format!("~{path}")).await.is(200);
            assert_eq!(summaries(&response), expected, "{path}");
        }
        for path in ["/events/feed/", "/events/category/jazz/feed/"] {
            let feed = anonymous.get(&format!("~{path}")).await.is(200);
            assert_eq!(feed.header("content-type"), "application/rss+xml; charset=utf-8");
            assert!(feed.text.contains("<title>Jazz</title>") && !feed.text.contains("Ended"), "{path}");
            assert_eq!(feed.text.contains("Fair"), path == "/events/feed/");
        }
        for (path, code) in [
            ("/events/category/nothing/?ical=1", "category-not-found"), ("/events/tag/nothing/feed/", "tag-not-found"),
            ("/event/nothing/?ical=1", "event-not-found"), ("/venue/nothing/?ical=1", "venue-not-found"),
        ] {
            anonymous.get(&format!("~{path}")).await.is_error(404, code);
        }
    }

    async fn only_with_the_compatibility_root(on) {
        let server = on.server(&["--no-wordpress-compat"]).await;
        let anonymous = with_events(&server).await;
        let page = anonymous.get("~/?ical=1").await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        assert_ne!(anonymous.get("~/events/ical/").await.header("content-type"), "text/calendar; charset=utf-8");
        anonymous.get("~/events.ics").await.is(200);
    }
}
