//! The pages of events, venues and organizers, errors, health checks and metrics.

use serde_json::json;

use crate::{browse, json_ld, on_both_databases, support::Response, url};

on_both_databases! {
    async fn event_page(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let event = admin.create("/events", json!({
            "title": "Spring concert", "description": "<p>Doors open at seven.</p>", "excerpt": "<p>Come.</p>",
            "start_date": "2099-05-07 19:30", "end_date": "2099-05-07 22:00", "timezone": "Europe/Berlin",
            "cost": "€12.50", "website": "https://www.example.org/spring", "image": "https://example.org/1.png",
            "venue": [{"venue": "City Hall", "address": "Markt 1", "zip": "10115", "city": "Berlin"}],
            "organizer": [{"organizer": "City Orchestra", "email": "info@example.org", "phone": "030 / 123"}],
            "categories": ["Music"], "tags": ["Open air"],
        })).await;
        let page = anonymous.get(url(&event)).await.is(200);
        for expected in [
            "<title>Spring concert · Almanac</title>", "<p>Doors open at seven.</p>", "<p>Come.</p>",
            "<time datetime=\"2099-05-07T19:30:00+02:00\" data-local>Thursday, 7 May 2099, 19:30</time>",
            "<time datetime=\"2099-05-07T22:00:00+02:00\">22:00</time>", "Europe/Berlin time",
            "City Hall", "Markt 1, 10115 Berlin", "City Orchestra", "€12.50", ">example.org</a>",
            "https://example.org/1.png",
            "<meta name=\"description\" content=\"Come.\">",
        ] {
            assert!(page.text.contains(expected), "{expected}");
        }
        let calendar = format!("{}.ics", url(&event));
        let link = format!("title=\"Spring concert (iCalendar)\" href=\"{calendar}\">");
        assert!(page.text.contains(&link), "{link}");
        assert!(anonymous.get(&calendar).await.is(200).text.contains("SUMMARY:Spring concert"));
        assert_eq!(json_ld(&page.text)["@type"], "Event");
        for (list, name, kind) in [
            ("venue", "City Hall", "Place"), ("organizer", "City Orchestra", "Organization"),
            ("categories", "Music", "ItemList"), ("tags", "Open air", "ItemList"),
        ] {
            let page = anonymous.get(url(&event[list][0])).await.is(200);
            assert!(page.text.contains(&format!("<title>{name} · Almanac</title>")), "{list}");
            assert!(page.text.contains("Spring concert"), "{list}");
            assert_eq!(json_ld(&page.text)["@type"], kind);
            assert_eq!(json_ld(&page.text)["name"], name);
        }
        let organizer = anonymous.get(url(&event["organizer"][0])).await.is(200);
        for expected in ["href=\"mailto:info@example.org\"", "href=\"tel:030123\""] {
            assert!(organizer.text.contains(expected), "{expected}");
        }
    }

    async fn repeated_excerpt_is_omitted(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (excerpt, expected) in [("<p>Doors open</p>", 1), ("<p>Come early.</p>", 2)] {
            let event = admin.create("/events", json!({
                "title": "Concert", "start_date": "tomorrow", "end_date": "tomorrow", "excerpt": excerpt,
                "description": "<p>Doors open at seven. Come early.</p>",
            })).await;
            let page = server.anonymous().get(url(&event)).await.is(200);
            let (_, body) = page.text.split_once("</head>").expect("the head ends");
            let matches = body.matches("Doors open").count() + body.matches("Come early.").count();
            assert_eq!(matches, expected + 1, "{excerpt}");
        }
    }

    async fn all_day_event_has_no_time_or_zone(on) {
        let server = on.server(&[]).await;
        let event = server.administrator().await.create("/events", json!({
            "title": "Fair", "start_date": "2027-05-07", "end_date": "2027-05-09", "all_day": true,
            "timezone": "Europe/Berlin",
        })).await;
        let page = server.anonymous().get(url(&event)).await.is(200);
        for expected in [
            "<time datetime=\"2027-05-07\">Friday, 7 May</time>",
            "<time datetime=\"2027-05-09\">Sunday, 9 May 2027</time>",
        ] {
            assert!(page.text.contains(expected), "{expected}");
        }
        assert!(!page.text.contains("Berlin time"));
    }

    async fn map_link_needs_event_and_venue_flag(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (on_event, on_venue) in [(true, true), (true, false), (false, true)] {
            let event = admin.create("/events", json!({
                "title": "Walk", "start_date": "tomorrow", "end_date": "tomorrow", "show_map_link": on_event,
                "venue": {
                    "venue": format!("Gate {on_event} {on_venue}"), "show_map_link": on_venue.to_string(),
                    "geo_lat": 54.5, "geo_lng": 10.25,
                },
            })).await;
            let page = server.anonymous().get(url(&event)).await.is(200);
            let is_linked = page.text.contains("openstreetmap.org/?mlat=54.5&#38;mlon=10.25");
            assert_eq!(is_linked, on_event && on_venue, "{on_event} {on_venue}");
            let venue = server.anonymous().get(url(&event["venue"][0])).await.is(200);
            assert_eq!(venue.text.contains("openstreetmap.org"), on_venue);
        }
        let venue = json!({"venue": "Hall", "address": "Markt 1", "city": "Kiel", "show_map_link": "true"});
        let page = server.anonymous().get(url(&admin.create("/venues", venue).await)).await.is(200);
        assert!(page.text.contains("openstreetmap.org/search?query=Markt+1%2C+Kiel"), "{}", page.text);
    }

    async fn upcoming_and_past_events(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for (title, start, end) in [
            ("First past", "2001-05-07", "2001-05-08"), ("Second past", "2001-06-07", "2001-06-08"),
            ("Ongoing", "yesterday", "tomorrow"), ("Later", "tomorrow", "tomorrow"),
        ] {
            admin.create("/events", json!({
                "title": title, "start_date": start, "end_date": end,
                "venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"},
                "categories": ["Music"], "tags": ["new"],
            })).await;
        }
        for path in ["~/venue/hall", "~/organizer/ann"] {
            let page = server.anonymous().get(path).await.is(200);
            let position = |text: &str| {
                let found = page.text.find(&format!(">{text}<"));
                found.unwrap_or_else(|| panic!("{text}: {path}"))
            };
            let texts = ["Upcoming events", "Ongoing", "Later", "Past events", "Second past", "First past"];
            let positions = texts.map(position);
            assert!(positions.is_sorted(), "{path}: {positions:?}");
        }
        let past = server.anonymous().get("~/event/first-past").await.is(200);
        assert!(past.text.contains("This event has ended."));
        let ongoing = server.anonymous().get("~/event/ongoing").await.is(200);
        assert!(!ongoing.text.contains("This event has ended."));
    }

    async fn json_ld_and_markup_are_escaped(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let evil = "</script><script>alert(1)</script><!--";
        let venue = json!({"venue": "Hall", "city": evil, "address": "\" onclick=\"alert(1)"});
        let venue = admin.create("/venues", venue).await;
        let page = server.anonymous().get(url(&venue)).await.is(200);
        assert!(!page.text.contains("<script>alert"), "{}", page.text);
        assert!(!page.text.contains("<!--"), "{}", page.text);
        let (_, body) = page.text.split_once("</head>").expect("the head ends");
        assert!(!body.contains("\" onclick"), "{body}");
        assert_eq!(json_ld(&page.text)["address"]["addressLocality"], venue["city"]);
        // The JSON-LD, and the script of the page.
        assert_eq!(page.text.matches("</script>").count(), 2);
    }

    async fn unreadable_page_is_404(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let event = |title: &str, status: &str| json!({
            "title": title, "start_date": "tomorrow", "end_date": "tomorrow", "status": status,
        });
        let deleted = admin.create("/events", event("Deleted", "publish")).await;
        anonymous.get(url(&deleted)).await.is(200);
        admin.delete(&format!("/events/{}", deleted["id"])).await.is(200);
        let mut addresses = vec![url(&deleted).to_owned()];
        for status in ["draft", "pending", "private"] {
            addresses.push(url(&admin.create("/events", event(status, status)).await).to_owned());
        }
        let mut planned = event("Planned", "publish");
        planned["date"] = "2100-01-01".into();
        addresses.push(url(&admin.create("/events", planned).await).to_owned());
        addresses.push(url(&admin.create("/venues", json!({"venue": "Draft", "status": "draft"})).await).to_owned());
        for kind in ["event", "venue", "organizer", "category", "tag"] {
            addresses.push(format!("~/{kind}/nowhere"));
        }
        for address in addresses {
            let page = browse(&anonymous, &address).await.is(404);
            assert!(page.header("content-type").starts_with("text/html"), "{address}");
            assert!(page.text.contains("<h1>Page not found</h1>"), "{address}");
            assert_eq!(page.header("cache-control"), "private, no-store");
            // Credentials do not give access: a page is the same for all clients.
            browse(&admin, &address).await.is(404);
        }
        anonymous.get("~/event/nowhere").await.is_error(404, "event-not-found");
        anonymous.get("~/venue/nowhere").await.is_error(404, "venue-not-found");
        anonymous.get("~/category/nowhere").await.is_error(404, "category-not-found");
    }

    async fn html_404_for_browsers_only(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let page = browse(&anonymous, "~/nowhere").await.is(404);
        assert!(page.header("content-type").starts_with("text/html"));
        anonymous.get("~/nowhere").await.is_error(404, "rest_no_route");
        // The API always responds with JSON.
        browse(&anonymous, "/nowhere").await.is_error(404, "rest_no_route");
        browse(&anonymous, "/events/1").await.is_error(404, "event-not-found");
    }

    async fn hidden_event_is_not_indexed(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let hidden = json!({
            "title": "Hidden", "start_date": "tomorrow", "end_date": "tomorrow", "hide_from_listings": true,
            "venue": {"venue": "Hall"},
        });
        let event = admin.create("/events", hidden).await;
        let page = server.anonymous().get(url(&event)).await.is(200);
        assert!(page.text.contains("<meta name=\"robots\" content=\"noindex\">"));
        let venue = server.anonymous().get(url(&event["venue"][0])).await.is(200);
        assert!(!venue.text.contains("Hidden") && !venue.text.contains("noindex"));
    }

    async fn strict_content_security_policy(on) {
        let server = on.server(&[]).await;
        server.administrator().await.create("/tags", json!({"name": "new"})).await;
        for path in ["~/", "~/events/tag/new", "~/events/month", "~/nowhere"] {
            let page = browse(&server.anonymous(), path).await;
            let policy = page.header("content-security-policy");
            assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
            assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(page.header("x-content-type-options"), "nosniff");
            assert!(!page.text.contains("style=\"") && !page.text.contains(" onclick="), "{path}");
        }
    }

    async fn compression_and_not_modified(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let page = Response::fetch(anonymous.request("GET", "~/").header("accept-encoding", "gzip")).await.is(200);
        assert_eq!(page.header("content-encoding"), "gzip");
        assert_eq!(page.header("cache-control"), "public, no-cache");
        let again = anonymous.request("GET", "~/").header("accept-encoding", "gzip");
        Response::fetch(again.header("if-none-match", page.header("etag"))).await.is(304);
    }

    async fn health_and_metrics(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        assert_eq!(anonymous.get("~/healthz").await.is(200).body["status"], "ok");
        assert_eq!(anonymous.get("~/readyz").await.is(200).body["status"], "ok");
        anonymous.get("/events").await.is(200);
        let metrics = anonymous.get("~/metrics").await.is(200);
        assert!(metrics.header("content-type").starts_with("text/plain"));
        for name in ["almanac_requests_total", "almanac_request_seconds"] {
            assert!(metrics.text.contains(name), "{name}");
        }
    }
}
