//! Calendars that are too large for memory.

use std::collections::BTreeSet;

use almanac::testing::{
    calendar::zone::Zone,
    demo::{self, Size},
    store::open_to_load,
};
use chrono::Utc;
use serde_json::json;

use crate::{
    fixtures::{Component, create_event, get_with},
    on_both_databases,
    support::{Response, Server},
};

/// A server with more events than a calendar in memory may have.
async fn with_demo(url: &str) -> Server {
    let store = open_to_load(url, false).await.expect("the database opens");
    let size = Size::for_events(3_000);
    let filled = demo::fill(&store, &size, None, Utc::now(), &Zone::UTC, |_| ()).await;
    filled.expect("the calendar fills").expect("an empty database");
    store.close().await.expect("the database closes");
    Server::start(url, &[]).await
}

const ALL: &str = "~/events.ics?start_date=1900-01-01";

on_both_databases! {
    async fn every_event_once(on) {
        let server = with_demo(&on.url().await).await;
        let total = server.anonymous().get("/events?start_date=1900-01-01&end_date=2100-01-01&per_page=1").await.is(200);
        let total = total.body["total"].as_u64().expect("a total");
        let response = server.anonymous().get(ALL).await.is(200);
        // Its length is not known when it begins.
        assert_eq!(response.header("content-length"), "");
        assert!(response.header("etag").starts_with("W/\""));
        let calendar = Component::calendar(&response);
        let events = calendar.all("VEVENT");
        assert!(total > 2_000 && events.len() as u64 == total, "{} of {total}", events.len());
        let identifiers: BTreeSet<&str> = events.iter().map(|event| event.get("UID")).collect();
        assert_eq!(identifiers.len(), events.len());
        let zones: BTreeSet<&str> = calendar.all("VTIMEZONE").iter().map(|zone| zone.get("TZID")).collect();
        for event in events {
            for (name, _) in &event.properties {
                let zone = name.split_once(";TZID=").map(|(_, zone)| zone);
                assert!(zone.is_none_or(|zone| zones.contains(zone)), "{name}");
            }
        }
    }

    async fn known_stream_is_not_sent(on) {
        let url = on.url().await;
        let server = with_demo(&url).await;
        let admin = server.administrator().await;
        let response = server.anonymous().get(ALL).await.is(200);
        let tag = response.header("etag").to_owned();
        let known = [("if-none-match", tag.as_str())];
        get_with(&server.anonymous(), ALL, &known).await.is(304);
        let head = Response::fetch(server.anonymous().request("HEAD", ALL)).await.is(200);
        assert_eq!(head.header("etag"), tag);
        let gzip = get_with(&server.anonymous(), ALL, &[("accept-encoding", "gzip")]).await.is(200);
        let headers = [("accept-encoding", "gzip"), ("if-none-match", gzip.header("etag"))];
        let known_gzip = get_with(&server.anonymous(), ALL, &headers).await.is(304);
        assert_eq!(known_gzip.header("etag"), gzip.header("etag"));
        // Another server on the same database, as after a restart.
        let again = Server::start(&url, &["--base-url", &server.address]).await;
        get_with(&again.anonymous(), ALL, &known).await.is(304);
        let renamed = Server::start(&url, &["--base-url", &server.address, "--site-name", "Other"]).await;
        get_with(&renamed.anonymous(), ALL, &known).await.is(200);
        create_event(&admin, "New", json!({})).await;
        for server in [&server, &again] {
            get_with(&server.anonymous(), ALL, &known).await.is(200);
        }
    }
}
