//! The `search` parameter of all lists: words, phrases and exclusions.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected},
    fixtures::{create_event, create_named, name_field},
    on_both_databases,
};

/// Names that share words, in the order of their lists.
const NAMES: [&str; 4] = ["Big Jazz Night", "Jazz by Night", "Night of Rock", "Open-Air Jazz"];

/// Values of `search`, and the indexes of the names that they match.
const SEARCHES: &[(&str, &[usize])] = &[
    ("jazz night", &[0, 1]),
    ("night jazz", &[0, 1]),
    ("\"jazz night\"", &[0]),
    ("\"JAZZ  Night", &[0]),
    ("\"azz ni\" big", &[0]),
    ("\"night rock\"", &[]),
    ("jazz -night", &[3]),
    ("night -\"jazz night\" -rock", &[1]),
    ("night -ro", &[0, 1]),
    ("ni -by -\"of\"", &[0]),
    ("by -of", &[1]),
    ("open-air", &[3]),
    ("jazz -\"by night", &[0, 3]),
    ("jazz -jazz", &[]),
    ("jazz -x1 -x2 -x3 -x4 -x5 -x6 -x7 -x8 -x8", &[0, 1, 3]),
    ("-", &[0, 1, 2, 3]),
    ("\"\"", &[0, 1, 2, 3]),
];

on_both_databases! {
    async fn words_phrases_and_exclusions(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for name in NAMES {
            create_event(&admin, name, json!({})).await;
        }
        // Lists start with the newest.
        for (name, date) in NAMES.iter().zip(["2024-01-01", "2023-01-01", "2022-01-01", "2021-01-01"]) {
            for list in ["venues", "organizers"] {
                admin.create(&format!("/{list}"), json!({name_field(list): name, "date": date})).await;
            }
        }
        for name in NAMES {
            create_named(&admin, "categories", name).await;
            create_named(&admin, "tags", name).await;
        }
        for list in ["events", "venues", "organizers", "categories", "tags"] {
            let rows: Vec<(String, String)> = SEARCHES
                .iter()
                .map(|(search, found)| {
                    let search: String = url::form_urlencoded::byte_serialize(search.as_bytes()).collect();
                    let names: Vec<&str> = found.iter().map(|index| NAMES[*index]).collect();
                    (format!("hide_empty=0&search={search}"), names.join(" "))
                })
                .collect();
            let rows: Vec<(&str, &str)> =
                rows.iter().map(|(query, names)| (query.as_str(), names.as_str())).collect();
            assert_lists(&server.anonymous(), list, &rows).await;
            assert_rejected(&admin, list, &[
                ("search=-jazz", "search"),
                ("search=-%22jazz+night%22+-rock", "search"),
                ("search=jazz+-x1+-x2+-x3+-x4+-x5+-x6+-x7+-x8+-x9", "search"),
            ]).await;
        }
    }

    async fn phrases_span_markup(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let description = json!({"description": "<p>The <b>open</b> air</p><p>stage &amp; more</p>"});
        create_event(&admin, "One", description).await;
        create_event(&admin, "Two", json!({"description": "air, open stage"})).await;
        assert_lists(&admin, "events", &[
            ("search=%22open+air+stage%22", "One"),
            ("search=%22stage+%26+more%22", "One"),
            ("search=open+-%22open+air%22", "Two"),
            ("search=open&venue=&include=1,2", "One Two"),
        ]).await;
    }
}
