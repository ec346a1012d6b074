//! What has changed of late: by it, an answer that is kept is known to be right still.
//!
//! Each change of a row that answers show adds a row to `changes`, in the transaction of the write. One with an
//! `event_id` says that texts of this event have changed and nothing else: whoever does not show it need not care.
//! Only the latest are kept. Who finds that those since his last look are not all there takes everything for changed.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use super::{derived::LINKS, trigger::Trigger};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// What of an event may change without a change to any list but those that show the event, or search texts.
const TOLD: &[&str] = &[
    "version",
    "modified_at",
    "title",
    "description",
    "search_text",
    "image_id",
    "excerpt",
    "timezone",
    "cost",
    "website",
    "custom_fields",
    "all_day",
    "show_map",
    "show_map_link",
];

/// What decides in which lists an event is, where in them, and who may read it.
const DECIDING: &[&str] = &[
    "status",
    "slug",
    "published_at",
    "author_id",
    "starts_at",
    "ends_at",
    "post_parent",
    "hide_from_listings",
    "sticky",
    "featured",
    "ticketed",
    "located",
];

/// The other tables that answers are made of. What is derived changes together with these.
const SHOWN: [&str; 6] = ["venues", "organizers", "categories", "tags", "images", "users"];

/// The latest changes that are kept, at least.
const KEPT: u32 = 4096;
/// One in so many changes forgets those that came before the latest.
const FORGETTING: u32 = 64;
/// PostgreSQL's advisory lock of the one that forgets: the letters "forg".
const FORGETTING_LOCK: i64 = 0x666f_7267;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        table(manager).await?;
        forgetting(manager).await?;
        let something = "INSERT INTO changes (event_id) VALUES (NULL)";
        let texts = "INSERT INTO changes (event_id) VALUES (NEW.id)";
        let deciding = format!("UPDATE OF {}", DECIDING.join(", "));
        let told = format!("UPDATE OF {}", TOLD.join(", "));
        for (name, event, statement) in [
            ("added", "INSERT", something),
            ("decided", &deciding, something),
            ("told", &told, texts),
            ("removed", "DELETE", something),
        ] {
            log(manager, "events", name, event, statement).await?;
        }
        // Links change by coming and going: what they carry is a copy.
        for link in LINKS {
            log(manager, link, "added", "INSERT", something).await?;
            log(manager, link, "removed", "DELETE", something).await?;
        }
        for table in SHOWN {
            log(manager, table, "added", "INSERT", something).await?;
            log(manager, table, "changed", "UPDATE", something).await?;
            log(manager, table, "removed", "DELETE", something).await?;
        }
        // There is always one that anybody may have looked at last.
        let connection = manager.get_connection();
        connection.execute_unprepared(something).await?;
        Ok(())
    }
}

/// On PostgreSQL transactions end in another order than they begin in, so each change names its own.
async fn table(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let statements: &[&str] = match manager.get_database_backend() {
        DbBackend::Postgres => &[
            "CREATE TABLE changes (\
             number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id bigint, \
             transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id())",
            "CREATE INDEX changes_transaction ON changes (transaction_id)",
        ],
        _ => &["CREATE TABLE changes (number integer PRIMARY KEY, event_id bigint)"],
    };
    for statement in statements {
        let connection = manager.get_connection();
        connection.execute_unprepared(statement).await?;
    }
    Ok(())
}

/// Forgets from the oldest on without a gap: on PostgreSQL by the age of transactions, and one at a time.
async fn forgetting(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let statement = match manager.get_database_backend() {
        DbBackend::Postgres => format!(
            "IF random() < 1.0 / {FORGETTING} AND pg_try_advisory_xact_lock({FORGETTING_LOCK}) THEN \
             DELETE FROM changes WHERE transaction_id < (SELECT transaction_id FROM changes \
             WHERE number <= NEW.number - {KEPT} ORDER BY number DESC LIMIT 1); END IF"
        ),
        _ => format!(
            "DELETE FROM changes WHERE number <= \
             CASE WHEN NEW.number % {FORGETTING} = 0 THEN NEW.number - {KEPT} END"
        ),
    };
    log(manager, "changes", "forgotten", "INSERT", &statement).await
}

async fn log(
    manager: &SchemaManager<'_>,
    table: &'static str,
    name: &str,
    event: &str,
    statement: &str,
) -> Result<(), DbErr> {
    let trigger = Trigger {
        name: format!("{table}_{name}"),
        event: event.to_owned(),
        table,
        body: vec![statement.to_owned()],
    };
    trigger.create(manager).await
}
