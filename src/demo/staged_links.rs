//! A staging table for links. Once all events exist, the links are moved to the link tables in one statement each,
//! which adds the columns that are denormalised from events.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, IdenStatic,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::store::{
    Transaction,
    denormalised::{LISTING_COLUMNS, insert_selected, listing_values},
    entity::{event, event_category, event_organizer, event_tag, event_venue},
    links::Link,
};

const TABLE: &str = "staged_links";
const COLUMNS: [&str; 4] = ["kind", "event_id", "target_id", "position"];

/// The IDs that an event links to, in the order of [`LinkKind`](crate::store::links::LinkKind).
pub(super) type Targets<'ids> = [&'ids [i64]; 4];

/// Links that are staged, or buffered for the staging table.
pub(super) struct StagedLinks {
    rows: Vec<[i64; COLUMNS.len()]>,
}

impl StagedLinks {
    pub(super) async fn new(transaction: &Transaction) -> Result<Self, DbErr> {
        let columns = COLUMNS.map(|column| format!("{column} bigint NOT NULL"));
        let create = format!("CREATE TEMPORARY TABLE {TABLE} ({})", columns.join(", "));
        transaction.execute_unprepared(&create).await?;
        Ok(Self { rows: Vec::new() })
    }

    /// Buffers the links of an event.
    pub(super) fn add(&mut self, event: i64, targets: Targets<'_>) {
        for (kind, targets) in (0..).zip(targets) {
            let links = (0..).zip(targets);
            let rows = links.map(|(position, target)| [kind, event, *target, position]);
            self.rows.extend(rows);
        }
    }

    /// Stages the links that fill whole statements, so that all statements have the same SQL.
    pub(super) async fn flush_full_batches(&mut self, transaction: &Transaction) -> Result<(), DbErr> {
        let max_rows = super::bulk::MAX_PARAMETERS / COLUMNS.len();
        while self.rows.len() >= max_rows {
            let remaining = self.rows.split_off(max_rows);
            let full = std::mem::replace(&mut self.rows, remaining);
            insert(transaction, full).await?;
        }
        Ok(())
    }

    /// Moves all links to the link tables, and drops the staging table.
    pub(super) async fn move_to_link_tables(mut self, transaction: &Transaction) -> Result<(), DbErr> {
        self.flush_full_batches(transaction).await?;
        if !self.rows.is_empty() {
            insert(transaction, self.rows).await?;
        }
        move_kind::<event_venue::Entity>(transaction).await?;
        move_kind::<event_organizer::Entity>(transaction).await?;
        move_kind::<event_category::Entity>(transaction).await?;
        move_kind::<event_tag::Entity>(transaction).await?;
        let drop = format!("DROP TABLE {TABLE}");
        transaction.execute_unprepared(&drop).await?;
        Ok(())
    }
}

/// Moves the links of one kind into their table.
async fn move_kind<L: Link>(transaction: &Transaction) -> Result<(), DbErr> {
    let links = ["event_id", "target_id", "position"];
    let staged = |column: &'static str| Expr::col((TABLE, column));
    let id = Expr::col(event::Column::Id.as_column_ref());
    let rows = Query::select()
        .exprs(links.map(staged))
        .exprs(listing_values())
        .from(TABLE)
        // Makes SQLite look up the event of each link, not the links of each event.
        .cross_join(event::Entity)
        .and_where(staged("kind").eq(L::KIND as i64))
        .and_where(id.eq(staged("event_id")))
        .to_owned();
    let columns = links.into_iter().chain(LISTING_COLUMNS.map(|column| column.as_str()));
    insert_selected(transaction, L::default(), columns, rows).await
}

async fn insert(transaction: &Transaction, rows: Vec<[i64; COLUMNS.len()]>) -> Result<(), DbErr> {
    let mut insert = Query::insert();
    insert.into_table(TABLE).columns(COLUMNS);
    for row in rows {
        insert.values_panic(row.map(Expr::val));
    }
    transaction.execute(&insert).await?;
    Ok(())
}
