//! Columns of events that are derived from title and cost, so that lists can be filtered and sorted by them.
//!
//! Events that were stored before the columns existed get them in the background ([`super::backfill`]).

use std::sync::Arc;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};
use tokio::{task::spawn_blocking, time::sleep};

use super::{
    Store, Transaction,
    backfill::{BATCH, PAUSE},
    entity::event::{Column, Entity, Model},
};
use crate::calendar::{cost::Cost, title_key::title_key};

impl Model {
    /// Sets the columns that are derived from title and cost.
    pub fn derive_keys(&mut self) {
        let Keys {
            title_key,
            cost_min,
            cost_max,
        } = Keys::of(&self.title, &self.cost);
        self.title_key = Some(title_key);
        self.cost_min = cost_min;
        self.cost_max = cost_max;
    }
}

struct Keys {
    title_key: String,
    cost_min: Option<i64>,
    cost_max: Option<i64>,
}

impl Keys {
    fn of(title: &str, cost: &str) -> Self {
        let (cost_min, cost_max) = Cost::parse(cost).range().unzip();
        Self {
            title_key: title_key(title),
            cost_min,
            cost_max,
        }
    }
}

/// Fills in all missing keys. Returns the number of events written.
pub async fn fill(store: &Store) -> Result<u64, DbErr> {
    let mut written = 0;
    let mut last = 0;
    loop {
        let rows: Vec<(i64, i64, String, String)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::Version, Column::Title, Column::Cost])
            .filter(Column::TitleKey.is_null())
            .filter(Column::Id.gt(last))
            .order_by_asc(Column::Id)
            .limit(BATCH)
            .into_tuple()
            .all(store.reader())
            .await?;
        let Some((id, ..)) = rows.last() else {
            return Ok(written);
        };
        last = *id;
        let keys = spawn_blocking(move || {
            let with_keys =
                |(id, version, title, cost): (i64, i64, String, String)| (id, version, Keys::of(&title, &cost));
            rows.into_iter().map(with_keys).collect::<Vec<_>>()
        });
        let keys = keys.await.map_err(|panic| DbErr::Custom(panic.to_string()))?;
        written += store.write(|transaction| write(transaction, &keys)).await?;
        sleep(PAUSE).await;
    }
}

async fn write(transaction: Arc<Transaction>, keys: &[(i64, i64, Keys)]) -> Result<u64, DbErr> {
    let mut written = 0;
    for (id, version, keys) in keys {
        let update = Entity::update_many()
            .col_expr(Column::TitleKey, Expr::value(keys.title_key.as_str()))
            .col_expr(Column::CostMin, Expr::value(keys.cost_min))
            .col_expr(Column::CostMax, Expr::value(keys.cost_max))
            .filter(Column::Id.eq(*id))
            .filter(Column::Version.eq(*version))
            .filter(Column::TitleKey.is_null());
        written += update.exec(&*transaction).await?.rows_affected;
    }
    Ok(written)
}
