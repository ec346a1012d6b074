//! Categories form a tree, tags do not.

use sea_orm_migration::prelude::*;

use super::{id, index, integer, sort_by_code_point, text};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// The columns that categories and tags have in common. `name_key` is the name as it is compared.
fn term(table: &'static str) -> TableCreateStatement {
    Table::create()
        .table(table)
        .col(id("id"))
        .col(integer("version"))
        .col(text("name"))
        .col(text("name_key"))
        .col(text("slug").unique_key())
        .col(text("description"))
        .col(text("search_text"))
        .to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Zero is the root: a null parent would escape the unique index on parent and name.
        let mut categories = term("categories");
        categories.col(integer("parent"));
        manager.create_table(categories).await?;
        manager.create_table(term("tags")).await?;
        for (name, table, columns) in [
            ("categories_name", "categories", &["parent", "name_key"][..]),
            ("tags_name", "tags", &["name_key"][..]),
        ] {
            let mut unique = Index::create();
            unique.name(name).table(table).unique();
            for column in columns {
                unique.col(*column);
            }
            manager.create_index(unique).await?;
        }
        for (table, order) in [("categories", "categories_order"), ("tags", "tags_order")] {
            sort_by_code_point(manager, table, &["name_key", "slug", "description"]).await?;
            index(manager, order, table, &["name_key", "id"]).await?;
        }
        Ok(())
    }
}
