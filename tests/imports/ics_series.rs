//! `almanac import ics` of events with rules.

use serde_json::{Value, json};

use crate::{
    ics::{event, file, serve, serve_calendar},
    import, lines, on_both_databases,
    stub::{Site, Stub},
    support::{Client, Server},
};

/// A calendar with an event of the identifier `w` on Tuesday, 2099-04-07, with these further lines. `others` are
/// further events.
fn weekly(hour: u32, lines: &str, others: &str) -> Vec<u8> {
    let text = format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\nBEGIN:VEVENT\nUID:w\nSUMMARY:Yoga\n\
         DTSTART;TZID=Europe/Berlin:20990407T{hour}0000\nDTEND;TZID=Europe/Berlin:20990407T{hour}3000\n\
         {lines}\nEND:VEVENT\n{others}END:VCALENDAR\n"
    );
    text.replace('\n', "\r\n").into_bytes()
}

/// An event that replaces that of a weekly series on a day of April 2099.
fn replacement(day: u32, hour: u32, lines: &str) -> String {
    format!(
        "BEGIN:VEVENT\nUID:w\nRECURRENCE-ID;TZID=Europe/Berlin:209904{day:02}T{hour}0000\n\
         DTSTART;TZID=Europe/Berlin:209904{day:02}T{hour}0000\nDTEND;TZID=Europe/Berlin:209904{day:02}T{hour}3000\n\
         {lines}\nEND:VEVENT\n"
    )
}

/// The events outside the trash with this title, in order of their start.
async fn titled(client: &Client, title: &str) -> Vec<Value> {
    let path = format!("/events?start_date=1900-01-01&end_date=2100-01-01&per_page=100&title={title}");
    let list = client.get(&path).await.is(200).body;
    list["events"].as_array().cloned().unwrap_or_default()
}

/// A member of each of the events.
fn each(events: &[Value], member: &str) -> Vec<Value> {
    events.iter().map(|event| event[member].clone()).collect()
}

