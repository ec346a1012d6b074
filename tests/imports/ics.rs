//! `almanac import ics`, and sources that a server imports again.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::{
    failure, import, lines, on_both_databases, run,
    stub::{Site, Stub},
    support::{Client, Database, Server, program::ServerProcess},
};

/// The path of a file as a program writes it.
pub(crate) fn file(name: &str) -> String {
    format!("{}/tests/imports/files/{name}.ics", env!("CARGO_MANIFEST_DIR"))
}

/// All events of the calendar, by their titles.
pub(crate) async fn event(client: &Client, title: &str) -> Value {
    let path = format!("/events?start_date=1900-01-01&end_date=2100-01-01&status=any&title={title}");
    let list = client.get(&path).await.is(200).body;
    assert_eq!(list["total"], 1, "{title}: {list}");
    list["events"][0].clone()
}

/// A calendar with one event for each pair of an identifier and a title.
fn calendar(events: &[(&str, &str)]) -> Vec<u8> {
    let mut text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n".to_owned();
    for (uid, title) in events {
        text += &format!(
            "BEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{title}\r\nDTSTART:20990401T180000Z\r\n\
                          DTEND:20990401T190000Z\r\nEND:VEVENT\r\n"
        );
    }
    (text + "END:VCALENDAR\r\n").into_bytes()
}

/// Lets a stub serve a calendar at `/a.ics`.
pub(crate) fn serve(stub: &Stub, etag: &str, events: &[(&str, &str)]) {
    serve_calendar(stub, etag, calendar(events));
}

/// The same for the text of a calendar.
pub(crate) fn serve_calendar(stub: &Stub, etag: &str, calendar: Vec<u8>) {
    let response = (200, vec![("ETag", etag.to_owned())], calendar);
    stub.site().files.insert("/a.ics".to_owned(), response);
}

