//! `almanac import csv`.

use std::path::PathBuf;

use sea_orm::{ConnectionTrait, Statement};
use serde_json::json;
use tempfile::TempDir;

use crate::{failure, import, lines, on_both_databases, support::Server};

/// Writes a file into a new directory.
fn file(content: &str) -> (TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path: PathBuf = directory.path().join("table.csv");
    std::fs::write(&path, content).expect("a file");
    (directory, path.display().to_string())
}

const ALL_COLUMNS: &str = "\
Event Name,Event Description,Event Excerpt,Event Start Date,Event Start Time,Event End Date,Event End Time,\
Event Time Zone,All Day Event,Hide Event From Event Listings,Event Sticky in Month View,Feature Event,\
Event Venue Name,Event Organizer Name(s) or ID(s),Event Show Map Link,Event Show Map,Event Cost,\
Event Currency Symbol,Event Currency Position,Event ISO Currency Code,Event Category,Event Tags,Event Website,\
Event Featured Image,Event Allow Comments,Event Allow Trackbacks and Pingbacks
Jazz Night,<p>Live</p>,Short,2027-03-31,7:30 PM,2027-03-31,22:00,Europe/Berlin,no,no,yes,1,City Hall,\
\"Ann, Bob\",true,TRUE,25,€,suffix,EUR,\"Music, Jazz\",Indoor,example.org/jazz,https://example.org/a.jpg,yes,no
";

