//! Series on pages.

use serde_json::json;

use crate::{browse, event, on_both_databases, titles};

on_both_databases! {
    async fn event_links_to_its_other_dates(on) {
        let server = on.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        let mut yoga = event("Yoga", "2030-12-03 19:00", "2030-12-03 20:30");
        yoga["recurrence"] = json!("RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4");
        admin.create("/events", yoga).await;
        admin.create("/events", event("Jazz", "2030-12-03 21:00", "2030-12-03 23:00")).await;
        let reader = server.anonymous();
        let page = browse(&reader, "~/event/yoga-2030-12-10").await.is(200);
        for expected in ["Repeats", "every Tuesday, 4 times", "Other dates", "/events?series=1", "/event/yoga-2030-12-03"] {
            assert!(page.text.contains(expected), "{expected}: {}", page.text);
        }
        let all = browse(&reader, "~/events?series=1").await.is(200);
        assert_eq!(titles(&all.text), ["Yoga"; 4]);
        assert!(all.text.contains("All dates of Yoga"), "{}", all.text);
        let next = browse(&reader, "~/events?recurrences=next").await.is(200);
        assert_eq!(titles(&next.text), ["Yoga", "Jazz"]);
        assert!(next.text.contains("Only the next date of each series"));
        let single = browse(&reader, "~/event/jazz").await.is(200);
        assert!(!single.text.contains("Repeats") && !single.text.contains("Other dates"));
    }

    async fn words_in_spanish(on) {
        let server = on.server(&["--lang", "es"]).await;
        let admin = server.administrator().await;
        let mut yoga = event("Yoga", "2030-12-03 19:00", "2030-12-03 20:30");
        yoga["recurrence"] = json!("RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4");
        admin.create("/events", yoga).await;
        let page = server.anonymous().get("~/event/yoga-2030-12-03").await.is(200);
        for expected in ["Se repite", "todos los martes, 4 veces", "Otras fechas"] {
            assert!(page.text.contains(expected), "{expected}: {}", page.text);
        }
    }
}
