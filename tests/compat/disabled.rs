//! `--no-wordpress-compat`.

use serde_json::json;

use crate::{on_both_databases, support::Response};

on_both_databases! {
    async fn nothing_of_wordpress_is_served(on) {
        let server = on.server(&["--no-wordpress-compat"]).await;
        let admin = server.administrator().await;
        for path in ["~/wp-json/", "~/wp-json/tribe/events/v1", "~/wp-json/calendar/events/v1/events"] {
            admin.get(path).await.is_error(404, "rest_no_route");
        }
        let page = Response::fetch(admin.request("GET", "~/?rest_route=/tribe/events/v1/events")).await.is(200);
        assert!(page.text.contains("<html"), "the start page");
        assert_eq!(page.header("link"), "");
        assert_eq!(page.header("x-tec-api-version"), "");
        assert!(!page.text.contains("tec-api") && !page.text.contains("api.w.org"));
        admin.create("/tags", json!({"name": "Live"})).await;
        admin.get("/tags/1").await.is(200);
    }
}
