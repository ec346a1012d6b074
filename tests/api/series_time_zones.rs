//! Series across changes of clocks.

use serde_json::json;

use crate::{
    on_both_databases,
    series::{create_yoga, events, texts},
};

on_both_databases! {
    async fn local_times_stay(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (zone, start, rule, expected) in [
            // Northern hemisphere: forward on 28 March, back on 31 October.
            ("Europe/Berlin", "2027-03-27 19:00", "FREQ=DAILY;COUNT=2", ["2027-03-27T19:00:00+01:00", "2027-03-28T19:00:00+02:00"]),
            ("Europe/Berlin", "2027-10-30 19:00", "FREQ=DAILY;COUNT=2", ["2027-10-30T19:00:00+02:00", "2027-10-31T19:00:00+01:00"]),
            // In the gap, and in the overlap: the first of the two.
            ("Europe/Berlin", "2027-03-27 02:30", "FREQ=DAILY;COUNT=2", ["2027-03-27T02:30:00+01:00", "2027-03-28T03:30:00+02:00"]),
            ("Europe/Berlin", "2027-10-30 02:30", "FREQ=DAILY;COUNT=2", ["2027-10-30T02:30:00+02:00", "2027-10-31T02:30:00+02:00"]),
            // A start in the gap does not move the others.
            ("Europe/Berlin", "2027-03-28 02:30", "FREQ=DAILY;COUNT=2", ["2027-03-28T03:30:00+02:00", "2027-03-29T02:30:00+02:00"]),
            // Southern hemisphere: back on 4 April, forward on 3 October.
            ("Australia/Sydney", "2027-04-03 02:30", "FREQ=DAILY;COUNT=2", ["2027-04-03T02:30:00+11:00", "2027-04-04T02:30:00+11:00"]),
            ("Australia/Sydney", "2027-10-02 02:30", "FREQ=DAILY;COUNT=2", ["2027-10-02T02:30:00+10:00", "2027-10-03T03:30:00+11:00"]),
            // By half an hour.
            ("Australia/Lord_Howe", "2027-10-02 02:10", "FREQ=DAILY;COUNT=2", ["2027-10-02T02:10:00+10:30", "2027-10-03T02:40:00+11:00"]),
            ("Australia/Lord_Howe", "2027-04-03 01:45", "FREQ=DAILY;COUNT=2", ["2027-04-03T01:45:00+11:00", "2027-04-04T01:45:00+11:00"]),
            // A zone whose rules changed: British Columbia stays on summer time from 2026 on.
            ("America/Vancouver", "2025-12-15 12:00", "FREQ=YEARLY;COUNT=2", ["2025-12-15T12:00:00-08:00", "2026-12-15T12:00:00-07:00"]),
            ("UTC+5:30", "2027-03-27 19:00", "FREQ=DAILY;COUNT=2", ["2027-03-27T19:00:00+05:30", "2027-03-28T19:00:00+05:30"]),
        ] {
            let recurrence = format!("RRULE:{rule}");
            let fields = json!({"start_date": start, "end_date": start, "timezone": zone, "recurrence": recurrence});
            let series = create_yoga(&admin, fields).await;
            assert_eq!(texts(&events(&admin, series).await, "starts_at"), expected, "{zone} {start}");
        }
    }

    async fn duration_is_exact(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({
            "start_date": "2027-03-26 22:00", "end_date": "2027-03-27 04:00", "recurrence": "RRULE:FREQ=DAILY;COUNT=3",
        });
        let ends = texts(&events(&admin, create_yoga(&admin, fields).await).await, "end_date");
        assert_eq!(ends, ["2027-03-27 04:00:00", "2027-03-28 05:00:00", "2027-03-29 04:00:00"]);
    }

    async fn all_day_events_last_days(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({
            "start_date": "2027-03-27", "end_date": "2027-03-28", "all_day": true,
            "recurrence": "RRULE:FREQ=WEEKLY;COUNT=2",
        });
        let events = events(&admin, create_yoga(&admin, fields).await).await;
        assert_eq!(texts(&events, "start_date"), ["2027-03-27 00:00:00", "2027-04-03 00:00:00"]);
        assert_eq!(texts(&events, "end_date"), ["2027-03-28 23:59:59", "2027-04-04 23:59:59"]);
    }

    async fn until_in_utc_is_converted(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let fields = json!({"recurrence": "RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20270119T180000Z"});
        let series = create_yoga(&admin, fields).await;
        assert_eq!(events(&admin, series).await.len(), 3);
    }
}
