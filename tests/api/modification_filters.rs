//! The filters `modified_after` and `modified_before` of all lists.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected},
    fixtures::{create_event, create_named, execute},
    on_both_databases,
};

on_both_databases! {
    async fn modification_filters(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant, "--timezone", "Europe/Berlin"]).await;
            let admin = server.administrator().await;
            for list in ["events", "venues", "organizers", "categories", "tags"] {
                for name in ["Old", "New"] {
                    match list {
                        "events" => _ = create_event(&admin, name, json!({})).await,
                        _ => _ = create_named(&admin, list, name).await,
                    }
                }
                // 2026-03-01 12:00:00 UTC, which is 13:00:00 at the site.
                execute(&server, &format!("UPDATE {list} SET modified_at = 1772366400 WHERE id = 1")).await;
                let queries = |after: &str, expected: &str| (format!("hide_empty=false&{after}"), expected.to_owned());
                let rows = [
                    queries("modified_before=2026-03-01T12:00:01Z", "Old"),
                    queries("modified_before=2026-03-01T12:00:00Z", ""),
                    queries("modified_before=2026-03-01 13:00:01", "Old"),
                    queries("modified_before=2026-03-01 13:00:00", ""),
                    queries("modified_after=2026-03-01T12:00:00Z", "New"),
                    queries("modified_before=2026-03-01", ""),
                    queries("modified_before=2026-03-02", "Old"),
                    queries("modified_after=yesterday", "New"),
                    queries("modified_after=2026-03-01 12:59:59&modified_before=2026-03-01 13:00:01", "Old"),
                    queries("modified_after=2027-01-01&modified_before=2026-01-01", ""),
                ];
                let rows: Vec<(&str, &str)> = rows.iter().map(|(query, names)| (query.as_str(), names.as_str())).collect();
                assert_lists(&admin, list, &rows).await;
                assert_lists(&server.anonymous(), list, &rows).await;
                assert_rejected(&admin, list, &[
                    ("modified_after=recently", "modified_after"), ("modified_before=2027-02-29", "modified_before"),
                ]).await;
            }
        }
    }

    async fn filters_see_updates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let reader = server.anonymous();
        for (list, field) in [
            ("events", "website"), ("venues", "website"), ("organizers", "website"),
            ("categories", "description"), ("tags", "description"),
        ] {
            match list {
                "events" => _ = create_event(&admin, "Old", json!({})).await,
                _ => _ = create_named(&admin, list, "Old").await,
            }
            execute(&server, &format!("UPDATE {list} SET modified_at = 1")).await;
            let recent = "hide_empty=false&modified_after=2026-01-01";
            assert_lists(&reader, list, &[(recent, "")]).await;
            let change = json!({field: "https://example.org"});
            admin.patch(&format!("/{list}/1"), change.clone()).await.is(200);
            assert_lists(&reader, list, &[(recent, "Old")]).await;
            // An update without a change is none.
            execute(&server, &format!("UPDATE {list} SET modified_at = 1")).await;
            admin.patch(&format!("/{list}/1"), change).await.is(200);
            assert_lists(&reader, list, &[(recent, "")]).await;
        }
    }
}
