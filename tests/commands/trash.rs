//! `purge --older-than`, and `serve --empty-trash-after`.

use sea_orm::{ConnectionTrait, Database};
use serde_json::json;

use crate::{
    on_both_databases,
    support::{
        Client,
        program::{ServerProcess, stdout_lines},
    },
};

/// 31 days, in seconds.
const AGE: i64 = 31 * 24 * 60 * 60;

/// Moves two venues to the trash. The first has been there for 31 days.
async fn fill_trash(url: &str, admin: &Client) {
    for name in ["Old", "Recent"] {
        let id = admin.create_id("/venues", json!({"venue": name})).await;
        admin.delete(&format!("/venues/{id}")).await.is(200);
    }
    let database = Database::connect(url).await.expect("a connection");
    let update = format!("UPDATE venues SET trashed_at = trashed_at - {AGE} WHERE title = 'Old'");
    database.execute_unprepared(&update).await.expect("a write");
    database.close().await.expect("the connection closes");
}

on_both_databases! {
    async fn purge_keeps_recent_trash(database) {
        let url = database.url().await;
        let server = ServerProcess::start(&["--database-url", &url]);
        let admin = server.anonymous().with_password("admin", server.password());
        fill_trash(&url, &admin).await;
        let printed = stdout_lines(&["purge", "--older-than", "30d", "--database-url", &url]);
        assert_eq!(printed, ["removed 0 events, 1 venues, 0 organizers"]);
        admin.get("/venues/1").await.is(404);
        admin.patch("/venues/2", json!({"status": "publish"})).await.is(200);
    }

    async fn server_empties_old_trash(database) {
        let url = database.url().await;
        let first = ServerProcess::start(&["--database-url", &url]);
        let password = first.password().to_owned();
        fill_trash(&url, &first.anonymous().with_password("admin", &password)).await;
        let second = ServerProcess::start(&["--database-url", &url, "--empty-trash-after", "30d"]);
        second.log.line(&["emptied the trash", "venues=1"]);
        let admin = second.anonymous().with_password("admin", &password);
        admin.get("/venues/1").await.is(404);
        admin.patch("/venues/2", json!({"status": "publish"})).await.is(200);
    }

    async fn server_keeps_trash_by_default(database) {
        let url = database.url().await;
        let first = ServerProcess::start(&["--database-url", &url]);
        let password = first.password().to_owned();
        fill_trash(&url, &first.anonymous().with_password("admin", &password)).await;
        let second = ServerProcess::start(&["--database-url", &url]);
        let log = second.log.clone();
        second.stop();
        assert!(!log.text().contains("trash"), "{}", log.text());
        let admin = first.anonymous().with_password("admin", &password);
        admin.patch("/venues/1", json!({"status": "publish"})).await.is(200);
    }
}
