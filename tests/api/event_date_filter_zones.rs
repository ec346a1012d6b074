//! Time zones of the date filters of event lists.

use chrono::TimeDelta;
use serde_json::json;

use crate::{
    assertions::{assert_lists, list_names},
    fixtures::create_event,
    on_both_databases,
    support::Client,
};

/// Creates four events of zero length at these UTC times. The first and the last are one second outside of the window.
async fn create_events(client: &Client, times: [&str; 4]) {
    for (title, time) in ["Before", "First", "Final", "After"].into_iter().zip(times) {
        let fields = json!({"start_date": time, "end_date": time, "timezone": "UTC"});
        create_event(client, title, fields).await;
    }
}

on_both_databases! {
    async fn days_in_site_zone(database) {
        for (zone, yesterday, today, times) in [
            (
                "UTC",
                "2027-02-28",
                "2027-03-01",
                ["2027-02-28 23:59:59", "2027-03-01 00:00:00", "2027-03-01 23:59:59", "2027-03-02 00:00:00"],
            ),
            (
                "Europe/Berlin",
                "2027-02-28",
                "2027-03-01",
                ["2027-02-28 22:59:59", "2027-02-28 23:00:00", "2027-03-01 22:59:59", "2027-03-01 23:00:00"],
            ),
            (
                "Pacific/Kiritimati",
                "2027-02-28",
                "2027-03-01",
                ["2027-02-28 09:59:59", "2027-02-28 10:00:00", "2027-03-01 09:59:59", "2027-03-01 10:00:00"],
            ),
            (
                "Asia/Kolkata",
                "2027-02-28",
                "2027-03-01",
                ["2027-02-28 18:29:59", "2027-02-28 18:30:00", "2027-03-01 18:29:59", "2027-03-01 18:30:00"],
            ),
            (
                "America/Los_Angeles",
                "2027-02-28",
                "2027-03-01",
                ["2027-03-01 07:59:59", "2027-03-01 08:00:00", "2027-03-02 07:59:59", "2027-03-02 08:00:00"],
            ),
            (
                "UTC-3:30",
                "2027-02-28",
                "2027-03-01",
                ["2027-03-01 03:29:59", "2027-03-01 03:30:00", "2027-03-02 03:29:59", "2027-03-02 03:30:00"],
            ),
            // A day of 23 hours.
            (
                "Europe/Berlin",
                "2027-03-27",
                "2027-03-28",
                ["2027-03-27 22:59:59", "2027-03-27 23:00:00", "2027-03-28 21:59:59", "2027-03-28 22:00:00"],
            ),
            // A day of 25 hours.
            (
                "Europe/Berlin",
                "2027-10-30",
                "2027-10-31",
                ["2027-10-30 21:59:59", "2027-10-30 22:00:00", "2027-10-31 22:59:59", "2027-10-31 23:00:00"],
            ),
        ] {
            let bounds = format!("start_date={today}&end_date={today}");
            let four = format!("starts_after={yesterday}&starts_before={today}");
            let ends = format!("ends_after={yesterday}&ends_before={today}");
            for (variant, queries) in [("a", vec![&bounds]), ("b", vec![&bounds, &four, &ends])] {
                let server = database.server(&["--variant", variant, "--timezone", zone]).await;
                let admin = server.administrator().await;
                create_events(&admin, times).await;
                for query in queries {
                    let names = list_names(&admin, "events", query).await;
                    assert_eq!(names, "First Final", "{variant} {zone} {query}");
                }
            }
        }
    }

    async fn skipped_and_ambiguous_bounds(database) {
        for (bound, times) in [
            // Skipped: moved forward to 03:30.
            (
                "2027-03-28 02:30:00",
                ["2027-03-28 01:29:59", "2027-03-28 01:30:00", "2027-03-28 02:00:00", "2027-03-28 03:00:00"],
            ),
            // Ambiguous: the first one.
            (
                "2027-10-31 02:30:00",
                ["2027-10-31 00:29:59", "2027-10-31 00:30:00", "2027-10-31 01:30:00", "2027-10-31 02:30:00"],
            ),
        ] {
            for (variant, strict) in [("a", ""), ("b", "strict_dates=1&")] {
                let server = database.server(&["--variant", variant, "--timezone", "Europe/Berlin"]).await;
                let admin = server.administrator().await;
                create_events(&admin, times).await;
                assert_lists(&admin, "events", &[
                    (&format!("{strict}end_date=2027-12-31&start_date={bound}"), "First Final After"),
                    (&format!("{strict}start_date=2027-01-01&end_date={bound}"), "Before First"),
                ]).await;
            }
        }
    }

    async fn bounds_with_offset(database) {
        let times = ["2027-03-01 06:59:59", "2027-03-01 07:00:00", "2027-03-01 08:00:00", "2027-03-01 09:00:00"];
        for (variant, strict) in [("a", ""), ("b", "strict_dates=1&")] {
            let server = database.server(&["--variant", variant, "--timezone", "Asia/Kolkata"]).await;
            let admin = server.administrator().await;
            create_events(&admin, times).await;
            for bound in [
                "2027-03-01T07:00:00Z",
                "2027-03-01T09:00:00%2B02:00",
                // An unencoded plus is decoded as a space.
                "2027-03-01T09:00:00+02:00",
                "2027-03-01T09:00:00%2002:00",
                "2027-03-01T01:30:00-05:30",
                // Local times of the site.
                "2027-03-01 12:30:00",
                "2027-03-01T12:30",
                "2027/03/01 12:30",
            ] {
                assert_lists(&admin, "events", &[
                    (&format!("{strict}end_date=2027-12-31&start_date={bound}"), "First Final After"),
                    (&format!("{strict}start_date=2027-01-01&end_date={bound}"), "Before First"),
                ]).await;
            }
        }
    }

    async fn bounds_with_offset_cover_day_in_variant_b(database) {
        let server = database.server(&["--timezone", "Europe/Berlin"]).await;
        let admin = server.administrator().await;
        create_events(
            &admin,
            ["2027-02-28 22:59:59", "2027-02-28 23:00:00", "2027-03-01 22:59:59", "2027-03-01 23:00:00"],
        )
        .await;
        assert_lists(&admin, "events", &[
            ("start_date=2027-03-01T12:00:00%2B01:00&end_date=2027-03-01T12:00:00%2B01:00", "First Final"),
            ("starts_before=2027-03-01T12:00:00Z", "Before First Final"),
            ("starts_after=2027-03-01T12:00:00+01:00", "After"),
        ]).await;
    }

    async fn filtered_by_instant_not_local_date(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        // One second apart, on different local dates.
        let second = TimeDelta::seconds(1);
        let west = "2027-03-01T10:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().expect("a date");
        for (title, zone, instant) in [("East", "Pacific/Kiritimati", west + second), ("West", "Pacific/Niue", west)]
        {
            let time = instant.to_rfc3339();
            create_event(&admin, title, json!({"start_date": time, "end_date": time, "timezone": zone})).await;
        }
        assert_lists(&admin, "events", &[
            ("start_date=2027-03-01&end_date=2027-03-01", "West East"),
            ("strict_dates=1&starts_after=2027-03-01T10:00:00Z", "East"),
            ("strict_dates=1&starts_before=2027-03-01T10:00:01Z", "West"),
        ]).await;
    }
}
