//! On PostgreSQL, an event whose end or status changes locks its venues and organizers in the order of their IDs, and
//! each in the mode that the triggers after it need. Those lock them one by one as the links happen to be stored, in a
//! weak mode first, and end in deadlocks. They lock nothing where neither end nor publication changes. SQLite has one
//! writer anyway.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// Links of events, and what keeps the end of its last event.
const HOSTS: [(&str, &str); 2] = [("event_venues", "venues"), ("event_organizers", "organizers")];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() != DbBackend::Postgres {
            return Ok(());
        }
        let lock = |mode: &str| -> String {
            HOSTS
                .map(|(link, host)| {
                    format!(
                        "PERFORM 1 FROM {host} WHERE id IN \
                         (SELECT target_id FROM {link} WHERE event_id = NEW.id) \
                         ORDER BY id FOR {mode}; "
                    )
                })
                .concat()
        };
        // A host whose last event may end earlier now looks through all of its links: nobody may add one meanwhile.
        let shortened = lock("UPDATE");
        // All of them: the triggers after this one lock every host, also one that has a later event.
        let prolonged = lock("NO KEY UPDATE");
        let trigger = format!(
            "CREATE FUNCTION events_lock_hosts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF OLD.status = 'publish' AND (NEW.status <> 'publish' OR NEW.ends_at < OLD.ends_at) THEN {shortened}\
             ELSIF NEW.status = 'publish' THEN {prolonged}\
             END IF; RETURN NEW; END $$; \
             CREATE TRIGGER events_lock_hosts BEFORE UPDATE OF status, ends_at ON events \
             FOR EACH ROW EXECUTE FUNCTION events_lock_hosts()"
        );
        let connection = manager.get_connection();
        connection.execute_unprepared(&trigger).await?;
        for (link, _) in HOSTS {
            let name = format!("{link}_prolonged");
            connection
                .execute_unprepared(&format!(
                    "DROP TRIGGER {name} ON {link}; \
                     CREATE TRIGGER {name} AFTER UPDATE OF ends_at, published_at ON {link} \
                     FOR EACH ROW WHEN ((OLD.ends_at, OLD.published_at) \
                     IS DISTINCT FROM (NEW.ends_at, NEW.published_at)) \
                     EXECUTE FUNCTION {name}()"
                ))
                .await?;
        }
        Ok(())
    }
}
