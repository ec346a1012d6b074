//! Changes of rules and times: which events keep their IDs.

use serde_json::{Value, json};

use crate::{
    on_both_databases,
    series::{create_yoga, events, ids},
};

/// A change of a series.
struct Case {
    name: &'static str,
    /// The rule before.
    rule: &'static str,
    /// What is sent to the series.
    change: Value,
    /// The start of each event after the change, with the number of the event before it, if it is the same.
    expected: &'static [(&'static str, Option<usize>)],
}

fn cases() -> Vec<Case> {
    const WEEKLY: &str = "RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=TU";
    vec![
        Case {
            name: "time moved",
            rule: WEEKLY,
            change: json!({"start_date": "2027-01-05 20:00"}),
            expected: &[
                ("2027-01-05 20:00", Some(0)),
                ("2027-01-12 20:00", Some(1)),
                ("2027-01-19 20:00", Some(2)),
                ("2027-01-26 20:00", Some(3)),
            ],
        },
        Case {
            name: "day moved",
            rule: WEEKLY,
            change: json!({"start_date": "2027-01-06 19:00", "recurrence": "RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=WE"}),
            expected: &[
                ("2027-01-06 19:00", None),
                ("2027-01-13 19:00", None),
                ("2027-01-20 19:00", None),
                ("2027-01-27 19:00", None),
            ],
        },
        Case {
            name: "interval doubled",
            rule: WEEKLY,
            change: json!({"recurrence": "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=TU"}),
            expected: &[
                ("2027-01-05 19:00", Some(0)),
                ("2027-01-19 19:00", Some(2)),
                ("2027-02-02 19:00", None),
            ],
        },
        Case {
            name: "count shortened",
            rule: WEEKLY,
            change: json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=TU"}),
            expected: &[("2027-01-05 19:00", Some(0)), ("2027-01-12 19:00", Some(1))],
        },
        Case {
            name: "count lengthened",
            rule: "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=TU",
            change: json!({"recurrence": "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TU"}),
            expected: &[
                ("2027-01-05 19:00", Some(0)),
                ("2027-01-12 19:00", Some(1)),
                ("2027-01-19 19:00", None),
            ],
        },
        Case {
            name: "zone changed",
            rule: "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=TU",
            change: json!({"timezone": "America/New_York"}),
            expected: &[("2027-01-05 19:00", Some(0)), ("2027-01-12 19:00", Some(1))],
        },
        Case {
            name: "exception kept",
            rule: "RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=TU\nEXDATE:20270112T190000",
            change: json!({"start_date": "2027-01-05 20:00"}),
            expected: &[
                ("2027-01-05 20:00", Some(0)),
                ("2027-01-19 20:00", Some(1)),
                ("2027-01-26 20:00", Some(2)),
            ],
        },
        Case {
            name: "two on a day",
            rule: "RRULE:FREQ=DAILY;COUNT=4;BYHOUR=9,19",
            change: json!({
                "start_date": "2027-01-05 10:00", "end_date": "2027-01-05 11:00",
                "recurrence": "RRULE:FREQ=DAILY;COUNT=4;BYHOUR=10,20",
            }),
            expected: &[
                ("2027-01-05 10:00", Some(0)),
                ("2027-01-05 20:00", Some(1)),
                ("2027-01-06 10:00", Some(2)),
                ("2027-01-06 20:00", Some(3)),
            ],
        },
        Case {
            name: "end removed",
            rule: "RRULE:FREQ=MONTHLY;COUNT=2",
            change: json!({"recurrence": "RRULE:FREQ=MONTHLY;INTERVAL=12"}),
            expected: &[("2027-01-05 19:00", Some(0)), ("2028-01-05 19:00", None)],
        },
        Case {
            name: "all day",
            rule: "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=TU",
            change: json!({"all_day": true}),
            expected: &[("2027-01-05 00:00", Some(0)), ("2027-01-12 00:00", Some(1))],
        },
    ]
}

on_both_databases! {
    async fn events_keep_their_ids(database) {
        let server = database.server(&["--recurrence-horizon", "14 months"]).await;
        let admin = server.administrator().await;
        for Case { name, rule, change, expected } in cases() {
            let fields = match rule.contains("BYHOUR=9") {
                true => json!({"recurrence": rule, "start_date": "2027-01-05 09:00", "end_date": "2027-01-05 10:00"}),
                false => json!({"recurrence": rule}),
            };
            let series = create_yoga(&admin, fields).await;
            let before = ids(&events(&admin, series).await);
            admin.patch(&format!("/series/{series}"), change).await.is(200);
            let after = events(&admin, series).await;
            let found: Vec<(String, Option<usize>)> = after
                .iter()
                .map(|event| {
                    let start = event["start_date"].as_str().unwrap_or_default();
                    let number = before.iter().position(|id| event["id"] == *id);
                    (start.trim_end_matches(":00").to_owned(), number)
                })
                .collect();
            let expected: Vec<(String, Option<usize>)> = expected
                .iter()
                .map(|(start, number)| (start.trim_end_matches(":00").to_owned(), *number))
                .collect();
            assert_eq!(found, expected, "{name}");
            for id in before {
                let is_kept = after.iter().any(|event| event["id"] == id);
                let status = admin.get(&format!("/events/{id}")).await.is(200).body["status"].clone();
                assert_eq!(status, if is_kept { "publish" } else { "trash" }, "{name}");
            }
            let zone = &after[0]["timezone"];
            assert_eq!(zone, if name == "zone changed" { "America/New_York" } else { "Europe/Berlin" });
        }
    }

    async fn lengthening_restores_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let before = events(&admin, series).await;
        let path = format!("/series/{series}");
        for (count, number) in [(2, 2), (5, 5)] {
            let rule = format!("RRULE:FREQ=WEEKLY;COUNT={count};BYDAY=TU");
            admin.patch(&path, json!({"recurrence": rule})).await.is(200);
            let after = events(&admin, series).await;
            assert_eq!(ids(&after), ids(&before)[..number]);
        }
        assert_eq!(crate::series::texts(&events(&admin, series).await, "slug"), crate::series::texts(&before, "slug"));
    }

    async fn a_start_that_does_not_fit_is_rejected(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({})).await;
        let response = admin.patch(&format!("/series/{series}"), json!({"start_date": "2027-01-06 19:00"})).await;
        let response = response.is_error(400, "rest_invalid_param");
        assert!(response.text.contains("2027-01-12"), "{}", response.text);
        assert_eq!(events(&admin, series).await.len(), 5);
    }

    async fn purged_events_are_not_created_again(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let series = create_yoga(&admin, json!({"recurrence": "RRULE:FREQ=WEEKLY;UNTIL=20270202T190000;BYDAY=TU"})).await;
        let before = ids(&events(&admin, series).await);
        admin.delete(&format!("/events/{}", before[1])).await.is(200);
        almanac::testing::store::trash::empty(&server.store, None).await.expect("an empty trash");
        admin.patch(&format!("/series/{series}"), json!({"start_date": "2027-01-05 20:00"})).await.is(200);
        let after = ids(&events(&admin, series).await);
        assert_eq!(after, [before[0], before[2], before[3], before[4]]);
    }
}
