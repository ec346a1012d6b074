//! Answers that are kept: they are right, whoever writes, and they need no database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use almanac::auth::Role;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::json;

use crate::{
    assertions::names,
    fixtures::{create_event, noon},
    on_both,
    support::{Answer, Client, Server},
};

/// Writes through one server that are read through another one at once.
const WRITES: usize = 1000;
/// Readers that keep the answers of a server warm meanwhile.
const READERS: usize = 2;

const LISTS: [&str; 5] = ["/events", "/venues", "/organizers", "/categories", "/tags"];

/// Checks that everybody is told what a subscriber is told, who may see no more, and for whom no answer is kept.
async fn assert_present(anonymous: &Client, subscriber: &Client, paths: &[String]) {
    for path in paths {
        let (told, present) = (anonymous.get(path).await, subscriber.get(path).await);
        assert_eq!(told.status, present.status, "{path}");
        assert_eq!(told.text, present.text, "{path}");
        // The second answer is one that was kept.
        assert_eq!(anonymous.get(path).await.text, present.text, "{path}");
    }
}

/// Lets nothing read the database any more; what is kept is still answered.
async fn take_the_tables_away(server: &Server) {
    let reader = server.store.reader().clone();
    reader.close().await.expect("the readers let go");
}

/// A read with one more header.
async fn get_with(client: &Client, path: &str, header: (&str, &str)) -> Answer {
    Answer::of(client.request("GET", path).header(header.0, header.1)).await
}

