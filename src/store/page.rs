//! One page of a list, and how many items there are in all.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QuerySelect, Select, sea_query::Expr};

/// Which page of which size.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest {
    /// From 1.
    pub page: u64,
    /// From 1.
    pub per_page: u64,
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
    /// How many pages there are.
    pub fn total_pages(&self) -> u64 {
        self.total.div_ceil(self.request.per_page)
    }

    /// Whether the page that was asked for lies behind the last one. The first page always exists.
    pub fn is_past_the_end(&self) -> bool {
        self.request.page > 1 && self.request.page > self.total_pages()
    }
}

/// Fetches the page `request` of `filtered`, which has no order yet, in the order that `order` gives it.
pub async fn fetch<E: EntityTrait>(
    database: &impl ConnectionTrait,
    filtered: Select<E>,
    order: impl FnOnce(Select<E>) -> Select<E>,
    request: PageRequest,
) -> Result<Page<E::Model>, DbErr> {
    let total = filtered
        .clone()
        .select_only()
        .expr(Expr::cust("COUNT(*)"))
        .into_tuple::<i64>()
        .one(database)
        .await?
        .unwrap_or(0);
    let mut page = Page {
        rows: Vec::new(),
        total: total.unsigned_abs(),
        request,
    };
    let offset = (request.page - 1).saturating_mul(request.per_page);
    if offset < page.total {
        page.rows = order(filtered)
            .limit(request.per_page)
            .offset(offset)
            .all(database)
            .await?;
    }
    Ok(page)
}
