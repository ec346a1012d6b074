//! The index of the API namespace.

use std::collections::BTreeSet;

use almanac::testing::calendar::zone::Zone;
use chrono::{Months, NaiveDate, Utc};
use serde_json::{Value, json};

use crate::{fixtures::send_with, on_both_databases};

const ROOT: &str = "/calendar/events/v1";

/// The arguments of a route for a method.
fn arguments<'a>(index: &'a Value, path: &str, method: &str) -> &'a Value {
    let endpoints = &index["routes"][format!("{ROOT}{path}")]["endpoints"];
    let mut endpoints = endpoints.as_array().into_iter().flatten();
    let found = endpoints.find(|endpoint| {
        let methods = endpoint["methods"].as_array();
        methods.is_some_and(|methods| methods.contains(&json!(method)))
    });
    &found.unwrap_or_else(|| panic!("no endpoint {method} {path}"))["args"]
}

fn midnight(day: NaiveDate) -> String {
    format!("{day} 00:00:00")
}

on_both_databases! {
    async fn operations_match_document(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let anonymous = server.anonymous();
            let index = anonymous.get("").await.is(200).body;
            assert_eq!(index["namespace"], "calendar/events/v1");
            let mut indexed = BTreeSet::new();
            for (path, route) in index["routes"].as_object().expect("routes") {
                assert_eq!(route["namespace"], "calendar/events/v1");
                let mut methods = BTreeSet::new();
                for endpoint in route["endpoints"].as_array().expect("endpoints") {
                    for method in endpoint["methods"].as_array().expect("methods") {
                        let method = method.as_str().expect("a name").to_owned();
                        assert!(methods.insert(method.clone()), "{path} has {method} twice");
                        let path = path.replace(r"(?P<id>\d+)", "{id}");
                        let path = path.replace(r"(?P<delivery>\d+)", "{delivery}");
                        let path = path.replace("(?P<slug>[^/]+)", "{slug}");
                        let path = path.replace("(?P<source>[^/]+)", "{source}");
                        let path = path.replace("(?P<external_id>[^/]+)", "{external_id}");
                        indexed.insert((path, method.to_lowercase()));
                    }
                }
                let listed = route["methods"].as_array().expect("methods").iter();
                let listed: BTreeSet<_> = listed.filter_map(Value::as_str).map(str::to_owned).collect();
                assert_eq!(listed, methods, "{path}");
            }
            let document = anonymous.get("/doc").await.is(200).body;
            let mut documented = BTreeSet::new();
            for (path, item) in document["paths"].as_object().expect("paths") {
                for method in item.as_object().expect("operations").keys() {
                    documented.insert((path.clone(), method.clone()));
                }
            }
            assert_eq!(indexed, documented);
            assert_eq!(indexed.len(), 80);
        }
    }

    async fn arguments_match_document(database) {
        let server = database.server(&["--variant", "a"]).await;
        let index = server.anonymous().get("").await.is(200).body;
        let list = arguments(&index, "/events", "GET");
        let page = &list["page"];
        assert_eq!((&page["required"], &page["default"], &page["type"]), (&json!(false), &json!(1), &json!("integer")));
        assert!(page["description"].as_str().is_some_and(|text| !text.is_empty()));
        assert_eq!(list["per_page"]["default"], 10);
        assert_eq!(list["venue"]["items"]["type"], "integer");
        assert_eq!(list.get("ticketed"), None);
        let terms = arguments(&index, "/categories", "GET");
        assert_eq!(terms["hide_empty"]["default"], true);
        assert_eq!(terms["order"]["enum"], json!(["asc", "desc"]));
        let create = arguments(&index, "/events", "POST");
        assert_eq!(create["title"]["required"], true);
        assert_eq!(create["excerpt"]["required"], false);
        assert_eq!(create["all_day"]["default"], false);
        assert_eq!(create["categories"].get("type"), None);
        let read = arguments(&index, r"/events/(?P<id>\d+)", "GET");
        let names: Vec<_> = read.as_object().expect("arguments").keys().collect();
        assert_eq!(names, ["id", "fields"]);
        assert_eq!((&read["id"]["required"], &read["id"]["type"]), (&json!(true), &json!("integer")));
        let update = arguments(&index, "/events/by-slug/(?P<slug>[^/]+)", "PATCH");
        assert_eq!(update["title"]["required"], false);
        assert_eq!(update["all_day"].get("default"), None);
        assert_eq!(update.get("id"), None);
        let fields = &arguments(&index, "/doc", "GET")["fields"];
        assert_eq!(fields["items"]["enum"], json!(["openapi", "info", "servers", "tags", "paths", "components"]));
        assert_eq!(arguments(&index, r"/events/(?P<id>\d+)", "DELETE").get("fields"), None);

        let server = database.server(&["--variant", "b"]).await;
        let index = server.anonymous().get("").await.is(200).body;
        let list = arguments(&index, "/events", "GET");
        assert_eq!(list["per_page"]["default"], 5);
        assert_eq!(list["strict_dates"]["default"], false);
        assert_eq!(list["ticketed"]["type"], "boolean");
    }

    async fn path_slug_is_required(database) {
        let server = database.server(&[]).await;
        let index = server.anonymous().get("").await.is(200).body;
        for kind in ["events", "venues", "organizers"] {
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                let path = format!("/{kind}/by-slug/(?P<slug>[^/]+)");
                assert_eq!(arguments(&index, &path, method)["slug"]["required"], true, "{method} {kind}");
            }
            let update = arguments(&index, &format!(r"/{kind}/(?P<id>\d+)"), "PATCH");
            assert_eq!(update["slug"]["required"], false, "{kind}");
        }
    }

    async fn default_dates_are_current(database) {
        let server = database.server(&["--timezone", "Pacific/Kiritimati"]).await;
        let zone = Zone::parse("Pacific/Kiritimati").expect("a zone");
        let today = || zone.to_local(Utc::now()).date();
        let before = today();
        let index = server.anonymous().get("").await.is(200).body;
        let list = arguments(&index, "/events", "GET");
        // The date may change between the two.
        let days = [before, today()];
        let starts = days.map(midnight);
        let start = list["start_date"]["default"].as_str().expect("a date").to_owned();
        assert!(starts.contains(&start), "{start}");
        let end = list["end_date"]["default"].as_str().expect("a date").to_owned();
        let ends = days.map(|day| day.checked_add_months(Months::new(24)).expect("a day").to_string());
        assert!(ends.iter().any(|day| end.starts_with(day.as_str())), "{end}");
    }

    async fn links_resolve(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let index = anonymous.get("").await.is(200).body;
        let admin = server.administrator().await;
        let index_url = index["_links"]["self"][0]["href"].as_str().expect("a link");
        assert_eq!(anonymous.get(index_url).await.is(200).body["namespace"], index["namespace"]);
        let mut followed = 0;
        for (path, route) in index["routes"].as_object().expect("routes") {
            if let Some(link) = route["_links"]["self"][0]["href"].as_str() {
                assert_eq!(link, format!("{}{path}", server.address));
                // The body of a stream does not end.
                send_with(&admin, "HEAD", link, &[]).await.is(200);
                followed += 1;
            }
        }
        assert_eq!(followed, 11);
    }

    async fn namespaces_and_contexts(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for query in [
            "", "?namespace=calendar/events/v1", "?namespace=", "?context=view", "?context=embed", "?context=edit",
            "?nonsense=1",
        ] {
            let index = anonymous.get(query).await.is(200).body;
            assert_eq!(index["routes"].as_object().map(serde_json::Map::len), Some(30), "{query}");
        }
        anonymous.get("?namespace=wp/v2").await.is_error(404, "rest_no_route");
        let rejected = anonymous.get("?context=nonsense").await.is_error(400, "rest_invalid_param");
        assert_eq!(rejected.invalid_params(), ["context"]);
    }
}
