//! The steps that bring a database to the present schema, oldest first.
//!
//! A step that has landed is never edited: a change of the schema is a new file.
//! Each statement runs on SQLite and on PostgreSQL alike.
//!
//! Instants are whole seconds since 1970-01-01 UTC, as `bigint`: both databases compare and index
//! them alike, and no driver reads a zone into them.

use sea_orm_migration::prelude::*;

mod m0001_users;
mod m0002_images;
mod m0003_terms;
mod m0004_venues_and_organizers;
mod m0005_events;
mod m0006_links;
mod m0007_listing;
mod m0008_upkeep;
mod m0009_search;
mod m0010_statistics;
mod m0011_changes;
mod m0012_long_events;
mod m0013_turns_at_the_tree;
mod m0014_around_a_place;
mod m0015_description_texts;
mod m0016_local_times;
mod m0017_trash_and_following;
mod m0019_lock_order;

pub mod derived;
mod tally;
mod trigger;

pub use m0007_listing::LONG;
pub use m0009_search::fill as fill_search;
pub use m0010_statistics::fill as fill_statistics;
pub use m0016_local_times::local_time as local_time_by_2025b;

/// All steps, in the order in which they run.
pub struct Migrations;

impl MigratorTrait for Migrations {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_users::Migration),
            Box::new(m0002_images::Migration),
            Box::new(m0003_terms::Migration),
            Box::new(m0004_venues_and_organizers::Migration),
            Box::new(m0005_events::Migration),
            Box::new(m0006_links::Migration),
            Box::new(m0007_listing::Migration),
            Box::new(m0008_upkeep::Migration),
            Box::new(m0009_search::Migration),
            Box::new(m0010_statistics::Migration),
            Box::new(m0011_changes::Migration),
            Box::new(m0012_long_events::Migration),
            Box::new(m0013_turns_at_the_tree::Migration),
            Box::new(m0014_around_a_place::Migration),
            Box::new(m0015_description_texts::Migration),
            Box::new(m0016_local_times::Migration),
            Box::new(m0017_trash_and_following::Migration),
            Box::new(m0019_lock_order::Migration),
        ]
    }

    fn migration_table_name() -> DynIden {
        "migrations".into_iden()
    }
}

/// A numeric key that is never given out twice.
fn id(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.big_integer().not_null().auto_increment().primary_key();
    column
}

/// A column of text that is never null.
fn text(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.text().not_null();
    column
}

/// A column of whole numbers or instants that is never null.
fn integer(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.big_integer().not_null();
    column
}

/// A column that is true or false.
fn flag(name: &'static str) -> ColumnDef {
    let mut column = ColumnDef::new(name);
    column.boolean().not_null();
    column
}

/// A key of another table, which is forgotten with its row.
fn optional_reference(table: &mut TableCreateStatement, column: &'static str, to: &'static str) {
    table.col(ColumnDef::new(column).big_integer().null());
    table.foreign_key(
        ForeignKey::create()
            .from_col(column)
            .to(to, "id")
            .on_delete(ForeignKeyAction::SetNull),
    );
}

/// The columns that events, venues and organizers have in common.
fn post(table: &'static str) -> TableCreateStatement {
    let mut statement = Table::create();
    statement
        .table(table)
        .col(id("id"))
        .col(integer("version"))
        .col(text("status"))
        .col(text("slug"))
        .col(integer("published_at"))
        .col(integer("modified_at"))
        .col(text("title"))
        .col(text("description"))
        .col(text("search_text"));
    optional_reference(&mut statement, "author_id", "users");
    optional_reference(&mut statement, "image_id", "images");
    statement
}

/// A slug belongs to one object of its kind, but for those in the trash, which leave theirs to others.
async fn unique_slug_outside_the_trash(manager: &SchemaManager<'_>, table: &str) -> Result<(), DbErr> {
    manager
        .get_connection()
        .execute_unprepared(&format!(
            "CREATE UNIQUE INDEX {table}_slug ON {table} (slug) WHERE status <> 'trash'"
        ))
        .await?;
    Ok(())
}

/// An index over the columns in the order given.
async fn index(
    manager: &SchemaManager<'_>,
    name: &'static str,
    table: &'static str,
    columns: &[&'static str],
) -> Result<(), DbErr> {
    let mut statement = Index::create();
    statement.name(name).table(table);
    for column in columns {
        statement.col(*column);
    }
    manager.create_index(statement).await
}

/// Sorts these columns by code point on PostgreSQL too, whatever the locale of its database: a list has
/// one order on both.
async fn sort_by_code_point(manager: &SchemaManager<'_>, table: &str, columns: &[&str]) -> Result<(), DbErr> {
    if manager.get_database_backend() != sea_orm::DbBackend::Postgres {
        return Ok(());
    }
    for column in columns {
        manager
            .get_connection()
            .execute_unprepared(&format!(
                "ALTER TABLE {table} ALTER COLUMN {column} TYPE text COLLATE \"C\""
            ))
            .await?;
    }
    Ok(())
}
