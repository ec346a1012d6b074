//! One page of a list, and how many items there are in all.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QuerySelect, QueryTrait, Select};

use super::number;

/// Which page of which size.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest {
    /// From 1.
    pub page: u64,
    /// From 1.
    pub per_page: u64,
}

impl PageRequest {
    /// How many items lie before the page; no more than databases can count.
    pub fn offset(&self) -> u64 {
        let before = (self.page - 1).saturating_mul(self.per_page);
        before.min(i64::MAX.unsigned_abs())
    }

    /// The rows of the page.
    pub fn of<S: QuerySelect>(&self, rows: S) -> S {
        rows.limit(self.per_page).offset(self.offset())
    }
}

/// One page.
#[derive(Debug)]
pub struct Page<M> {
    pub rows: Vec<M>,
    /// Items on all pages.
    pub total: u64,
    pub request: PageRequest,
}

impl<M> Page<M> {
    /// A page behind the last one, or of an empty list.
    pub fn empty(total: u64, request: PageRequest) -> Self {
        Self {
            rows: Vec::new(),
            total,
            request,
        }
    }

    /// How many pages there are.
    pub fn total_pages(&self) -> u64 {
        self.total.div_ceil(self.request.per_page)
    }

    /// Whether the page that was asked for lies behind the last one. The first page always exists.
    pub fn is_past_the_end(&self) -> bool {
        self.request.page > 1 && self.request.page > self.total_pages()
    }
}

/// How many rows there are.
pub async fn count<E: EntityTrait>(
    database: &impl ConnectionTrait,
    rows: Select<E>,
) -> Result<u64, DbErr> {
    let count = rows.select_only().expr(number::rows());
    let count = number::ask(database, &count.into_query()).await?;
    Ok(count.unsigned_abs())
}
