//! The OpenAPI document over HTTP.

use almanac::testing::{api::document::emit, calendar::Variant, config::Language};

use crate::{
    fixtures::get_with,
    on_both_databases,
    support::{Client, Response},
};

/// The document for this `Accept-Language`.
async fn in_language(client: &Client, languages: &str) -> Response {
    get_with(client, "/doc", &[("accept-language", languages)]).await
}

on_both_databases! {
    async fn served_document_matches_emitted_document(database) {
        for (flag, variant) in [("a", Variant::A), ("b", Variant::B)] {
            let server = database.server(&["--variant", flag]).await;
            let anonymous = server.anonymous();
            let document = anonymous.get("/doc").await.is(200);
            assert_eq!(document.body, emit(variant, Language::En));
            assert_eq!(document.header("content-type"), "application/json");
            assert_eq!(document.header("content-language"), "en");
            let document = in_language(&anonymous, "es").await.is(200);
            assert_eq!(document.body, emit(variant, Language::Es));
        }
    }

    async fn accept_language_selects_language(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        for (accepted, language) in [
            ("es", "es"),
            ("es-MX,es;q=0.9,en;q=0.5", "es"),
            ("en-GB, es;q=0.7", "en"),
            ("es;q=0.2, en;q=0.8", "en"),
            ("es-MX", "es"),
            ("ES-419, en;q=0.9", "es"),
            ("es;q=0", "en"),
            ("fr", "en"),
            ("*", "en"),
            ("", "en"),
            ("fr, es;q=0.1", "es"),
            (";;;", "en"),
        ] {
            let document = in_language(&anonymous, accepted).await.is(200);
            assert_eq!(document.header("content-language"), language, "{accepted}");
            assert!(document.header("vary").contains("Accept-Language"), "{accepted}");
        }
    }

    async fn lang_flag_sets_default_language(database) {
        let server = database.server(&["--lang", "es"]).await;
        let anonymous = server.anonymous();
        let spanish = anonymous.get("/doc").await.is(200);
        assert_eq!(spanish.header("content-language"), "es");
        assert_eq!(spanish.body, emit(Variant::B, Language::Es));
        let english = in_language(&anonymous, "en").await.is(200);
        assert_eq!(english.header("content-language"), "en");
        assert_ne!(english.header("etag"), spanish.header("etag"));
        assert_eq!(in_language(&anonymous, "fr").await.header("content-language"), "es");
    }

    async fn document_independent_of_other_flags(database) {
        let plain = database.server(&[]).await.anonymous().get("/doc").await.is(200);
        let flags = [
            "--base-url", "https://calendar.example.org", "--timezone", "Pacific/Auckland",
            "--max-per-page", "7", "--geoloc-radius-km", "3", "--body-limit", "1000",
            "--cors-origin", "https://example.org", "--rate-limit", "900/s",
        ];
        let other = database.server(&flags).await.anonymous().get("/doc").await.is(200);
        assert_eq!(plain.text, other.text);
        assert_eq!(plain.header("etag"), other.header("etag"));
    }

    async fn if_none_match_is_304(database) {
        let server = database.server(&[]).await;
        let anonymous = server.anonymous();
        let etag = anonymous.get("/doc").await.is(200).header("etag").to_owned();
        let again = get_with(&anonymous, "/doc", &[("if-none-match", &etag)]).await.is(304);
        assert_eq!(again.text, "");
        assert_eq!(again.header("etag"), etag);
        assert_eq!(again.header("content-language"), "en");
        get_with(&anonymous, "/doc", &[("if-none-match", &etag), ("accept-language", "es")]).await.is(200);
    }
}
