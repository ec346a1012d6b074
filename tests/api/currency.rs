//! `--currency`: the currency of prices without one.

use serde_json::json;

use crate::{fixtures::create_event, on_both_databases, support::Server};

on_both_databases! {
    async fn bare_amounts_use_site_currency(database) {
        let url = database.url().await;
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Event", json!({"cost": 25})).await;
        let free = create_event(&admin, "Free event", json!({"cost": "Free"})).await;
        let path = format!("/events/{id}");
        let without = admin.get(&path).await.is(200);
        assert_eq!(without.body["cost_details"]["currency_code"], "");
        assert_eq!(without.body["json_ld"]["offers"].get("priceCurrency"), None);

        let server = Server::start(&url, &["--currency", "usd"]).await;
        let client = server.anonymous();
        let with = client.get(&path).await.is(200);
        assert_eq!(with.body["cost"], "25");
        let details = json!({
            "currency_symbol": "$", "currency_code": "USD", "currency_position": "prefix", "values": ["25"],
        });
        assert_eq!(with.body["cost_details"], details);
        assert_eq!(with.body["json_ld"]["offers"]["priceCurrency"], "USD");
        assert_ne!(with.header("etag"), without.header("etag"));
        let list = client.get("/events").await.is(200);
        assert_eq!(list.body["events"][0]["cost_details"], details);

        let compat = client.get(&format!("~/wp-json/tribe/events/v1/events/{id}")).await.is(200);
        assert_eq!(compat.body["cost"], "$25");
        assert_eq!(compat.body["cost_details"]["currency_code"], "USD");
        let compat = client.get(&format!("~/wp-json/tribe/events/v1/events/{free}")).await.is(200);
        assert_eq!(compat.body["cost"], "Free");
        let page = client.get("~/event/event").await.is(200);
        assert!(page.text.contains("$25"), "{}", page.text);
    }

    async fn currency_without_symbol_shows_code(database) {
        let server = database.server(&["--currency", "CHF"]).await;
        let admin = server.administrator().await;
        for (cost, shown) in [(json!("10 – 20"), "CHF 10 – CHF 20"), (json!("€5"), "€5"), (json!(""), "")] {
            let id = create_event(&admin, "Event", json!({"cost": cost})).await;
            let compat = admin.get(&format!("~/wp-json/tribe/events/v1/events/{id}")).await.is(200);
            assert_eq!(compat.body["cost"], shown);
        }
    }

    async fn whole_numbers_without_fraction(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (cost, stored) in [
            (json!(10.0), "10"),
            (json!(10), "10"),
            (json!(12.5), "12.5"),
            (json!([10.0, 20.0]), "10 – 20"),
            (json!(0), "0"),
        ] {
            let created = create_event(&admin, "Event", json!({"cost": cost})).await;
            let found = admin.get(&format!("/events/{created}")).await.is(200);
            assert_eq!(found.body["cost"], stored);
        }
    }
}
