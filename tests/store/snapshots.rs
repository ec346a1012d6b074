//! Readers: isolation, and rejection of writes.

use almanac::testing::store::{entity::tag, open, pagination};
use sea_orm::{ConnectionTrait, EntityTrait};

use crate::on_both_databases;

const WRITE: &str = "INSERT INTO tags (version, name, name_key, slug, description, search_text) \
                     VALUES (1, 'Choir', 'choir', 'choir', '', 'choir')";

on_both_databases! {
    async fn readers_cannot_write(on) {
        let store = open(&on.url().await, true).await.expect("the database opens");
        let snapshot = store.snapshot().await.expect("a snapshot");
        assert!(snapshot.execute_unprepared(WRITE).await.is_err());
        assert!(store.reader().execute_unprepared(WRITE).await.is_err());
        let writer = store.begin().await.expect("a transaction");
        writer.execute_unprepared(WRITE).await.expect("a write");
    }

    async fn snapshots_exclude_later_writes(on) {
        let store = open(&on.url().await, true).await.expect("the database opens");
        let before = store.snapshot().await.expect("a snapshot");
        let count = async |database| pagination::count(database, tag::Entity::find()).await.expect("a count");
        assert_eq!(count(&before).await, 0);
        let writer = store.begin().await.expect("a transaction");
        writer.execute_unprepared(WRITE).await.expect("a tag");
        writer.commit().await.expect("a commit");
        assert_eq!(count(&before).await, 0);
        let after = store.snapshot().await.expect("a snapshot");
        assert_eq!(count(&after).await, 1);
    }
}
