//! Events as schema.org Events.

use serde_json::{Value, json};

use crate::{fixtures::event_path, on_both_databases};

const OFFLINE: &str = "https://schema.org/OfflineEventAttendanceMode";
const ONLINE: &str = "https://schema.org/OnlineEventAttendanceMode";

on_both_databases! {
    async fn status_and_location(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let hall = json!({"venue": "Hall"});
        let draft = json!({"venue": "Draft", "status": "draft"});
        let website = "https://example.org/live";
        for (fields, status, mode, location) in [
            (json!({"venue": hall}), "EventScheduled", json!(OFFLINE), json!({"@type": "Place", "name": "Hall"})),
            (
                json!({"venue": hall, "website": website, "event_status": "canceled"}),
                "EventCancelled", json!(OFFLINE), json!({"@type": "Place", "name": "Hall"}),
            ),
            (
                json!({"venue": hall, "website": website, "event_status": "moved_online"}),
                "EventMovedOnline", json!(ONLINE), json!({"@type": "VirtualLocation", "url": website}),
            ),
            (
                json!({"website": website, "event_status": "postponed"}),
                "EventPostponed", json!(ONLINE), json!({"@type": "VirtualLocation", "url": website}),
            ),
            // Its place is not known.
            (json!({}), "EventScheduled", Value::Null, Value::Null),
            // It has a venue that not everybody may see.
            (json!({"venue": draft, "website": website}), "EventScheduled", json!(OFFLINE), Value::Null),
        ] {
            let path = event_path(&admin, fields).await;
            let json_ld = server.anonymous().get(&path).await.is(200).body["json_ld"].clone();
            assert_eq!(json_ld["eventStatus"], format!("https://schema.org/{status}"), "{json_ld}");
            assert_eq!(json_ld["eventAttendanceMode"], mode, "{json_ld}");
            assert_eq!(json_ld["location"], location, "{json_ld}");
        }
        let path = event_path(&admin, json!({"venue": hall, "event_status": "moved_online"})).await;
        let event = admin.get(&path).await.is(200).body;
        assert_eq!(event["json_ld"]["location"]["url"], event["url"]);
    }

    async fn organizers_have_urls(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let organizers = json!([{"organizer": "Ann"}, {"organizer": "Ben", "website": "https://example.org"}]);
        let path = event_path(&admin, json!({"organizer": organizers})).await;
        let json_ld = admin.get(&path).await.is(200).body["json_ld"].clone();
        assert_eq!(json_ld["organizer"][0]["url"], format!("{}/organizer/ann", server.address));
        assert_eq!(json_ld["organizer"][1]["url"], "https://example.org");
    }
}