on_both_databases! {
    async fn rules_become_series(database) {
        let url = database.url().await;
        lines(&import(&url, &["ics", &file("google")]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let moved = event(&admin, "Choir, an hour later").await;
        let series = &moved["series"];
        assert_eq!(series["recurrence"], json!(["RRULE:FREQ=WEEKLY;BYDAY=TH", "EXDATE:20270408T190000"]));
        assert_eq!(series["recurrence_id"], "2027-04-15 19:00:00");
        assert_eq!(series["overridden"], json!(["title", "start_date", "end_date"]));
        assert_eq!(moved["start_date"], "2027-04-15 20:00:00");
        let path = format!("/series/{}", series["id"]);
        let list = admin.get(&format!("{path}/events?per_page=3")).await.is(200).body;
        let starts = each(list["events"].as_array().expect("a list"), "start_date");
        assert_eq!(starts, ["2027-04-01 19:00:00", "2027-04-15 20:00:00", "2027-04-22 19:00:00"]);
        assert_eq!(admin.get(&path).await.is(200).body["uid"], "weekly@google.com");
        let feed = admin.get(&format!("~{path}.ics")).await.is(200).text;
        assert!(feed.contains("UID:weekly@google.com") && feed.contains("RECURRENCE-ID"), "{feed}");
        let printed = lines(&import(&url, &["ics", &file("google")]).await);
        assert!(printed.iter().any(|line| line.starts_with("0 created, 0 updated, 2 unchanged")), "{printed:?}");
    }

    async fn moved_rule_keeps_ids(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        let rule = "RRULE:FREQ=WEEKLY;COUNT=4\nEXDATE;TZID=Europe/Berlin:20990414T190000\n\
                    RDATE;TZID=Europe/Berlin:20990430T190000";
        serve_calendar(&stub, "\"1\"", weekly(19, rule, &replacement(21, 19, "SUMMARY:Yoga\nSTATUS:CANCELLED")));
        lines(&import(&url, &["ics", &address]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let before = titled(&admin, "Yoga").await;
        assert_eq!(
            each(&before, "start_date"),
            ["2099-04-07 19:00:00", "2099-04-21 19:00:00", "2099-04-28 19:00:00", "2099-04-30 19:00:00"]
        );
        assert_eq!(each(&before, "event_status"), ["scheduled", "canceled", "scheduled", "scheduled"]);
        let later = rule.replace("T19", "T20");
        serve_calendar(&stub, "\"2\"", weekly(20, &later, ""));
        lines(&import(&url, &["ics", &address]).await);
        let after = titled(&admin, "Yoga").await;
        assert_eq!(
            each(&after, "start_date"),
            ["2099-04-07 20:00:00", "2099-04-21 20:00:00", "2099-04-28 20:00:00", "2099-04-30 20:00:00"]
        );
        assert_eq!(each(&after, "event_status"), ["scheduled"; 4]);
        assert_eq!(each(&after, "id"), each(&before, "id"));
        assert_eq!(each(&after, "slug"), each(&before, "slug"));
    }

    async fn changes_of_a_series_follow_authority(database) {
        for (authority, expected) in [("source", "Yoga"), ("once", "Here")] {
            let url = database.url().await;
            let stub = Stub::start(Site::default()).await;
            let address = format!("{}/a.ics", stub.address);
            serve_calendar(&stub, "\"1\"", weekly(19, "RRULE:FREQ=WEEKLY;COUNT=3", ""));
            let arguments = ["ics", &address, "--authority", authority];
            lines(&import(&url, &arguments).await);
            let server = Server::start(&url, &[]).await;
            let admin = server.administrator().await;
            let ids = each(&titled(&admin, "Yoga").await, "id");
            admin.patch(&format!("/events/{}", ids[1]), json!({"title": "Here"})).await.is(200);
            admin.delete(&format!("/events/{}", ids[2])).await.is(200);
            let moved = weekly(19, "LOCATION:Hall\nRRULE:FREQ=WEEKLY;COUNT=3", "");
            serve_calendar(&stub, "\"2\"", moved);
            lines(&import(&url, &arguments).await);
            let changed = admin.get(&format!("/events/{}", ids[1])).await.is(200).body;
            assert_eq!(changed["title"], expected, "{authority}");
            assert_eq!(changed["venue"].as_array().map(Vec::len), Some(usize::from(authority == "source")));
            let deleted = admin.get(&format!("/events/{}", ids[2])).await.is(200).body;
            assert_eq!(deleted["status"], "trash", "{authority}");
        }
    }

    async fn excluded_date_comes_back(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        let rule = "RRULE:FREQ=WEEKLY;COUNT=3";
        serve_calendar(&stub, "\"1\"", weekly(19, rule, ""));
        lines(&import(&url, &["ics", &address]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let before = titled(&admin, "Yoga").await;
        let excluded = format!("{rule}\nEXDATE;TZID=Europe/Berlin:20990414T190000");
        for (tag, rule, expected) in [("\"2\"", excluded.as_str(), 2), ("\"3\"", rule, 3)] {
            serve_calendar(&stub, tag, weekly(19, rule, ""));
            lines(&import(&url, &["ics", &address]).await);
            assert_eq!(titled(&admin, "Yoga").await.len(), expected, "{rule}");
        }
        assert_eq!(each(&titled(&admin, "Yoga").await, "id"), each(&before, "id"));
    }

    async fn series_disappears_and_comes_back(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        let series = weekly(19, "RRULE:FREQ=WEEKLY;COUNT=3", "");
        serve_calendar(&stub, "\"1\"", series.clone());
        lines(&import(&url, &["ics", &address]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let ids = each(&titled(&admin, "Yoga").await, "id");
        assert_eq!(ids.len(), 3);
        serve(&stub, "\"2\"", &[("a", "Another")]);
        let printed = lines(&import(&url, &["ics", &address]).await);
        assert!(printed.contains(&"event w: is no longer at the source; moved to the trash".to_owned()), "{printed:?}");
        assert!(titled(&admin, "Yoga").await.is_empty());
        serve_calendar(&stub, "\"3\"", series);
        lines(&import(&url, &["ics", &address]).await);
        assert_eq!(each(&titled(&admin, "Yoga").await, "id"), ids);
    }

    async fn rule_comes_and_goes(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        serve_calendar(&stub, "\"1\"", weekly(19, "TRANSP:OPAQUE", ""));
        lines(&import(&url, &["ics", &address]).await);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let single = event(&admin, "Yoga").await;
        assert_eq!(single["series"], Value::Null);
        serve_calendar(&stub, "\"2\"", weekly(19, "RRULE:FREQ=WEEKLY;COUNT=3", ""));
        lines(&import(&url, &["ics", &address]).await);
        let events = titled(&admin, "Yoga").await;
        assert_eq!((events.len(), &events[0]["id"]), (3, &single["id"]));
        assert_eq!(events[0]["series"]["recurrence"], json!(["RRULE:FREQ=WEEKLY;COUNT=3"]));
        serve_calendar(&stub, "\"3\"", weekly(19, "TRANSP:OPAQUE", ""));
        lines(&import(&url, &["ics", &address]).await);
        let events = titled(&admin, "Yoga").await;
        assert_eq!((each(&events, "id"), each(&events, "series")), (vec![single["id"].clone()], vec![Value::Null]));
    }

    async fn rules_that_no_series_can_have(database) {
        let url = database.url().await;
        let stub = Stub::start(Site::default()).await;
        let address = format!("{}/a.ics", stub.address);
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        for (rule, reason) in [("FREQ=HOURLY;COUNT=3", "FREQ"), ("FREQ=DAILY;COUNT=2000", "2000")] {
            let other = replacement(21, 19, "SUMMARY:Alone");
            serve_calendar(&stub, &format!("{rule:?}"), weekly(19, &format!("RRULE:{rule}"), &other));
            let printed = lines(&import(&url, &["ics", &address]).await);
            let note = printed.iter().find(|line| line.contains("only its first date")).expect("a note");
            assert!(note.contains(rule) && note.contains(reason), "{note}");
            assert_eq!(event(&admin, "Yoga").await["series"], Value::Null);
            assert_eq!(event(&admin, "Alone").await["start_date"], "2099-04-21 19:00:00");
        }
    }

    async fn undo_trashes_series(database) {
        let url = database.url().await;
        lines(&import(&url, &["ics", &file("google")]).await);
        let printed = lines(&import(&url, &["undo", "1"]).await);
        assert!(printed[0].starts_with("moved 2 events"), "{printed:?}");
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        assert!(titled(&admin, "Choir").await.is_empty());
    }
}
