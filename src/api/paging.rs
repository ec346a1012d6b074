//! Pagination of lists.

use almanac_derive::Parameters;

use crate::{
    auth::Caller,
    calendar::Variant,
    extract::{MaybeUndefined, number::Position},
    store::PageRequest,
};

/// The query parameters that all lists share.
#[derive(Clone, Debug, Parameters)]
pub(crate) struct Paging {
    /// Page number, from 1. A page after the last one returns 404; page 1 always exists.
    #[param(default = 1, example = 1)]
    pub page: MaybeUndefined<Position>,
    /// Items per page. Values above the server's maximum (by default 100) are reduced to the maximum, which
    /// `total_pages` and the links to other pages then use.
    #[param(default_in(A, default_per_page(Variant::A)))]
    #[param(default_in(B, default_per_page(Variant::B)), example = 10)]
    pub per_page: MaybeUndefined<Position>,
}

const fn default_per_page(variant: Variant) -> u64 {
    match variant {
        Variant::A => 10,
        Variant::B => 5,
    }
}

impl Paging {
    /// The requested page, with at most as many items as the server allows.
    pub(crate) fn request(self, caller: &Caller) -> PageRequest {
        self.capped(caller.variant, caller.almanac.settings.max_per_page)
    }

    fn capped(self, variant: Variant, max_per_page: u64) -> PageRequest {
        let per_page = self.per_page.take().map_or(default_per_page(variant), |size| size.0);
        PageRequest {
            page: self.page.take().map_or(1, |page| page.0),
            per_page: per_page.min(max_per_page),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_per_page_is_the_default_of_the_variant() {
        for (variant, max_per_page, expected) in [(Variant::A, 100, 10), (Variant::B, 100, 5), (Variant::A, 3, 3)] {
            let paging = Paging {
                page: MaybeUndefined::Undefined,
                per_page: MaybeUndefined::Undefined,
            };
            assert_eq!(paging.capped(variant, max_per_page).per_page, expected);
        }
    }
}
