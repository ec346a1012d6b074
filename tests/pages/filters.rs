//! Filters and orders of the interface, on all views.

use serde_json::{Value, json};

use crate::{
    browse, event, on_both_databases,
    support::{Client, Database, Response, Server},
    titles,
};

/// The views of 24 December 2030, on pages and in frames.
const VIEWS: [&str; 6] = [
    "~/events",
    "~/events/month/2030-12",
    "~/events/2030-12-24",
    "~/embed/list",
    "~/embed/month/2030-12",
    "~/embed/2030-12-24",
];

/// A server with a market and, in the evening, a concert.
async fn server(on: &Database) -> (Server, Client, Value) {
    let server = on.server(&["--timezone", "Europe/Berlin"]).await;
    let admin = server.administrator().await;
    let mut concert = event("Concert", "2030-12-24 20:00", "2030-12-24 23:00");
    concert["categories"] = json!(["Music"]);
    concert["tags"] = json!(["new"]);
    concert["venue"] = json!({"venue": "Cellar", "city": "Kiel", "geo_lat": 54.3, "geo_lng": 10.1});
    concert["organizer"] = json!({"organizer": "Ann"});
    concert["cost"] = json!("12 €");
    concert["featured"] = json!(true);
    concert["event_status"] = json!("canceled");
    let concert = admin.create("/events", concert).await;
    let mut market = event("Market", "2030-12-24 10:00", "2030-12-24 11:00");
    market["venue"] = json!({"venue": "Barn", "geo_lat": 48.1, "geo_lng": 11.5});
    market["cost"] = json!("Free");
    admin.create("/events", market).await;
    (server, admin, concert)
}

/// The link that removes an active filter of the list.
fn removal(without: &str, label: &str) -> String {
    format!("<li><a href=\"{without}\"><span class=\"hidden\">Remove filter: </span>{label} <span")
}

