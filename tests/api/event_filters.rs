//! Filters of event lists, except dates, geo and status.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected, list_names, spellings},
    fixtures::{create_event, create_event_at, create_named},
    on_both_databases,
};

on_both_databases! {
    async fn search_matches_parts_of_words(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (title, description) in [
            (
                "Jazzabend",
                "<p>Live in the <b>Gar</b>ten</p><p>with <a href=\"https://example.org/x\">friends</a></p>",
            ),
            ("Café", "100% Arabica &amp; more"),
            ("Snake_case", "1000 snakes"),
            ("Pfad", "C:\\dir"),
            ("Αθήνα", "Москва"),
        ] {
            create_event(&admin, title, json!({"description": description, "excerpt": "secret"})).await;
        }
        assert_lists(&admin, "events", &[
            ("search=jazzabend", "Jazzabend"),
            ("search=JAZZ", "Jazzabend"),
            ("search=zabe", "Jazzabend"),
            ("search=live", "Jazzabend"),
            // All words must match, in any order and in either text.
            ("search=friends%20jazz", "Jazzabend"),
            ("search=friends+jazz", "Jazzabend"),
            ("search=arabica%20jazz", ""),
            // Case and accents are ignored, in the query and in the text, in any script.
            ("search=cafe", "Café"),
            ("search=CAF%C3%89", "Café"),
            ("search=Cafe%CC%81", "Café"),
            ("search=j%C3%A1zz", "Jazzabend"),
            ("search=αθηνα", "Αθήνα"),
            ("search=МОСК", "Αθήνα"),
            // Markup is not searched, and does not split words.
            ("search=garten", "Jazzabend"),
            ("search=href", ""),
            ("search=example.org", ""),
            ("search=%3Cb%3E", ""),
            ("search=gartenwith", ""),
            ("search=%26", "Café"),
            ("search=amp", ""),
            // Pattern characters are literal.
            ("search=%25", "Café"),
            ("search=0%25", "Café"),
            ("search=1%250", ""),
            ("search=_", "Snake_case"),
            ("search=e_c", "Snake_case"),
            ("search=j_zz", ""),
            ("search=%5C", "Pfad"),
            ("search=:%5Cd", "Pfad"),
            ("search='", ""),
            // Excerpts are not searched.
            ("search=secret", ""),
            // Invalid UTF-8 matches nothing; empty searches match everything.
            ("search=%FF", ""),
            ("search=", "Jazzabend Café Snake_case Pfad Αθήνα"),
            ("search=%00", "Jazzabend Café Snake_case Pfad Αθήνα"),
            ("search=%20", "Jazzabend Café Snake_case Pfad Αθήνα"),
        ]).await;
    }

    async fn search_sees_updates(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let id = create_event(&admin, "Before", json!({"description": "old"})).await;
        admin.patch(&format!("/events/{id}"), json!({"title": "Afterwards"})).await.is(200);
        assert_lists(&admin, "events", &[("search=before", ""), ("search=afterwards%20old", "Afterwards")]).await;
    }

    async fn category_filter_includes_descendants(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let child = async |name: &str, parent: i64| {
            admin.create_id("/categories", json!({"name": name, "parent": parent})).await
        };
        let music = child("Music", 0).await;
        let jazz = child("Jazz", music).await;
        let bebop = child("Bebop", jazz).await;
        let art = child("Fine Art", 0).await;
        for (title, categories) in [
            ("Concert", json!([music])),
            ("Jam", json!([jazz])),
            ("Bird", json!([bebop])),
            ("Show", json!([art])),
            ("Both", json!([bebop, art])),
            ("None", json!([])),
        ] {
            create_event(&admin, title, json!({"categories": categories})).await;
        }
        assert_lists(&admin, "events", &[
            (&format!("categories={music}"), "Concert Jam Bird Both"),
            (&format!("categories={jazz}"), "Jam Bird Both"),
            (&format!("categories={bebop}"), "Bird Both"),
            ("categories=music", "Concert Jam Bird Both"),
            ("categories=fine-art", "Show Both"),
            (&format!("categories={music},{bebop}"), "Concert Jam Bird Both"),
            (&format!("categories={jazz},fine-art"), "Jam Bird Show Both"),
            ("categories=", "Concert Jam Bird Show Both None"),
        ]).await;
    }

    async fn digits_match_id_before_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let first = create_named(&admin, "tags", "First").await;
        // The slug of this tag is the ID of the first one.
        admin.create("/tags", json!({"name": "Rival", "slug": first.to_string()})).await;
        admin.create("/tags", json!({"name": "Year", "slug": "2027"})).await;
        create_event(&admin, "One", json!({"tags": ["First"]})).await;
        create_event(&admin, "Two", json!({"tags": ["Rival"]})).await;
        create_event(&admin, "Three", json!({"tags": ["Year"]})).await;
        assert_lists(&admin, "events", &[
            (&format!("tags={first}"), "One"), ("tags=rival", "Two"), ("tags=2027", "Three"),
        ])
            .await;
    }

    async fn unknown_filter_values_rejected(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            let tag = create_named(&admin, "tags", "Known").await;
            assert_rejected(&admin, "events", &[
                ("categories=999", "categories"),
                ("categories=nothing", "categories"),
                ("tags=999", "tags"),
                (&format!("tags={tag},nothing"), "tags"),
                ("venue=999", "venue"),
                ("venue=hall", "venue"),
                ("organizer=999", "organizer"),
                ("organizer=0", "organizer"),
            ]).await;
            let response = admin.get("/events?categories=9&tags=9&venue=9&organizer=9").await;
            let invalid = response.is_error(400, "rest_invalid_param").invalid_params();
            assert_eq!(invalid, ["categories", "organizer", "tags", "venue"]);
        }
    }

    async fn errors_list_unknown_references(database) {
        let server = database.server(&[]).await;
        let response = server.anonymous().get("/events?venue=7,9&tags=8").await.is_error(400, "rest_invalid_param");
        assert_eq!(response.body["data"]["params"], json!({
            "tags": "must be IDs or slugs of existing tags; unknown: 8",
            "venue": "must be IDs of existing venues; unknown: 7, 9",
        }));
    }

    async fn featured_and_ticketed_filters(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (title, featured, ticketed) in
            [("Neither", false, false), ("Ticketed", false, true), ("Featured", true, false), ("Both", true, true)]
        {
            create_event(&admin, title, json!({"featured": featured, "ticketed": ticketed})).await;
        }
        for yes in ["true", "TRUE", "1", "yes", "on"] {
            assert_lists(
                &admin,
                "events",
                &[(&format!("featured={yes}"), "Featured Both"), (&format!("ticketed={yes}"), "Ticketed Both")],
            )
            .await;
        }
        for no in ["false", "False", "0", "no", "off"] {
            assert_lists(
                &admin,
                "events",
                &[(&format!("featured={no}"), "Neither Ticketed"), (&format!("ticketed={no}"), "Neither Featured")],
            )
            .await;
        }
        assert_lists(&admin, "events", &[("featured=1&ticketed=0", "Featured")]).await;
        assert_rejected(
            &admin,
            "events",
            &[("featured=2", "featured"), ("featured=perhaps", "featured"), ("ticketed=2", "ticketed")],
        )
        .await;
    }

    async fn featured_filter_in_variant_a(database) {
        let server = database.server(&["--variant", "a"]).await;
        let admin = server.administrator().await;
        create_event(&admin, "Plain", json!({})).await;
        create_event(&admin, "Featured", json!({"featured": true})).await;
        assert_lists(&admin, "events", &[("featured=true", "Featured"), ("featured=false", "Plain")]).await;
    }

    async fn include_ignores_dates(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            let far = create_event_at(&admin, "Far", "2099-05-01", "2099-05-02").await;
            let past = create_event_at(&admin, "Past", "2001-05-01", "2001-05-02").await;
            let near = create_event(&admin, "Near", json!({})).await;
            assert_lists(&admin, "events", &[
                (&format!("include={past}"), "Past"),
                (&format!("include={past}&start_date=2050-01-01"), "Past"),
                (&format!("include={past}&start_date=2050-01-01&starts_after=2060-01-01&strict_dates=1"), "Past"),
                // Ordered by start, not as in `include`.
                (&format!("include={far},{near},{past}"), "Past Near Far"),
                (&format!("include={past},{past}"), "Past"),
                // Unknown IDs are ignored.
                (&format!("include={past},999"), "Past"),
                ("include=999", ""),
                ("include=99999999999999999999", ""),
                ("include=", "Near"),
            ]).await;
            for query in spellings("include", &far.to_string(), &past.to_string()) {
                assert_lists(&admin, "events", &[(&query, "Past Far")]).await;
            }
            assert_rejected(
                &admin,
                "events",
                &[("include=past", "include"), ("include=1,x", "include"), ("include=-1", "include")],
            )
            .await;
        }
    }

    async fn include_keeps_other_filters(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let plain = create_event(&admin, "Plain", json!({})).await;
        let featured = create_event(&admin, "Featured", json!({"featured": true})).await;
        let draft = create_event(&admin, "Draft", json!({"status": "draft"})).await;
        let all = format!("include={plain},{featured},{draft}");
        assert_lists(&admin, "events", &[
            (&all, "Plain Featured"),
            (&format!("{all}&featured=1"), "Featured"),
            (&format!("{all}&search=plain"), "Plain"),
            (&format!("{all}&status=draft"), "Draft"),
        ]).await;
        assert_lists(&server.anonymous(), "events", &[(&all, "Plain Featured")]).await;
    }

    async fn hidden_events_need_include(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let tag = create_named(&admin, "tags", "Tag").await;
        let shown = create_event(&admin, "Shown", json!({"tags": [tag]})).await;
        let hidden = create_event(&admin, "Hidden", json!({"tags": [tag], "hide_from_listings": true})).await;
        assert_lists(&admin, "events", &[
            ("", "Shown"),
            ("status=any", "Shown"),
            ("starts_after=2001-01-01", "Shown"),
            ("search=hidden", ""),
            (&format!("tags={tag}"), "Shown"),
            (&format!("include={hidden}"), "Hidden"),
            (&format!("include={shown},{hidden}"), "Shown Hidden"),
        ]).await;
        assert_lists(&server.anonymous(), "events", &[(&format!("include={hidden}"), "Hidden")]).await;
        server.anonymous().get(&format!("/events/{hidden}")).await.is(200);
    }

    async fn post_parent_filter(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            let parent = create_event(&admin, "Parent", json!({})).await;
            create_event(&admin, "Child", json!({"post_parent": parent})).await;
            create_event(&admin, "Orphan", json!({"post_parent": 777})).await;
            assert_lists(&admin, "events", &[
                (&format!("post_parent={parent}"), "Child"),
                ("post_parent=777", "Orphan"),
                ("post_parent=778", ""),
                ("post_parent=", "Parent Child Orphan"),
            ]).await;
            let wrong = [("post_parent=parent", "post_parent"), ("post_parent=0", "post_parent")];
            assert_rejected(&admin, "events", &wrong).await;
        }
    }

    async fn unreadable_venue_matches_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for (list, field) in [("venues", "venue"), ("organizers", "organizer")] {
            let open = create_named(&admin, list, "Open").await;
            let closed = create_named(&admin, list, "Closed").await;
            let gone = create_named(&admin, list, "Gone").await;
            create_event(&admin, "At-open", json!({field: open})).await;
            create_event(&admin, "At-closed", json!({field: [closed, gone]})).await;
            admin.patch(&format!("/{list}/{closed}"), json!({"status": "draft"})).await.is(200);
            admin.delete(&format!("/{list}/{gone}")).await.is(200);
            let client = server.anonymous();
            assert_lists(&client, "events", &[
                (&format!("{field}={open},{closed}"), "At-open"),
                (&format!("{field}={closed}"), ""),
                (&format!("{field}={gone},{closed}"), ""),
            ]).await;
            assert_lists(&admin, "events", &[(&format!("{field}={closed}"), "At-closed")]).await;
            assert_rejected(&client, "events", &[(&format!("{field}={open},999"), field)]).await;
            client.get(&format!("~/wp-json/tribe/events/v1/events?{field}={open},{closed}")).await.is(200);
        }
    }

    async fn unreadable_event_matches_nothing(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let venue = create_named(&admin, "venues", "Hall").await;
        let draft = create_event(&admin, "Draft", json!({"status": "draft", "venue": venue, "tags": ["Live"]})).await;
        for list in ["venues", "tags"] {
            let query = format!("event={draft}&hide_empty=0");
            assert_lists(&server.anonymous(), list, &[(&query, "")]).await;
            let name = if list == "venues" { "Hall" } else { "Live" };
            assert_lists(&admin, list, &[(&query, name)]).await;
            assert_rejected(&server.anonymous(), list, &[("event=999", "event")]).await;
        }
    }

    async fn filters_are_combined(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let category = create_named(&admin, "categories", "Category").await;
        let tag = create_named(&admin, "tags", "Tag").await;
        let venue = admin.create_id("/venues", json!({"venue": "Venue", "geo_lat": 10, "geo_lng": 20})).await;
        let organizer = create_named(&admin, "organizers", "Organizer").await;
        let full = json!({
            "description": "word", "categories": [category], "tags": [tag], "venue": [venue], "organizer": [organizer],
            "featured": true, "ticketed": true, "post_parent": 7,
        });
        let matching = create_event(&admin, "All", full.clone()).await;
        let filters = [
            ("description", "search=word".to_owned()),
            ("categories", format!("categories={category}")),
            ("tags", format!("tags={tag}")),
            ("venue", format!("venue={venue}")),
            ("venue", "geoloc=1".to_owned()),
            ("venue", "geoloc_lat=10&geoloc_lng=20".to_owned()),
            ("organizer", format!("organizer={organizer}")),
            ("featured", "featured=1".to_owned()),
            ("ticketed", "ticketed=1".to_owned()),
            ("post_parent", "post_parent=7".to_owned()),
        ];
        // One event matches all filters; each of the others lacks one field.
        for field in
            ["description", "categories", "tags", "venue", "organizer", "featured", "ticketed", "post_parent"]
        {
            let mut fields = full.clone();
            fields.as_object_mut().expect("an object").remove(field);
            create_event(&admin, &format!("No-{field}"), fields).await;
        }
        for (field, filter) in &filters {
            let alone = list_names(&admin, "events", filter).await;
            assert!(alone.contains("All") && !alone.contains(&format!("No-{field}")), "{filter}: {alone}");
            assert_eq!(alone.split(' ').count(), 8, "{filter}: {alone}");
        }
        let together: Vec<&str> = filters.iter().map(|(_, filter)| filter.as_str()).collect();
        assert_lists(&admin, "events", &[
            (&together.join("&"), "All"),
            (&format!("{}&include={matching}", together.join("&")), "All"),
            (&format!("{}&end_date=today", together.join("&")), ""),
        ]).await;
    }
}
