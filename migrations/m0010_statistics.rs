//! What SQLite plans statements by. Without statistics it knows nothing of what the rows of an index have in
//! common, and with those of a small calendar it would choose other ways than for a large one. So it gets those of
//! a calendar of a million events, and plans are the same for all (<https://sqlite.org/queryplanner-ng.html#howtofix>).
//! PostgreSQL collects its own.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// As `ANALYZE` writes them: a table, one of its indexes, how many rows it has, and how many share the first column,
/// the first two columns, and so on.
const STATISTICS: &[(&str, &str, &str)] = &[
    ("events", "events_listing", "1000000 250000 125000 6 1 1 1 1 1 1"),
    ("events", "events_long", "25000 6000 2 1 1 1 1 1 1"),
    ("events", "events_publication", "1000000 250000 1 1 1 1 1 1 1"),
    ("events", "events_end", "1000000 250000 2 1"),
    ("events", "events_slug", "1000000 1"),
    ("events", "events_author", "1000000 20000"),
    ("events", "events_parent", "1000000 200"),
    ("events", "events_image", "1000000 4000"),
    ("event_venues", "sqlite_autoindex_event_venues_1", "950000 1 1"),
    ("event_venues", "event_venues_listing", "950000 50 1 1 1 1 1 1 1 1"),
    ("event_organizers", "sqlite_autoindex_event_organizers_1", "1150000 2 1"),
    (
        "event_organizers",
        "event_organizers_listing",
        "1150000 230 1 1 1 1 1 1 1 1",
    ),
    ("event_venues", "event_venues_publication", "950000 1 1"),
    ("event_organizers", "event_organizers_publication", "1150000 1 1"),
    ("event_categories", "sqlite_autoindex_event_categories_1", "1350000 2 1"),
    (
        "event_categories",
        "event_categories_listing",
        "1350000 4500 2 1 1 1 1 1 1 1",
    ),
    ("event_categories", "event_categories_publication", "1350000 4500 1 1"),
    ("event_sections", "sqlite_autoindex_event_sections_1", "2300000 3 1"),
    (
        "event_sections",
        "event_sections_listing",
        "2300000 7600 2 1 1 1 1 1 1 1",
    ),
    ("category_paths", "sqlite_autoindex_category_paths_1", "800 3 1"),
    ("category_paths", "category_paths_below", "800 3 1"),
    ("event_tags", "sqlite_autoindex_event_tags_1", "2400000 3 1"),
    ("event_tags", "event_tags_listing", "2400000 800 2 1 1 1 1 1 1 1"),
    ("event_tags", "event_tags_publication", "2400000 800 1 1"),
    ("event_slots", "event_slots_key", "50000 12000 6000 4 3 2 1"),
    ("category_events", "category_events_key", "300 1"),
    ("tag_events", "tag_events_key", "3000 1"),
    ("venues", "venues_listing", "20000 10000 1 1 1"),
    ("venues", "venues_name", "20000 4 1"),
    ("venues", "venues_position", "20000 2 1"),
    ("venues", "venues_slug", "20000 1"),
    ("venues", "venues_image", "20000 1500"),
    ("organizers", "organizers_listing", "5000 2500 1 1 1"),
    ("organizers", "organizers_name", "5000 3 1"),
    ("organizers", "organizers_slug", "5000 1"),
    ("organizers", "organizers_image", "5000 400"),
    ("categories", "sqlite_autoindex_categories_1", "300 1"),
    ("categories", "categories_name", "300 12 1"),
    ("categories", "categories_order", "300 1 1"),
    ("tags", "sqlite_autoindex_tags_1", "3000 1"),
    ("tags", "tags_name", "3000 1"),
    ("tags", "tags_order", "3000 1 1"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() != DbBackend::Sqlite {
            return Ok(());
        }
        // It makes the tables, and looks at no other: of those that have no rows yet, this connection would remember
        // for good that they have none, and read them from end to end.
        let connection = manager.get_connection();
        connection.execute_unprepared("ANALYZE sqlite_schema").await?;
        fill(connection).await
    }
}

/// Writes the statistics anew: those of an index go with it.
pub async fn fill(connection: &impl ConnectionTrait) -> Result<(), DbErr> {
    if connection.get_database_backend() != DbBackend::Sqlite {
        return Ok(());
    }
    let rows: Vec<String> = STATISTICS
        .iter()
        .map(|(table, index, rows)| format!("('{table}', '{index}', '{rows}')"))
        .collect();
    let insert = format!("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES {}", rows.join(", "));
    // The last one lets this connection read them; others do so where the schema is new.
    for statement in [
        "DELETE FROM sqlite_stat1",
        "DELETE FROM sqlite_stat4",
        &insert,
        "ANALYZE sqlite_schema",
    ] {
        connection.execute_unprepared(statement).await?;
    }
    Ok(())
}
