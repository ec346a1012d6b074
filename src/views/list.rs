//! List responses.

use poem_openapi::{Object, types::ToJSON};
use serde::Serialize;
use url::form_urlencoded;

use super::{
    event::EventView,
    organizer::OrganizerView,
    shared::Shared,
    term::{CategoryView, TagView},
    venue::VenueView,
};
use crate::{
    auth::Caller,
    calendar::Kind,
    error::Problem,
    response::{Reply, Representation, media_type::Format},
    store::Page,
};

/// The members of list responses beside the items.
#[derive(Clone, Debug, Object, Serialize)]
pub(crate) struct Paging {
    /// The URL of this page.
    pub rest_url: String,
    /// The URL of the next page, with the same filters; absent on the last page.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_rest_url: Option<String>,
    /// The URL of the previous page, with the same filters; absent on the first page.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_rest_url: Option<String>,
    /// The number of items on all pages.
    pub total: u64,
    /// The number of pages.
    pub total_pages: u64,
}

macro_rules! list {
    ($(#[$doc:meta])* $name:ident, $items:ident: $view:ty $(, $format:expr)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Object, Serialize)]
        pub(crate) struct $name {
            /// The items of this page.
            pub $items: Vec<$view>,
            #[oai(flatten)]
            #[serde(flatten)]
            pub paging: Paging,
        }

        impl Representation for $name {
            const FORMATS: &'static [Format<Self>] = &[Format::JSON $(, $format)*];
            const ITEMS: Option<&'static str> = Some(stringify!($items));
        }

        impl List for $name {
            type Item = $view;

            fn new($items: Vec<$view>, paging: Paging) -> Self {
                Self { $items, paging }
            }
        }
    };
}

/// One page of items.
pub(crate) trait List {
    type Item: ToJSON;
    fn new(items: Vec<Self::Item>, paging: Paging) -> Self;
}

list!(
    /// One page of events.
    EventList, events: Shared<EventView>
);
list!(
    /// One page of venues.
    VenueList, venues: VenueView
);
list!(
    /// One page of organizers.
    OrganizerList, organizers: OrganizerView
);
list!(
    /// One page of categories.
    CategoryList, categories: CategoryView
);
list!(
    /// One page of tags.
    TagList, tags: TagView
);

/// The response with one page, and with headers for the totals and links to other pages.
pub(crate) fn reply<L: List, M, K>(
    caller: &Caller,
    kind: Kind,
    page: &Page<M>,
    items: Vec<L::Item>,
) -> Result<Reply<L, K>, Problem> {
    if page.is_past_the_end() {
        return Err(Problem::page_not_found(kind, page.total_pages()));
    }
    let (number, pages) = (page.request.page, page.total_pages());
    let here = format!("{}{}", caller.address.base, caller.uri.path());
    let query = caller.uri.query().unwrap_or_default();
    let url_of = |number: u64| page_url(&here, query, number);
    let rest_url = match query {
        "" => here.clone(),
        query => format!("{here}?{query}"),
    };
    let paging = Paging {
        rest_url,
        next_rest_url: (number < pages).then(|| url_of(number + 1)),
        previous_rest_url: (number > 1).then(|| url_of(number - 1)),
        total: page.total,
        total_pages: pages,
    };
    let mut links = vec![
        format!("<{}>; rel=\"first\"", url_of(1)),
        format!("<{}>; rel=\"last\"", url_of(pages.max(1))),
    ];
    for (url, relation) in [(&paging.previous_rest_url, "prev"), (&paging.next_rest_url, "next")] {
        links.extend(url.as_ref().map(|url| format!("<{url}>; rel=\"{relation}\"")));
    }
    Ok(Reply::new(L::new(items, paging))
        .in_media_type(caller.media_type)
        .with_header("x-tec-total", page.total)
        .with_header("x-tec-totalpages", pages)
        .with_header("x-wp-total", page.total)
        .with_header("x-wp-totalpages", pages)
        .with_header("link", links.join(", ")))
}

/// The URL of another page of the same list, with the same filters.
pub(crate) fn page_url(here: &str, query: &str, number: u64) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name != "page" {
            text.append_pair(&name, &value);
        }
    }
    text.append_pair("page", &number.to_string());
    format!("{here}?{}", text.finish())
}
