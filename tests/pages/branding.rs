//! The flags that brand the pages.

use crate::on_both_databases;

on_both_databases! {
    async fn name_description_and_logo(on) {
        let server = on.server(&[
            "--site-name", "Kiel & Co", "--site-description", "What’s on in Kiel",
            "--logo", "https://example.org/l.svg",
        ]).await;
        for path in ["~/", "~/events", "~/developers", "~/explorer"] {
            let page = server.anonymous().get(path).await.is(200);
            assert!(page.text.contains("Kiel &#38; Co"), "{path}");
            assert!(page.text.contains("<img src=\"https://example.org/l.svg\""), "{path}");
        }
        let start = server.anonymous().get("~/").await.is(200);
        assert!(start.text.contains("<title>Kiel &#38; Co · What’s on in Kiel</title>"));
        assert!(start.text.contains("<meta name=\"description\" content=\"What’s on in Kiel\">"));
    }

    async fn accent_color(on) {
        let server = on.server(&["--accent-color", "#005A9C"]).await;
        let page = server.anonymous().get("~/events").await.is(200);
        assert!(page.text.contains("<link rel=\"stylesheet\" href=\"/theme.css\">"));
        let style = server.anonymous().get("~/theme.css").await.is(200);
        assert!(style.header("content-type").starts_with("text/css"));
        assert!(style.text.contains("--accent: light-dark(#005a9c, #"), "{}", style.text);
        let plain = on.server(&[]).await;
        plain.anonymous().get("~/theme.css").await.is(404);
        assert!(!plain.anonymous().get("~/events").await.is(200).text.contains("theme.css"));
    }
}
