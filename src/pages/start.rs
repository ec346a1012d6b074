//! The page at `/`.

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
        PageRequest,
        counts::{Counts, counts},
        entity::event,
        events::{self, EventQuery},
    },
    views::{Detail, Represented},
};

/// Events on the page.
const LIMIT: u64 = 8;

#[derive(Template)]
#[template(path = "start.html")]
struct StartPage {
    layout: Layout,
    counts: Counts,
    events: Vec<EventListItem>,
    /// How many events are ahead.
    upcoming_total: u64,
}

impl StartPage {
    /// How many events are ahead, where the page shows the first of them only.
    fn total_if_truncated(&self) -> Option<String> {
        (self.upcoming_total > LIMIT).then(|| group_thousands(self.upcoming_total))
    }

    /// What there is, by its name.
    fn counts(&self) -> [(String, &'static str); 5] {
        // Taken apart, so that no kind can be forgotten here.
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
pub async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    // What has begun before today and goes on would hide what is new.
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
    let upcoming = events::list(database, &query, first).await?;
    let events = event::Entity::show(&caller, database, upcoming.rows, Detail::Item).await?;
    render(
        &StartPage {
            layout: Layout::of(request)?,
            counts: counts(database, caller.timestamp()).await?,
            events: list_items(&caller, events),
            upcoming_total: upcoming.total,
        },
        CachePolicy {
            until_an_event_ends: true,
            ..CachePolicy::TODAY
        },
    )
}

/// A number with its thousands apart.
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
    fn thousands_stand_apart() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(group_thousands(number), expected);
        }
    }
}
