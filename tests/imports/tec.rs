//! `almanac import tec`.

use serde_json::{Value, json};

use crate::{
    failure, import, lines, on_both_databases,
    stub::{Site, Stub, event, linked_resource},
    support::{Client, Server, program::program},
};

/// Imports the site of a stub without pauses.
pub(crate) async fn import_site(url: &str, address: &str, arguments: &[&str]) -> std::process::Output {
    import(url, &[&["tec", address, "--rate", "1000/s"], arguments].concat()).await
}

/// "admin:secret" in Base64.
pub(crate) const ADMIN_SECRET: &str = "YWRtaW46c2VjcmV0";

/// Imports the site with the password "secret".
pub(crate) async fn import_site_as_admin(url: &str, address: &str, arguments: &[&str]) -> std::process::Output {
    let first = ["import", "tec", address, "--rate", "1000/s", "--database-url", url];
    let mut command = program(&[&first, arguments].concat());
    command.env("ALMANAC_IMPORT_PASSWORD", "secret");
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    output.expect("no panic").expect("the program starts")
}

/// The number of the run that an import has printed.
fn run_of(printed: &[String]) -> String {
    let last = printed.last().and_then(|line| line.strip_prefix("run "));
    let number = last.and_then(|line| line.split(';').next());
    number.expect("a run").to_owned()
}

/// A site with an event that has all kinds of links.
pub(crate) fn site() -> Site {
    let venue = linked_resource("venue", 6, "Arena &amp; Hall");
    let organizer = linked_resource("organizer", 31, "Ann");
    let category = json!({"id": 2, "name": "Music", "slug": "music", "description": "", "parent": 0});
    let below = json!({"id": 9, "name": "Jazz", "slug": "%e6%96%b0", "description": "", "parent": 2});
    let tag = json!({"id": 19, "name": "Open air", "slug": "open-air", "description": ""});
    let linked = event(
        52,
        &json!({
            "title": "Rock &#038; Roll", "slug": "%e6%96%b0%e5%b9%b4", "venue": venue, "organizer": [organizer],
            "categories": [below], "tags": [tag], "custom_fields": {"dress": "casual"}, "featured": true,
            "json_ld": {"@type": "Event", "eventStatus": "https://schema.org/EventCancelled"},
            "image": {"url": "SITE/wp-content/uploads/2026/11/pic.jpg", "id": 4, "width": 1200, "height": 800},
        }),
    );
    Site::with(&[
        ("categories", json!([below, category])),
        ("tags", json!([tag])),
        ("venues", json!([venue])),
        ("organizers", json!([organizer])),
        ("events", json!([linked, event(10_000_051, &json!({}))])),
    ])
}

pub(crate) async fn read(client: &Client, path: &str) -> Value {
    client.get(path).await.is(200).body
}

