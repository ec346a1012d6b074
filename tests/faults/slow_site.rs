//! Imports of a site that takes ten seconds for some pages.

use serde_json::json;

use crate::{
    on_both_databases,
    stub::{Site, Stub, event, linked_resource},
    support::program::{program, stderr},
};

on_both_databases! {
    async fn slow_pages_are_waited_for(database) {
        let site = Site::with(&[
            ("venues", json!([linked_resource("venue", 6, "Hall")])),
            ("events", json!([event(1, &json!({}))])),
        ]);
        let stub = Stub::start(Site { slow: Some("/venues"), ..site }).await;
        let url = database.url().await;
        let mut command = program(&["import", "tec", &stub.address, "--rate", "1000/s", "--database-url", &url]);
        let output = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it starts");
        assert!(output.status.success(), "{}", stderr(&output));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains("2 created"), "{printed}");
    }
}
