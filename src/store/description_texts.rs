//! The plain texts of descriptions of rows that were stored before the column existed ([`super::backfill`]).

use std::marker::PhantomData;

use sea_orm::{DbErr, sea_query::Expr};

use super::{
    Publishable, Store,
    backfill::{self, Derivation},
    entity::{event, organizer, venue},
    publishable::PublishableRow,
};
use crate::calendar::html::text_content;

/// Fills in all missing texts. Returns the number of rows written.
pub async fn fill(store: &Store) -> Result<u64, DbErr> {
    Ok(backfill::fill::<DescriptionText<event::Entity>>(store).await?
        + backfill::fill::<DescriptionText<venue::Entity>>(store).await?
        + backfill::fill::<DescriptionText<organizer::Entity>>(store).await?)
}

struct DescriptionText<E>(PhantomData<E>);

impl<E: Publishable> Derivation for DescriptionText<E> {
    type Entity = E;
    const MISSING: E::Column = E::DESCRIPTION_TEXT;

    fn derive(row: &E::Model) -> Vec<(E::Column, Expr)> {
        let text = text_content(&row.common_columns().description);
        vec![(E::DESCRIPTION_TEXT, Expr::value(text))]
    }
}
