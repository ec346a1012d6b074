//! The public pages of objects, for sitemaps.

use std::ops::Range;

use sea_orm::{
    ColumnTrait, DbErr, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait},
};

use super::{
    Publishable, Term,
    read_connection::ReadConnection,
    row::{FromRow, Row},
    visibility::Visibility,
};
use crate::calendar::Kind;

/// A page of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SitemapPage {
    pub slug: String,
    /// The last write, in seconds since 1970 UTC.
    pub modified_at: i64,
}

impl FromRow for SitemapPage {
    fn from_row(row: &Row<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            slug: row.text(0)?.unwrap_or_default(),
            modified_at: row.integer(1)?,
        })
    }
}

/// The published objects with these IDs, except events that are hidden from listings.
pub(crate) async fn pages<E: Publishable>(
    database: &impl ReadConnection,
    now: i64,
    ids: Range<i64>,
) -> Result<Vec<SitemapPage>, DbErr> {
    let pages = published::<E>(now, ids).select_only().column(E::SLUG);
    let pages = pages.expr(Expr::col("modified_at")).order_by_asc(E::ID);
    database.rows(&pages.into_query()).await
}

/// Whether there is such an object.
pub(crate) async fn has_pages<E: Publishable>(
    database: &impl ReadConnection,
    now: i64,
    ids: Range<i64>,
) -> Result<bool, DbErr> {
    let first = published::<E>(now, ids).select_only().column(E::ID).limit(1);
    let first: Option<[i64; 1]> = database.row(&first.into_query()).await?;
    Ok(first.is_some())
}

/// The highest ID in the table; 0 if it is empty.
pub(crate) async fn last_id<E: Publishable>(database: &impl ReadConnection) -> Result<i64, DbErr> {
    let last = E::find().select_only().column(E::ID).order_by_desc(E::ID).limit(1);
    let last: Option<[i64; 1]> = database.row(&last.into_query()).await?;
    Ok(last.map_or(0, |[id]| id))
}

/// The slugs of all categories or tags.
pub(crate) async fn slugs<E: Term>(database: &impl ReadConnection) -> Result<Vec<String>, DbErr> {
    let slugs = E::find().select_only().column(E::SLUG).order_by_asc(E::ID);
    database.selected(slugs).await
}

fn published<E: Publishable>(now: i64, ids: Range<i64>) -> Select<E> {
    let published = E::find()
        .filter(Visibility::published(now).condition::<E>())
        .filter(E::ID.gte(ids.start))
        .filter(E::ID.lt(ids.end));
    match E::KIND {
        Kind::Event => published.filter(Expr::col("hide_from_listings").eq(false)),
        _ => published,
    }
}
