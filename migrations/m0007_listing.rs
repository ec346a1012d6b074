//! Lists are read from indexes alone: links carry what decides whether their event is in a list, hosts when their
//! last event ends, and sums tell how many events there are.

use sea_orm_migration::prelude::*;

use super::{derived, flag, integer, text};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// Events that last longer than so many seconds are few, and have an index of their own: others that go on at an
/// instant have started no longer than this before it.
pub const LONG: i64 = 7 * 24 * 60 * 60;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add(manager, "events", flag("located").default(false)).await?;
        manager.create_table(paths()).await?;
        manager.create_table(sections()).await?;
        for link in derived::LISTINGS {
            for name in ["starts_at", "ends_at"] {
                add(manager, link, integer(name).default(0)).await?;
            }
            let mut published_at = ColumnDef::new("published_at");
            add(manager, link, published_at.big_integer().null()).await?;
            for name in ["hide_from_listings", "featured", "ticketed", "located"] {
                add(manager, link, flag(name).default(false)).await?;
            }
        }
        for (_, host) in derived::HOSTS {
            let mut last_ends_at = ColumnDef::new("last_ends_at");
            add(manager, host, last_ends_at.big_integer().null()).await?;
        }
        let slots = [
            text("status"),
            flag("hide_from_listings"),
            integer("slot"),
            flag("featured"),
            flag("ticketed"),
            flag("located"),
        ];
        derived::EVENT_SLOTS.create(manager, slots).await?;
        for (_, _, tally) in derived::TERMS {
            tally.create(manager, [integer("target_id")]).await?;
        }
        derived::fill_links(manager.get_connection()).await?;
        derived::fill_paths(manager.get_connection()).await?;
        derived::fill_sections(manager.get_connection()).await?;
        derived::fill_sums(manager.get_connection()).await?;
        indexes(manager).await
    }
}

/// Each category with itself and all those above it. No key refers to other tables: checking it would wait for
/// whoever writes these, who may be waiting for the tree.
fn paths() -> TableCreateStatement {
    pairs("category_paths", "category_id", "ancestor_id")
}

/// The categories of events, with those above them.
fn sections() -> TableCreateStatement {
    pairs(derived::SECTIONS, "event_id", "target_id")
}

fn pairs(table: &'static str, one: &'static str, other: &'static str) -> TableCreateStatement {
    Table::create()
        .table(table)
        .col(integer(one))
        .col(integer(other))
        .primary_key(Index::create().col(one).col(other))
        .to_owned()
}

async fn add(manager: &SchemaManager<'_>, table: &'static str, column: &mut ColumnDef) -> Result<(), DbErr> {
    let alter = Table::alter().table(table).add_column(column).to_owned();
    manager.alter_table(alter).await
}

/// Each holds all that the lists it serves look at, so that no row of a table is read in vain.
async fn indexes(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let listed = "hide_from_listings, featured, ticketed, located";
    let mut statements = vec![
        "DROP INDEX events_start".to_owned(),
        "DROP INDEX events_published".to_owned(),
        "CREATE INDEX events_listing ON events (status, hide_from_listings, starts_at, id, ends_at, \
         published_at, featured, ticketed, located)"
            .to_owned(),
        format!(
            "CREATE INDEX events_long ON events (status, ends_at, starts_at, published_at, {listed}) \
             WHERE ends_at - starts_at > {LONG}"
        ),
        format!("CREATE INDEX events_publication ON events (status, published_at, starts_at, ends_at, {listed})"),
    ];
    for link in derived::LINKS {
        statements.push(format!("DROP INDEX {link}_reverse"));
    }
    statements.push("CREATE INDEX category_paths_below ON category_paths (ancestor_id, category_id)".to_owned());
    for link in derived::LISTINGS {
        statements.push(format!(
            "CREATE INDEX {link}_listing ON {link} \
             (target_id, starts_at, event_id, ends_at, published_at, {listed})"
        ));
    }
    for (link, _, _) in derived::TERMS {
        statements.push(format!(
            "CREATE INDEX {link}_publication ON {link} (target_id, published_at, hide_from_listings)"
        ));
    }
    for (link, host) in derived::HOSTS {
        statements.push(format!(
            "CREATE INDEX {link}_publication ON {link} (published_at, target_id)"
        ));
        statements.push(format!("DROP INDEX {host}_order"));
        statements.push(format!(
            "CREATE INDEX {host}_listing ON {host} (status, published_at, id, last_ends_at)"
        ));
    }
    for statement in statements {
        let connection = manager.get_connection();
        connection.execute_unprepared(&statement).await?;
    }
    Ok(())
}
