//! Parsing of query strings: empty, repeated, unknown and array parameters.

use serde_json::{Value, json};

use crate::{
    assertions::{assert_lists, assert_rejected, names, spellings},
    fixtures::{create_event, create_named},
    on_both_databases,
};

on_both_databases! {
    async fn empty_value_is_absent(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            create_event(&admin, "Event", json!({})).await;
            for name in [
                "page",
                "per_page",
                "start_date",
                "end_date",
                "starts_before",
                "starts_after",
                "ends_before",
                "ends_after",
                "strict_dates",
                "search",
                "categories",
                "tags",
                "venue",
                "organizer",
                "featured",
                "status",
                "geoloc",
                "geoloc_lat",
                "geoloc_lng",
                "include",
                "post_parent",
                "ticketed",
                "geoloc_radius",
                "geoloc_box",
                "title",
                "author",
                "event_status",
                "free",
                "cost_min",
                "cost_max",
                "modified_after",
                "modified_before",
                "orderby",
                "order",
            ] {
                for query in [
                    format!("{name}="),
                    name.to_owned(),
                    format!("{name}[]="),
                    format!("{name}=%20"),
                    format!("{name}=&{name}="),
                ] {
                    let response = server.anonymous().get(&format!("/events?{query}")).await.is(200);
                    assert_eq!(names("events", &response), "Event", "{query}");
                }
            }
        }
    }

    async fn empty_value_keeps_earlier_value(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Plain", json!({})).await;
        create_event(&admin, "Featured", json!({"featured": true})).await;
        assert_lists(&admin, "events", &[
            ("featured=1&featured=", "Featured"),
            ("featured=&featured=1", "Featured"),
            ("search=plain&search=", "Plain"),
        ]).await;
    }

    async fn last_repeated_scalar_wins(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Plain", json!({})).await;
        create_event(&admin, "Featured", json!({"featured": true})).await;
        assert_lists(&admin, "events", &[
            ("featured=1&featured=0", "Plain"),
            ("featured=0&featured=1", "Featured"),
            ("featured=perhaps&featured=1", "Featured"),
            ("search=plain&search=featured", "Featured"),
            ("search=plain&featured=0&search=featured&featured=1", "Featured"),
        ]).await;
        let response = admin.get("/events?per_page=2&page=1&per_page=1&page=2").await.is(200);
        assert_eq!(names("events", &response), "Featured");
        assert_rejected(&admin, "events", &[("featured=1&featured=perhaps", "featured")]).await;
    }

    async fn unknown_parameters_ignored(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            create_event(&admin, "Event", json!({})).await;
            assert_lists(&admin, "events", &[
                ("_locale=user&_embed&consumer_key=x", "Event"),
                ("exclude=1&orderby=title&order=desc", "Event"),
                ("id=999&slug=nothing", "Event"),
                ("unknown[]=1&unknown[]=2&other[key]=1", "Event"),
                ("unknown=1&unknown[key]=2", "Event"),
                ("unknown[a][b][c][d][e][f]=1", "Event"),
                ("unknown[=1&]=2&[]=3&=4", "Event"),
                ("unknown=%FF&%FF=1&%=%", "Event"),
                // Parameters have no members.
                ("search[a]=nothing&page[a]=2", "Event"),
                ("&&", "Event"),
            ]).await;
        }
    }

    async fn array_spellings(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (filter, list) in
            [("categories", "categories"), ("tags", "tags"), ("venue", "venues"), ("organizer", "organizers")]
        {
            let mut ids = Vec::new();
            for letter in ["A", "B", "C"] {
                let id = create_named(&admin, list, &format!("{letter} of {filter}")).await;
                create_event(&admin, &format!("{letter}{filter}"), json!({filter: [id]})).await;
                ids.push(id.to_string());
            }
            let all: Vec<Value> = ids.iter().map(|id| json!(id)).collect();
            create_event(&admin, &format!("All{filter}"), json!({filter: all})).await;
            let expected = format!("A{filter} C{filter} All{filter}");
            for query in spellings(filter, &ids[0], &ids[2]) {
                assert_lists(&admin, "events", &[(&query, &expected)]).await;
            }
        }
        let slugs = spellings("tags", "a-of-tags", "c-of-tags");
        for query in slugs {
            assert_lists(&admin, "events", &[(&query, "Atags Ctags Alltags")]).await;
        }
    }

    async fn long_arrays(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Event", json!({"tags": ["Tag"]})).await;
        let same = vec![id.to_string(); 20_000].join(",");
        let different: Vec<String> = (1..=11_000).map(|id| id.to_string()).collect();
        let different = different.join(",");
        assert_lists(&server.anonymous(), "events", &[
            (&format!("include={same}"), "Event"),
            (&format!("include={different}"), "Event"),
            (&format!("tags={}", vec!["tag"; 100].join(",")), "Event"),
            (&format!("status={}", vec!["publish"; 5_000].join(",")), "Event"),
        ]).await;
        assert_lists(&server.anonymous(), "tags", &[
            (&format!("include={same}&orderby=include"), "Tag"),
            (&format!("include={different}&orderby=include"), "Tag"),
        ]).await;
    }
}
