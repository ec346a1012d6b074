//! The explorer and the static assets.

use std::io::Read;

use flate2::read::GzDecoder;

use crate::{
    on_both_databases,
    support::{Client, Response},
};

/// The URLs of the assets that a page loads, in `src` and `href`.
fn assets(page: &str) -> Vec<String> {
    let mut assets: Vec<String> = ["src=\"", "href=\""]
        .iter()
        .flat_map(|start| page.split(start).skip(1))
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .filter(|address| address.contains("/assets/"))
        .collect();
    assets.sort();
    assets.dedup();
    assets
}

async fn get_with(client: &Client, path: &str, header: (&str, &str)) -> Response {
    Response::fetch(client.request("GET", path).header(header.0, header.1)).await
}

on_both_databases! {
    async fn explorer_loads_own_assets_only(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let page = anonymous.get("~/explorer").await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        // The link relation of the WordPress API is a name: nothing is loaded from that URL.
        let others = page.text.replace(&server.address, "").replace("https://api.w.org/", "");
        assert!(!others.contains("//"), "the page refers to another server");
        let policy = page.header("content-security-policy");
        for expected in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(expected), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let assets = assets(&page.text);
        assert!(assets.len() >= 5, "{assets:?}");
        for asset in assets {
            anonymous.get(&format!("~{asset}")).await.is(200);
        }
    }

    async fn explorer_size_and_language(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        for (language, expected) in [("en", "<html lang=\"en\">"), ("es-MX,en;q=0.5", "<html lang=\"es\">")] {
            let page = get_with(&anonymous, "~/explorer", ("Accept-Language", language)).await.is(200);
            assert!(page.text.contains(expected), "{language}");
            assert!(page.text.len() < 4096, "{}", page.text.len());
        }
    }

    async fn asset_is_immutable(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let page = anonymous.get("~/explorer").await.is(200);
        for asset in assets(&page.text) {
            let path = format!("~{asset}");
            let plain = anonymous.get(&path).await.is(200);
            assert_eq!(plain.header("cache-control"), "public, max-age=31536000, immutable");
            assert_eq!(plain.header("content-encoding"), "");
            assert_eq!(plain.header("x-content-type-options"), "nosniff");
            let tag = plain.header("etag");
            assert!(asset.contains(tag.trim_matches('"')), "{asset} {tag}");
            get_with(&anonymous, &path, ("If-None-Match", tag)).await.is(304);
            get_with(&anonymous, &path, ("If-None-Match", "\"other\"")).await.is(200);
            let head = Response::fetch(anonymous.request("HEAD", &path)).await.is(200);
            assert_eq!((head.text.as_str(), head.header("etag")), ("", tag), "{path}");
        }
    }

    async fn asset_gzip(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        let page = anonymous.get("~/explorer").await.is(200);
        for asset in assets(&page.text) {
            let path = format!("~{asset}");
            let plain = anonymous.get(&path).await.is(200);
            let request = anonymous.request("GET", &path).header("accept-encoding", "br, gzip");
            let response = request.send().await.expect("a response");
            assert_eq!(response.headers()["content-encoding"], "gzip", "{path}");
            let tag = response.headers()["etag"].to_str().expect("a text").to_owned();
            assert_ne!(tag, plain.header("etag"));
            assert!(response.headers()["vary"].to_str().is_ok_and(|vary| vary.contains("Accept-Encoding")));
            let compressed = response.bytes().await.expect("the whole body");
            let mut text = String::new();
            GzDecoder::new(&compressed[..]).read_to_string(&mut text).expect("it is gzip");
            assert_eq!(text, plain.text, "{path}");
            let known = anonymous.request("GET", &path).header("accept-encoding", "gzip");
            Response::fetch(known.header("if-none-match", tag)).await.is(304);
        }
    }

    async fn unknown_asset_is_404(on) {
        let server = on.server(&[]).await;
        let anonymous = server.anonymous();
        for path in ["~/assets/almanac.0000000000000000.css", "~/assets/almanac.css", "~/assets/"] {
            anonymous.get(path).await.is_error(404, "rest_no_route");
        }
    }

    async fn assets_below_proxy_prefix(on) {
        let server = on.server(&["--base-url", "https://example.org/calendar"]).await;
        let anonymous = server.anonymous();
        for path in ["~/", "~/explorer"] {
            let page = anonymous.get(path).await.is(200);
            for asset in assets(&page.text) {
                assert!(asset.starts_with("/calendar/assets/"), "{asset}");
            }
        }
        let page = anonymous.get("~/explorer").await.is(200);
        assert!(page.text.contains("data-prefix=\"/calendar\""));
        assert!(page.text.contains("data-document=\"/calendar/calendar/events/v1/doc\""));
    }
}
