//! Columns of events that are derived from title, description and cost, so that lists can be searched, filtered and
//! sorted by them.
//!
//! Events that were stored before the keys of title and cost existed get them in the background ([`super::backfill`]).

use sea_orm::{DbErr, sea_query::Expr};

use super::{
    Store,
    backfill::{self, Derivation},
    entity::event::{Column, Entity, Model},
    publishable::PublishableRow,
};
use crate::calendar::{cost::Cost, text::to_search_text, title_key::title_key};

impl Model {
    /// Sets the text that searches match.
    pub fn derive_search_text(&mut self) {
        self.search_text = to_search_text(&[self.title.as_str(), &self.description_text()]);
    }

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
    backfill::fill::<Keys>(store).await
}

impl Derivation for Keys {
    type Entity = Entity;
    const MISSING: Column = Column::TitleKey;

    fn derive(row: &Model) -> Vec<(Column, Expr)> {
        let Self {
            title_key,
            cost_min,
            cost_max,
        } = Self::of(&row.title, &row.cost);
        vec![
            (Column::TitleKey, Expr::value(title_key)),
            (Column::CostMin, Expr::value(cost_min)),
            (Column::CostMax, Expr::value(cost_max)),
        ]
    }
}
