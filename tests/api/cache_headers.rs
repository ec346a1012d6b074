//! Headers for caches: `Cache-Control`, `Vary`, and ETags of compressed responses.

use serde_json::json;

use crate::{
    fixtures::{comma_separated, create_one_of_each, get_with},
    on_both_databases,
};

on_both_databases! {
    async fn gzip_response_has_own_etag(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let plain = anonymous.get("/doc").await.is(200);
        assert_eq!(plain.header("content-encoding"), "");
        let gzip = [("accept-encoding", "br, gzip;q=0.8")];
        let compressed = get_with(&anonymous, "/doc", &gzip).await.is(200);
        assert_eq!(compressed.header("content-encoding"), "gzip");
        assert!(compressed.text.len() < plain.text.len() / 2);
        assert_ne!(compressed.header("etag"), plain.header("etag"));
        assert!(comma_separated(compressed.header("vary")).contains("accept-encoding"));
        let unwanted = get_with(&anonymous, "/doc", &[("accept-encoding", "gzip;q=0")]).await.is(200);
        assert_eq!(unwanted.header("etag"), plain.header("etag"));
        let etag = compressed.header("etag");
        let again = get_with(&anonymous, "/doc", &[gzip[0], ("if-none-match", etag)]).await.is(304);
        assert_eq!(again.header("etag"), etag);
        assert_eq!(again.text, "");
        get_with(&anonymous, "/doc", &[("if-none-match", etag)]).await.is(200);
        let short = get_with(&anonymous, "~/healthz", &gzip).await.is(200);
        assert_eq!(short.header("content-encoding"), "");
    }

    async fn cache_control_and_vary(database) {
        let server = database.server(&[]).await;
        let admin = create_one_of_each(&server).await;
        let anonymous = server.anonymous();
        let all = "Accept, Accept-Encoding, Accept-Language, Authorization, Origin, Prefer";
        for path in ["", "/doc", "/events", "/events/1", "/tags", "/venues/by-slug/thing"] {
            let read = anonymous.get(path).await.is(200);
            assert_eq!(read.header("cache-control"), "public, no-cache", "{path}");
            assert_eq!(read.header("vary"), all, "{path}");
            let etag = read.header("etag");
            assert!(etag.starts_with('"') && etag.ends_with('"'), "{path}: {etag}");
            let again = get_with(&anonymous, path, &[("if-none-match", etag)]).await.is(304);
            assert_eq!(again.header("cache-control"), "public, no-cache", "{path}");
            assert_eq!((again.header("etag"), again.header("vary")), (etag, all), "{path}");
            assert_eq!((again.text.as_str(), again.header("content-type")), ("", ""), "{path}");
            let weak = format!("\"other\", W/{etag}");
            get_with(&anonymous, path, &[("if-none-match", &weak)]).await.is(304);
            let own = admin.get(path).await.is(200);
            assert_eq!(own.header("cache-control"), "private, no-store", "{path}");
            assert_eq!(own.header("vary"), all, "{path}");
        }
        let written = admin.patch("/events/1", json!({"title": "Other"})).await.is(200);
        assert_eq!(written.header("cache-control"), "private, no-store");
        // Caches may store some errors without explicit freshness (RFC 9111, section 4.2.2).
        for path in ["/events/99", "/nowhere", "/events?page=0", "/events?status=draft"] {
            let failed = anonymous.get(path).await;
            assert_eq!(failed.header("cache-control"), "private, no-store", "{path}");
            assert_eq!(failed.header("vary"), all, "{path}");
            assert_eq!(failed.header("etag"), "", "{path}");
        }
    }
}
