//! Filters of lists of events by price.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected},
    fixtures::create_event,
    on_both_databases,
};

on_both_databases! {
    async fn price_filters(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            for (title, cost) in [
                ("Unknown", json!("")),
                ("Donation", json!("Donation")),
                ("Free", json!("Free")),
                ("Zero", json!("0.00")),
                ("Ten", json!("€10.50")),
                ("Range", json!(["£10", "£20"])),
                ("From0", json!("0 – 30 kr")),
                ("Much", json!("$1,000.00")),
            ] {
                create_event(&admin, title, json!({"cost": cost, "tags": ["all"]})).await;
            }
            for also in ["", "&tags=all"] {
                assert_lists(&admin, "events", &[
                    (&format!("free=true{also}"), "Free Zero"),
                    (&format!("free=false{also}"), "Ten Range From0 Much"),
                    (&format!("cost_min=10.5{also}"), "Ten Range From0 Much"),
                    (&format!("cost_min=10.51{also}"), "Range From0 Much"),
                    (&format!("cost_min=0{also}"), "Free Zero Ten Range From0 Much"),
                    (&format!("cost_max=0{also}"), "Free Zero From0"),
                    (&format!("cost_max=10{also}"), "Free Zero Range From0"),
                    (&format!("cost_max=10.5{also}"), "Free Zero Ten Range From0"),
                    (&format!("cost_min=15&cost_max=25{also}"), "Range From0"),
                    (&format!("cost_min=31&cost_max=999{also}"), ""),
                    (&format!("free=true&cost_min=1{also}"), ""),
                ]).await;
            }
            assert_rejected(&admin, "events", &[
                ("free=maybe", "free"),
                ("cost_min=-1", "cost_min"),
                ("cost_max=cheap", "cost_max"),
                ("cost_min=NaN", "cost_min"),
                ("cost_min=2&cost_max=1", "cost_max"),
            ]).await;
        }
    }

    async fn price_filters_see_updates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Concert", json!({"cost": "5 €"})).await;
        let reader = server.anonymous();
        assert_lists(&reader, "events", &[("free=true", ""), ("cost_min=5", "Concert")]).await;
        admin.patch(&format!("/events/{id}"), json!({"cost": "Free"})).await.is(200);
        assert_lists(&reader, "events", &[("free=true", "Concert"), ("cost_min=5", "")]).await;
        admin.patch(&format!("/events/{id}"), json!({"cost": null})).await.is(200);
        assert_lists(&reader, "events", &[("free=true", ""), ("free=false", "")]).await;
    }
}
