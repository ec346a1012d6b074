//! The list, the month and the day, with filters.

use serde_json::json;

use crate::{
    browse, event, on_both_databases,
    support::{Client, Database, Response, Server},
    titles,
};

/// A server with events in 2030, in the past, and under way.
async fn server(on: &Database) -> (Server, Client) {
    let server = on.server(&["--timezone", "Europe/Berlin"]).await;
    let admin = server.administrator().await;
    let mut jazz = event("Jazz", "2030-12-24 20:00", "2030-12-24 23:00");
    jazz["categories"] = json!(["Jazz"]);
    jazz["venue"] = json!({"venue": "Cellar", "city": "Kiel"});
    jazz["cost"] = json!("12 €");
    jazz["featured"] = json!(true);
    admin.create("/events", jazz).await;
    let mut fair = event("Fair", "2030-11-29", "2030-12-04");
    fair["all_day"] = json!(true);
    admin.create("/events", fair).await;
    let mut call = event("Call", "2030-12-24 18:00", "2030-12-24 19:00");
    call["timezone"] = json!("America/New_York");
    call["tags"] = json!(["online"]);
    admin.create("/events", call).await;
    admin
        .create("/events", event("Gone", "2001-05-07 10:00", "2001-05-07 11:00"))
        .await;
    admin
        .create("/events", event("Going on", "yesterday", "tomorrow"))
        .await;
    (server, admin)
}

