//! Files for crawlers and security researchers.

use serde_json::json;

use crate::{event, on_both_databases};

on_both_databases! {
    async fn sitemaps_list_public_pages(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let mut shown = event("Shown", "2030-12-24", "2030-12-24");
        shown["venue"] = json!({"venue": "Hall"});
        shown["categories"] = json!(["Music"]);
        admin.create("/events", shown).await;
        let mut hidden = event("Hidden", "2030-12-24", "2030-12-24");
        hidden["hide_from_listings"] = json!(true);
        admin.create("/events", hidden).await;
        let mut draft = event("Draft", "2030-12-24", "2030-12-24");
        draft["status"] = json!("draft");
        admin.create("/events", draft).await;
        let anonymous = server.anonymous();
        let index = anonymous.get("~/sitemap.xml").await.is(200);
        assert!(index.header("content-type").starts_with("application/xml"));
        let base = &server.address;
        for file in ["calendar.xml", "event-1.xml", "venue-1.xml"] {
            assert!(index.text.contains(&format!("<loc>{base}/sitemap/{file}</loc>")), "{file}");
        }
        assert!(!index.text.contains("organizer"));
        let events = anonymous.get("~/sitemap/event-1.xml").await.is(200);
        assert_eq!(events.text.matches("<url>").count(), 1);
        assert!(events.text.contains(&format!("<loc>{base}/event/shown</loc><lastmod>")));
        let calendar = anonymous.get("~/sitemap/calendar.xml").await.is(200);
        assert!(calendar.text.contains(&format!("<loc>{base}/events/category/music</loc>")));
        for path in ["nothing.xml", "event-0.xml", "event-x.xml", "tag-1.xml", "event-1"] {
            anonymous.get(&format!("~/sitemap/{path}")).await.is(404);
        }
    }

    async fn robots_may_read_feeds(on) {
        let server = on.server(&[]).await;
        let robots = server.anonymous().get("~/robots.txt").await.is(200);
        assert!(robots.header("content-type").starts_with("text/plain"));
        assert!(robots.text.contains(&format!("Sitemap: {}/sitemap.xml", server.address)));
        assert!(!robots.text.contains(".ics"));
    }

    async fn security_contact_by_flag(on) {
        let server = on.server(&["--security-contact", "security@example.org"]).await;
        let text = server.anonymous().get("~/.well-known/security.txt").await.is(200).text;
        assert!(text.contains("Contact: mailto:security@example.org\nExpires: "), "{text}");
        let plain = on.server(&[]).await;
        plain.anonymous().get("~/.well-known/security.txt").await.is(404);
    }
}