/// A whole second that lies ahead, and its text in UTC.
fn soon() -> (i64, String) {
    let soon = Utc::now() + TimeDelta::seconds(2);
    (soon.timestamp(), soon.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// Asks the list until `second` has passed. Returns the names before it, and those of the first answer that was
/// asked for at the second or later.
async fn around(client: &Client, list: &str, query: &str, second: i64) -> (String, String) {
    let path = format!("/{list}?{query}");
    let mut before = String::new();
    loop {
        let asked = Utc::now();
        let answer = client.get(&path).await.is(200);
        let answered = Utc::now();
        let is_before = |time: DateTime<Utc>| time.timestamp() < second;
        if !is_before(asked) {
            return (before, names(list, &answer));
        }
        if is_before(answered) {
            before = names(list, &answer);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

on_both! {
    async fn writes_invalidate_responses(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let subscriber = server.user("sue", Role::Subscriber).await;
        let anonymous = server.anonymous();
        let mut paths: Vec<String> = LISTS.map(str::to_owned).to_vec();
        paths.push("/categories?hide_empty=false".to_owned());
        paths.push("/venues?has_events=true".to_owned());
        assert_present(&anonymous, &subscriber, &paths).await;

        let category = admin.create_id("/categories", json!({"name": "Music"})).await;
        paths.push(format!("/categories/{category}"));
        assert_present(&anonymous, &subscriber, &paths).await;
        let tag = admin.create_id("/tags", json!({"name": "Free"})).await;
        paths.push(format!("/tags/{tag}"));
        assert_present(&anonymous, &subscriber, &paths).await;
        let organizer = admin.create_id("/organizers", json!({"organizer": "Ann"})).await;
        paths.push(format!("/organizers/{organizer}"));
        assert_present(&anonymous, &subscriber, &paths).await;
        let venue = admin.create_id("/venues", json!({"venue": "Hall"})).await;
        paths.push(format!("/venues/{venue}"));
        assert_present(&anonymous, &subscriber, &paths).await;
        let all = json!({"venue": venue, "organizer": organizer, "categories": category, "tags": tag});
        let event = create_event(&admin, "Concert", all).await;
        paths.push(format!("/events/{event}"));
        paths.push("/events/by-slug/concert".to_owned());
        assert_present(&anonymous, &subscriber, &paths).await;

        for (path, field) in [
            (format!("/events/{event}"), "description"),
            (format!("/venues/{venue}"), "city"),
            (format!("/organizers/{organizer}"), "phone"),
            (format!("/categories/{category}"), "name"),
            (format!("/tags/{tag}"), "name"),
        ] {
            for method in ["PATCH", "PUT", "POST"] {
                let body = json!({field: format!("By {method}")});
                Answer::of(admin.request(method, &path).json(&body)).await.is(200);
                assert_present(&anonymous, &subscriber, &paths).await;
            }
        }
        let event = format!("/events/{event}");
        for (path, status) in [(event.as_str(), 410), (&format!("/venues/{venue}"), 410)] {
            admin.delete(path).await.is(200);
            anonymous.get(path).await.is(status);
            assert_present(&anonymous, &subscriber, &paths[..7]).await;
            admin.patch(path, json!({"status": "publish"})).await.is(200);
            assert_present(&anonymous, &subscriber, &paths).await;
        }
        admin.delete(&format!("/tags/{tag}")).await.is(200);
        admin.delete(&format!("/categories/{category}")).await.is(200);
        assert_present(&anonymous, &subscriber, &paths).await;
    }

    async fn writes_visible_on_other_server_under_load(on) {
        let url = on.url().await;
        let (one, other) = (Server::start(&url, &[]).await, Server::start(&url, &[]).await);
        let admin = one.administrator().await;
        let tag = admin.create_id("/tags", json!({"name": "Old"})).await;
        let path = format!("/tags/{tag}");
        let list = "/tags?hide_empty=false";
        let done = Arc::new(AtomicBool::new(false));
        let warm = (0..READERS).map(|number| {
            let (reader, done) = (other.anonymous(), done.clone());
            let path = if number == 0 { list.to_owned() } else { path.clone() };
            tokio::spawn(async move {
                while !done.load(Ordering::Relaxed) {
                    reader.get(&path).await.is(200);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            })
        });
        let warm: Vec<_> = warm.collect();
        let reader = other.anonymous();
        for number in 0..WRITES {
            let name = format!("Name {number}");
            admin.patch(&path, json!({"name": name})).await.is(200);
            assert_eq!(reader.get(&path).await.is(200).body["name"], name.as_str());
            assert_eq!(reader.get(list).await.is(200).texts("tags", "name"), [name]);
        }
        done.store(true, Ordering::Relaxed);
        for outcome in join_all(warm).await {
            outcome.expect("every answer was a 200");
        }
    }

    async fn scheduled_event_listed_from_its_second(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Known", json!({})).await;
        let (second, date) = soon();
        create_event(&admin, "Due", json!({"date_utc": date})).await;
        let found = around(&server.anonymous(), "events", "per_page=50", second).await;
        assert_eq!(found, ("Known".to_owned(), "Known Due".to_owned()));
    }

    async fn scheduled_links_listed_from_their_second(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (list, name) in [("venues", "venue"), ("organizers", "organizer")] {
            let (second, date) = soon();
            admin.create_id(&format!("/{list}"), json!({name: "Due", "date_utc": date})).await;
            let found = around(&server.anonymous(), list, "", second).await;
            assert_eq!(found, (String::new(), "Due".to_owned()));
        }
    }

    async fn venue_not_upcoming_after_event_ends(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let (second, end) = soon();
        let linked = json!({
            "start_date": "2001-01-01 10:00:00", "end_date": end, "timezone": "UTC", "venue": {"venue": "Hall"},
        });
        create_event(&admin, "Going on", linked).await;
        // The last second belongs to the event.
        let found = around(&server.anonymous(), "venues", "only_with_upcoming=true", second + 1).await;
        assert_eq!(found, ("Hall".to_owned(), String::new()));
    }

    async fn drafts_not_cached_for_others(on) {
        let server = on.server(&[]).await;
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

    async fn responses_cached_per_host(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let path = format!("/venues/{}", admin.create_id("/venues", json!({"venue": "Hall"})).await);
        let anonymous = server.anonymous();
        for host in ["one.example", "two.example:8080", "one.example"] {
            let venue = get_with(&anonymous, &path, ("Host", host)).await.is(200);
            let url = format!("http://{host}/venue/hall");
            assert_eq!(venue.body["url"], url.as_str());
        }
    }

    async fn responses_cached_per_representation(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let text = "word ".repeat(1000);
        let path = format!("/events/{}", create_event(&admin, "Long", json!({"description": text})).await);
        let anonymous = server.anonymous();
        for _ in 0..2 {
            let plain = anonymous.get(&path).await.is(200);
            let compressed = get_with(&anonymous, &path, ("Accept-Encoding", "gzip")).await.is(200);
            assert_eq!(plain.header("content-encoding"), "");
            assert_eq!(compressed.header("content-encoding"), "gzip");
            assert_ne!(compressed.header("etag"), plain.header("etag"));
            assert!(compressed.text.len() < plain.text.len());
            get_with(&anonymous, &path, ("Accept", "application/*")).await.is(200);
            get_with(&anonymous, &path, ("Accept", "text/plain")).await.is(406);
            for language in ["en", "es"] {
                let document = get_with(&anonymous, "/doc", ("Accept-Language", language)).await.is(200);
                assert_eq!(document.header("content-language"), language);
            }
        }
    }

    async fn cached_response_is_identical(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({"venue": {"venue": "Hall"}})).await;
        let anonymous = server.anonymous();
        for path in ["/events", &format!("/events/{id}"), "/doc", "/", "~/event/concert", "~/"] {
            let (first, kept) = (anonymous.get(path).await.is(200), anonymous.get(path).await.is(200));
            assert_eq!(first.text, kept.text, "{path}");
            let told = |answer: &Answer| {
                let mut headers = answer.headers.clone();
                headers.remove("date");
                headers.remove("x-request-id").expect("each request has an ID");
                headers
            };
            assert_eq!(told(&first), told(&kept), "{path}");
        }
    }

    async fn cached_responses_need_no_database(on) {
        let (zone, _) = noon();
        let server = on.server(&["--timezone", &zone]).await;
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
        take_the_tables_away(&server).await;
        for (path, tag) in paths.iter().zip(&tags) {
            anonymous.get(path).await.is(200);
            get_with(&anonymous, path, ("If-None-Match", tag)).await.is(304);
            let head = Answer::of(anonymous.request("HEAD", path)).await.is(200);
            assert_eq!((head.text.as_str(), head.header("etag")), ("", tag.as_str()), "{path}");
        }
        for path in ["/events?page=1", "/events?start_date=now"] {
            assert!(anonymous.get(path).await.status.is_server_error(), "{path} was not kept");
        }
    }

    async fn zero_cache_size_disables_cache(on) {
        let server = on.server(&["--cache-size", "0"]).await;
        let anonymous = server.anonymous();
        for _ in 0..2 {
            anonymous.get("/events").await.is(200);
        }
        take_the_tables_away(&server).await;
        assert!(anonymous.get("/events").await.status.is_server_error());
    }

    async fn no_caching_without_change_log(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let watch = server.store.change_log().clone();
        watch.close().await.expect("the watch lets go");
        for number in 1..=3 {
            admin.create_id("/venues", json!({"venue": format!("Venue {number}")})).await;
            assert_eq!(server.anonymous().get("/venues").await.is(200).body["total"], number);
        }
    }
}
