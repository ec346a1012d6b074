//! The page at `/`.

use askama::Template;
use poem::{Request, Response, handler};

use super::{
    events::{Line, lines},
    html,
    site::Site,
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
const SHOWN: u64 = 8;

#[derive(Template)]
#[template(path = "start.html")]
struct Start {
    site: Site,
    counts: Counts,
    events: Vec<Line>,
    /// How many events are ahead.
    ahead: u64,
}

impl Start {
    /// How many events are ahead, where the page shows the first of them only.
    fn all_ahead(&self) -> Option<String> {
        (self.ahead > SHOWN).then(|| grouped(self.ahead))
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
        let count =
            |count: u64, one: &'static str, many: &'static str| (grouped(count), if count == 1 { one } else { many });
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
        per_page: SHOWN,
    };
    let query = EventQuery::published(window, caller.timestamp());
    let next = events::list(database, &query, first).await?;
    let events = event::Entity::show(&caller, database, next.rows, Detail::Item).await?;
    html(
        &Start {
            site: Site::of(request)?,
            counts: counts(database, caller.timestamp()).await?,
            events: lines(&caller, events),
            ahead: next.total,
        },
        CachePolicy {
            until_an_event_ends: true,
            ..CachePolicy::TODAY
        },
    )
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
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
    use super::grouped;

    #[test]
    fn thousands_stand_apart() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(number), expected);
        }
    }
}