on_both_databases! {
    async fn everything_is_kept(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(printed.iter().any(|line| line.starts_with("7 created, 0 updated")), "{printed:?}");
        let server = Server::start(&url, &[]).await;
        let client = server.anonymous();
        let found = read(&client, "/events/52").await;
        assert_eq!(found["title"], "Rock & Roll");
        assert_eq!(found["slug"], "新年");
        let page = found["url"].as_str().expect("a URL");
        assert!(page.ends_with("/event/%e6%96%b0%e5%b9%b4"), "{page}");
        assert_eq!(found["date_utc"], "2026-02-03 04:05:06");
        assert_eq!(found["modified_utc"], "2026-02-04 04:05:06");
        assert_eq!(found["utc_start_date"], "2099-04-01 22:00:00");
        assert_eq!(found["event_status"], "canceled");
        assert_eq!(found["custom_fields"], json!({"dress": "casual"}));
        assert_eq!(found["image"]["id"], 4);
        assert_eq!(found["image"]["width"], 1200);
        assert_eq!(found["venue"][0]["id"], 6);
        assert_eq!(found["venue"][0]["venue"], "Arena & Hall");
        assert_eq!(found["organizer"][0]["id"], 31);
        assert_eq!(found["categories"][0]["id"], 9);
        assert_eq!(found["tags"][0]["id"], 19);
        let category = read(&client, "/categories/9").await;
        assert_eq!((&category["parent"], &category["slug"]), (&json!(2), &json!("新")));
        let page = format!("{}/events/category/%e6%96%b0", server.address);
        assert_eq!(category["url"], page);
        let view = client.get("~/events/category/%e6%96%b0").await.is(200);
        assert!(view.text.contains(&format!("{page}\"")) && !view.text.contains("category/新"), "{}", view.text);
        assert_eq!(client.get("~/category/%e6%96%b0").await.is(301).header("location"), page);
        for slug in ["新年", "%e6%96%b0%e5%b9%b4", "%25e6%2596%25b0%25e5%25b9%25b4"] {
            assert_eq!(read(&client, &format!("/events/by-slug/{slug}")).await["id"], 52, "{slug}");
        }
        let compat = read(&client, "~/wp-json/tribe/events/v1/events/52").await;
        assert_eq!(compat["slug"], "%e6%96%b0%e5%b9%b4");
        let feed = client.get("~/event/%e6%96%b0%e5%b9%b4.ics").await.is(200).text;
        assert!(feed.contains("UID:52-feed@site.example"), "{feed}");
        // New objects continue after the imported ones.
        let admin = server.administrator().await;
        let next = json!({"title": "Next", "start_date": "2027-05-01", "end_date": "2027-05-01"});
        assert_eq!(admin.create_id("/events", next).await, 10_000_052);
        let verified = lines(&import_site(&url, &stub.address, &["--verify"]).await);
        assert!(verified.iter().any(|line| line == "7 objects compared, 0 differences"), "{verified:?}");
    }

    async fn sending_back_an_imported_event_keeps_its_slug(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        lines(&import_site(&url, &stub.address, &[]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        for root in ["", "~/wp-json/tribe/events/v1"] {
            let event = read(&admin, &format!("{root}/events/52")).await;
            admin.put(&format!("{root}/events/52"), event).await.is(200);
            assert_eq!(read(&admin, "/events/52").await["slug"], "新年", "{root}");
        }
    }

    async fn undone_import_can_be_repeated(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        lines(&import(&url, &["undo", &run_of(&printed)]).await);
        let again = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(again.iter().any(|line| line.starts_with("0 created, 4 updated, 3 unchanged, 0 kept")), "{again:?}");
        let server = Server::start(&url, &[]).await;
        let found = read(&server.anonymous(), "/events/52").await;
        assert_eq!((&found["slug"], &found["venue"][0]["id"]), (&json!("新年"), &json!(6)));
    }

    async fn second_import_updates_and_keeps_local_changes(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        lines(&import_site(&url, &stub.address, &[]).await);
        let again = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(again.iter().any(|line| line.starts_with("0 created, 0 updated, 7 unchanged")), "{again:?}");
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        admin.patch("/events/52", json!({"title": "Changed here"})).await.is(200);
        for event in stub.site().lists.get_mut("events").expect("a list") {
            event["title"] = json!("Changed there");
        }
        let third = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(third.iter().any(|line| line.contains("1 updated") && line.contains("1 kept")), "{third:?}");
        assert!(third.iter().any(|line| line.starts_with("event 52: was changed here")), "{third:?}");
        assert_eq!(read(&admin, "/events/52").await["title"], "Changed here");
        assert_eq!(read(&admin, "/events/10000051").await["title"], "Changed there");
        let different = import_site(&url, &stub.address, &["--verify"]).await;
        assert!(failure(&different).contains("differs"));
        lines(&import_site(&url, &stub.address, &["--overwrite"]).await);
        assert_eq!(read(&admin, "/events/52").await["title"], "Changed there");
    }

    async fn deleted_objects_are_not_imported_again(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        lines(&import_site(&url, &stub.address, &[]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        admin.delete("/events/52").await.is(200);
        stub.site().lists.get_mut("events").expect("a list").pop();
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(printed.iter().any(|line| line.starts_with("event 52: was deleted here")), "{printed:?}");
        assert!(printed.iter().any(|line| line.starts_with("event 10000051: is no longer")), "{printed:?}");
        assert_eq!(read(&admin, "/events/52").await["status"], "trash");
        read(&admin, "/events/10000051").await;
    }

    async fn taken_id_stops_before_anything_is_written(database) {
        let stub = Stub::start(Site::with(&[
            ("venues", json!([linked_resource("venue", 7, "Other")])),
            ("events", json!([event(1, &json!({}))])),
        ])).await;
        let url = database.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let own = json!({"title": "Own", "start_date": "2027-05-01", "end_date": "2027-05-01"});
        assert_eq!(admin.create_id("/events", own).await, 1);
        let refused = failure(&import_site(&url, &stub.address, &[]).await);
        assert!(refused.contains("already have the IDs 1;") && refused.contains("--renumber"), "{refused}");
        admin.get("/venues/7").await.is(404);
        let printed = lines(&import_site(&url, &stub.address, &["--renumber"]).await);
        assert!(printed.iter().any(|line| line.starts_with("event 1: has a new ID")), "{printed:?}");
        assert_eq!(read(&admin, "/events/1").await["title"], "Own");
        assert_eq!(read(&admin, "/events/2").await["title"], "Event 1");
    }

    async fn corrections_are_listed(database) {
        let long = "é".repeat(250);
        let mut organizer = linked_resource("organizer", 31, "Ann");
        organizer["email"] = json!("ann at example");
        let stub = Stub::start(Site::with(&[
            ("organizers", json!([organizer])),
            ("events", json!([
                event(1, &json!({"title": long})),
                event(2, &json!({"end_date": "2027-03-01 00:00:00", "slug": "event-1"})),
                event(3, &json!({"timezone": "UTC+5.5", "start_date": "1965-05-01 10:00:00",
                    "end_date": "1965-05-01 11:00:00", "title": "\u{1b}[31mRed"})),
            ])),
        ])).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        for note in [
            "event 1: title is longer than 200 characters; cut",
            "event 2: ends at 2027-03-01 00:00:00, before its start; stored with its start as its end",
            "event 2: has the slug event-1-2, because another event has event-1",
            "organizer 31: email \"ann at example\" must be an email address, such as ann@example.org; left out",
        ] {
            assert!(printed.iter().any(|line| line == note), "{note}: {printed:?}");
        }
        let server = Server::start(&url, &[]).await;
        let found = read(&server.anonymous(), "/events/3").await;
        assert_eq!(found["start_date"], "1965-05-01 10:00:00");
        assert_eq!(found["timezone"], "UTC+5:30");
    }

    async fn unusual_events(database) {
        let venues = [6, 8].map(|id| linked_resource("venue", id, &format!("Hall {id}")));
        let stub = Stub::start(Site::with(&[
            ("venues", json!(venues)),
            ("events", json!([
                event(1, &json!({"venue": [venues[1], venues[0]], "image": false})),
                event(2, &json!({"end_date": "", "utc_end_date": "", "venue": [], "organizer": []})),
                event(3, &json!({"id": "3", "all_day": "1", "cost": 0, "start_date": "2099-04-01 00:00:00"})),
                event(9_007_199_254_740_993, &json!({})),
            ])),
        ])).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        for note in [
            "event 2: has no end; stored with its start",
            "note: an object without a usable ID was left out",
        ] {
            assert!(printed.iter().any(|line| line == note), "{note}: {printed:?}");
        }
        let server = Server::start(&url, &[]).await;
        let client = server.anonymous();
        let found = read(&client, "/events/1").await;
        assert_eq!((&found["venue"][0]["id"], &found["venue"][1]["id"]), (&json!(8), &json!(6)));
        assert_eq!(read(&client, "/events/2").await["end_date"], "2099-04-01 18:00:00");
        let found = read(&client, "/events/3").await;
        assert_eq!((&found["all_day"], &found["end_date"]), (&json!(true), &json!("2099-04-01 23:59:59")));
    }

    async fn drafts_need_credentials(database) {
        let mut site = site();
        site.credentials = Some(ADMIN_SECRET);
        let draft = event(77, &json!({"status": "draft", "date_utc": "0000-00-00 00:00:00"}));
        site.lists.get_mut("events").expect("a list").push(draft);
        site.hidden.push(event(78, &json!({"hide_from_listings": true})));
        let stub = Stub::start(site).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(printed.iter().any(|line| line.contains("without --user")), "{printed:?}");
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        admin.get("/events/77").await.is(404);
        let directory = tempfile::tempdir().expect("a directory");
        let ids = directory.path().join("ids.txt");
        std::fs::write(&ids, "78\n79\n").expect("a file");
        let ids = ids.display().to_string();
        let arguments = ["--user", "admin", "--ids", &ids];
        let printed = lines(&import_site_as_admin(&url, &stub.address, &arguments).await);
        assert!(printed.iter().any(|line| line.contains("the event 79 of --ids does not exist")), "{printed:?}");
        assert_eq!(read(&admin, "/events/77").await["status"], "draft");
        assert_eq!(read(&admin, "/events/78").await["hide_from_listings"], true);
    }

    async fn undo_moves_unchanged_objects_to_the_trash(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        admin.patch("/events/52", json!({"title": "Changed here"})).await.is(200);
        let undone = lines(&import(&url, &["undo", &run_of(&printed)]).await);
        assert_eq!(undone[0], "moved 1 events, 1 venues and 1 organizers to the trash");
        assert_eq!(read(&admin, "/events/52").await["status"], "publish");
        assert_eq!(read(&admin, "/events/10000051").await["status"], "trash");
        assert!(failure(&import(&url, &["undo", "999"]).await).contains("no run 999"));
    }

    async fn dry_run_stores_nothing(database) {
        let stub = Stub::start(site()).await;
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &["--dry-run"]).await);
        assert!(printed.iter().any(|line| line.starts_with("dry run: 7 created")), "{printed:?}");
        let server = Server::start(&url, &[]).await;
        assert_eq!(read(&server.anonymous(), "/events?start_date=1900-01-01").await["total"], 0);
        assert_eq!(lines(&crate::run(&url, &["source", "list"]).await), Vec::<String>::new());
    }

    async fn images_are_copied(database) {
        let stub = Stub::start(site()).await;
        stub.site().files.insert(
            "/wp-content/uploads/2026/11/pic.jpg".to_owned(),
            (200, Vec::new(), b"picture".to_vec()),
        );
        let url = database.url().await;
        let uploads = tempfile::tempdir().expect("a directory");
        let folder = uploads.path().display().to_string();
        lines(&import_site(&url, &stub.address, &["--images", "copy", "--uploads", &folder]).await);
        let server = Server::start(&url, &["--uploads", &folder]).await;
        let response = server.anonymous().get("~/wp-content/uploads/2026/11/pic.jpg").await.is(200);
        assert_eq!((response.text.as_str(), response.header("content-type")), ("picture", "image/jpeg"));
        server.anonymous().get("~/wp-content/uploads/../almanac.db").await.is(404);
    }

    async fn own_interface_without_difference(database) {
        let source = database.url().await;
        lines(&crate::run(&source, &["demo", "--events", "2000"]).await);
        let site = Server::start(&source, &[]).await;
        let url = database.url().await;
        let all = ["--status-of", "all"];
        lines(&import_site(&url, &site.address, &all).await);
        let verified = lines(&import_site(&url, &site.address, &[&all[..], &["--verify"]].concat()).await);
        assert!(verified.last().is_some_and(|line| line.ends_with(", 0 differences")), "{verified:?}");
        let again = lines(&import_site(&url, &site.address, &all).await);
        assert!(again.iter().any(|line| line.starts_with("0 created, 0 updated")), "{again:?}");
    }
}
