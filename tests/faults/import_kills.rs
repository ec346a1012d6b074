//! Imports that are killed at any moment, and repeated: the result is that of an import that was not killed.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    on_both_databases, repetitions,
    stub::{Site, Stub, event, linked_resource},
    support::{
        Client, Server,
        program::{program, stderr},
    },
};

/// A site whose import takes many pages.
fn site() -> Site {
    let venues: Vec<Value> = (1..=20)
        .map(|id| linked_resource("venue", id, &format!("Hall {id}")))
        .collect();
    let category =
        |id: i64| json!({"id": id, "name": format!("Category {id}"), "slug": format!("c-{id}"), "parent": id / 2});
    let categories: Vec<Value> = (1..=20).map(category).collect();
    let events: Vec<Value> = (1..=120)
        .map(|id| {
            let (venue, category) = (&venues[id as usize % 20], &categories[id as usize % 20]);
            event(id, &json!({"venue": venue, "categories": [category]}))
        })
        .collect();
    Site {
        delay: Duration::from_millis(2),
        max_per_page: 10,
        ..Site::with(&[
            ("categories", json!(categories)),
            ("venues", json!(venues)),
            ("events", json!(events)),
        ])
    }
}

fn arguments<'a>(address: &'a str, url: &'a str) -> [&'a str; 7] {
    ["import", "tec", address, "--rate", "100000/s", "--database-url", url]
}

/// All objects that were imported.
async fn calendar(url: &str) -> Vec<Value> {
    let server = Server::start(
        url,
        &["--max-per-page", "1000", "--base-url", "https://calendar.example"],
    )
    .await;
    let client: Client = server.anonymous();
    let mut found = Vec::new();
    for path in [
        "/events?per_page=1000&start_date=1900-01-01&end_date=2100-01-01",
        "/venues?per_page=1000",
        "/categories?per_page=1000&hide_empty=false",
    ] {
        let list = client.get(path).await.is(200).body;
        for name in ["events", "venues", "categories"] {
            found.extend(list[name].as_array().cloned().unwrap_or_default());
        }
    }
    for object in &mut found {
        if let Some(members) = object.as_object_mut() {
            // Counts the writes of each row, which a resumed import repeats.
            members.remove("version");
        }
    }
    found
}

on_both_databases! {
    async fn killed_import_can_be_repeated(database) {
        let stub = Stub::start(site()).await;
        let whole = database.url().await;
        let mut command = program(&arguments(&stub.address, &whole));
        let begun = Instant::now();
        let output = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it starts");
        assert!(output.status.success(), "{}", stderr(&output));
        let duration = begun.elapsed();
        let expected = calendar(&whole).await;
        assert_eq!(expected.len(), 160);
        for round in 0..repetitions(20) {
            let url = database.url().await;
            let mut import = program(&arguments(&stub.address, &url))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("it starts");
            tokio::time::sleep(duration.mul_f64(rand::random())).await;
            import.kill().expect("a process");
            import.wait().expect("an exit status");
            let mut command = program(&arguments(&stub.address, &url));
            let output = tokio::task::spawn_blocking(move || command.output()).await;
            let output = output.expect("no panic").expect("it starts");
            assert!(output.status.success(), "{}", stderr(&output));
            let found = calendar(&url).await;
            assert!(found == expected, "round {round}: {} objects", found.len());
        }
    }
}
