//! Date filters of event lists.

use chrono::Months;
use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected, list_names},
    fixtures::{create_event, create_event_at, day, noon},
    on_both_databases,
    support::Client,
};

/// Creates five events around 1 March 2027 UTC: at the last second before it, at 00:00, at 09:00, at its last second,
/// and at 00:00 on the next day.
async fn create_march_events(client: &Client) {
    for (title, start, end) in [
        ("Last", "2027-02-28 23:59:59", "2027-03-01 00:00:00"),
        ("Midnight", "2027-03-01 00:00:00", "2027-03-01 01:00:00"),
        ("Nine", "2027-03-01 09:00:00", "2027-03-01 10:00:00"),
        ("End", "2027-03-01 23:59:59", "2027-03-02 00:00:00"),
        ("Next", "2027-03-02 00:00:00", "2027-03-02 02:00:00"),
    ] {
        create_event_at(client, title, start, end).await;
    }
}

/// Creates an event in the past, one tomorrow, and one in the far future.
async fn create_past_near_and_far(client: &Client) {
    create_event_at(client, "Past", "2001-05-01 10:00", "2001-05-01 11:00").await;
    create_event(client, "Near", json!({})).await;
    create_event_at(client, "Far", "2099-05-01 10:00", "2099-05-01 11:00").await;
}

