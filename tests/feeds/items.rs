//! RSS, Atom and JSON Feed.

use serde_json::json;

use crate::{fixtures::create_event, on_both_databases};

on_both_databases! {
    async fn newest_publications_first(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (title, date) in [("Second", "2020-02-01"), ("Third", "2020-03-01"), ("First", "2020-01-01")] {
            create_event(&admin, title, json!({"date": date})).await;
        }
        let feed = server.anonymous().get("~/events.json").await.is(200);
        assert_eq!(feed.texts("items", "title"), ["Third", "Second", "First"]);
    }

    async fn at_most_a_hundred_items(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for number in 0..101 {
            create_event(&admin, &format!("Event {number}"), json!({})).await;
        }
        let feed = server.anonymous().get("~/events.json").await.is(200);
        let titles = feed.texts("items", "title");
        assert_eq!(titles.len(), 100);
        assert!(!titles.contains(&"Event 0".to_owned()));
    }

    async fn members_of_json_feed(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Concert", json!({
            "start_date": "2027-05-07 19:30", "end_date": "2027-05-07 22:00", "timezone": "Europe/Berlin",
            "description": "<p>Doors open.</p>", "image": "https://example.org/1.png", "categories": ["Music"],
            "organizer": {"organizer": "Ann"}, "venue": {"venue": "Hall <1>", "city": "Kiel"},
        })).await;
        let path = "/category/music.json?start_date=2000-01-01";
        let feed = server.anonymous().get(&format!("~{path}")).await.is(200);
        assert_eq!(feed.header("content-type"), "application/feed+json; charset=utf-8");
        assert_eq!(feed.body["version"], "https://jsonfeed.org/version/1.1");
        assert_eq!(feed.body["title"], "Music – Almanac");
        assert_eq!(feed.body["feed_url"], format!("{}{path}", server.address));
        let item = &feed.body["items"][0];
        assert!(item["id"].as_str().is_some_and(|id| id.starts_with("urn:uuid:")));
        assert_eq!(item["url"], format!("{}/event/concert", server.address));
        let html = "<p>2027-05-07 19:30 – 22:00 CEST, Hall &lt;1&gt;, Kiel</p>\n<p>Doors open.</p>";
        assert_eq!(item["content_html"], html);
        assert_eq!(item["summary"], "2027-05-07 19:30 – 22:00 CEST, Hall <1>, Kiel\n\nDoors open.");
        assert_eq!(item["image"], "https://example.org/1.png");
        assert_eq!(item["authors"], json!([{"name": "Ann"}]));
        assert_eq!(item["tags"], json!(["Music"]));
        assert_eq!(item["_event"]["starts_at"], "2027-05-07T19:30:00+02:00");
    }

    async fn titles_begin_with_the_status(on) {
        for (language, [canceled, postponed, moved_online]) in [
            ("en", ["Canceled: A", "Postponed: B", "Moved online: C"]),
            ("es", ["Cancelado: A", "Aplazado: B", "Pasa a ser en línea: C"]),
        ] {
            let server = on.server(&["--lang", language]).await;
            let admin = server.administrator().await;
            for (title, status) in [("A", "canceled"), ("B", "postponed"), ("C", "moved_online"), ("D", "scheduled")] {
                let date = format!("2020-01-0{}", title.as_bytes()[0] - b'@');
                create_event(&admin, title, json!({"event_status": status, "date": date})).await;
            }
            let feed = server.anonymous().get("~/events.json").await.is(200);
            assert_eq!(feed.texts("items", "title"), ["D", moved_online, postponed, canceled]);
            assert_eq!(feed.body["items"][3]["_event"]["event_status"], "canceled");
            for path in ["~/events.rss", "~/events.atom"] {
                let feed = server.anonymous().get(path).await.is(200);
                for title in [canceled, postponed, moved_online, "D"] {
                    assert!(feed.text.contains(&format!("<title>{title}</title>")), "{path} {title}");
                }
            }
        }
    }

    async fn texts_are_escaped_in_xml(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let title = "A < 1 & \"c\" ]]> d";
        create_event(&admin, title, json!({"description": "<p>x &amp; y</p>"})).await;
        for (path, media_type) in [
            ("~/events.rss?search=%22&featured=false", "application/rss+xml; charset=utf-8"),
            ("~/events.atom?search=%22&featured=false", "application/atom+xml; charset=utf-8"),
        ] {
            let feed = server.anonymous().get(path).await.is(200);
            assert_eq!(feed.header("content-type"), media_type);
            assert!(feed.text.contains("<title>A &lt; 1 &amp; &quot;c&quot; ]]&gt; d</title>"), "{}", feed.text);
            assert!(feed.text.contains("&lt;p&gt;x &amp;amp; y&lt;/p&gt;"), "{}", feed.text);
            assert!(feed.text.contains("&amp;featured=false\""), "{}", feed.text);
        }
    }
}
