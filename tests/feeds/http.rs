//! Caching, conditional requests, and errors of feeds.

use std::time::Duration;

use serde_json::json;

use crate::{
    fixtures::{create_event, get_with, summaries},
    on_both_databases,
    support::Response,
};

on_both_databases! {
    async fn headers_of_feeds(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Concert", json!({})).await;
        for path in ["~/events.ics", "~/events.rss", "~/events.atom", "~/events.json", "~/fullcalendar.json", "~/event/concert.ics"] {
            let feed = server.anonymous().get(path).await.is(200);
            assert_eq!(feed.header("cache-control"), "public, max-age=300", "{path}");
            assert_eq!(feed.header("x-robots-tag"), "noindex", "{path}");
            assert!(!feed.header("last-modified").is_empty() && !feed.header("etag").is_empty(), "{path}");
            let private = admin.get(path).await.is(200);
            assert_eq!(private.header("cache-control"), "private, no-store", "{path}");
            let head = Response::fetch(server.anonymous().request("HEAD", path)).await.is(200);
            assert_eq!(head.header("etag"), feed.header("etag"));
            assert_eq!(head.header("content-type"), feed.header("content-type"));
            assert!(head.text.is_empty());
        }
        server.anonymous().with_password("admin", "wrong").get("~/events.ics").await.is(401);
        Response::fetch(admin.request("POST", "~/events.ics")).await.is(405);
    }

    async fn unchanged_feed_is_not_sent_again(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({})).await;
        create_event(&admin, "Other", json!({})).await;
        let anonymous = server.anonymous();
        let feed = anonymous.get("~/events.ics").await.is(200);
        let tag = feed.header("etag").to_owned();
        for headers in [[("if-none-match", tag.as_str())].as_slice(), &[("if-none-match", &tag), ("accept-encoding", "br")]] {
            let again = get_with(&anonymous, "~/events.ics", headers).await.is(304);
            assert!(again.text.is_empty());
            assert_eq!(again.header("etag"), tag);
            assert_eq!(again.header("cache-control"), "public, max-age=300");
        }
        let gzip = get_with(&anonymous, "~/events.ics", &[("accept-encoding", "gzip")]).await.is(200);
        let headers = [("accept-encoding", "gzip"), ("if-none-match", gzip.header("etag"))];
        get_with(&anonymous, "~/events.ics", &headers).await.is(304);
        admin.delete(&format!("/events/{id}")).await.is(200);
        let after = get_with(&anonymous, "~/events.ics", &[("if-none-match", &tag)]).await.is(200);
        assert_eq!(summaries(&after), ["Other"]);
    }

    async fn date_of_the_last_change(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({})).await;
        let anonymous = server.anonymous();
        let before = anonymous.get("~/events.ics").await.is(200);
        // The date of a change is sent once no transaction of that time can still be committed.
        tokio::time::sleep(Duration::from_secs(7)).await;
        let settled = anonymous.get("~/events.rss").await.is(200);
        let date = settled.header("last-modified").to_owned();
        assert_ne!(date, before.header("last-modified"));
        for path in ["~/events.ics?search=concert", "~/events.rss"] {
            get_with(&anonymous, path, &[("if-modified-since", &date)]).await.is(304);
        }
        admin.delete(&format!("/events/{id}")).await.is(200);
        let after = get_with(&anonymous, "~/events.rss", &[("if-modified-since", &date)]).await.is(200);
        assert!(!after.text.contains("Concert"));
    }

    async fn writes_are_seen_at_once(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let id = create_event(&admin, "First", json!({"tags": ["new"]})).await;
        for path in ["~/events.ics", "~/tag/new.ics"] {
            assert_eq!(summaries(&anonymous.get(path).await.is(200)), ["First"]);
        }
        admin.patch(&format!("/events/{id}"), json!({"title": "Second"})).await.is(200);
        for path in ["~/events.ics", "~/tag/new.ics", "~/event/first.ics"] {
            assert_eq!(summaries(&anonymous.get(path).await.is(200)), ["Second"]);
        }
        admin.delete(&format!("/events/{id}")).await.is(200);
        assert!(summaries(&anonymous.get("~/events.ics").await.is(200)).is_empty());
        anonymous.get("~/event/first.ics").await.is(404);
    }

    async fn missing_feed_is_a_page_for_browsers(on) {
        let server = on.server(&[]).await;
        let headers = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
        let page = get_with(&server.anonymous(), "~/category/nothing.ics", &headers).await.is(404);
        assert!(page.header("content-type").starts_with("text/html"));
        // A feed is not negotiated: whatever a client accepts, it gets the format of the address.
        let feed = get_with(&server.anonymous(), "~/events.ics", &[("accept", "application/json")]).await.is(200);
        assert_eq!(feed.header("content-type"), "text/calendar; charset=utf-8");
    }
}
