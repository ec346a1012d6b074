//! The filters of lists on every feed.

use serde_json::{Value, json};

use crate::{
    fixtures::{create_event, get_with, summaries},
    on_both_databases,
    support::{Response, Server},
};

/// A server of variant A, whose lists lack some of the filters, with some events.
async fn server(on: &crate::support::Database) -> Server {
    let server = on.server(&["--variant", "a"]).await;
    let admin = server.administrator().await;
    for (title, fields) in [
        (
            "Jazz night",
            json!({
                "categories": ["Jazz"], "tags": ["free"], "featured": true,
                "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"},
            }),
        ),
        (
            "Rock night",
            json!({"categories": ["Rock"], "start_date": "tomorrow 8pm", "end_date": "tomorrow 9pm"}),
        ),
        (
            "Fair",
            json!({"ticketed": true, "start_date": "tomorrow 10pm", "end_date": "tomorrow 11pm"}),
        ),
    ] {
        create_event(&admin, title, fields).await;
    }
    server
}

/// The titles of the events of a feed, sorted.
fn titles(format: &str, response: &Response) -> Vec<String> {
    let of = |list: &Value| -> Vec<String> {
        let items = list.as_array().expect("a list").iter();
        items
            .map(|item| item["title"].as_str().expect("a title").to_owned())
            .collect()
    };
    let mut titles = match format {
        "events.ics" => summaries(response),
        "events.json" => of(&response.body["items"]),
        "fullcalendar.json" => of(&response.body),
        _ => {
            let titles = response.text.split("<title>").skip(2);
            titles
                .map(|rest| rest.split('<').next().unwrap_or_default().to_owned())
                .collect()
        }
    };
    titles.sort();
    titles
}

const FORMATS: [&str; 5] = [
    "events.ics",
    "events.rss",
    "events.atom",
    "events.json",
    "fullcalendar.json",
];

on_both_databases! {
    async fn filters_apply_to_every_format(on) {
        let server = server(&on).await;
        for format in FORMATS {
            for (query, expected) in [
                ("", vec!["Fair", "Jazz night", "Rock night"]),
                ("categories=jazz", vec!["Jazz night"]),
                ("categories=jazz,rock", vec!["Jazz night", "Rock night"]),
                ("tags=free", vec!["Jazz night"]),
                ("featured=true", vec!["Jazz night"]),
                ("search=night&featured=false", vec!["Rock night"]),
                ("venue=1", vec!["Jazz night"]),
                ("organizer=1", vec!["Jazz night"]),
                ("ticketed=true", vec!["Fair"]),
                ("starts_after=2099-01-01", vec![]),
                ("include=2", vec!["Rock night"]),
                // Feeds have no pages.
                ("page=7&per_page=1", vec!["Fair", "Jazz night", "Rock night"]),
            ] {
                let response = server.anonymous().get(&format!("~/{format}?{query}")).await.is(200);
                assert_eq!(titles(format, &response), expected, "{format} {query}");
            }
        }
    }

    async fn presets_filter_every_format(on) {
        let server = server(&on).await;
        for kind in ["category/jazz", "tag/free", "venue/hall", "organizer/ann"] {
            for format in ["ics", "rss", "atom", "json"] {
                let path = format!("~/{kind}.{format}");
                let response = server.anonymous().get(&path).await.is(200);
                assert_eq!(titles(&format!("events.{format}"), &response), ["Jazz night"], "{path}");
                let both = server.anonymous().get(&format!("{path}?categories=rock")).await.is(200);
                assert!(titles(&format!("events.{format}"), &both).is_empty(), "{path}");
            }
        }
        for (path, code) in [
            ("~/category/nothing.ics", "category-not-found"), ("~/tag/nothing.rss", "tag-not-found"),
            ("~/venue/nothing.atom", "venue-not-found"), ("~/organizer/nothing.json", "organizer-not-found"),
        ] {
            server.anonymous().get(path).await.is_error(404, code);
        }
    }

    async fn unknown_parameters_are_named(on) {
        let server = server(&on).await;
        let anonymous = server.anonymous();
        for (path, ignored) in [
            ("~/event/fair.ics?download", ""),
            ("~/event/fair.ics?radius=5", "radius"),
            ("~/events.ics?download&featured=true&page=1", ""),
            ("~/events.ics?download&radius=5", "radius"),
            ("~/events.rss?download", "download"),
            ("~/fullcalendar.json?start=2027-05-01&end=2027-06-01&timeZone=UTC", ""),
            ("~/fullcalendar.json?start=2027-05-01&end=2027-06-01&fields=id", "fields"),
            // Subscriptions to a WordPress site have parameters of its plugins.
            ("~/events/?ical=1&eventDisplay=list&tribe-bar-date=2027-05-01&lang=en", ""),
            ("~/events/?outlook-ical=1&lang=en", ""),
            ("~/events/feed/?lang=en", ""),
        ] {
            let response = anonymous.get(path).await.is(200);
            assert_eq!(response.header("x-ignored"), ignored, "{path}");
            let strict = get_with(&anonymous, path, &[("prefer", "handling=strict")]).await;
            match ignored {
                "" => _ = strict.is(200),
                name => assert_eq!(strict.is_error(400, "rest_invalid_param").invalid_params(), [name], "{path}"),
            }
        }
    }

    async fn errors_are_those_of_lists(on) {
        let server = server(&on).await;
        for format in FORMATS {
            let path = format!("~/{format}?categories=nothing&start_date=nonsense&venue=99");
            let response = server.anonymous().get(&path).await.is_error(400, "rest_invalid_param");
            assert_eq!(response.invalid_params(), ["categories", "start_date", "venue"], "{format}");
        }
    }
}
