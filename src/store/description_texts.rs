//! The plain texts of descriptions of rows that were stored before the column existed ([`super::backfill`]).

use std::sync::Arc;

use sea_orm::{ColumnTrait, DbErr, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};
use tokio::{task::spawn_blocking, time::sleep};

use super::{
    Publishable, Store, Transaction,
    backfill::{BATCH, PAUSE},
    entity::{event, organizer, venue},
};
use crate::calendar::html::text_content;

/// Fills in all missing texts. Returns the number of rows written.
pub async fn fill(store: &Store) -> Result<u64, DbErr> {
    Ok(fill_table::<event::Entity>(store).await?
        + fill_table::<venue::Entity>(store).await?
        + fill_table::<organizer::Entity>(store).await?)
}

async fn fill_table<E: Publishable>(store: &Store) -> Result<u64, DbErr> {
    let mut written = 0;
    let mut last = 0;
    loop {
        let rows: Vec<(i64, i64, String)> = E::find()
            .select_only()
            .columns([E::ID, E::VERSION, E::DESCRIPTION])
            .filter(E::DESCRIPTION_TEXT.is_null())
            .filter(E::ID.gt(last))
            .order_by_asc(E::ID)
            .limit(BATCH)
            .into_tuple()
            .all(store.reader())
            .await?;
        let Some((id, ..)) = rows.last() else {
            return Ok(written);
        };
        last = *id;
        let texts = spawn_blocking(move || {
            let with_text = |(id, version, html): (i64, i64, String)| (id, version, text_content(&html));
            rows.into_iter().map(with_text).collect::<Vec<_>>()
        });
        let texts = texts.await.map_err(|panic| DbErr::Custom(panic.to_string()))?;
        written += store.write(|transaction| write::<E>(transaction, &texts)).await?;
        sleep(PAUSE).await;
    }
}

async fn write<E: Publishable>(transaction: Arc<Transaction>, texts: &[(i64, i64, String)]) -> Result<u64, DbErr> {
    let mut written = 0;
    for (id, version, text) in texts {
        let update = E::update_many()
            .col_expr(E::DESCRIPTION_TEXT, Expr::value(text))
            .filter(E::ID.eq(*id))
            .filter(E::VERSION.eq(*version))
            .filter(E::DESCRIPTION_TEXT.is_null());
        written += update.exec(&*transaction).await?.rows_affected;
    }
    Ok(written)
}
