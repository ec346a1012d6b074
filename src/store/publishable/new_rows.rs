//! Insertions of rows, whose slugs must be unique.

use std::collections::{HashMap, HashSet};

use sea_orm::{
    ActiveModelTrait, DbErr, IntoActiveModel, Iterable, QueryTrait,
    sea_query::{OnConflict, Query},
};

use super::{Publishable, PublishableRow, not_in_trash};
use crate::{
    calendar::Kind,
    store::{
        Transaction,
        read_connection::ReadConnection,
        rows,
        slugs::{self, Slugs},
        statement_texts::StatementTexts,
    },
};

/// Rows per statement. Its parameters must not exceed the limits of the databases (32,766 and 65,535).
const ROWS: usize = 100;

/// Inserts new rows, none of which is in the trash, with a number appended to the slugs that other objects have. Returns
/// them with their IDs, in the same order. On PostgreSQL this waits for other writers that insert the same slugs.
pub(crate) async fn insert_with_free_slugs<E: Publishable>(
    transaction: &Transaction,
    mut rows: Vec<E::Model>,
) -> Result<Vec<E::Model>, DbErr> {
    let mut missing: Vec<&mut E::Model> = rows.iter_mut().collect();
    insert_unless_taken::<E>(transaction, &mut missing).await?;
    // Slugs are locked once all rows with slugs of their own are inserted: a writer with this lock must not wait for
    // rows of others, who may wait for the lock.
    let mut renamed: Vec<(String, &mut E::Model)> = missing
        .into_iter()
        .map(|row| (row.common_columns().slug, row))
        .collect();
    while !renamed.is_empty() {
        let slugs = Slugs::<E>::of_publishable(0);
        let mut chosen = HashSet::new();
        for (base, row) in &mut renamed {
            slugs::lock_slug(transaction, E::KIND, base).await?;
            let mut columns = row.common_columns();
            // Another writer may insert it first, without the lock, if its title ends with this number.
            columns.slug = slugs.find_free_besides(transaction, base, &chosen).await?;
            chosen.insert(columns.slug.clone());
            row.set_common_columns(columns);
        }
        let mut missing: Vec<&mut E::Model> = renamed.iter_mut().map(|(_, row)| &mut **row).collect();
        insert_unless_taken::<E>(transaction, &mut missing).await?;
        renamed.retain(|(_, row)| is_new(&**row));
    }
    Ok(rows)
}

/// Inserts the rows whose slugs no other object has, sets their IDs, and removes them from the list.
async fn insert_unless_taken<E: Publishable>(
    transaction: &Transaction,
    rows: &mut Vec<&mut E::Model>,
) -> Result<(), DbErr> {
    static TEXTS: StatementTexts<(Kind, usize)> = StatementTexts::new();
    for batch in rows.chunks_mut(ROWS) {
        let new: Vec<E::ActiveModel> = batch
            .iter()
            .map(|row| rows::new_row((**row).clone().into_active_model()))
            .collect();
        let values_of = |row: &E::ActiveModel| {
            let value = |column| row.get(column).into_value();
            E::Column::iter().filter_map(value).collect::<Vec<_>>()
        };
        let values = new.iter().flat_map(values_of).collect();
        let insert = || {
            let unique_slug = OnConflict::column(E::SLUG)
                .target_and_where(not_in_trash())
                .do_nothing()
                .to_owned();
            let mut insert = E::insert_many(new).on_conflict(unique_slug).into_query();
            insert.returning(Query::returning().columns([E::ID, E::SLUG]));
            insert
        };
        let statement = TEXTS.statement(transaction.backend(), (E::KIND, batch.len()), values, insert);
        let inserted: Vec<(i64, String)> = transaction.rows_of(statement).await?;
        let mut ids: HashMap<String, i64> = inserted.into_iter().map(|(id, slug)| (slug, id)).collect();
        for row in batch {
            let mut columns = row.common_columns();
            // Of several rows with one slug, the first one is inserted.
            if let Some(id) = ids.remove(&columns.slug) {
                columns.id = id;
                row.set_common_columns(columns);
            }
        }
    }
    rows.retain(|row| is_new(&**row));
    Ok(())
}

/// Returns true for a row that the database has not given an ID yet. It gives positive ones.
fn is_new(row: &impl PublishableRow) -> bool {
    row.id() <= 0
}
