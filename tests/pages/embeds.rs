//! Views in frames of other sites.

use crate::{event, on_both_databases, titles};

on_both_databases! {
    async fn only_embeds_may_be_framed(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/events", event("Jazz", "2030-12-24 20:00", "2030-12-24 23:00")).await;
        for (path, ancestors) in [
            ("~/embed/list", "frame-ancestors *"), ("~/embed/month/2030-12", "frame-ancestors *"),
            ("~/embed/2030-12-24", "frame-ancestors *"), ("~/events", "frame-ancestors 'none'"),
            ("~/event/jazz", "frame-ancestors 'none'"), ("~/", "frame-ancestors 'none'"),
        ] {
            let page = server.anonymous().get(path).await.is(200);
            assert!(page.header("content-security-policy").contains(ancestors), "{path}");
            assert!(page.header("set-cookie").is_empty(), "{path}");
        }
    }

    async fn embeds_have_the_same_events_without_header(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        admin.create("/events", event("Jazz", "2030-12-24 20:00", "2030-12-24 23:00")).await;
        admin.create("/events", event("Fair", "2030-12-24 20:00", "2030-12-24 23:00")).await;
        for (path, on_site) in [
            ("~/embed/list?search=jazz", "/events?search=jazz"),
            ("~/embed/month/2030-12?search=jazz", "/events/month/2030-12?search=jazz"),
        ] {
            let page = server.anonymous().get(path).await.is(200);
            assert_eq!(titles(&page.text), ["Jazz"], "{path}");
            for unexpected in ["<header", "<footer", "<form", "<details"] {
                assert!(!page.text.contains(unexpected), "{path}: {unexpected}");
            }
            assert!(page.text.contains("<base target=\"_top\">"), "{path}");
            assert!(page.text.contains("noindex"), "{path}");
            assert!(page.text.contains(&format!("<a href=\"{on_site}\">Almanac</a>")), "{path}");
        }
        let month = server.anonymous().get("~/embed/month/2030-12").await.is(200);
        assert!(month.text.contains("href=\"/embed/month/2031-01\""));
    }

    async fn script_for_other_sites(on) {
        let server = on.server(&[]).await;
        let script = server.anonymous().get("~/embed.js").await.is(200);
        assert!(script.header("content-type").starts_with("text/javascript"));
        assert_eq!(script.header("cache-control"), "public, max-age=3600");
        assert!(script.text.len() < 4096 && script.text.contains("almanac-calendar"));
        let page = server.anonymous().get("~/events/month?free=true").await.is(200);
        let snippet = format!("&#60;script src=&#34;{0}/embed.js&#34; async&#62;", server.address);
        assert!(page.text.contains(&snippet), "{}", page.text);
        assert!(page.text.contains("/embed/month?free=true"));
    }
}
