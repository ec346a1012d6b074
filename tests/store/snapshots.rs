//! Readers: isolation, repetition of reads, and rejection of writes.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use almanac::testing::store::{
    Snapshot, entity::tag, open, pagination, read_connection::ReadConnection, write_connection::WriteConnection,
};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, EntityTrait, Statement};

use crate::on_both_databases;

const WRITE: &str = "INSERT INTO tags (version, name, name_key, slug, description, search_text) \
                     VALUES (1, 'Choir', 'choir', 'choir', '', 'choir')";

on_both_databases! {
    async fn readers_cannot_write(on) {
        let store = open(&on.url().await, true).await.expect("the database opens");
        let snapshot = store.snapshot().await.expect("a snapshot");
        let write = Statement::from_string(snapshot.backend(), WRITE);
        assert!(snapshot.rows_of::<()>(write).await.is_err());
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

    async fn unchanged_data_is_read_once(on) {
        let store = open(&on.url().await, true).await.expect("the database opens");
        let reads = AtomicU32::new(0);
        let read = |snapshot: Arc<Snapshot>| {
            let read_before = reads.fetch_add(1, Ordering::Relaxed);
            async move {
                assert_eq!(read_before, 0);
                pagination::count(&*snapshot, tag::Entity::find()).await
            }
        };
        assert_eq!(store.read(None, read).await.expect("a count"), 0);
    }

    async fn changed_data_is_read_again(on) {
        let store = open(&on.url().await, true).await.expect("the database opens");
        let reads = AtomicU32::new(0);
        let read = |snapshot: Arc<Snapshot>| {
            let read_before = reads.fetch_add(1, Ordering::Relaxed);
            let store = store.clone();
            async move {
                let before = pagination::count(&*snapshot, tag::Entity::find()).await?;
                if read_before == 0 {
                    let writer = store.begin().await?;
                    writer.execute_unprepared(WRITE).await?;
                    writer.commit().await?;
                }
                let after = pagination::count(&*snapshot, tag::Entity::find()).await?;
                Ok::<_, DbErr>((before, after))
            }
        };
        assert_eq!(store.read(None, read).await.expect("counts"), (1, 1));
        assert_eq!(reads.into_inner(), 2);
    }

    async fn cancelled_read_is_not_repeated(on) {
        let store = open(&on.url().await, true).await.expect("the database opens");
        if store.reader().backend() != DbBackend::Postgres {
            // On SQLite, only time cancels a statement.
            return;
        }
        let reads = AtomicU32::new(0);
        let read = |snapshot: Arc<Snapshot>| {
            reads.fetch_add(1, Ordering::Relaxed);
            let store = store.clone();
            async move {
                let writer = store.begin().await?;
                writer.execute_unprepared(WRITE).await?;
                writer.commit().await?;
                let cancel = "SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(10)";
                snapshot.rows_of::<()>(Statement::from_string(snapshot.backend(), cancel)).await
            }
        };
        assert!(store.read(None, read).await.is_err());
        assert_eq!(reads.into_inner(), 1);
    }
}
