//! What an object was before it went to the trash, and which event a venue or organizer follows.
//!
//! `trashed_status` decides who may restore the object, `trashed_at` when it may be purged. Both are null outside the
//! trash. Objects that are in the trash already count as published, and as trashed at their last change.
//!
//! `follows_event_id` is set on a venue or organizer that was created with an event, as long as it takes over the
//! status and the publication date of that event.
//!
//! The trigger that logs changes of events needs no extension: the new columns of events change only together with
//! `status`.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub struct Migration;

const POSTS: [&str; 3] = ["events", "venues", "organizers"];
const HOSTS: [&str; 2] = ["venues", "organizers"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut statements = Vec::new();
        for table in POSTS {
            statements.extend([
                format!("ALTER TABLE {table} ADD COLUMN trashed_status text"),
                format!("ALTER TABLE {table} ADD COLUMN trashed_at bigint"),
                format!(
                    "UPDATE {table} SET trashed_status = 'publish', trashed_at = modified_at \
                     WHERE status = 'trash'"
                ),
                format!(
                    "CREATE INDEX {table}_trashed ON {table} (trashed_at) \
                     WHERE trashed_at IS NOT NULL"
                ),
            ]);
        }
        for table in HOSTS {
            statements.extend([
                format!(
                    "ALTER TABLE {table} ADD COLUMN follows_event_id bigint \
                     REFERENCES events (id) ON DELETE SET NULL"
                ),
                format!(
                    "CREATE INDEX {table}_following ON {table} (follows_event_id) \
                     WHERE follows_event_id IS NOT NULL"
                ),
            ]);
        }
        for statement in statements {
            let connection = manager.get_connection();
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}
