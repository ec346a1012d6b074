//! The response cache: cached responses are current after every write, and need no database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use almanac::testing::auth::Role;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::json;

use crate::{
    assertions::names,
    fixtures::{create_event, get_with, noon},
    on_both_databases,
    support::{Client, Response, Server},
};

/// Writes through one server, each of which is read through another one immediately.
const WRITES: usize = 1000;
/// Clients that keep the cache of that server warm.
const READERS: usize = 2;

const LISTS: [&str; 5] = ["/events", "/venues", "/organizers", "/categories", "/tags"];

/// Asserts that anonymous responses equal those to a subscriber, who has the same permissions and is never served from
/// the cache.
async fn assert_current(anonymous: &Client, subscriber: &Client, paths: &[String]) {
    for path in paths {
        let (cached, current) = (anonymous.get(path).await, subscriber.get(path).await);
        assert_eq!(cached.status, current.status, "{path}");
        assert_eq!(cached.text, current.text, "{path}");
        // The second response comes from the cache.
        assert_eq!(anonymous.get(path).await.text, current.text, "{path}");
    }
}

/// A time two seconds from now, as Unix time and as a UTC date-time.
fn soon() -> (i64, String) {
    let soon = Utc::now() + TimeDelta::seconds(2);
    (soon.timestamp(), soon.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// Requests the list until `second` has passed. Returns the names before it, and those in the first response that was
/// requested at that second or later.
async fn names_before_and_after(client: &Client, list: &str, query: &str, second: i64) -> (String, String) {
    let path = format!("/{list}?{query}");
    let mut before = String::new();
    loop {
        let sent_at = Utc::now();
        let response = client.get(&path).await.is(200);
        let received_at = Utc::now();
        let is_before = |time: DateTime<Utc>| time.timestamp() < second;
        if !is_before(sent_at) {
            return (before, names(list, &response));
        }
        if is_before(received_at) {
            before = names(list, &response);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

on_both_databases! {
    async fn writes_invalidate_responses(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let subscriber = server.user("sue", Role::Subscriber).await;
        let anonymous = server.anonymous();
        let mut paths: Vec<String> = LISTS.map(str::to_owned).to_vec();
        paths.push("/categories?hide_empty=false".to_owned());
        paths.push("/venues?has_events=true".to_owned());
        assert_current(&anonymous, &subscriber, &paths).await;

        let category = admin.create_id("/categories", json!({"name": "Music"})).await;
        paths.push(format!("/categories/{category}"));
        assert_current(&anonymous, &subscriber, &paths).await;
        let tag = admin.create_id("/tags", json!({"name": "Free"})).await;
        paths.push(format!("/tags/{tag}"));
        assert_current(&anonymous, &subscriber, &paths).await;
        let organizer = admin.create_id("/organizers", json!({"organizer": "Ann"})).await;
        paths.push(format!("/organizers/{organizer}"));
        assert_current(&anonymous, &subscriber, &paths).await;
        let venue = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        paths.push(format!("/venues/{venue}"));
        assert_current(&anonymous, &subscriber, &paths).await;
        let links = json!({"venue": venue, "organizer": organizer, "categories": category, "tags": tag});
        let event = create_event(&admin, "Concert", links).await;
        paths.push(format!("/events/{event}"));
        paths.push("/events/by-slug/concert".to_owned());
        assert_current(&anonymous, &subscriber, &paths).await;

        for (path, field) in [
            (format!("/events/{event}"), "description"),
            (format!("/venues/{venue}"), "city"),
            (format!("/organizers/{organizer}"), "phone"),
            (format!("/categories/{category}"), "name"),
            (format!("/tags/{tag}"), "name"),
        ] {
            for method in ["PATCH", "PUT", "POST"] {
                let body = json!({field: format!("By {method}")});
                Response::fetch(admin.request(method, &path).json(&body)).await.is(200);
                assert_current(&anonymous, &subscriber, &paths).await;
            }
        }
        let event = format!("/events/{event}");
        for (path, status) in [(event.as_str(), 410), (&format!("/venues/{venue}"), 410)] {
            admin.delete(path).await.is(200);
            anonymous.get(path).await.is(status);
            assert_current(&anonymous, &subscriber, &paths[..7]).await;
            admin.patch(path, json!({"status": "publish"})).await.is(200);
            assert_current(&anonymous, &subscriber, &paths).await;
        }
        admin.delete(&format!("/tags/{tag}")).await.is(200);
        admin.delete(&format!("/categories/{category}")).await.is(200);
        assert_current(&anonymous, &subscriber, &paths).await;
    }

    async fn writes_visible_on_other_server_under_load(database) {
        let url = database.url().await;
        let (one, other) = (Server::start(&url, &[]).await, Server::start(&url, &[]).await);
        let admin = one.administrator().await;
        let tag = admin.create_id("/tags", json!({"name": "Old"})).await;
        let path = format!("/tags/{tag}");
        let list = "/tags?hide_empty=false";
        let done = Arc::new(AtomicBool::new(false));
        let readers = (0..READERS).map(|number| {
            let (reader, done) = (other.anonymous(), done.clone());
            let path = if number == 0 { list.to_owned() } else { path.clone() };
            tokio::spawn(async move {
                while !done.load(Ordering::Relaxed) {
                    reader.get(&path).await.is(200);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            })
        });
        let readers: Vec<_> = readers.collect();
        let reader = other.anonymous();
        for number in 0..WRITES {
            let name = format!("Name {number}");
            admin.patch(&path, json!({"name": name})).await.is(200);
            assert_eq!(reader.get(&path).await.is(200).body["name"], name.as_str());
            assert_eq!(reader.get(list).await.is(200).texts("tags", "name"), [name]);
        }
        done.store(true, Ordering::Relaxed);
        for outcome in join_all(readers).await {
            outcome.expect("all responses are 200");
        }
    }

    async fn scheduled_event_listed_from_its_second(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Known", json!({})).await;
        let (second, date) = soon();
        create_event(&admin, "Due", json!({"date_utc": date})).await;
        let found = names_before_and_after(&server.anonymous(), "events", "per_page=50", second).await;
        assert_eq!(found, ("Known".to_owned(), "Known Due".to_owned()));
    }

    async fn scheduled_links_listed_from_their_second(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, name) in [("venues", "venue"), ("organizers", "organizer")] {
            let (second, date) = soon();
            admin.create_id(&format!("/{list}"), json!({name: "Due", "date_utc": date})).await;
            let found = names_before_and_after(&server.anonymous(), list, "", second).await;
            assert_eq!(found, (String::new(), "Due".to_owned()));
        }
    }

    async fn venue_not_upcoming_after_event_ends(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let (second, end) = soon();
        let linked = json!({
            "start_date": "2001-01-01 10:00:00", "end_date": end, "timezone": "UTC", "venue": {"venue": "Hall"},
        });
        create_event(&admin, "Going on", linked).await;
        // The event still covers its last second.
        let found = names_before_and_after(&server.anonymous(), "venues", "only_with_upcoming=true", second + 1).await;
        assert_eq!(found, ("Hall".to_owned(), String::new()));
    }

    async fn drafts_not_cached_for_others(database) {
        let server = database.server(&[]).await;
        let author = server.user("ann", Role::Author).await;
        let anonymous = server.anonymous();
        let draft = create_event(&author, "Draft", json!({"status": "draft"})).await;
        let path = format!("/events/{draft}");
        for _ in 0..3 {
            assert_eq!(author.get(&path).await.is(200).body["title"], "Draft");
            anonymous.get(&path).await.is_error(403, "event-not-accessible");
            assert_eq!(author.get("/events?status=any").await.is(200).body["total"], 1);
            anonymous.get("/events?status=any").await.is_error(403, "rest_forbidden");
        }
        let wrong = anonymous.clone().with_password("ann", "wrong");
        author.patch(&path, json!({"status": "publish"})).await.is(200);
        anonymous.get(&path).await.is(200);
        wrong.get(&path).await.is_error(401, "incorrect_password");
    }

    async fn responses_cached_per_host(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/venues/{}", admin.create_id("/venues", json!({"venue": "Hall"})).await);
        let anonymous = server.anonymous();
        for host in ["one.example", "two.example:8080", "one.example"] {
            let venue = get_with(&anonymous, &path, &[("Host", host)]).await.is(200);
            let url = format!("http://{host}/venue/hall");
            assert_eq!(venue.body["url"], url.as_str());
        }
    }

    async fn responses_cached_per_representation(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let text = "word ".repeat(1000);
        let path = format!("/events/{}", create_event(&admin, "Long", json!({"description": text})).await);
        let anonymous = server.anonymous();
        for _ in 0..2 {
            let plain = anonymous.get(&path).await.is(200);
            let compressed = get_with(&anonymous, &path, &[("Accept-Encoding", "gzip")]).await.is(200);
            assert_eq!(plain.header("content-encoding"), "");
            assert_eq!(compressed.header("content-encoding"), "gzip");
            assert_ne!(compressed.header("etag"), plain.header("etag"));
            assert!(compressed.text.len() < plain.text.len());
            get_with(&anonymous, &path, &[("Accept", "application/*")]).await.is(200);
            get_with(&anonymous, &path, &[("Accept", "text/plain")]).await.is(406);
            for language in ["en", "es"] {
                let document = get_with(&anonymous, "/doc", &[("Accept-Language", language)]).await.is(200);
                assert_eq!(document.header("content-language"), language);
            }
        }
    }

    async fn cached_response_is_identical(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({"venue": {"venue": "Hall"}})).await;
        let anonymous = server.anonymous();
        for path in ["/events", &format!("/events/{id}"), "/doc", "/", "~/event/concert", "~/"] {
            let (first, cached) = (anonymous.get(path).await.is(200), anonymous.get(path).await.is(200));
            assert_eq!(first.text, cached.text, "{path}");
            let headers = |response: &Response| {
                let mut headers = response.headers.clone();
                headers.remove("date");
                headers.remove("x-request-id").expect("each request has an ID");
                headers
            };
            assert_eq!(headers(&first), headers(&cached), "{path}");
        }
    }

    async fn cached_responses_need_no_database(database) {
        let (zone, _) = noon();
        let server = database.server(&["--timezone", &zone]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({"venue": {"venue": "Hall"}})).await;
        let paths = [
            format!("/events/{id}"), "/events/by-slug/concert".to_owned(), "/events".to_owned(),
            "/events?start_date=2001-01-01&end_date=tomorrow&venue=1".to_owned(),
            "/venues?only_with_upcoming=true".to_owned(), "/categories".to_owned(), "/tags".to_owned(),
            "~/".to_owned(), "~/event/concert".to_owned(), "~/venue/hall".to_owned(),
        ];
        let anonymous = server.anonymous();
        let mut tags = Vec::new();
        for path in &paths {
            tags.push(anonymous.get(path).await.is(200).header("etag").to_owned());
        }
        anonymous.get("/events?start_date=now").await.is(200);
        server.store.close_readers().await.expect("the pools close");
        for (path, tag) in paths.iter().zip(&tags) {
            anonymous.get(path).await.is(200);
            get_with(&anonymous, path, &[("If-None-Match", tag)]).await.is(304);
            let head = Response::fetch(anonymous.request("HEAD", path)).await.is(200);
            assert_eq!((head.text.as_str(), head.header("etag")), ("", tag.as_str()), "{path}");
        }
        for path in ["/events?page=1", "/events?start_date=now"] {
            assert!(anonymous.get(path).await.status.is_server_error(), "{path} is cached");
        }
    }

    async fn zero_cache_size_disables_cache(database) {
        let server = database.server(&["--cache-size", "0"]).await;
        let anonymous = server.anonymous();
        for _ in 0..2 {
            anonymous.get("/events").await.is(200);
        }
        server.store.close_readers().await.expect("the pools close");
        assert!(anonymous.get("/events").await.status.is_server_error());
    }

    async fn no_caching_without_change_log(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        server.store.change_log().clone().close().await.expect("the connection closes");
        for number in 1..=3 {
            admin.create_id("/venues", json!({"venue": format!("Venue {number}")})).await;
            assert_eq!(server.anonymous().get("/venues").await.is(200).body["total"], number);
        }
    }
}