on_both_databases! {
    async fn filters_work_on_all_views(on) {
        let (server, _, concert) = server(&on).await;
        let anonymous = server.anonymous();
        let (id, author) = (&concert["id"], &concert["author"]);
        let (venue, organizer) = (&concert["venue"][0]["id"], &concert["organizer"][0]["id"]);
        for (query, expected) in [
            ("search=concert", &["Concert"][..]),
            ("categories=music", &["Concert"]),
            ("tags=new", &["Concert"]),
            (&format!("venue={venue}"), &["Concert"]),
            (&format!("organizer={organizer}"), &["Concert"]),
            (&format!("include={id}"), &["Concert"]),
            (&format!("post_parent={id}"), &[]),
            (&format!("author={author}"), &["Market", "Concert"]),
            ("author=999", &[]),
            ("featured=true", &["Concert"]),
            ("featured=false", &["Market"]),
            ("ticketed=false", &["Market", "Concert"]),
            ("title=market", &["Market"]),
            ("event_status=canceled", &["Concert"]),
            ("event_status=scheduled,postponed", &["Market"]),
            ("free=true", &["Market"]),
            ("free=false", &["Concert"]),
            ("cost_min=10", &["Concert"]),
            ("cost_max=5", &["Market"]),
            ("geoloc=true", &["Market", "Concert"]),
            ("geoloc_lat=54.3&geoloc_lng=10.1&geoloc_radius=5", &["Concert"]),
            ("geoloc_box=10,54,11,55", &["Concert"]),
            ("modified_after=2020-01-01", &["Market", "Concert"]),
            ("modified_before=2020-01-01", &[]),
            ("start_date=2030-12-24", &["Market", "Concert"]),
            ("start_date=2030-12-25", &[]),
            ("end_date=2030-12-23", &[]),
            ("starts_before=2030-12-24", &["Market", "Concert"]),
            ("starts_after=2030-12-24", &[]),
            ("ends_before=2030-12-24", &["Market", "Concert"]),
            ("ends_after=2030-12-24", &[]),
            ("start_date=2030-12-24T12:00&strict_dates=true", &["Concert"]),
        ] {
            for view in VIEWS {
                let page = anonymous.get(&format!("{view}?{query}")).await.is(200);
                assert_eq!(titles(&page.text), expected, "{view}?{query}");
                assert_eq!(page.header("x-ignored"), "", "{view}?{query}");
            }
        }
    }

    async fn active_filters_have_readable_texts(on) {
        let (server, _, concert) = server(&on).await;
        let anonymous = server.anonymous();
        let tag = &concert["tags"][0]["id"];
        let (venue, organizer) = (&concert["venue"][0]["id"], &concert["organizer"][0]["id"]);
        for (query, label) in [
            ("search=jazz", "“jazz”"),
            ("categories=music", "Music"),
            (&format!("tags={tag}"), "new"),
            (&format!("venue={venue}"), "Cellar"),
            (&format!("organizer={organizer}"), "Ann"),
            ("featured=true", "Featured"),
            ("featured=false", "Not featured"),
            ("free=true", "Free"),
            ("free=false", "Not free"),
            ("ticketed=true", "With tickets"),
            ("cost_min=10", "Price from 10"),
            ("cost_max=5", "Price up to 5"),
            ("title=market", "Title: market"),
            ("author=1", "By author 1"),
            ("event_status=canceled,moved_online", "Canceled, Moved online"),
            ("geoloc=true", "With a position on the map"),
            ("geoloc_lat=54.3&geoloc_lng=10.1&geoloc_radius=5", "Within 5 km of 54.3, 10.1"),
            ("geoloc_lat=54.3&geoloc_lng=10.1", "Within 40 km of 54.3, 10.1"),
            ("geoloc_box=10,54,11,55", "In the area 10,54,11,55"),
            ("include=1,2", "Selected events"),
            ("post_parent=7", "Part of event 7"),
            ("start_date=2030-12-01", "From Sunday, 1 December 2030"),
            ("tribe-bar-date=2030-12-01", "From Sunday, 1 December 2030"),
            ("starts_before=2030-12-31", "To Tuesday, 31 December 2030"),
            ("starts_after=2030-12-01", "Starts after Sunday, 1 December 2030"),
            ("ends_before=tomorrow", "Ends by tomorrow"),
            ("modified_after=2020-01-01", "Changed after Wednesday, 1 January 2020"),
            ("strict_dates=true", "Exact times"),
            ("orderby=title", "Sorted by title"),
            ("order=desc", "In descending order"),
        ] {
            let page = anonymous.get(&format!("~/events?{query}")).await.is(200);
            assert!(page.text.contains(&removal("/events", label)), "{query}: {}", page.text);
        }
        // Without a position, there is no distance.
        let query = "geoloc_lat=54.3&geoloc_lng=10.1&orderby=distance&free=false";
        let page = anonymous.get(&format!("~/events?{query}")).await.is(200);
        assert!(page.text.contains(&removal("/events?free=false", "Within 40 km of 54.3, 10.1")));
        assert!(page.text.contains("Sorted by distance"));
        let spanish = anonymous.request("GET", "~/events?free=false&orderby=title").header("accept-language", "es");
        let page = Response::fetch(spanish).await.is(200);
        for label in ["</span>De pago <span", "</span>Por título <span"] {
            assert!(page.text.contains(label), "{label}");
        }
    }

    async fn checkbox_of_free_events(on) {
        let (server, _, _) = server(&on).await;
        let anonymous = server.anonymous();
        for (query, is_checked, is_hidden) in [
            ("", false, false), ("?free=true", true, false), ("?free=1", true, false), ("?free=false", false, true),
        ] {
            for view in &VIEWS[..3] {
                let page = anonymous.get(&format!("{view}{query}")).await.is(200);
                let checked = "<input type=\"checkbox\" name=\"free\" value=\"true\" checked>";
                let unchecked = "<input type=\"checkbox\" name=\"free\" value=\"true\">";
                assert_eq!(page.text.contains(checked), is_checked, "{view}{query}");
                assert_eq!(page.text.contains(unchecked), !is_checked, "{view}{query}");
                // Filters without a field in the form are kept.
                let hidden = "<input type=\"hidden\" name=\"free\" value=\"false\">";
                assert_eq!(page.text.contains(hidden), is_hidden, "{view}{query}");
            }
        }
    }

    async fn unknown_parameters_are_left_out(on) {
        let (server, _, _) = server(&on).await;
        let page = server.anonymous().get("~/events?utm_source=news&fbclid=x").await.is(200);
        assert_eq!(titles(&page.text).len(), 2);
        assert!(!page.text.contains("utm_source") && !page.text.contains("fbclid"));
        assert!(!page.text.contains("noindex"));
    }

    async fn lists_in_other_orders_have_no_months(on) {
        let (server, admin, _) = server(&on).await;
        admin.create("/events", event("Apples", "2031-02-01 10:00", "2031-02-01 11:00")).await;
        let anonymous = server.anonymous();
        for (query, expected, has_months) in [
            ("", ["Market", "Concert", "Apples"], true),
            ("?order=desc", ["Apples", "Concert", "Market"], true),
            ("?orderby=title", ["Apples", "Concert", "Market"], false),
            ("?orderby=title&order=desc", ["Market", "Concert", "Apples"], false),
            ("?orderby=modified", ["Concert", "Market", "Apples"], false),
        ] {
            for view in ["~/events", "~/embed/list"] {
                let page = anonymous.get(&format!("{view}{query}")).await.is(200);
                assert_eq!(titles(&page.text), expected, "{view}{query}");
                assert_eq!(page.text.contains("class=\"month-heading\""), has_months, "{view}{query}");
                assert_eq!(page.text.contains("Dec 2030</time>"), !has_months, "{view}{query}");
            }
        }
        let near = "geoloc_lat=48.1&geoloc_lng=11.5&geoloc_radius=500&orderby=distance";
        let page = anonymous.get(&format!("~/events?{near}")).await.is(200);
        assert_eq!(titles(&page.text), ["Market"]);
        browse(&anonymous, "~/events?orderby=distance").await.is(400);
        // A month is a table of days.
        let month = anonymous.get("~/events/month/2030-12?orderby=title").await.is(200);
        assert_eq!(titles(&month.text), ["Market", "Concert"]);
        let day = anonymous.get("~/events/2030-12-24?orderby=title").await.is(200);
        assert_eq!(titles(&day.text), ["Concert", "Market"]);
    }

    async fn past_begins_with_the_latest(on) {
        let (server, admin, _) = server(&on).await;
        admin.create("/events", event("First", "2001-05-07 10:00", "2001-05-07 11:00")).await;
        admin.create("/events", event("Second", "2002-05-07 10:00", "2002-05-07 11:00")).await;
        let anonymous = server.anonymous();
        for (query, expected) in [
            ("", &["Second", "First"][..]),
            ("&order=asc", &["First", "Second"]),
            ("&start_date=2002-01-01", &["Second"]),
            ("&starts_before=2100-01-01", &["Second", "First"]),
            ("&search=first", &["First"]),
        ] {
            for view in ["~/events", "~/embed/list"] {
                let page = anonymous.get(&format!("{view}?eventDisplay=past{query}")).await.is(200);
                assert_eq!(titles(&page.text), expected, "{view} {query}");
            }
        }
        // A last date alone does not show what is over.
        let page = anonymous.get("~/events?starts_before=2030-12-31").await.is(200);
        assert_eq!(titles(&page.text), ["Market", "Concert"]);
        let page = anonymous.get("~/events?starts_before=2001-12-31").await.is(200);
        assert_eq!(titles(&page.text), ["First"]);
    }

    async fn pages_have_no_events_of_the_caller(on) {
        let (_server, admin, _) = server(&on).await;
        let page = browse(&admin, "~/events?author=me").await.is(400);
        assert_eq!(page.header("www-authenticate"), "");
        assert!(page.text.contains("<dt>author</dt>"));
    }
}