/// Imports a calendar with an event that a server is to import again every second. Returns the URL of the database.
async fn import_every_second(database: &Database, stub: &Stub) -> String {
    let url = database.url().await;
    serve(stub, "\"1\"", &[("a", "First")]);
    let address = format!("{}/a.ics", stub.address);
    lines(&import(&url, &["ics", &address, "--every", "1s"]).await);
    url
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

on_both_databases! {
    async fn files_of_many_programs(database) {
        let url = database.url().await;
        for name in ["google", "outlook", "apple", "mobilizon", "meetup", "moodle"] {
            let printed = lines(&import(&url, &["ics", &file(name)]).await);
            assert!(!printed.iter().any(|line| line.contains("is unknown")), "{name}: {printed:?}");
        }
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        for (title, zone, start, end, all_day) in [
            ("Choir, an hour later", "Europe/Berlin", "2027-04-15 20:00:00", "2027-04-15 22:00:00", false),
            ("May Day", "Europe/Berlin", "2027-05-01 00:00:00", "2027-05-01 23:59:59", true),
            ("Meeting", "Europe/Berlin", "2027-04-01 19:00:00", "2027-04-01 20:00:00", false),
            ("Call", "UTC+4:30", "2027-07-01 12:00:00", "2027-07-01 13:00:00", false),
            ("Late Show", "America/New_York", "2027-04-01 19:00:00", "2027-04-01 21:00:00", false),
            ("Session ouverte", "UTC", "2027-04-01 17:00:00", "2027-04-01 19:00:00", false),
            ("Hack %26 Learn", "Europe/Berlin", "2027-04-02 19:00:00", "2027-04-02 21:00:00", false),
            ("Essay is due", "UTC", "2027-04-01 21:59:00", "2027-04-01 21:59:00", false),
        ] {
            let found = event(&admin, title).await;
            assert_eq!(
                (&found["timezone"], &found["start_date"], &found["end_date"], &found["all_day"]),
                (&json!(zone), &json!(start), &json!(end), &json!(all_day)),
                "{title}"
            );
        }
        let found = event(&admin, "May Day").await;
        assert_eq!(found["description"], "<p>First line<br>Second &lt;line&gt;</p>");
        assert_eq!(found["venue"][0]["venue"], "City Hall");
        assert_eq!(found["venue"][0]["address"], "Main Street 1, Berlin");
        let found = event(&admin, "Meeting").await;
        assert_eq!(found["status"], "private");
        assert_eq!(found["description"], "<p>Rich <b>text</b></p>");
        assert_eq!(event(&admin, "Hack %26 Learn").await["event_status"], "canceled");
        let found = event(&admin, "Session ouverte").await;
        assert_eq!(found["organizer"][0]["email"], "collectif@example.org");
        assert_eq!(found["venue"][0]["geo_lat"], 47.2184);
        assert_eq!(found["categories"][0]["name"], "MUSIC");
        let feed = server.anonymous().get("~/events.ics?start_date=1900-01-01").await.is(200).text;
        assert!(feed.contains("UID:event_300@meetup.com"), "{feed}");
    }

    async fn second_import_follows_authority(database) {
        for (authority, expected) in [("source", "There"), ("once", "Here")] {
            let url = database.url().await;
            let stub = Stub::start(Site::default()).await;
            serve(&stub, "\"1\"", &[("a", "First")]);
            let address = format!("{}/a.ics", stub.address);
            let arguments = ["ics", &address, "--authority", authority, "--category", "Imported"];
            lines(&import(&url, &arguments).await);
            let server = Server::start(&url, &[]).await;
            let admin = server.administrator().await;
            let id = event(&admin, "First").await["id"].clone();
            admin.patch(&format!("/events/{id}"), json!({"title": "Here"})).await.is(200);
            serve(&stub, "\"2\"", &[("a", "There")]);
            lines(&import(&url, &arguments).await);
            let found = admin.get(&format!("/events/{id}")).await.is(200).body;
            assert_eq!(found["title"], expected, "{authority}");
            assert_eq!(found["categories"][0]["name"], "Imported");
        }
    }

    async fn what_files_lack_stays(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        serve(&stub, "\"1\"", &[("a", "First")]);
        let arguments = ["ics", &address, "--status", "pending"];
        lines(&import(&url, &arguments).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let found = event(&admin, "First").await;
        assert_eq!(found["status"], "pending");
        let path = format!("/events/{}", found["id"]);
        let approved = json!({"status": "publish", "featured": true, "tags": ["Own"], "cost": "5"});
        admin.patch(&path, approved).await.is(200);
        serve(&stub, "\"2\"", &[("a", "Second")]);
        lines(&import(&url, &arguments).await);
        let found = admin.get(&path).await.is(200).body;
        assert_eq!(found["title"], "Second");
        assert_eq!((&found["status"], &found["featured"]), (&json!("publish"), &json!(true)));
        assert_eq!((&found["tags"][0]["name"], &found["cost"]), (&json!("Own"), &json!("5")));
    }

    async fn disappeared_events_are_trashed_and_come_back(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        serve(&stub, "\"1\"", &[("a", "Stays"), ("b", "Goes"), ("c", "Deleted")]);
        lines(&import(&url, &["ics", &address]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let [goes, deleted] = [event(&admin, "Goes").await, event(&admin, "Deleted").await];
        admin.delete(&format!("/events/{}", deleted["id"])).await.is(200);
        serve(&stub, "\"2\"", &[("a", "Stays"), ("c", "Deleted")]);
        let printed = lines(&import(&url, &["ics", &address]).await);
        let note = "event b: is no longer at the source; moved to the trash";
        assert!(printed.iter().any(|line| line == note), "{printed:?}");
        assert_eq!(admin.get(&format!("/events/{}", goes["id"])).await.body["status"], "trash");
        serve(&stub, "\"3\"", &[("a", "Stays"), ("b", "Goes"), ("c", "Deleted")]);
        lines(&import(&url, &["ics", &address]).await);
        assert_eq!(admin.get(&format!("/events/{}", goes["id"])).await.body["status"], "publish");
        assert_eq!(admin.get(&format!("/events/{}", deleted["id"])).await.body["status"], "trash");
    }

    async fn event_of_another_source_is_not_trashed(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        serve(&stub, "\"1\"", &[("a", "Ours")]);
        lines(&import(&url, &["ics", &format!("{}/a.ics", stub.address)]).await);
        let other = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", other.address);
        serve(&other, "\"1\"", &[("a", "Ours"), ("b", "Theirs")]);
        lines(&import(&url, &["ics", &address]).await);
        serve(&other, "\"2\"", &[]);
        let printed = lines(&import(&url, &["ics", &address]).await);
        assert!(printed.contains(&"event a: is no longer at the source; kept, because it was here before".to_owned()), "{printed:?}");
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        assert_eq!(event(&admin, "Ours").await["status"], "publish");
        assert!(printed.contains(&"event b: is no longer at the source; moved to the trash".to_owned()), "{printed:?}");
    }

    async fn server_imports_a_source_again(database) {
        let stub = Stub::start(Site::default()).await;
        let url = import_every_second(&database, &stub).await;
        let start = move || ServerProcess::start(&["--database-url", &url]);
        let server = tokio::task::spawn_blocking(start).await.expect("no panic");
        serve(&stub, "\"2\"", &[("a", "Second")]);
        let client = server.anonymous();
        let begun = Instant::now();
        while client.get("/events?start_date=1900-01-01&end_date=2100-01-01&title=Second").await.body["total"] != 1 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", server.log.text());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        // Private calendars have a secret in their address.
        server.log.line(&["imported a source", &stub.address]);
        assert!(!server.log.text().contains("/a.ics"), "{}", server.log.text());
    }

    async fn sources_are_listed_run_and_removed(database) {
        let stub = Stub::start(Site::default()).await;
        let url = import_every_second(&database, &stub).await;
        let listed = lines(&run(&url, &["source", "list"]).await);
        assert!(listed[0].contains(&stub.address) && listed[0].contains("every 1s"), "{listed:?}");
        assert_eq!(lines(&run(&url, &["source", "run", "1"]).await), ["unchanged since the last import"]);
        stub.site().files.insert("/a.ics".to_owned(), (500, Vec::new(), Vec::new()));
        let failed = failure(&run(&url, &["source", "run", "1"]).await);
        assert!(failed.contains(&format!("{} responds with status 500", stub.address)), "{failed}");
        let listed = lines(&run(&url, &["source", "list"]).await);
        assert_eq!(listed[0].matches("/a.ics").count(), 1, "{listed:?}");
        lines(&run(&url, &["source", "remove", "1"]).await);
        assert!(failure(&run(&url, &["source", "run", "1"]).await).contains("no source 1"));
        let server = Server::start(&url, &[]).await;
        event(&server.administrator().await, "First").await;
    }

    async fn addresses_are_guarded(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let port = stub.address.rsplit(':').next().expect("a port").to_owned();
        serve(&stub, "\"1\"", &[("a", "First")]);
        let name = format!("http://localhost:{port}/a.ics");
        let refused = failure(&import(&url, &["ics", &name]).await);
        assert!(refused.contains("private address") && refused.contains("--allow"), "{refused}");
        lines(&import(&url, &["ics", &name, "--allow", "127.0.0.0/8", "--allow", "::1/128"]).await);
        let redirect = (302, vec![("Location", format!("http://127.0.0.2:{port}/a.ics"))], Vec::new());
        stub.site().files.insert("/redirect.ics".to_owned(), redirect);
        let refused = failure(&import(&url, &["ics", &format!("{}/redirect.ics", stub.address)]).await);
        assert!(refused.contains("127.0.0.2"), "{refused}");
        let large = (200, Vec::new(), vec![b' '; 21 * 1024 * 1024]);
        stub.site().files.insert("/large.ics".to_owned(), large);
        let refused = failure(&import(&url, &["ics", &format!("{}/large.ics", stub.address)]).await);
        assert!(refused.contains("larger than 20 MB"), "{refused}");
        // No compression is asked for, and none is undone.
        let bomb = (200, vec![("Content-Encoding", "gzip".to_owned())], gzipped(&vec![b' '; 64 * 1024 * 1024]));
        stub.site().files.insert("/bomb.ics".to_owned(), bomb);
        let refused = failure(&import(&url, &["ics", &format!("{}/bomb.ics", stub.address)]).await);
        assert!(refused.contains("no iCalendar data"), "{refused}");
        for (from, part) in [("ftp://example.org/a.ics", "is not an address"), ("/nowhere.ics", "can't read")] {
            assert!(failure(&import(&url, &["ics", from]).await).contains(part), "{from}");
        }
    }
}
