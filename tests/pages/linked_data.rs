//! Linked data: events on their own pages, and in lists.

use serde_json::{Value, json};

use crate::{event, json_ld, on_both_databases, support::Client, url};

/// Creates an event in December 2030 with these fields.
async fn create(admin: &Client, title: &str, fields: Value) -> Value {
    let mut body = event(title, "2030-12-24 20:00", "2030-12-24 23:00");
    for (name, value) in fields.as_object().expect("an object") {
        body[name] = value.clone();
    }
    admin.create("/events", body).await
}

/// The object without the members that only the page of an event has.
fn as_in_lists(mut event: Value) -> Value {
    let mut remove = |pointer: &str, name: &str| {
        if let Some(object) = event.pointer_mut(pointer).and_then(Value::as_object_mut) {
            object.shift_remove(name);
        }
    };
    for (pointer, name) in [
        ("", "@context"),
        ("", "description"),
        ("/location", "description"),
        ("/organizer", "description"),
    ] {
        remove(pointer, name);
    }
    event
}

on_both_databases! {
    async fn lists_have_the_events_of_their_pages(on) {
        let server = on.server(&["--timezone", "Europe/Berlin", "--currency", "EUR"]).await;
        let admin = server.administrator().await;
        let website = "https://example.org/live";
        create(&admin, "Concert", json!({
            "description": "<p>Doors open at seven.</p>", "cost": "12", "image": "https://example.org/1.png",
            "venue": {
                "venue": "Hall", "address": "Markt 1", "zip": "24103", "city": "Kiel", "description": "Big",
                "geo_lat": 54.3, "geo_lng": 10.1,
            },
            "organizer": {"organizer": "Ann", "description": "A singer"},
        })).await;
        create(&admin, "Talk", json!({"website": website, "event_status": "postponed"})).await;
        create(&admin, "Class", json!({
            "venue": {"venue": "School"}, "website": website, "event_status": "moved_online",
        })).await;
        create(&admin, "Walk", json!({
            "venue": [{"venue": "Gate"}, {"venue": "Tower"}], "event_status": "canceled",
        })).await;
        create(&admin, "Fair", json!({"all_day": true})).await;
        create(&admin, "Secret", json!({"venue": {"venue": "Draft", "status": "draft"}, "website": website})).await;
        let anonymous = server.anonymous();
        for path in [
            "~/events", "~/events/month/2030-12?per_page=1", "~/events/2030-12-24", "~/embed/list",
            "~/embed/month/2030-12",
        ] {
            let page = anonymous.get(path).await.is(200);
            let list = json_ld(&page.text);
            assert_eq!(list["@type"], "ItemList", "{path}");
            let items = list["itemListElement"].as_array().expect("a list");
            assert_eq!(list["numberOfItems"], items.len(), "{path}");
            assert!(items.len() >= 4, "{path}: {list}");
            for (number, item) in items.iter().enumerate() {
                assert_eq!(item["position"], number + 1, "{path}");
                let own = anonymous.get(url(&item["item"])).await.is(200);
                assert_eq!(item["item"], as_in_lists(json_ld(&own.text)), "{path}");
            }
        }
    }

    async fn events_have_the_properties_that_search_engines_read(on) {
        let server = on.server(&["--currency", "EUR"]).await;
        let admin = server.administrator().await;
        let concert = create(&admin, "Concert", json!({
            "description": "<p>Doors open at seven.</p>", "cost": "12", "image": "https://example.org/1.png",
            "venue": {"venue": "Hall", "address": "Markt 1", "city": "Kiel"}, "organizer": {"organizer": "Ann"},
        })).await;
        let page = server.anonymous().get(url(&concert)).await.is(200);
        let found = json_ld(&page.text);
        for (pointer, expected) in [
            ("/@context", json!("https://schema.org")),
            ("/@type", json!("Event")),
            ("/name", json!("Concert")),
            ("/startDate", concert["starts_at"].clone()),
            ("/endDate", concert["ends_at"].clone()),
            ("/eventStatus", json!("https://schema.org/EventScheduled")),
            ("/eventAttendanceMode", json!("https://schema.org/OfflineEventAttendanceMode")),
            ("/description", json!("Doors open at seven.")),
            ("/image", json!("https://example.org/1.png")),
            ("/location", json!({
                "@type": "Place", "name": "Hall",
                "address": {"@type": "PostalAddress", "streetAddress": "Markt 1", "addressLocality": "Kiel"},
            })),
            ("/organizer/@type", json!("Organization")),
            ("/organizer/url", concert["organizer"][0]["url"].clone()),
            ("/offers/price", json!("12")),
            ("/offers/priceCurrency", json!("EUR")),
            ("/offers/url", concert["url"].clone()),
        ] {
            assert_eq!(found.pointer(pointer), Some(&expected), "{pointer}");
        }
        let talk = create(&admin, "Talk", json!({"website": "https://example.org/live"})).await;
        let page = server.anonymous().get(url(&talk)).await.is(200);
        let found = json_ld(&page.text);
        assert_eq!(found["location"], json!({"@type": "VirtualLocation", "url": "https://example.org/live"}));
        assert_eq!(found["eventAttendanceMode"], "https://schema.org/OnlineEventAttendanceMode");
    }
}
