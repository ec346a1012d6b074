//! The events of FullCalendar.

use serde_json::json;

use crate::{fixtures::create_event, on_both_databases};

on_both_databases! {
    async fn members_of_events(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({
            "start_date": "2027-05-07 19:30", "end_date": "2027-05-07 22:00", "timezone": "Europe/Berlin",
            "categories": ["Jazz"], "featured": true, "venue": {"venue": "Hall"},
        })).await;
        create_event(&admin, "Fair", json!({
            "start_date": "2027-05-08", "end_date": "2027-05-09", "all_day": true, "timezone": "Europe/Berlin",
        })).await;
        let range = "start=2027-05-01T00:00:00Z&end=2027-06-01T00:00:00Z";
        let response = server.anonymous().get(&format!("~/fullcalendar.json?{range}")).await.is(200);
        assert_eq!(response.header("content-type"), "application/json");
        let [concert, fair] = &response.body.as_array().expect("an array")[..] else { panic!("two events") };
        assert_eq!(concert["id"], id.to_string());
        assert_eq!(concert["title"], "Concert");
        assert_eq!(concert["start"], "2027-05-07T19:30:00+02:00");
        assert_eq!(concert["end"], "2027-05-07T22:00:00+02:00");
        assert_eq!(concert["allDay"], false);
        assert_eq!(concert["url"], format!("{}/event/concert", server.address));
        assert_eq!(concert["classNames"], json!(["featured", "category-jazz"]));
        assert_eq!(concert["extendedProps"]["location"], "Hall");
        assert_eq!([&fair["start"], &fair["end"], &fair["allDay"]], [&json!("2027-05-08"), &json!("2027-05-10"), &json!(true)]);
        for (zone, start) in [
            ("UTC", "2027-05-07T17:30:00+00:00"), ("local", "2027-05-07T19:30:00+02:00"),
            ("America/New_York", "2027-05-07T13:30:00-04:00"),
        ] {
            let path = format!("~/fullcalendar.json?{range}&timeZone={zone}");
            assert_eq!(server.anonymous().get(&path).await.is(200).body[0]["start"], start, "{zone}");
        }
    }

    async fn status_is_a_class(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"event_status": "moved_online", "featured": true, "categories": ["Jazz"]});
        create_event(&admin, "Moved", fields).await;
        let response = server.anonymous().get("~/fullcalendar.json").await.is(200);
        let [event] = &response.body.as_array().expect("an array")[..] else { panic!("one event") };
        assert_eq!(event["classNames"], json!(["featured", "moved-online", "category-jazz"]));
        assert_eq!(event["extendedProps"]["eventStatus"], "moved_online");
    }

    async fn range_selects_events_that_overlap_it(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (title, start, end) in [
            ("Before", "2027-04-01", "2027-04-02"), ("Across", "2027-04-20", "2027-05-02 12:00"),
            ("Inside", "2027-05-10", "2027-05-10 12:00"), ("After", "2027-06-01", "2027-06-02"),
        ] {
            create_event(&admin, title, json!({"start_date": start, "end_date": end})).await;
        }
        let path = "~/fullcalendar.json?start=2027-05-01&end=2027-06-01";
        let titles = async |query: &str| {
            let response = server.anonymous().get(&format!("{path}{query}")).await.is(200);
            let events = response.body.as_array().expect("an array").clone();
            events.iter().map(|event| event["title"].as_str().expect("a title").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles("").await, ["Across", "Inside"]);
        // Dates of the query narrow the range that the calendar shows.
        assert_eq!(titles("&start_date=2027-05-05").await, ["Inside"]);
        assert_eq!(titles("&start_date=1900-01-01").await, ["Across", "Inside"]);
    }

    async fn invalid_range(on) {
        let server = on.server(&[]).await;
        let path = "~/fullcalendar.json?start=nonsense&end=2027-13-01&timeZone=Mars&venue=x";
        let response = server.anonymous().get(path).await.is_error(400, "rest_invalid_param");
        assert_eq!(response.invalid_params(), ["end", "start", "timeZone", "venue"]);
    }
}