on_both_databases! {
    async fn default_window_is_two_years(database) {
        let (zone, noon) = noon();
        let in_two_years = noon + Months::new(24);
        for (variant, expected) in [("a", "Today Within Over"), ("b", "Today Within")] {
            let server = database.server(&["--variant", variant, "--timezone", &zone]).await;
            let admin = server.administrator().await;
            let last = day(in_two_years, 0, "22:00:00");
            for (title, start, end) in [
                // In progress, but started before today.
                ("Yesterday", day(noon, -1, "23:59:59"), day(noon, 1, "12:00:00")),
                ("Today", day(noon, 0, "00:00:00"), day(noon, 0, "01:00:00")),
                ("Within", last.clone(), day(in_two_years, 0, "23:59:59")),
                // Starts inside the window, ends after it.
                ("Over", last, day(in_two_years, 1, "00:00:00")),
                ("Beyond", day(in_two_years, 1, "00:00:00"), day(in_two_years, 1, "00:00:00")),
            ] {
                create_event_at(&admin, title, &start, &end).await;
            }
            assert_eq!(list_names(&admin, "events", "").await, expected, "variant {variant}");
        }
    }

    async fn default_dates_are_independent(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            create_past_near_and_far(&admin).await;
            assert_lists(&admin, "events", &[
                ("", "Near"),
                ("start_date=2001-01-01", "Past Near"),
                ("end_date=2150-01-01", "Near Far"),
                ("start_date=2001-01-01&end_date=2150-01-01", "Past Near Far"),
                ("start_date=&end_date=", "Near"),
            ]).await;
        }
    }

    async fn variant_a_compares_starts_exactly(database) {
        let server = database.server(&["--variant", "a"]).await;
        let admin = server.administrator().await;
        create_march_events(&admin).await;
        assert_lists(&admin, "events", &[
            ("start_date=2027-03-01&end_date=2027-12-31", "Midnight Nine End Next"),
            ("start_date=2027-03-01 09:00:00&end_date=2027-12-31", "Nine End Next"),
            ("start_date=2027-03-01 09:00:01&end_date=2027-12-31", "End Next"),
            ("start_date=2027-01-01&end_date=2027-03-01", "Last Midnight Nine End"),
            ("start_date=2027-01-01&end_date=2027-03-01 00:00:00", "Last Midnight"),
            ("start_date=2027-01-01&end_date=2027-03-01 08:59:59", "Last Midnight"),
            ("start_date=2027-01-01&end_date=2027-03-01 09:00", "Last Midnight Nine"),
            ("start_date=2027-03-01&end_date=2027-03-01", "Midnight Nine End"),
            ("start_date=2027-03-02&end_date=2027-03-01", ""),
        ]).await;
    }

    async fn variant_b_dates_cover_whole_days(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_march_events(&admin).await;
        assert_lists(&admin, "events", &[
            ("start_date=2027-03-01&end_date=2027-12-31", "Midnight Nine End Next"),
            ("start_date=2027-03-01 09:00&end_date=2027-12-31", "Midnight Nine End Next"),
            ("start_date=2027-03-01 23:59:59&end_date=2027-12-31", "Midnight Nine End Next"),
            ("start_date=2027-01-01&end_date=2027-03-01", "Last Midnight Nine"),
            ("start_date=2027-01-01&end_date=2027-03-01 00:00:00", "Last Midnight Nine"),
            ("start_date=2027-01-01&end_date=2027-03-02", "Last Midnight Nine End Next"),
            ("start_date=2027-03-01&end_date=2027-03-01", "Midnight Nine"),
            ("start_date=2027-03-01&end_date=2027-03-01&strict_dates=false", "Midnight Nine"),
            ("starts_before=2027-03-01", "Last Midnight Nine End"),
            ("starts_before=2027-03-01 00:00:00", "Last Midnight Nine End"),
            ("starts_before=2027-02-28", "Last"),
            ("starts_before=2027-02-27", ""),
            ("starts_after=2027-03-01", "Next"),
            ("starts_after=2027-03-01 23:59:59", "Next"),
            ("starts_after=2027-02-28", "Midnight Nine End Next"),
            ("starts_after=2027-03-02", ""),
            ("ends_before=2027-03-01", "Last Midnight Nine"),
            ("ends_before=2027-03-01 00:00:00", "Last Midnight Nine"),
            ("ends_before=2027-03-02", "Last Midnight Nine End Next"),
            ("ends_before=2027-02-28", ""),
            ("ends_after=2027-03-01", "End Next"),
            ("ends_after=2027-03-01 23:59:59", "End Next"),
            ("ends_after=2027-02-28", "Last Midnight Nine End Next"),
            ("ends_after=2027-03-02", ""),
        ]).await;
    }

    async fn strict_dates_are_exact(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_march_events(&admin).await;
        assert_lists(&admin, "events", &[
            ("strict_dates=1&end_date=2027-12-31&start_date=2027-03-01 09:00:00", "Nine End Next"),
            ("strict_dates=1&end_date=2027-12-31&start_date=2027-03-01 09:00:01", "End Next"),
            ("strict_dates=1&start_date=2027-01-01&end_date=2027-03-01 10:00:00", "Last Midnight Nine"),
            ("strict_dates=1&start_date=2027-01-01&end_date=2027-03-01 09:59:59", "Last Midnight"),
            // Without a time, these two still cover the whole day.
            ("strict_dates=1&end_date=2027-12-31&start_date=2027-03-01", "Midnight Nine End Next"),
            ("strict_dates=1&start_date=2027-01-01&end_date=2027-03-01", "Last Midnight Nine"),
            ("strict_dates=1&starts_before=2027-03-01 09:00:00", "Last Midnight"),
            ("strict_dates=1&starts_before=2027-03-01 09:00:01", "Last Midnight Nine"),
            ("strict_dates=1&starts_after=2027-03-01 09:00:00", "End Next"),
            ("strict_dates=1&starts_after=2027-03-01 08:59:59", "Nine End Next"),
            ("strict_dates=1&ends_before=2027-03-01 10:00:00", "Last Midnight"),
            ("strict_dates=1&ends_before=2027-03-01 10:00:01", "Last Midnight Nine"),
            ("strict_dates=1&ends_after=2027-03-01 10:00:00", "End Next"),
            ("strict_dates=1&ends_after=2027-03-01 09:59:59", "Nine End Next"),
            // Without a time, the others are 00:00.
            ("strict_dates=yes&starts_before=2027-03-01", "Last"),
            ("strict_dates=on&starts_after=2027-03-01", "Nine End Next"),
            ("strict_dates=true&ends_before=2027-03-02", "Last Midnight Nine"),
            ("strict_dates=TRUE&ends_after=2027-03-01", "Midnight Nine End Next"),
        ]).await;
    }

    async fn explicit_bounds_drop_default_dates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_past_near_and_far(&admin).await;
        assert_lists(&admin, "events", &[
            ("starts_before=2150-01-01", "Past Near Far"),
            ("starts_after=2001-01-01", "Past Near Far"),
            ("ends_before=2150-01-01", "Past Near Far"),
            ("ends_after=2001-01-01", "Past Near Far"),
            ("starts_after=2001-01-01&strict_dates=1", "Past Near Far"),
            // The first and the last date.
            ("starts_after=0001-01-01&ends_before=9999-12-31", "Past Near Far"),
            // These are not bounds.
            ("strict_dates=1", "Near"),
            ("starts_after=&ends_before=", "Near"),
        ]).await;
    }

    async fn bounds_are_combined(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_march_events(&admin).await;
        create_past_near_and_far(&admin).await;
        assert_lists(&admin, "events", &[
            ("starts_before=2150-01-01&start_date=2050-01-01", "Far"),
            ("ends_after=2001-01-01&end_date=2026-01-01", "Past"),
            ("starts_after=2027-02-28&starts_before=2027-03-01", "Midnight Nine End"),
            ("starts_after=2027-02-28&starts_before=2027-03-01&ends_before=2027-03-01", "Midnight Nine"),
            (
                "start_date=2027-03-01&starts_after=2027-02-01&end_date=2027-03-31&ends_before=2027-03-01",
                "Midnight Nine",
            ),
            ("start_date=2027-03-02&starts_before=2027-03-01", ""),
        ]).await;
    }

    async fn all_day_and_multi_day_events(database) {
        let create_events = async |client: &Client| {
            for (title, start, end, all_day) in [
                ("Days", "2027-02-27 18:00", "2027-03-03 12:00", false),
                ("Day", "2027-03-01", "2027-03-01", true),
                ("Two", "2027-03-01", "2027-03-02", true),
            ] {
                create_event(client, title, json!({"start_date": start, "end_date": end, "all_day": all_day})).await;
            }
            // There, 1 March starts at 10:00 UTC on 28 February.
            create_event(
                client,
                "East",
                json!({
                    "start_date": "2027-03-01", "end_date": "2027-03-01", "all_day": true,
                    "timezone": "Pacific/Kiritimati",
                }),
            )
            .await;
        };
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_events(&admin).await;
        assert_lists(&admin, "events", &[
            ("start_date=2027-03-01&end_date=2027-03-01", "Day"),
            ("start_date=2027-02-28&end_date=2027-03-01", "East Day"),
            ("start_date=2027-02-27&end_date=2027-03-02", "East Day Two"),
            ("start_date=2027-02-27&end_date=2027-03-03", "Days East Day Two"),
            ("starts_before=2027-02-27", "Days"),
            ("starts_before=2027-02-28", "Days East"),
            ("ends_after=2027-03-01", "Days Two"),
            ("ends_after=2027-03-02", "Days"),
            ("ends_before=2027-03-01", "East Day"),
            ("ends_before=2027-03-02", "East Day Two"),
            ("strict_dates=1&ends_before=2027-03-01 23:59:59", "East"),
            ("strict_dates=1&start_date=2027-02-01&end_date=2027-03-01 23:59:59", "East Day"),
            // In progress at 12:00 on 2 March.
            ("strict_dates=1&starts_before=2027-03-02 12:00:01&ends_after=2027-03-02 12:00:00", "Days Two"),
        ]).await;
        let server = database.server(&["--variant", "a"]).await;
        let admin = server.administrator().await;
        create_events(&admin).await;
        assert_lists(&admin, "events", &[
            ("start_date=2027-03-01&end_date=2027-03-01", "Day Two"),
            ("start_date=2027-02-27&end_date=2027-02-27", "Days"),
            ("start_date=2027-02-28 10:00:00&end_date=2027-02-28 10:00:00", "East"),
        ]).await;
    }

    async fn relative_dates(database) {
        let (zone, noon) = noon();
        let server = database.server(&["--timezone", &zone]).await;
        let admin = server.administrator().await;
        for (title, days) in [("Yesterday", -1), ("Today", 0), ("Tomorrow", 1), ("Then", 2)] {
            create_event_at(&admin, title, &day(noon, days, "10:00"), &day(noon, days, "11:00")).await;
        }
        assert_lists(&admin, "events", &[
            ("start_date=yesterday&end_date=tomorrow", "Yesterday Today Tomorrow"),
            ("start_date=today&end_date=today", "Today"),
            ("start_date=now&end_date=now", "Today"),
            ("starts_after=now", "Tomorrow Then"),
            ("starts_after=%2B1 day", "Then"),
            // An unencoded plus is decoded as a space.
            ("starts_after=+1 day", "Then"),
            ("starts_after=+1+day", "Then"),
            ("strict_dates=1&starts_after=tomorrow 9am", "Tomorrow Then"),
            ("strict_dates=1&starts_after=tomorrow 10:00", "Then"),
        ]).await;
    }

    async fn variant_b_filters_ignored_in_variant_a(database) {
        let server = database.server(&["--variant", "a"]).await;
        let admin = server.administrator().await;
        create_march_events(&admin).await;
        let march = "start_date=2027-03-01 09:00&end_date=2027-03-31";
        for filter in [
            "starts_before=2027-02-01",
            "starts_after=2027-12-01",
            "ends_before=2027-02-01",
            "ends_after=2027-12-01",
            "strict_dates=0",
            "ticketed=true",
            // Their values are not validated either.
            "starts_before=soon",
            "starts_after=soon",
            "ends_before=soon",
            "ends_after=soon",
            "strict_dates=perhaps",
            "ticketed=perhaps",
        ] {
            assert_lists(&admin, "events", &[(&format!("{march}&{filter}"), "Nine End Next")]).await;
        }
        // They do not drop the default dates either.
        assert_lists(&admin, "events", &[("end_date=2000-01-01&starts_before=2150-01-01", "")]).await;
    }

    async fn invalid_dates_rejected(database) {
        let server = database.server(&[]).await;
        let reader = server.anonymous();
        for name in ["start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after"] {
            for value in
                ["soon", "20270301", "1700000000", "2027-02-30", "2027-13-01", "2027-03-01T25:00", "01.03.2027"]
            {
                assert_rejected(&reader, "events", &[(&format!("{name}={value}"), name)]).await;
            }
        }
        assert_rejected(&reader, "events", &[("strict_dates=perhaps", "strict_dates")]).await;
        let response = reader.get("/events?start_date=soon&ends_after=never&strict_dates=2").await;
        assert_eq!(response.is_error(400, "rest_invalid_param").invalid_params(), [
            "ends_after", "start_date", "strict_dates",
        ]);
    }

    async fn last_repeated_date_wins(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_march_events(&admin).await;
        assert_lists(&admin, "events", &[
            ("starts_after=2027-02-01&starts_after=2027-03-01", "Next"),
            ("starts_after=soon&starts_after=2027-03-01", "Next"),
        ]).await;
    }
}
