//! `almanac import tec` of recordings of The Events Calendar.

use serde_json::{Value, json};

use crate::{
    lines, on_both_databases,
    stub::{Site, Stub},
    support::{Client, Server},
    tec::{ADMIN_SECRET, import_site, import_site_as_admin, read},
};

/// Two events of The Events Calendar 6.17.2.
const RECORDED: &str = include_str!("files/recorded.json");
/// All objects of a site with The Events Calendar 6.17.2, without members that follow from others.
const RECORDED_SITE: &str = include_str!("files/site.json");

/// Members of recorded objects that differ from those of the imported ones.
const DIFFERENT: [&str; 9] = [
    // Users are not imported.
    "author",
    // Addresses of this calendar.
    "url",
    "rest_url",
    "_links",
    "global_id",
    "global_id_lineage",
    // The sizes of images are not imported.
    "image",
    // The currency is read from the price.
    "cost_details",
    // Made from the others.
    "json_ld",
];

/// The IDs of one linked object, or of several.
fn ids(linked: &Value) -> Value {
    match linked {
        Value::Array(objects) => objects.iter().map(|object| object["id"].clone()).collect(),
        object => json!([object["id"]]),
    }
}

/// HTML as it is written after it was sanitised.
fn written(html: &Value) -> Value {
    let html = html.as_str().unwrap_or_default();
    html.replace("<br />", "<br>").replace("&#038;", "&amp;").into()
}

/// Asserts that an object was imported with its recorded members, which the compatibility root has, too.
async fn assert_as_recorded(client: &Client, list: &str, recorded: &Value) {
    let id = &recorded["id"];
    let found = read(client, &format!("~/wp-json/tribe/events/v1/{list}/{id}")).await;
    for (name, value) in recorded.as_object().expect("an object") {
        let (expected, found) = match name.as_str() {
            name if DIFFERENT.contains(&name) => continue,
            // Drafts have neither at the site.
            "date_utc" | "modified_utc" if value == "0000-00-00 00:00:00" => continue,
            "slug" if value == "" => continue,
            // That of an event without one is its page.
            "website" if *value == recorded["url"] => (found["url"].clone(), found[name].clone()),
            // In venues and organizers, it is the name.
            "venue" | "organizer" | "categories" | "tags" if !value.is_string() => (ids(value), ids(&found[name])),
            "description" | "excerpt" => (written(value), written(&found[name])),
            _ => (value.clone(), found[name].clone()),
        };
        assert_eq!(found, expected, "{name} of {list} {id}");
    }
}

on_both_databases! {
    async fn events(database) {
        let recorded: Value = serde_json::from_str(RECORDED).expect("JSON");
        let stub = Stub::start(Site::with(&[("events", recorded["events"].clone())])).await;
        let url = database.url().await;
        lines(&import_site(&url, &stub.address, &[]).await);
        let verified = lines(&import_site(&url, &stub.address, &["--verify"]).await);
        assert!(verified.last().is_some_and(|line| line.ends_with(" 0 differences")), "{verified:?}");
        let server = Server::start(&url, &[]).await;
        let client = server.anonymous();
        assert_eq!(read(&client, "/events/52").await["website"], "https://event.example.com/a?b=1&c=2");
        let full = &recorded["events"][1];
        for (list, object) in [
            ("events", &recorded["events"][0]), ("events", full), ("venues", &full["venue"]),
            ("organizers", &full["organizer"][0]),
        ] {
            assert_as_recorded(&client, list, object).await;
        }
    }

    async fn whole_site(database) {
        // A planned event stays one.
        let recorded = RECORDED_SITE.replace("2031-01-01", "2099-01-01");
        let recorded: Value = serde_json::from_str(&recorded).expect("JSON");
        let lists = ["categories", "tags", "venues", "organizers", "events"].map(|name| (name, recorded[name].clone()));
        let count: usize = lists.iter().filter_map(|(_, objects)| objects.as_array()).map(Vec::len).sum();
        let mut site = Site::with(&lists);
        site.credentials = Some(ADMIN_SECRET);
        let stub = Stub::start(site).await;
        let url = database.url().await;
        let printed = lines(&import_site_as_admin(&url, &stub.address, &["--user", "admin"]).await);
        let created = format!("{count} created, 0 updated");
        assert!(printed.iter().any(|line| line.starts_with(&created)), "{printed:?}");
        assert!(!printed.iter().any(|line| line.starts_with("event ") || line.starts_with("venue ")), "{printed:?}");
        let verified = lines(&import_site_as_admin(&url, &stub.address, &["--user", "admin", "--verify"]).await);
        let compared = format!("{count} objects compared, 0 differences");
        assert!(verified.contains(&compared), "{verified:?}");
        let server = Server::start(&url, &[]).await;
        let admin = server.administrator().await;
        for (list, objects) in &lists {
            for object in objects.as_array().expect("a list") {
                assert_as_recorded(&admin, list, object).await;
            }
        }
    }
}