on_both_databases! {
    async fn list_has_events_that_have_not_ended(on) {
        let (server, _) = server(&on).await;
        let page = server.anonymous().get("~/events").await.is(200);
        assert_eq!(titles(&page.text), ["Going on", "Fair", "Jazz", "Call"]);
        let headings = ["Under way", "November 2030", "December 2030"].map(|text| {
            let found = page.text.find(&format!("<h2 class=\"month-heading\">{text}</h2>"));
            found.unwrap_or_else(|| panic!("{text}"))
        });
        assert!(headings.is_sorted());
        for expected in ["Tuesday, 20:00 – 23:00", "Cellar, Kiel", ">Jazz</a>", "12 €", "New York time"] {
            assert!(page.text.contains(expected), "{expected}");
        }
        let slash = server.anonymous().get("~/events/").await.is(200);
        assert_eq!(slash.text, page.text);
    }

    async fn past_list(on) {
        let (server, _) = server(&on).await;
        let page = server.anonymous().get("~/events?eventDisplay=past").await.is(200);
        assert_eq!(titles(&page.text), ["Gone"]);
        assert!(page.text.contains("<h1>Past events</h1>"));
    }

    async fn month_and_day_overlap(on) {
        let (server, _) = server(&on).await;
        let anonymous = server.anonymous();
        for (path, heading, expected) in [
            ("~/events/month/2030-12", "December 2030", &["Fair", "Jazz", "Call"][..]),
            ("~/events/2030-12", "December 2030", &["Fair", "Jazz", "Call"]),
            ("~/events/month/2030-11", "November 2030", &["Fair"]),
            ("~/events/month/2030-10", "October 2030", &[]),
            ("~/events/month?tribe-bar-date=2030-12-05", "December 2030", &["Fair", "Jazz", "Call"]),
            ("~/events/2030-12-24", "Tuesday, 24 December 2030", &["Jazz"]),
            // 18:00 in New York is midnight in Berlin.
            ("~/events/2030-12-25", "Wednesday, 25 December 2030", &["Call"]),
            ("~/events/2030-12-01", "Sunday, 1 December 2030", &["Fair"]),
            ("~/events/2030-12-05", "Thursday, 5 December 2030", &[]),
            ("~/events/list?tribe-bar-date=2030-12-05", "From Thursday, 5 December 2030", &["Jazz", "Call"]),
        ] {
            let page = anonymous.get(path).await.is(200);
            assert_eq!(titles(&page.text), expected, "{path}");
            assert!(page.text.contains(&format!("<h1>{heading}</h1>")), "{path}");
        }
    }

    async fn month_is_a_table(on) {
        let (server, _) = server(&on).await;
        let page = server.anonymous().get("~/events/month/2030-12").await.is(200);
        assert_eq!(page.text.matches("<th scope=\"col\">").count(), 7);
        for expected in [
            "<caption class=\"hidden\">December 2030</caption>",
            "aria-label=\"Tuesday, 24 December 2030, 1 event\"",
            "<li class=\"bar first\">", "<li class=\"bar last\">", "Fair (continues)",
            "/events/month/2030-11\"", "/events/month/2031-01\"", "<span class=\"time\">20:00</span>",
        ] {
            assert!(page.text.contains(expected), "{expected}");
        }
    }

    async fn full_day_links_to_the_rest(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for number in 0..6 {
            let title = format!("Event {number}");
            admin.create("/events", event(&title, "2030-05-07 10:00", "2030-05-07 11:00")).await;
        }
        let page = server.anonymous().get("~/events/month/2030-05").await.is(200);
        assert!(page.text.contains("<a class=\"more\" href=\"/events/2030-05-07\" target=\"_self\">+ 2 more</a>"));
        let day = server.anonymous().get("~/events/2030-05-07").await.is(200);
        assert_eq!(titles(&day.text).len(), 6);
    }

    async fn filters_of_the_interface(on) {
        let (server, _) = server(&on).await;
        let anonymous = server.anonymous();
        for (query, expected) in [
            ("search=jazz", &["Jazz"][..]),
            ("tribe-bar-search=jazz", &["Jazz"]),
            ("categories=jazz", &["Jazz"]),
            ("tags=online", &["Call"]),
            ("featured=true", &["Jazz"]),
            ("venue=1", &["Jazz"]),
            ("start_date=2030-12-01&starts_before=2030-12-24", &["Jazz"]),
            ("search=&categories=&venue=&start_date=&starts_before=", &["Going on", "Fair", "Jazz", "Call"]),
            ("search=nothing", &[]),
        ] {
            let page = anonymous.get(&format!("~/events?{query}")).await.is(200);
            assert_eq!(titles(&page.text), expected, "{query}");
        }
        for path in ["~/events/category/jazz", "~/events/category/music/jazz/list", "~/events/featured"] {
            let page = anonymous.get(path).await.is(200);
            assert_eq!(titles(&page.text), ["Jazz"], "{path}");
        }
        let month = anonymous.get("~/events/tag/online/month/2030-12").await.is(200);
        assert_eq!(titles(&month.text), ["Call"]);
        assert!(month.text.contains("<h1>online: December 2030</h1>"));
    }

    async fn active_filters_can_be_removed(on) {
        let (server, _) = server(&on).await;
        let page = server.anonymous().get("~/events/month/2030-12?categories=jazz&featured=true").await.is(200);
        for expected in [
            "href=\"/events/month/2030-12?featured=true\"", "href=\"/events/month/2030-12?categories=jazz\"",
            "href=\"/events/month/2030-12\"", "<option value=\"jazz\" selected>", "value=\"true\" checked",
            "action=\"/events/month/2030-12\"", "/events.ics?categories=jazz&#38;featured=true",
        ] {
            assert!(page.text.contains(expected), "{expected}");
        }
        // A filter without a field is kept.
        let page = server.anonymous().get("~/events?ticketed=false").await.is(200);
        assert!(page.text.contains("<input type=\"hidden\" name=\"ticketed\" value=\"false\">"));
        assert!(page.text.contains("</span>Without tickets <span"));
    }

    async fn pages_of_the_list(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        for number in 10..31 {
            let title = format!("Event {number}");
            admin.create("/events", event(&title, "2030-05-07 10:00", "2030-05-07 11:00")).await;
        }
        let anonymous = server.anonymous();
        let first = anonymous.get("~/events").await.is(200);
        assert_eq!(titles(&first.text).len(), 20);
        assert!(first.text.contains("rel=\"next\" target=\"_self\" href=\"/events?page=2\""));
        for path in ["~/events?page=2", "~/events/list/page/2"] {
            let second = anonymous.get(path).await.is(200);
            assert_eq!(titles(&second.text), ["Event 30"], "{path}");
            assert!(second.text.contains("rel=\"prev\" target=\"_self\" href=\"/events\""), "{path}");
        }
        anonymous.get("~/events?page=3").await.is_error(404, "event-archive-page-not-found");
        let small = anonymous.get("~/events?per_page=5&page=2").await.is(200);
        assert_eq!(titles(&small.text).len(), 5);
    }

    async fn invalid_addresses(on) {
        let (server, _) = server(&on).await;
        let anonymous = server.anonymous();
        for path in ["/events/nowhere", "/events/month/2030-13", "/events/category/nowhere", "/events/tag/nowhere"] {
            let page = browse(&anonymous, &format!("~{path}")).await.is(404);
            assert!(page.text.contains("<h1>Page not found</h1>"), "{path}");
        }
        anonymous.get("~/events?categories=nowhere").await.is_error(400, "rest_invalid_param");
        let page = browse(&anonymous, "~/events?categories=nowhere&venue=x").await.is(400);
        assert!(page.text.contains("<dt>categories</dt>") && page.text.contains("<dt>venue</dt>"));
        browse(&anonymous, "~/events?tribe-bar-date=soon").await.is(400);
        browse(&anonymous, "~/events?status=draft").await.is(403);
    }

    async fn credentials_are_ignored(on) {
        let (_server, admin) = server(&on).await;
        let mut draft = event("Draft", "2030-12-24", "2030-12-24");
        draft["status"] = json!("draft");
        admin.create("/events", draft).await;
        let page = admin.get("~/events/2030-12-24").await.is(200);
        assert_eq!(titles(&page.text), ["Jazz"]);
    }

    async fn writes_are_shown_at_once(on) {
        let (server, admin) = server(&on).await;
        for path in ["~/events", "~/events/month/2030-12", "~/events/2030-12-24"] {
            server.anonymous().get(path).await.is(200);
        }
        admin.patch("/events/by-slug/jazz", json!({"title": "Swing"})).await.is(200);
        for path in ["~/events", "~/events/month/2030-12", "~/events/2030-12-24"] {
            let page = server.anonymous().get(path).await.is(200);
            assert!(page.text.contains(">Swing</a>") || page.text.contains("</span> Swing</a>"), "{path}");
        }
    }

    async fn pages_work_in_variant_a(on) {
        let server = on.server(&["--variant", "a"]).await;
        let admin = server.administrator().await;
        admin.create("/events", event("Late", "2030-05-07 10:00", "2030-05-07 11:00")).await;
        let page = server.anonymous().get("~/events?starts_after=2030-05-08").await.is(200);
        assert_eq!(titles(&page.text).len(), 0);
    }

    async fn categories_have_their_ancestors_as_breadcrumbs(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let arts = admin.create("/categories", json!({"name": "Arts"})).await;
        admin.create("/categories", json!({"name": "Books", "parent": arts["id"]})).await;
        let music = admin.create("/categories", json!({"name": "Music", "parent": arts["id"]})).await;
        admin.create("/categories", json!({"name": "Jazz", "parent": music["id"]})).await;
        let anonymous = server.anonymous();
        let arts = "<li><a href=\"/events/category/arts\">Arts</a></li>";
        let music = "<li><a href=\"/events/category/music\">Music</a></li>";
        for (path, parents) in [
            ("~/events/category/arts", String::new()),
            ("~/events/category/music", arts.to_owned()),
            ("~/events/category/music/month/2030-12", format!("{arts}{music}")),
            ("~/events/category/jazz", format!("{arts}{music}")),
        ] {
            let page = anonymous.get(path).await.is(200);
            let expected = format!("<li><a href=\"/events\">Events</a></li>{parents}</ol>");
            assert!(page.text.contains(&expected), "{path}");
        }
    }

    async fn canonical_and_alternate_links(on) {
        let (server, _) = server(&on).await;
        let base = &server.address;
        let page = server.anonymous().get("~/events/category/jazz/month/2030-12/").await.is(200);
        for expected in [
            format!("<link rel=\"canonical\" href=\"{base}/events/category/jazz/month/2030-12\">"),
            format!("title=\"Almanac: Jazz: December 2030 (iCalendar)\" href=\"{base}/category/jazz.ics\""),
            format!("<meta property=\"og:url\" content=\"{base}/events/category/jazz/month/2030-12\">"),
            "<title>Jazz: December 2030 · Almanac</title>".to_owned(),
        ] {
            assert!(page.text.contains(&expected), "{expected}");
        }
        assert!(!page.text.contains("noindex"));
        for path in ["~/events?search=jazz", "~/events/month/2030-01"] {
            assert!(server.anonymous().get(path).await.is(200).text.contains("noindex"), "{path}");
        }
    }

    async fn spanish(on) {
        let (server, _) = server(&on).await;
        for (path, expected) in [
            ("~/events", "<h1>Próximos eventos</h1>"),
            ("~/events/month/2030-12", "<h1>Diciembre de 2030</h1>"),
            ("~/events/2030-12-24", "<h1>Martes, 24 de diciembre de 2030</h1>"),
            ("~/event/jazz", "Martes, 24 de diciembre de 2030, 20:00"),
            ("~/", "<html lang=\"es\">"),
            ("~/developers", "<h1>Para desarrolladores</h1>"),
        ] {
            let request = server.anonymous().request("GET", path).header("accept-language", "es-MX, en;q=0.5");
            let page = Response::fetch(request).await.is(200);
            assert!(page.text.contains(expected), "{path}: {expected}");
        }
        let spanish = on.server(&["--lang", "es"]).await;
        assert!(spanish.anonymous().get("~/events").await.is(200).text.contains("<html lang=\"es\">"));
    }
}
