//! Pages past the end of a list.
//!
//! For such a page, the native API responds with 404 and without totals. The Events Calendar sends the totals in
//! headers, and for terms an empty page instead of the 404. The totals are read from the first page.

use poem::{
    Request, Response, Result,
    http::{HeaderMap, HeaderName},
};

use super::request::CompatRequest;
use crate::{calendar::Kind, error::Problem, extract::form, views::list::page_url};

const TOTAL: [HeaderName; 2] = [
    HeaderName::from_static("x-tec-total"),
    HeaderName::from_static("x-wp-total"),
];
const TOTAL_PAGES: [HeaderName; 2] = [
    HeaderName::from_static("x-tec-totalpages"),
    HeaderName::from_static("x-wp-totalpages"),
];

/// The length of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub items: u64,
    pub pages: u64,
}

impl Totals {
    /// Reads the headers of a native list.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let number = |name| headers.get(name)?.to_str().ok()?.parse().ok();
        Some(Self {
            items: number(&TOTAL[0])?,
            pages: number(&TOTAL_PAGES[0])?,
        })
    }

    /// Sets the headers of a list.
    pub(super) fn insert_into(self, headers: &mut HeaderMap) {
        for (names, number) in [(TOTAL, self.items), (TOTAL_PAGES, self.pages)] {
            for name in names {
                headers.insert(name, number.into());
            }
        }
    }
}

/// The same request for the first page. `None` unless the request is for a page of a list.
pub(super) fn first_page(request: &Request, compat: &CompatRequest) -> Option<Request> {
    let is_paged = || form::query(&compat.query).into_values().contains_key("page");
    if !compat.is_list() || !is_paged() {
        return None;
    }
    let url = page_url(request.uri().path(), &compat.query, 1);
    let mut first_page = Request::builder().uri(url.parse().ok()?).finish();
    *first_page.headers_mut() = request.headers().clone();
    *first_page.extensions_mut() = request.extensions().clone();
    Some(first_page)
}

/// Whether the native API responds that the page is past the end of the list.
pub(super) fn is_past_the_end(result: &Result<Response>, kind: Kind) -> bool {
    let error = result.as_ref().err();
    error
        .and_then(poem::Error::downcast_ref::<Problem>)
        .is_some_and(|problem| problem.body().code == kind.page_not_found())
}
