//! Slugs that objects had before. Triggers record them when a slug changes.

use sea_orm::{
    DbErr,
    sea_query::{Expr, ExprTrait, Query},
};

use super::read_connection::ReadConnection;
use crate::calendar::Kind;

/// The ID of the last object of the kind that gave up the slug. Another one may have it now.
pub(crate) async fn find(database: &impl ReadConnection, kind: Kind, slug: &str) -> Result<Option<i64>, DbErr> {
    let target = Query::select()
        .column("target_id")
        .from("former_slugs")
        .and_where(Expr::col("kind").eq(kind.name()))
        .and_where(Expr::col("slug").eq(slug))
        .to_owned();
    let row: Option<[i64; 1]> = database.row(&target).await?;
    Ok(row.map(|[id]| id))
}
