//! The feed to which calendars subscribe.

use anyhow::{Context, Result};
use chrono::{Days, Utc};

use super::{Class, Operation};
use crate::{generator::FetchedResponse, request::RequestSpec};

/// The feed of all events in the default window: those that have ended in the last 30 days, and all later ones.
const PATH: &str = "/events.ics";
/// Feeds with more events are sent while they are written, and not cached.
const MAX_CACHED_EVENTS: u64 = 2_000;
/// Feeds with more events are not measured: one response would take as long as the rounds of most operations.
const MAX_EVENTS: u64 = 100_000;

/// The feed of the default window.
pub(super) fn default_window(fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>) -> Result<Vec<Operation>> {
    let request = RequestSpec::get_site(PATH);
    let name = "feed of the default window";
    let events = events_in_window(fetch)?;
    let mut operations = Vec::new();
    if events <= MAX_CACHED_EVENTS {
        operations.push(Operation::repeated(name, Class::Feed, request.clone()));
    }
    if events <= MAX_EVENTS {
        operations.push(Operation::unique(name, Class::FeedNew, move |_| request.clone()));
    }
    Ok(operations)
}

/// The number of events in the default window.
fn events_in_window(fetch: &dyn Fn(&RequestSpec) -> Result<FetchedResponse>) -> Result<u64> {
    let day_before = Utc::now().date_naive() - Days::new(31);
    let request = RequestSpec::get(&format!("/events?per_page=1&ends_after={day_before}"));
    let list: serde_json::Value = serde_json::from_slice(&fetch(&request)?.body)?;
    list["total"].as_u64().context("the list has no total")
}
