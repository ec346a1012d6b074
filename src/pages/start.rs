//! The start page, at `/`.

use std::ops::Deref;

use std::sync::Arc;

use askama::Template;
use poem::{Request, Response, handler};

use super::{
    event_lists::{EventListItem, list_items},
    layout::Layout,
    render,
};
use crate::{
    auth::Caller,
    calendar::window::{Span, Window, start_of_today},
    error::Problem,
    response::CachePolicy,
    store::{
        PageRequest, Snapshot,
        counts::{Counts, counts},
        events::{self, EventQuery},
    },
    views::event_page::represent_page,
};

/// The maximum number of events on the page.
const LIMIT: u64 = 8;

#[derive(Template)]
#[template(path = "start.html")]
struct StartPage {
    layout: Layout,
    counts: Counts,
    events: Vec<EventListItem>,
    /// The number of upcoming events.
    upcoming_total: u64,
}

impl StartPage {
    /// The number of upcoming events, if the page does not show all of them.
    fn total_if_truncated(&self) -> Option<String> {
        (self.upcoming_total > LIMIT).then(|| group_thousands(self.upcoming_total))
    }

    /// The number of resources of each kind, with its name.
    fn counts(&self) -> [(String, &'static str); 5] {
        // Exhaustive destructuring: a new kind is a compiler error here.
        let Counts {
            events,
            venues,
            organizers,
            categories,
            tags,
        } = self.counts;
        let count = |count: u64, one: &'static str, many: &'static str| {
            (group_thousands(count), if count == 1 { one } else { many })
        };
        [
            count(events, "event", "events"),
            count(venues, "venue", "venues"),
            count(organizers, "organizer", "organizers"),
            count(categories, "category", "categories"),
            count(tags, "tag", "tags"),
        ]
    }
}

#[handler]
pub(crate) async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_page(request, &caller, snapshot)).await
}

async fn render_page(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let snapshot = &*snapshot;
    // Events that started before today are excluded: long ones would hide the others.
    let since = |from| Span {
        from: Some(from),
        before: None,
    };
    let window = Window {
        starts: since(start_of_today(&caller.almanac.settings.site.zone, caller.now)),
        ends: since(caller.timestamp()),
    };
    let first = PageRequest {
        page: 1,
        per_page: LIMIT,
    };
    let query = EventQuery::published(window, caller.timestamp());
    let upcoming = events::list(snapshot, &query, first).await?;
    let events = represent_page(caller, snapshot, &upcoming.rows).await?;
    render(
        &StartPage {
            layout: Layout::of(request)?,
            counts: counts(snapshot, caller.timestamp()).await?,
            events: list_items(caller, events.iter().map(Deref::deref)),
            upcoming_total: upcoming.total,
        },
        CachePolicy {
            until_an_event_ends: true,
            ..CachePolicy::UNTIL_MIDNIGHT
        },
    )
}

/// Formats a number with thousands separators.
fn group_thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::group_thousands;

    #[test]
    fn thousands_separators() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(group_thousands(number), expected);
        }
    }
}
