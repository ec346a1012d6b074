//! The measured operations: their names and their requests.

mod batches;
mod beyond_specification;
mod changes;
mod feeds;
mod lists;
mod pages;
mod reads;
mod series;
mod writes;

use std::rc::Rc;

use anyhow::Result;

use crate::{dataset::Dataset, generator::FetchedResponse, request::RequestSpec, server_process::default_list};

pub(crate) use changes::current_token;
pub(crate) use series::{LIST_OF_OCCURRENCES, NewSeries, list_of_events};
pub(crate) use writes::{CREATES_WITH_WEBHOOKS, NewEvent, OLDER_CREATES, RAW_INSERTS};

/// The class of an operation, which determines its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The same event, repeatedly.
    OneEvent,
    /// The default list, repeatedly.
    DefaultList,
    /// A different event with each request.
    OneEventNew,
    /// The first page of the default window, not cached.
    DefaultListNew,
    /// The default list right after a write, which has invalidated everything it depends on.
    AfterWrite,
    /// Page 1,000 of the default window or a later one, not cached.
    MiddlePage,
    /// Page 30,000 of the default window or a later one, not cached.
    DeepPage,
    /// A list with one filter, not cached.
    OneFilter,
    /// A list of the events near a position, not cached.
    GeoRadius,
    /// A list with several filters, not cached.
    SeveralFilters,
    /// A search with a limited number of matches, not cached.
    Search,
    /// A list of the venues or organizers that have events or upcoming ones, not cached.
    LinkedResources,
    /// The feed of the default window, repeatedly.
    Feed,
    /// The same, not cached.
    FeedNew,
    /// The page with the list of upcoming events, repeatedly.
    ListPage,
    /// The same, not cached.
    ListPageNew,
    /// The page with this month, repeatedly.
    MonthPage,
    /// The same, not cached.
    MonthPageNew,
    /// A poll for changes without any, repeatedly.
    Poll,
    /// A page of 500 objects for a copy of the calendar, or of 500 changes, not cached.
    Changes,
    /// The default list of events without series, not cached.
    ListOfEvents,
    /// The same on a database with as many events, which belong to series.
    ListOfOccurrences,
    /// Creates of series of 52 events, compared with those of one event.
    SeriesCreates,
    /// A change of the title of the 100 events of a series.
    SeriesUpdates,
    /// Batches of 100 creates, compared with one create.
    Batches,
    /// No target.
    Untargeted,
    Creates,
    /// The same creates by an older program.
    OlderCreates,
    RawInserts,
    /// The same creates while three webhooks send messages.
    CreatesWithWebhooks,
    Mix,
    PureReads,
}

/// A measured operation.
#[derive(Clone)]
pub(crate) struct Operation {
    pub name: String,
    pub class: Class,
    /// The expected status of responses.
    pub status: u16,
    /// Builds the request with this number.
    pub request: Rc<dyn Fn(u64) -> RequestSpec>,
    /// Builds a write that precedes the request with this number. It is not measured.
    pub write_before: Option<Rc<dyn Fn(u64) -> RequestSpec>>,
    /// An operation that is measured in the same rounds.
    pub compared_with: Option<Rc<Operation>>,
}

impl Operation {
    fn new(name: &str, class: Class, request: impl Fn(u64) -> RequestSpec + 'static) -> Self {
        Self {
            name: name.to_owned(),
            class,
            status: 200,
            request: Rc::new(request),
            write_before: None,
            compared_with: None,
        }
    }

    /// Sends the same request repeatedly, so that responses are cached.
    fn repeated(name: &str, class: Class, request: RequestSpec) -> Self {
        Self::new(&format!("{name}, again"), class, move |_| request.clone())
    }

    /// Makes each request unique, so that no response is cached.
    fn unique(name: &str, class: Class, request: impl Fn(u64) -> RequestSpec + 'static) -> Self {
        Self::new(&format!("{name}, new"), class, move |number| {
            request(number).made_unique(number)
        })
    }

    fn after(self, write: impl Fn(u64) -> RequestSpec + 'static) -> Self {
        Self {
            write_before: Some(Rc::new(write)),
            ..self
        }
    }

    fn compared_with(self, other: Self) -> Self {
        Self {
            compared_with: Some(Rc::new(other)),
            ..self
        }
    }

    /// The same request alone.
    pub(crate) fn without_write_before(&self) -> Self {
        Self {
            write_before: None,
            ..self.clone()
        }
    }

    fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

/// All reads. `token` is that of a copy that is up to date, and `fetch` sends a request to the running server.
pub(crate) fn reads(
    dataset: &Rc<Dataset>,
    token: &str,
    fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>,
) -> Result<Vec<Operation>> {
    let mut operations = reads::events(dataset, fetch)?;
    operations.extend(lists::pages(fetch)?);
    operations.extend(lists::filters(dataset));
    operations.extend(lists::combinations(dataset));
    operations.extend(beyond_specification::lists(dataset));
    operations.extend(lists::linked_resources());
    operations.extend(lists::terms());
    operations.extend(feeds::default_window(fetch)?);
    operations.extend(pages::all());
    operations.extend(changes::all(token));
    operations.extend(reads::document());
    Ok(operations)
}

/// All writes, and the read of what was written after this token. `own` are the IDs of events that may be updated, and
/// `series` those of an event of each series that may.
pub(crate) fn writes(dataset: &Rc<Dataset>, token: &str, own: &[i64], series: &[i64]) -> Vec<Operation> {
    let mut operations = vec![changes::since(token)];
    operations.extend(writes::all(dataset, own));
    operations.extend(series::all(dataset, series));
    operations.push(batches::all(dataset));
    operations
}

/// The load for measuring memory.
pub(crate) fn varied_reads(dataset: &Rc<Dataset>) -> Operation {
    let mut operations = lists::filters(dataset);
    operations.extend(lists::combinations(dataset));
    let one = reads::another_event(dataset);
    Operation::new("varied reads", Class::Untargeted, move |number| {
        // Half of the requests read one event.
        if number % 2 == 0 {
            (one.request)(number / 2)
        } else {
            (pick(&operations, number).request)(number)
        }
    })
}

/// A list that is always in the response cache.
pub(crate) fn cached_list() -> Operation {
    Operation::repeated("events", Class::DefaultList, default_list())
}

/// A pseudo-random entry, determined by the number. `from` must not be empty.
fn pick<T>(from: &[T], number: u64) -> &T {
    &from[(hash(number) % from.len() as u64) as usize]
}

/// The SplitMix64 hash.
fn hash(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
