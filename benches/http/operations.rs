//! What is measured: each operation by its name, and the requests that make it.

mod lists;
mod reads;
mod writes;

use std::rc::Rc;

use anyhow::Result;

use crate::{dataset::Dataset, generator::FetchedResponse, request::RequestSpec};

pub use writes::{NewEvent, PURE_READS, RAW_INSERTS};

/// What an operation is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One event, the same again and again.
    OneEvent,
    /// The default list, the same again and again.
    DefaultList,
    /// The first page of the default window, never asked before.
    PageOne,
    /// A page deep in the default window, never asked before.
    DeepPage,
    /// A list narrowed by one filter, never asked before.
    OneFilter,
    /// A list narrowed by several filters, never asked before.
    SeveralFilters,
    /// A search of a few matches, never asked before.
    Search,
    /// Nothing: its figures are told.
    Untargeted,
    Creates,
    RawInserts,
    Mix,
    PureReads,
}

/// One operation.
#[derive(Clone)]
pub struct Operation {
    pub name: String,
    pub class: Class,
    /// The status that right answers have.
    pub status: u16,
    /// The request with this number.
    pub request: Rc<dyn Fn(u64) -> RequestSpec>,
}

impl Operation {
    fn new(name: &str, class: Class, request: impl Fn(u64) -> RequestSpec + 'static) -> Self {
        Self {
            name: name.to_owned(),
            class,
            status: 200,
            request: Rc::new(request),
        }
    }

    /// The same request again and again.
    fn repeated(name: &str, class: Class, path: &str) -> Self {
        let request = RequestSpec::get(path);
        Self::new(&format!("{name}, again"), class, move |_| request.clone())
    }

    /// A list that nobody asked for before: a parameter that the server ignores makes each request another one.
    fn unique(name: &str, class: Class, path: impl Fn(u64) -> String + 'static) -> Self {
        Self::new(&format!("{name}, new"), class, move |number| {
            let path = path(number);
            let join = if path.contains('?') { '&' } else { '?' };
            RequestSpec::get(&format!("{path}{join}_={number}"))
        })
    }

    fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

/// Everything that reads. `fetch` gets an answer of the running server.
pub fn reads(dataset: &Rc<Dataset>, fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>) -> Result<Vec<Operation>> {
    let mut operations = reads::events(dataset, fetch)?;
    operations.extend(lists::pages(fetch)?);
    operations.extend(lists::filters(dataset));
    operations.extend(lists::combinations(dataset));
    operations.extend(lists::linked_resources());
    operations.extend(lists::terms());
    operations.extend(reads::document());
    Ok(operations)
}

/// Everything that writes. `own` are the IDs of events that may be changed.
pub fn writes(dataset: &Rc<Dataset>, own: &[i64]) -> Vec<Operation> {
    writes::all(dataset, own)
}

/// What the load is that is to show how much memory is needed.
pub fn varied_reads(dataset: &Rc<Dataset>) -> Operation {
    let mut operations = lists::filters(dataset);
    operations.extend(lists::combinations(dataset));
    let one = reads::another_event(dataset);
    Operation::new("varied reads", Class::Untargeted, move |number| {
        // Half of them read one event.
        if number % 2 == 0 {
            (one.request)(number / 2)
        } else {
            (pick(&operations, number).request)(number)
        }
    })
}

/// One of them, for which there is no telling from the number. There must be some.
fn pick<T>(from: &[T], number: u64) -> &T {
    &from[(hash(number) % from.len() as u64) as usize]
}

/// A number in which nothing is left of the order of those it comes from (Steele's splitmix).
fn hash(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
