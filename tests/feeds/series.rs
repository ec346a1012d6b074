//! The calendars of series. `tests/subscribers` expands them with other programs.

use serde_json::json;

use crate::{
    fixtures::{Component, create_event, get_with},
    on_both_databases,
    support::Client,
};

/// Creates a series, and returns its ID.
async fn create(client: &Client, fields: serde_json::Value) -> i64 {
    let id = create_event(client, "Yoga", fields).await;
    let event = client.get(&format!("/events/{id}")).await.is(200).body;
    event["series"]["id"].as_i64().expect("a series")
}

/// The properties whose names begin with one of these.
fn times(event: &Component) -> Vec<String> {
    let names = [
        "DTSTART",
        "DTEND",
        "DURATION",
        "RRULE",
        "RDATE",
        "EXDATE",
        "RECURRENCE-ID",
    ];
    let is_wanted = |name: &str| names.iter().any(|wanted| name.starts_with(wanted));
    let wanted = event.properties.iter().filter(|(name, _)| is_wanted(name));
    wanted.map(|(name, value)| format!("{name}:{value}")).collect()
}

on_both_databases! {
    async fn rule_and_exceptions(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let series = create(&admin, json!({
            "start_date": "2027-03-26 02:30", "end_date": "2027-03-26 03:30", "timezone": "Europe/Berlin",
            "recurrence": "RRULE:FREQ=DAILY;UNTIL=20270401T023000",
        })).await;
        let path = format!("~/series/{series}.ics");
        let read = async || Component::calendar(&server.anonymous().get(&path).await.is(200));
        let calendar = read().await;
        let [master, gap] = calendar.all("VEVENT")[..] else { panic!("{calendar:?}") };
        assert_eq!(times(master), [
            "DTSTART;TZID=Europe/Berlin:20270326T023000", "DURATION:PT3600S", "RRULE:FREQ=DAILY;UNTIL=20270401T003000Z",
        ]);
        assert_eq!(times(gap), [
            "RECURRENCE-ID;TZID=Europe/Berlin:20270328T023000", "DTSTART;TZID=Europe/Berlin:20270328T033000",
            "DTEND;TZID=Europe/Berlin:20270328T043000",
        ]);
        assert_eq!(master.get("UID"), gap.get("UID"));
        assert_eq!(calendar.all("VTIMEZONE").len(), 1);
        // One event is deleted, one is no longer published, and one is renamed.
        admin.delete("/events/2").await.is(200);
        admin.patch("/events/4", json!({"status": "draft"})).await.is(200);
        admin.patch("/events/5", json!({"title": "Pilates"})).await.is(200);
        let calendar = read().await;
        let events = calendar.all("VEVENT");
        assert_eq!(events.iter().map(|event| event.get("SUMMARY")).collect::<Vec<_>>(), ["Yoga", "Yoga", "Pilates"]);
        let excluded: Vec<String> = times(events[0]).into_iter().filter(|line| line.starts_with("EXDATE")).collect();
        assert_eq!(excluded, [
            "EXDATE;TZID=Europe/Berlin:20270327T023000", "EXDATE;TZID=Europe/Berlin:20270329T023000",
        ]);
    }

    async fn whole_days_and_utc(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (fields, expected) in [
            (
                json!({
                    "start_date": "2027-01-05", "end_date": "2027-01-06", "all_day": true,
                    "recurrence": "RRULE:FREQ=WEEKLY;UNTIL=20270202\nEXDATE:20270112",
                }),
                vec![
                    "DTSTART;VALUE=DATE:20270105", "DURATION:P2D", "RRULE:FREQ=WEEKLY;UNTIL=20270202",
                    "EXDATE;VALUE=DATE:20270112",
                ],
            ),
            (
                json!({
                    "start_date": "2027-01-05 19:00", "end_date": "2027-01-05 19:00", "timezone": "UTC",
                    "recurrence": "RRULE:FREQ=WEEKLY;UNTIL=20270202T190000\nRDATE:20270110T080000",
                }),
                vec!["DTSTART:20270105T190000Z", "RRULE:FREQ=WEEKLY;UNTIL=20270202T190000Z", "RDATE:20270110T080000Z"],
            ),
        ] {
            let series = create(&admin, fields).await;
            let calendar = server.anonymous().get(&format!("~/series/{series}.ics")).await.is(200);
            assert_eq!(times(Component::calendar(&calendar).all("VEVENT")[0]), expected);
        }
    }

    async fn availability_and_validators(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let series = create(&admin, json!({"recurrence": "RRULE:FREQ=DAILY;COUNT=3"})).await;
        let path = format!("~/series/{series}.ics");
        let reader = server.anonymous();
        let first = reader.get(&path).await.is(200);
        assert_eq!(first.header("content-type"), "text/calendar; charset=utf-8");
        let tag = first.header("etag").to_owned();
        get_with(&reader, &path, &[("if-none-match", &tag)]).await.is(304);
        admin.patch(&format!("/series/{series}"), json!({"title": "Pilates"})).await.is(200);
        let changed = get_with(&reader, &path, &[("if-none-match", &tag)]).await.is(200);
        assert!(changed.text.contains("SUMMARY:Pilates"), "{}", changed.text);
        let download = reader.get(&format!("{path}?download")).await.is(200);
        assert!(download.header("content-disposition").contains("attachment"));
        reader.get("~/series/99.ics").await.is(404);
        admin.delete(&format!("/series/{series}")).await.is(200);
        reader.get(&path).await.is(404);
        // Other feeds list the events individually.
        create(&admin, json!({"recurrence": "RRULE:FREQ=DAILY;COUNT=3"})).await;
        let calendar = Component::calendar(&reader.get("~/events.ics").await.is(200));
        let events = calendar.all("VEVENT");
        let mut identifiers: Vec<&str> = events.iter().map(|event| event.get("UID")).collect();
        identifiers.dedup();
        assert_eq!((events.len(), identifiers.len()), (3, 3));
        assert!(events.iter().all(|event| event.get("RRULE").is_empty()));
    }
}
