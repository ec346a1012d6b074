//! iCalendar.

use serde_json::json;

use crate::{
    fixtures::{Component, create_event, summaries},
    on_both_databases,
};

on_both_databases! {
    async fn properties_of_the_calendar(on) {
        let server = on.server(&["--timezone", "Europe/Berlin"]).await;
        let response = server.anonymous().get("~/events.ics?featured=true").await.is(200);
        assert_eq!(response.header("content-type"), "text/calendar; charset=utf-8");
        let calendar = Component::calendar(&response);
        let url = format!("{}/events.ics?featured=true", server.address);
        for (name, expected) in [
            ("VERSION", "2.0"), ("PRODID", "-//Almanac//Almanac//EN"), ("CALSCALE", "GREGORIAN"), ("NAME", "Almanac"),
            ("X-WR-CALNAME", "Almanac"), ("DESCRIPTION", "Almanac"), ("X-WR-CALDESC", "Almanac"),
            ("SOURCE;VALUE=URI", url.as_str()), ("REFRESH-INTERVAL;VALUE=DURATION", "PT1H"),
            ("X-PUBLISHED-TTL", "PT1H"), ("X-WR-TIMEZONE", "Europe/Berlin"), ("METHOD", ""),
        ] {
            assert_eq!(calendar.get(name), expected, "{name}");
        }
        // A calendar without any component would be invalid.
        assert_eq!(calendar.all("VTIMEZONE").len(), 1);
        assert!(calendar.all("VEVENT").is_empty());
    }

    async fn name_and_description_of_the_site(on) {
        let server = on.server(&["--site-name", "City, live", "--site-description", "What is on"]).await;
        create_event(&server.administrator().await, "Concert", json!({"categories": ["Jazz"]})).await;
        let anonymous = server.anonymous();
        for (path, name) in [("~/events.ics", r"City\, live"), ("~/category/jazz.ics", r"Jazz – City\, live")] {
            let calendar = Component::calendar(&anonymous.get(path).await.is(200));
            for (property, expected) in [
                ("NAME", name), ("X-WR-CALNAME", name), ("DESCRIPTION", "What is on"), ("X-WR-CALDESC", "What is on"),
            ] {
                assert_eq!(calendar.get(property), expected, "{path} {property}");
            }
        }
        let feed = anonymous.get("~/events.json").await.is(200);
        assert_eq!([&feed.body["title"], &feed.body["description"]], ["City, live", "What is on"]);
    }

    async fn properties_of_events(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert, with; friends\\foes", json!({
            "start_date": "2027-05-07 19:30", "end_date": "2027-05-07 22:00", "timezone": "Europe/Berlin",
            "description": "<p>Doors open at <b>seven</b>.</p><p>Come, all.</p>",
            "image": "https://example.org/1.png", "categories": ["Music"], "tags": ["Open air"],
            "venue": {
                "venue": "City Hall", "address": "Markt 1", "city": "Berlin", "zip": "10115", "country": "Germany",
                "geo_lat": 52.5, "geo_lng": 13.25,
            },
            "organizer": {"organizer": "City Orchestra", "phone": "030 123", "email": "info@example.org"},
        })).await;
        let row = admin.get(&format!("/events/{id}")).await.is(200).body;
        let feed = server.anonymous().get("~/events.ics?start_date=2000-01-01").await.is(200);
        let calendar = Component::calendar(&feed);
        let [event] = calendar.all("VEVENT")[..] else { panic!("one event") };
        let url = row["url"].as_str().expect("a URL");
        let utc = |field: &str| {
            let digits: String = row[field].as_str().expect("a date").chars().filter(char::is_ascii_digit).collect();
            format!("{}T{}Z", &digits[..8], &digits[8..])
        };
        for (name, expected) in [
            ("SUMMARY", r"Concert\, with\; friends\\foes"),
            ("DTSTART;TZID=Europe/Berlin", "20270507T193000"), ("DTEND;TZID=Europe/Berlin", "20270507T220000"),
            ("DTSTAMP", &utc("modified_utc")), ("LAST-MODIFIED", &utc("modified_utc")), ("CREATED", &utc("date_utc")),
            ("SEQUENCE", "1"), ("LOCATION", r"City Hall\, Markt 1\, 10115 Berlin\, Germany"), ("GEO", "52.5;13.25"),
            ("URL", url), ("CATEGORIES", "Music,Open air"), ("ATTACH;FMTTYPE=image/png", "https://example.org/1.png"),
            ("IMAGE;VALUE=URI;DISPLAY=BADGE;FMTTYPE=image/png", "https://example.org/1.png"),
            ("CONTACT", r"City Orchestra\, 030 123\, info@example.org"),
            ("TRANSP", "TRANSPARENT"), ("CLASS", "PUBLIC"), ("STATUS", "CONFIRMED"),
        ] {
            assert_eq!(event.get(name), expected, "{name}");
        }
        let text = event.get("DESCRIPTION");
        assert!(text.ends_with(&format!("\\n\\n{url}")) && text.starts_with("Doors open at seven."), "{text}");
        assert!(event.get("X-ALT-DESC;FMTTYPE=text/html").contains("<b>seven</b>"));
        let [zone] = calendar.all("VTIMEZONE")[..] else { panic!("one zone") };
        assert_eq!(zone.get("TZID"), "Europe/Berlin");
    }

    async fn canceled_events_stay_with_their_status(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for status in ["scheduled", "canceled", "postponed", "moved_online"] {
            create_event(&admin, status, json!({"event_status": status})).await;
        }
        let calendar = Component::calendar(&server.anonymous().get("~/events.ics").await.is(200));
        let events = calendar.all("VEVENT");
        assert_eq!(events.len(), 4);
        for event in events {
            let is_canceled = event.get("SUMMARY") == "canceled";
            assert_eq!(event.get("STATUS"), if is_canceled { "CANCELLED" } else { "CONFIRMED" });
        }
    }

    async fn identifiers_survive_writes_and_servers(on) {
        let url = on.url().await;
        let uid = {
            let server = crate::support::Server::start(&url, &[]).await;
            let admin = server.administrator().await;
            let id = create_event(&admin, "Concert", json!({})).await;
            let first = Component::calendar(&server.anonymous().get("~/events.ics").await.is(200));
            let uid = first.all("VEVENT")[0].get("UID").to_owned();
            let (number, calendar) = uid.split_once('@').expect("an ID and a calendar");
            assert_eq!(number, id.to_string());
            assert_eq!(calendar.len(), 36);
            let moved = json!({"slug": "other", "start_date": "tomorrow 2pm", "end_date": "tomorrow 3pm"});
            admin.patch(&format!("/events/{id}"), moved).await.is(200);
            let second = Component::calendar(&server.anonymous().get("~/events.ics").await.is(200));
            let event = second.all("VEVENT")[0];
            assert_eq!(event.get("UID"), uid);
            assert_eq!(event.get("SEQUENCE"), "2");
            uid
        };
        let again = crate::support::Server::start(&url, &["--base-url", "https://other.example"]).await;
        let calendar = Component::calendar(&again.anonymous().get("~/events.ics").await.is(200));
        assert_eq!(calendar.all("VEVENT")[0].get("UID"), uid);
    }

    async fn subscriptions_keep_events_for_thirty_days(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (title, start, end) in [
            ("Old", "-40 days", "-32 days"), ("Recent", "-40 days", "-29 days"), ("Yesterday", "yesterday", "yesterday"),
            ("Far", "2099-01-01", "2099-01-02"),
        ] {
            let days = |text: &str| match text.strip_suffix(" days") {
                Some(days) => {
                    let days: i64 = days.parse().expect("a number");
                    let date = chrono::Utc::now() + chrono::TimeDelta::days(days);
                    json!(date.format("%Y-%m-%d").to_string())
                }
                None => json!(text),
            };
            create_event(&admin, title, json!({"start_date": days(start), "end_date": days(end)})).await;
        }
        let anonymous = server.anonymous();
        assert_eq!(summaries(&anonymous.get("~/events.ics").await.is(200)), ["Recent", "Yesterday", "Far"]);
        let all = anonymous.get("~/events.ics?start_date=1900-01-01").await.is(200);
        assert_eq!(summaries(&all), ["Old", "Recent", "Yesterday", "Far"]);
    }

    async fn unpublished_events_are_left_out(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for status in ["draft", "pending", "private", "publish"] {
            create_event(&admin, status, json!({"status": status})).await;
        }
        create_event(&admin, "planned", json!({"date": "2100-01-01"})).await;
        create_event(&admin, "hidden", json!({"hide_from_listings": true})).await;
        let trashed = create_event(&admin, "trashed", json!({})).await;
        admin.delete(&format!("/events/{trashed}")).await.is(200);
        assert_eq!(summaries(&server.anonymous().get("~/events.ics").await.is(200)), ["publish"]);
        assert_eq!(summaries(&admin.get("~/events.ics").await.is(200)), ["publish"]);
        let drafts = admin.get("~/events.ics?status=draft").await.is(200);
        assert_eq!(summaries(&drafts), ["draft"]);
        assert_eq!(drafts.header("cache-control"), "private, no-store");
        server.anonymous().get("~/events.ics?status=draft").await.is(403);
    }

    async fn calendar_of_one_event(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Other", json!({})).await;
        create_event(&admin, "Spring concert", json!({"hide_from_listings": true, "start_date": "2001-01-01"})).await;
        let anonymous = server.anonymous();
        let response = anonymous.get("~/event/spring-concert.ics").await.is(200);
        assert_eq!(summaries(&response), ["Spring concert"]);
        assert_eq!(response.header("content-disposition"), "");
        assert_eq!(Component::calendar(&response).get("NAME"), "Spring concert – Almanac");
        let download = anonymous.get("~/event/spring-concert.ics?download").await.is(200);
        assert_eq!(download.header("content-disposition"), "attachment; filename=\"spring-concert.ics\"");
        anonymous.get("~/event/nowhere.ics").await.is_error(404, "event-not-found");
        let draft = create_event(&admin, "Draft", json!({"status": "draft"})).await;
        anonymous.get("~/event/draft.ics").await.is_error(404, "event-not-found");
        assert_eq!(summaries(&admin.get("~/event/draft.ics").await.is(200)), ["Draft"]);
        admin.delete(&format!("/events/{draft}")).await.is(200);
        admin.get("~/event/draft.ics").await.is_error(404, "event-not-found");
    }

    async fn one_definition_for_each_zone(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (title, zone) in [
            ("A", "Europe/Berlin"), ("B", "Europe/Berlin"), ("C", "UTC+5:30"), ("D", "UTC"), ("E", "America/Lima"),
        ] {
            let times = json!({"start_date": "2027-05-07 19:30", "end_date": "2027-05-07 22:00", "timezone": zone});
            create_event(&admin, title, times).await;
        }
        let feed = server.anonymous().get("~/events.ics?start_date=2000-01-01").await.is(200);
        let calendar = Component::calendar(&feed);
        let zones: Vec<&str> = calendar.all("VTIMEZONE").iter().map(|zone| zone.get("TZID")).collect();
        assert_eq!(zones, ["America/Lima", "Europe/Berlin", "UTC+0530"]);
        for event in calendar.all("VEVENT") {
            let (start, _) = event.properties.iter().find(|(name, _)| name.starts_with("DTSTART")).expect("a start");
            let zone = start.strip_prefix("DTSTART;TZID=");
            assert!(zone.is_none_or(|zone| zones.contains(&zone)), "{start}");
            assert_eq!(zone.is_none(), event.get("SUMMARY") == "D");
        }
    }
}
