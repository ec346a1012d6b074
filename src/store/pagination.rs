//! Pages of lists with the total number of items.

use sea_orm::{
    DbErr, EntityTrait, QuerySelect, QueryTrait, Select,
    sea_query::{CommonTableExpression, Order, Query, SelectStatement, WithClause},
};

use super::{count, read_connection::ReadConnection};

/// The number and the size of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest {
    /// From 1.
    pub page: u64,
    /// From 1.
    pub per_page: u64,
}

impl PageRequest {
    /// The number of items before the page, at most `i64::MAX`, the limit of the databases.
    pub fn offset(&self) -> u64 {
        let before = (self.page - 1).saturating_mul(self.per_page);
        before.min(i64::MAX.unsigned_abs())
    }

    /// Limits a statement to the rows of the page.
    pub fn limit<S: QuerySelect>(&self, rows: S) -> S {
        rows.limit(self.per_page).offset(self.offset())
    }
}

/// A page of a list.
#[derive(Debug)]
pub struct Page<M> {
    pub rows: Vec<M>,
    /// The number of items on all pages.
    pub total: u64,
    pub request: PageRequest,
}

impl<M> Page<M> {
    /// The number of pages.
    pub fn total_pages(&self) -> u64 {
        self.total.div_ceil(self.request.per_page)
    }

    /// Whether the requested page is beyond the last one. The first page always exists.
    pub fn is_past_the_end(&self) -> bool {
        self.request.page > 1 && self.request.page > self.total_pages()
    }
}

/// Counts the rows of a statement, whose condition must not depend on the texts of events.
pub async fn count<E: EntityTrait>(database: &impl ReadConnection, rows: Select<E>) -> Result<u64, DbErr> {
    let count = rows.select_only().expr(count::rows());
    let count = count::fetch_one(database, &count.into_query()).await?;
    Ok(count.unsigned_abs())
}

/// Reads the total and the IDs of a page with one statement, for lists whose rows cost more to find than to sort.
/// `matching` must select `id` and the columns of the order.
pub(crate) async fn page_with_total(
    database: &impl ReadConnection,
    matching: SelectStatement,
    order: &[(&'static str, Order)],
    request: PageRequest,
) -> Result<(u64, Vec<i64>), DbErr> {
    // Counting the materialised rows costs less than a window function, which copies them again.
    let materialized = CommonTableExpression::new()
        .table_name("matching")
        .query(matching.clone())
        .materialized(true)
        .to_owned();
    let total = Query::select().expr(count::rows()).from("matching").to_owned();
    let mut page = Query::select()
        .with_cte(WithClause::new().cte(materialized).to_owned())
        .column("id")
        .expr(count::subquery(total))
        .from("matching")
        .limit(request.per_page)
        .offset(request.offset())
        .to_owned();
    for (column, direction) in order {
        page.order_by(*column, direction.clone());
    }
    let rows: Vec<[i64; 2]> = database.rows(&page).await?;
    let total = match rows.first() {
        Some([_, total]) => *total,
        None if request.page == 1 => 0,
        // Beyond the last page, no row carries the total.
        None => {
            let count = Query::select()
                .expr(count::rows())
                .from_subquery(matching, "matching")
                .to_owned();
            count::fetch(database, &count).await?
        }
    };
    Ok((total.unsigned_abs(), rows.into_iter().map(|[id, _]| id).collect()))
}
