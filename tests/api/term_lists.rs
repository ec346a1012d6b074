//! Lists of categories and tags.

use serde_json::json;

use crate::{
    assertions::{assert_lists, assert_rejected},
    fixtures::{create_event, create_named},
    on_both_databases,
    support::Client,
};

const LISTS: [&str; 2] = ["categories", "tags"];

async fn category(client: &Client, name: &str, parent: i64) -> i64 {
    client
        .create_id("/categories", json!({"name": name, "parent": parent}))
        .await
}

on_both_databases! {
    async fn hide_empty_filter(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            for list in LISTS {
                for (name, fields) in [
                    ("Used", Some(json!({}))),
                    ("Past", Some(json!({"start_date": "2001-01-01", "end_date": "2001-01-02"}))),
                    ("Draft", Some(json!({"status": "draft"}))),
                    ("Planned", Some(json!({"date": "2099-01-01"}))),
                    ("Unlisted", Some(json!({"hide_from_listings": true}))),
                    ("Idle", None),
                ] {
                    let id = create_named(&admin, list, name).await;
                    if let Some(mut fields) = fields {
                        fields[list] = json!([id]);
                        create_event(&admin, name, fields).await;
                    }
                }
                for client in [&admin, &server.anonymous()] {
                    assert_lists(client, list, &[
                        ("", "Past Used"),
                        ("hide_empty=true", "Past Used"),
                        ("hide_empty=1", "Past Used"),
                        ("hide_empty=", "Past Used"),
                        ("hide_empty=false", "Draft Idle Past Planned Unlisted Used"),
                        ("hide_empty=0", "Draft Idle Past Planned Unlisted Used"),
                    ]).await;
                }
                assert_rejected(&admin, list, &[("hide_empty=perhaps", "hide_empty")]).await;
            }
        }
    }

    async fn hide_empty_keeps_ancestors(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let grandparent = category(&admin, "Grandparent", 0).await;
        let parent = category(&admin, "Parent", grandparent).await;
        let child = category(&admin, "Child", parent).await;
        category(&admin, "Sibling", parent).await;
        let empty = category(&admin, "Empty", 0).await;
        category(&admin, "Hollow", empty).await;
        let id = create_event(&admin, "Event", json!({"categories": [child]})).await;
        assert_lists(&admin, "categories", &[
            ("", "Child Grandparent Parent"),
            ("hide_empty=0", "Child Empty Grandparent Hollow Parent Sibling"),
            // Siblings of an ancestor are still hidden.
            (&format!("parent={parent}"), "Child"),
        ]).await;
        admin.delete(&format!("/events/{id}")).await.is(200);
        assert_lists(&admin, "categories", &[("", "")]).await;
    }

    async fn count_of_published_listed_events(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let parent = category(&admin, "Parent", 0).await;
        let child = category(&admin, "Child", parent).await;
        for fields in [
            json!({}),
            json!({}),
            json!({"start_date": "2001-01-01", "end_date": "2001-01-02"}),
            json!({"status": "draft"}),
            json!({"status": "private"}),
            json!({"date": "2099-01-01"}),
            json!({"hide_from_listings": true}),
        ] {
            let mut fields = fields;
            fields["categories"] = json!([child]);
            fields["tags"] = json!(["Tag"]);
            create_event(&admin, "Event", fields).await;
        }
        let trashed = create_event(&admin, "Gone", json!({"categories": [child], "tags": ["Tag"]})).await;
        admin.delete(&format!("/events/{trashed}")).await.is(200);
        for client in [&admin, &server.anonymous()] {
            let counts = client.get("/categories").await.is(200).each("categories", "count");
            assert_eq!(counts, [3, 0], "of the child and of its parent");
            assert_eq!(client.get("/tags").await.is(200).each("tags", "count"), [3]);
        }
    }

    async fn include_exclude_and_slug_filters(database) {
        for variant in ["a", "b"] {
            let server = database.server(&["--variant", variant]).await;
            let admin = server.administrator().await;
            for list in LISTS {
                let a = create_named(&admin, list, "A").await;
                let b = create_named(&admin, list, "B").await;
                let c = create_named(&admin, list, "C").await;
                create_event(&admin, "Event", json!({list: [a, b, c]})).await;
                create_named(&admin, list, "D").await;
                assert_lists(&admin, list, &[
                    (&format!("include={c},{a}"), "A C"),
                    (&format!("include={c}&include={a}"), "A C"),
                    (&format!("include[]={c}&include[]={a}"), "A C"),
                    (&format!("include={a},999"), "A"),
                    ("include=999", ""),
                    (&format!("exclude={b}"), "A C"),
                    (&format!("exclude={b},{c},999"), "A"),
                    (&format!("exclude[]={b}&exclude[]={c}"), "A"),
                    (&format!("include={a},{b}&exclude={b},{c}"), "A"),
                    ("include=&exclude=", "A B C"),
                    ("slug=b", "B"),
                    ("slug=bb", ""),
                    ("slug=a&slug=c", "C"),
                    ("slug=d", ""),
                    ("slug=d&hide_empty=0", "D"),
                    (&format!("slug=b&exclude={b}"), ""),
                ]).await;
                assert_rejected(&admin, list, &[("include=x", "include"), ("exclude=1,x", "exclude")]).await;
            }
        }
    }

    async fn parent_filter(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let music = category(&admin, "Music", 0).await;
        let jazz = category(&admin, "Jazz", music).await;
        let blues = category(&admin, "Blues", music).await;
        let bebop = category(&admin, "Bebop", jazz).await;
        let art = category(&admin, "Art", 0).await;
        create_event(&admin, "Event", json!({"categories": [music, jazz, blues, bebop, art]})).await;
        assert_lists(&admin, "categories", &[
            (&format!("parent={music}"), "Blues Jazz"),
            (&format!("parent={jazz}"), "Bebop"),
            (&format!("parent={art}"), ""),
            ("parent=0", "Art Music"),
            ("parent=", "Art Bebop Blues Jazz Music"),
        ]).await;
        assert_rejected(&admin, "categories", &[("parent=999", "parent"), ("parent=music", "parent")]).await;
        // Tags have no parents, so the parameter is unknown.
        create_named(&admin, "tags", "Tag").await;
        assert_lists(&admin, "tags", &[("parent=999&hide_empty=0", "Tag"), ("parent=music&hide_empty=0", "Tag")]).await;
    }

    async fn post_and_event_filters(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let a = create_named(&admin, list, "A").await;
            let b = create_named(&admin, list, "B").await;
            let c = create_named(&admin, list, "C").await;
            let one = create_event(&admin, "One", json!({list: [c, a]})).await;
            let other = create_event(&admin, "Other", json!({list: [b]})).await;
            let none = create_event(&admin, "None", json!({})).await;
            assert_lists(&admin, list, &[
                (&format!("event={one}"), "A C"),
                (&format!("post={one}"), "A C"),
                (&format!("event={other}"), "B"),
                (&format!("post={none}"), ""),
                (&format!("post={one}&event={one}"), "A C"),
                (&format!("post={one}&event={other}"), "B"),
                (&format!("event={other}&post={one}"), "B"),
                (&format!("event={one}&exclude={a}"), "C"),
                ("event=&post=", "A B C"),
            ]).await;
            assert_rejected(&admin, list, &[("event=999", "event"), ("post=999", "post"), ("post=party", "post")])
                .await;
        }
    }

    async fn search_covers_name_and_slug(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            for (name, slug, description) in [
                ("Ópera", "singing", "arias"),
                ("100%", "percent", ""),
                ("snake_case", "snakes", ""),
                ("1000", "thousand", ""),
            ] {
                admin
                    .create(&format!("/{list}"), json!({"name": name, "slug": slug, "description": description}))
                    .await;
            }
            assert_lists(&admin, list, &[
                ("hide_empty=0&search=opera", "Ópera"),
                ("hide_empty=0&search=%C3%93PER", "Ópera"),
                ("hide_empty=0&search=sing", "Ópera"),
                ("hide_empty=0&search=opera%20sing", "Ópera"),
                ("hide_empty=0&search=opera%20snake", ""),
                // Descriptions are not searched.
                ("hide_empty=0&search=arias", ""),
                ("hide_empty=0&search=%25", "100%"),
                ("hide_empty=0&search=_", "snake_case"),
                ("hide_empty=0&search=100", "100% 1000"),
                ("search=opera", ""),
            ]).await;
        }
    }

    async fn orderby_then_id(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            let mut ids = Vec::new();
            for (name, slug, description) in
                [("delta", "w-4", "two"), ("Alpha", "z-1", "one"), ("charlie", "x-3", "two"), ("Bravo", "y-2", "")]
            {
                let body = json!({"name": name, "slug": slug, "description": description});
                ids.push(admin.create_id(&format!("/{list}"), body).await);
            }
            // One event for delta, two for charlie, one for Bravo.
            create_event(&admin, "One", json!({list: [ids[0], ids[2], ids[3]]})).await;
            create_event(&admin, "Two", json!({list: [ids[2]]})).await;
            let include = format!("include={},{},{}", ids[2], ids[0], ids[1]);
            assert_lists(&admin, list, &[
                ("hide_empty=0", "Alpha Bravo charlie delta"),
                ("hide_empty=0&order=asc", "Alpha Bravo charlie delta"),
                ("hide_empty=0&order=desc", "delta charlie Bravo Alpha"),
                ("hide_empty=0&order=DESC", "delta charlie Bravo Alpha"),
                ("hide_empty=0&order=Asc", "Alpha Bravo charlie delta"),
                ("hide_empty=0&orderby=&order=", "Alpha Bravo charlie delta"),
                ("hide_empty=0&orderby=name", "Alpha Bravo charlie delta"),
                ("hide_empty=0&orderby=name&order=desc", "delta charlie Bravo Alpha"),
                ("hide_empty=0&orderby=id", "delta Alpha charlie Bravo"),
                ("hide_empty=0&orderby=id&order=desc", "Bravo charlie Alpha delta"),
                ("hide_empty=0&orderby=slug", "delta charlie Bravo Alpha"),
                ("hide_empty=0&orderby=slug&order=desc", "Alpha Bravo charlie delta"),
                ("hide_empty=0&orderby=count", "Alpha delta Bravo charlie"),
                ("hide_empty=0&orderby=count&order=desc", "charlie delta Bravo Alpha"),
                ("orderby=count&order=desc", "charlie delta Bravo"),
                ("hide_empty=0&orderby=description", "Bravo Alpha delta charlie"),
                ("hide_empty=0&orderby=description&order=desc", "delta charlie Alpha Bravo"),
                (&format!("hide_empty=0&orderby=include&{include}"), "charlie delta Alpha"),
                (&format!("hide_empty=0&orderby=include&order=desc&{include}"), "Alpha delta charlie"),
                (&format!("hide_empty=0&{include}"), "Alpha charlie delta"),
                // Without `include`, the order is by ID.
                ("hide_empty=0&orderby=include", "delta Alpha charlie Bravo"),
                ("hide_empty=0&orderby=include&order=desc", "delta Alpha charlie Bravo"),
            ]).await;
            assert_rejected(&admin, list, &[
                ("orderby=term_group", "orderby"),
                ("orderby=title", "orderby"),
                ("order=up", "order"),
                ("order=descending", "order"),
            ]).await;
        }
    }

    async fn orderby_parent(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        let a = category(&admin, "A", 0).await;
        let b = category(&admin, "B", 0).await;
        category(&admin, "BC", b).await;
        category(&admin, "AC", a).await;
        category(&admin, "AD", a).await;
        assert_lists(&admin, "categories", &[
            ("hide_empty=0&orderby=parent", "A B AC AD BC"),
            ("hide_empty=0&orderby=parent&order=desc", "BC AC AD A B"),
        ]).await;
        for name in ["B", "A"] {
            create_named(&admin, "tags", name).await;
        }
        // The parent of all tags is 0.
        assert_lists(
            &admin,
            "tags",
            &[("hide_empty=0&orderby=parent", "B A"), ("hide_empty=0&orderby=parent&order=desc", "B A")],
        )
        .await;
    }

    async fn all_invalid_parameters_reported(database) {
        let server = database.server(&[]).await;
        let response = server
            .anonymous()
            .get("/categories?page=0&orderby=x&order=x&hide_empty=x&parent=9&event=9&include=x")
            .await;
        let invalid = response.is_error(400, "rest_invalid_param").invalid_params();
        assert_eq!(invalid, ["event", "hide_empty", "include", "order", "orderby", "page", "parent"]);
    }

    async fn unknown_parameters_ignored(database) {
        let server = database.server(&[]).await;
        let admin = server.administrator().await;
        for list in LISTS {
            create_named(&admin, list, "Term").await;
            let query = "hide_empty=0&status=draft&has_events=x&_fields[a]=b&venue=9";
            assert_lists(&admin, list, &[(query, "Term")]).await;
        }
    }
}
