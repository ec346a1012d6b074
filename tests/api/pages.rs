//! What people see, and what machines ask that watch the server.

use serde_json::json;

use crate::on_both;

/// The opening tags of these names, outside of scripts.
fn tags<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let Some(end) = rest.find('>') else { break };
        let tag = &rest[..=end];
        let is_script = tag.starts_with("<script");
        if tag[1..].starts_with(name) {
            tags.push(tag);
        }
        rest = &rest[end + 1..];
        if is_script {
            rest = rest.find("</script>").map_or("", |end| &rest[end..]);
        }
    }
    tags
}

on_both! {
    async fn the_explorer_needs_no_other_site_and_holds_the_served_document(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let page = anonymous.get("~/explorer").await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        for name in ["script", "link", "img", "iframe"] {
            for tag in tags(&page.text, name) {
                assert!(!tag.contains("http:") && !tag.contains("https:") && !tag.contains("//"), "{tag}");
            }
        }
        // Only the served document has an introduction.
        assert!(page.text.contains("# First steps"));
        let spanish = anonymous.request("GET", "~/explorer").header("accept-language", "es");
        let spanish = crate::support::Answer::of(spanish).await.is(200);
        assert!(spanish.text.contains("# Primeros pasos"));
    }

    async fn the_start_page_shows_the_way_and_what_comes_next(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let dates = json!({"title": "Fish & <chips> night", "start_date": "tomorrow 19:00", "end_date": "tomorrow 22:00"});
        admin.create("/events", dates).await;
        let page = server.anonymous().get("~/").await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        for expected in ["/calendar/events/v1/doc", "/explorer", "Fish &amp;", "/readyz"] {
            assert!(page.text.contains(expected) || page.text.contains("Fish &#38;"), "{expected}");
        }
        assert!(!page.text.contains("<chips>"));
    }

    async fn the_page_of_an_event_shows_it_and_hides_drafts(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let anonymous = server.anonymous();
        let event = admin.create("/events", json!({
            "title": "Spring concert", "description": "<p>Doors open at seven.</p>",
            "start_date": "2027-05-07 19:30", "end_date": "2027-05-07 22:00", "timezone": "Europe/Berlin",
            "cost": "€12.50", "venue": [{"venue": "City Hall", "city": "Berlin"}],
            "organizer": [{"organizer": "City Orchestra"}], "categories": ["Music"], "tags": ["Open air"],
        })).await;
        let page = anonymous.get(event["url"].as_str().expect("a URL")).await.is(200);
        for expected in ["<title>Spring concert</title>", "<p>Doors open at seven.</p>", "City Hall", "City Orchestra", "2027-05-07 19:30", "application/ld+json"] {
            assert!(page.text.contains(expected), "{expected}");
        }
        for (list, name) in [("venue", "City Hall"), ("organizer", "City Orchestra"), ("categories", "Music"), ("tags", "Open air")] {
            let url = event[list][0]["url"].as_str().expect("a URL");
            let page = anonymous.get(url).await.is(200);
            assert!(page.text.contains(&format!("<title>{name}</title>")), "{url}");
            assert!(page.text.contains("Spring concert"), "{url}");
        }
        let draft = admin.create("/events", json!({"title": "Draft", "start_date": "2027-05-07", "end_date": "2027-05-07", "status": "draft"})).await;
        anonymous.get(draft["url"].as_str().expect("a URL")).await.is_error(404, "event-not-found");
        anonymous.get("~/event/nowhere").await.is_error(404, "event-not-found");
        anonymous.get("~/venue/nowhere").await.is_error(404, "venue-not-found");
        anonymous.get("~/category/nowhere").await.is_error(404, "category-not-found");
        admin.delete(&format!("/events/{}", event["id"])).await.is(200);
        anonymous.get(event["url"].as_str().expect("a URL")).await.is_error(404, "event-not-found");
    }

    async fn watchers_are_answered(on) {
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