on_both_databases! {
    async fn notes_of_the_last_run_are_kept(database) {
        let url = database.url().await;
        let (_directory, path) = file(ALL_COLUMNS);
        for _ in 0..2 {
            let printed = lines(&import(&url, &["csv", "events", &path, "--create-missing"]).await);
            assert!(printed.iter().any(|line| line.contains("is ignored")), "{printed:?}");
        }
        let server = Server::start(&url, &[]).await;
        let reader = server.store.reader();
        let count = "SELECT COUNT(DISTINCT run_id), MIN(run_id) FROM import_notes";
        let statement = Statement::from_string(reader.get_database_backend(), count);
        let row = reader.query_one_raw(statement).await.expect("a result").expect("a row");
        let found: (i64, i64) = (row.try_get_by_index(0).expect("a number"), row.try_get_by_index(1).expect("a number"));
        assert_eq!(found, (1, 2));
    }

    async fn all_columns_of_events(database) {
        let url = database.url().await;
        let (_directory, path) = file(ALL_COLUMNS);
        let refused = failure(&import(&url, &["csv", "events", &path]).await);
        for part in ["line 2: Event Venue Name \"City Hall\"", "line 2: Event Organizer", "--create-missing",
            "nothing was imported"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let printed = lines(&import(&url, &["csv", "events", &path, "--create-missing"]).await);
        assert!(printed.iter().any(|line| line.contains("\"Event Allow Comments\" is ignored")), "{printed:?}");
        let server = Server::start(&url, &[]).await;
        let list = server.anonymous().get("/events?start_date=2027-01-01").await.is(200).body;
        assert_eq!(list["total"], 1);
        let event = &list["events"][0];
        for (member, expected) in [
            ("title", json!("Jazz Night")),
            ("description", json!("<p>Live</p>")),
            ("excerpt", json!("Short")),
            ("start_date", json!("2027-03-31 19:30:00")),
            ("end_date", json!("2027-03-31 22:00:00")),
            ("timezone", json!("Europe/Berlin")),
            ("all_day", json!(false)),
            ("sticky", json!(true)),
            ("featured", json!(true)),
            ("show_map", json!(true)),
            ("cost", json!("25 €")),
            ("website", json!("http://example.org/jazz")),
        ] {
            assert_eq!(event[member], expected, "{member}");
        }
        assert_eq!(event["venue"][0]["venue"], "City Hall");
        assert_eq!(event["organizer"][1]["organizer"], "Bob");
        assert_eq!(event["categories"][0]["name"], "Jazz");
        assert_eq!(event["tags"][0]["name"], "Indoor");
        assert_eq!(event["image"]["url"], "https://example.org/a.jpg");
    }

    async fn same_title_and_times_is_an_update(database) {
        let url = database.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let own = json!({"title": "Jazz", "start_date": "2027-03-31 19:00", "end_date": "2027-03-31 19:00",
            "cost": "10", "website": "https://example.org/"});
        let id = admin.create_id("/events", own).await;
        let table = "event name,EVENT_START_DATE,eventstarttime,event_cost\nJazz,2027-03-31,19:00,12\n\
                     Jazz,2027-03-31,19:00,15\n";
        let (_directory, path) = file(table);
        let printed = lines(&import(&url, &["csv", "events", &path]).await);
        assert!(printed.iter().any(|line| line.contains("line 3 has the title, start and end of an earlier line")),
            "{printed:?}");
        let event = admin.get(&format!("/events/{id}")).await.is(200).body;
        assert_eq!((event["cost"].as_str(), event["website"].as_str()), (Some("15"), Some("https://example.org/")));
        assert_eq!(admin.get("/events?start_date=2027-01-01").await.body["total"], 1);
    }

    async fn all_errors_are_listed_with_their_lines(database) {
        let url = database.url().await;
        let table = "Event Name,Event Start Date,Event Start Time,Event Time Zone\n,2027-03-31,19:00,\n\
                     Jazz,31.3.2027,25:00,Mars\nBlues,2027-03-31,19:00,\n";
        let (_directory, path) = file(table);
        let refused = failure(&import(&url, &["csv", "events", &path]).await);
        for part in [
            "line 2: Event Name \"\" must not be empty",
            "line 3: Event Start Date \"31.3.2027\" is not a date such as 2027-03-31",
            "line 3: Event Start Time \"25:00\" is not a time",
            "line 3: Event Time Zone \"Mars\"",
        ] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let printed = lines(&import(&url, &["csv", "events", &path, "--skip-faulty"]).await);
        assert!(printed.iter().any(|line| line.starts_with("1 created")), "{printed:?}");
        assert!(printed.iter().any(|line| line.starts_with("note: left out: line 3")), "{printed:?}");
        let (_directory, path) = file("Event Name,Start\nJazz,2027-03-31\n");
        let refused = failure(&import(&url, &["csv", "events", &path]).await);
        assert!(refused.contains("unknown column \"Start\""), "{refused}");
    }

    async fn dates_in_other_orders(database) {
        let url = database.url().await;
        for (order, date, zone) in [("dmy", "31.3.2027", "UTC"), ("mdy", "3/31/2027", "UTC+1")] {
            let table = format!("Event Name,Event Start Date,Event Time Zone\nDay {order},{date},{zone}\n");
            let (_directory, path) = file(&table);
            lines(&import(&url, &["csv", "events", &path, "--date-order", order]).await);
        }
        let server = Server::start(&url, &[]).await;
        let list = server.anonymous().get("/events?start_date=2027-03-30&end_date=2027-04-01").await.is(200);
        assert_eq!(list.texts("events", "start_date"), ["2027-03-31 00:00:00", "2027-03-31 00:00:00"]);
    }

    async fn venues_and_organizers(database) {
        let url = database.url().await;
        let venues = "Venue Name*,Description,Country,Address,Address 2,City,State/Province,Zip,Phone,Website\n\
                      City Hall,,Germany,Main Street 1,Room 2,Berlin,BE,10115,123,https://example.org/\n";
        let (_directory, path) = file(venues);
        lines(&import(&url, &["csv", "venues", &path]).await);
        let again = lines(&import(&url, &["csv", "venues", &path]).await);
        assert!(again.iter().any(|line| line.starts_with("0 created, 0 updated, 1 unchanged")), "{again:?}");
        let organizers = "Organizer Name,Email,Website,Phone\nAnn,ann@example.org,example.org,5\n";
        let (_directory, path) = file(organizers);
        lines(&import(&url, &["csv", "organizers", &path]).await);
        let server = Server::start(&url, &[]).await;
        let client = server.anonymous();
        let venue = client.get("/venues/1").await.is(200).body;
        assert_eq!(venue["address"], "Main Street 1, Room 2");
        assert_eq!(venue["province"], "BE");
        let organizer = client.get("/organizers/1").await.is(200).body;
        assert_eq!(organizer["email"], "ann@example.org");
        assert_eq!(organizer["website"], "http://example.org");
    }
}
