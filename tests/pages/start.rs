//! The start page, and the page for developers.

use std::process::Command;

use almanac::testing::{auth::Role, commands::user};
use serde_json::{Value, json};

use crate::{on_both_databases, unescaped};

on_both_databases! {
    async fn start_page_shows_upcoming_events(on) {
        let server = on.server(&[]).await;
        let admin = server.administrator().await;
        let event = |title: &str, start: &str| json!({
            "title": title, "start_date": start, "end_date": start, "venue": {"venue": "Hall", "city": "Kiel"},
            "categories": ["Music"], "tags": ["new", "loud"],
        });
        admin.create("/events", event("Fish & <chips> night", "tomorrow 19:00")).await;
        admin.create("/events", event("Over and done", "yesterday 19:00")).await;
        let mut hidden = event("Hidden", "tomorrow 20:00");
        hidden["hide_from_listings"] = true.into();
        admin.create("/events", hidden).await;
        let mut draft = event("Draft", "tomorrow 20:00");
        draft["status"] = "draft".into();
        admin.create("/events", draft).await;
        let page = server.anonymous().get("~/").await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        for expected in ["Fish &#38;", "19:00", "Hall, Kiel", ">Music</a>", "/events/month/", "/events.ics"] {
            assert!(page.text.contains(expected), "{expected}");
        }
        let developers = server.anonymous().get("~/developers").await.is(200);
        for expected in [
            "<b>2</b> events", "<b>1</b> venue<", "<b>0</b> organizers", "<b>1</b> category<", "<b>2</b> tags<",
        ] {
            assert!(developers.text.contains(expected), "{expected}");
        }
        for unexpected in ["<chips>", "Over and done", "Hidden", "Draft"] {
            assert!(!page.text.contains(unexpected), "{unexpected}");
        }
    }

    async fn developers_commands_work(on) {
        let server = on.server(&[]).await;
        let password = user::add(&server.store, "admin", Role::Administrator).await;
        let password = password.expect("the name is free");
        let page = server.anonymous().get("~/developers").await.is(200);
        let blocks = page.text.split("<code>").skip(1);
        let blocks: Vec<&str> = blocks.filter_map(|rest| Some(rest.split_once("</code>")?.0)).collect();
        let commands: Vec<String> = blocks
            .iter()
            .flat_map(|block| block.split("curl ").skip(1))
            .map(|command| format!("curl -sS {}", unescaped(command)))
            .collect();
        assert!(commands.len() >= 4, "{commands:?}");
        for command in commands {
            let output = Command::new("bash").args(["-ec", &command]).env("PASSWORD", &password).output();
            let output = output.expect("bash starts");
            assert!(output.status.success(), "{command}: {output:?}");
            let response: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
            assert!(response["code"].is_null(), "{command}: {response}");
        }
        assert_eq!(server.anonymous().get("/events").await.is(200).texts("events", "title"), ["Spring concert"]);
    }

    async fn developers_page_links_wordpress_api_if_enabled(on) {
        for (flags, is_there) in [(&[][..], true), (&["--no-wordpress-compat"][..], false)] {
            let server = on.server(flags).await;
            let page = server.anonymous().get("~/developers").await.is(200);
            assert_eq!(page.text.contains("/wp-json/"), is_there);
        }
    }
}
