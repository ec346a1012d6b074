//! The page of a list.

use almanac_derive::Parameters;

use crate::{
    auth::Caller,
    extract::{MaybeUndefined, number::Position},
    store::PageRequest,
};

/// The query parameters that all lists share.
#[derive(Debug, Parameters)]
pub struct Paging {
    /// Page of results, counted from 1. A page past the last one is answered with 404, page 1 never.
    #[param(default = 1, example = 1)]
    pub page: MaybeUndefined<Position>,
    /// Items on a page. Above the server's maximum, 100 unless it is configured otherwise, the maximum is used, and
    /// `total_pages` and the links to other pages go by it.
    #[param(default_in(A, 10), default_in(B, 5), example = 10)]
    pub per_page: MaybeUndefined<Position>,
}

impl Paging {
    /// The requested page, with at most as many items as the server allows.
    pub fn request(self, caller: &Caller) -> PageRequest {
        let maximum = caller.almanac.settings.max_per_page;
        PageRequest {
            page: self.page.take().map_or(1, |page| page.0),
            per_page: self.per_page.take().map_or(maximum, |size| size.0.min(maximum)),
        }
    }
}
