//! The page for developers, at `/developers`.

use std::sync::Arc;

use askama::Template;
use poem::{Request, Response, handler};

use super::{layout::Layout, render, texts::group_thousands};
use crate::{
    auth::Caller,
    error::Problem,
    response::CachePolicy,
    store::{
        Snapshot,
        counts::{Counts, counts},
    },
};

#[derive(Template)]
#[template(path = "developers.html")]
struct DeveloperPage {
    layout: Layout,
    counts: Counts,
}

impl DeveloperPage {
    /// The number of resources of each kind, with its name.
    fn counts(&self) -> Vec<(String, &'static str)> {
        // Exhaustive destructuring: a new kind is a compiler error here.
        let Counts {
            events,
            venues,
            organizers,
            categories,
            tags,
        } = self.counts;
        let texts = &self.layout.texts.developers;
        let counts = [events, venues, organizers, categories, tags].into_iter();
        let names = texts.one.into_iter().zip(texts.many);
        counts
            .zip(names)
            .map(|(count, (one, many))| {
                let name = if count == 1 { one } else { many };
                (group_thousands(self.layout.language, count), name)
            })
            .collect()
    }

    /// Feeds, a page and an embed with filters.
    fn feeds(&self) -> [&'static str; 5] {
        [
            "/events.ics?search=music",
            "/events.rss?featured=true",
            "/fullcalendar.json?start=today&end=next%20month",
            "/events/month?search=music",
            "/embed/month",
        ]
    }
}

#[handler]
pub(crate) async fn page(request: &Request) -> Result<Response, Problem> {
    let caller = Caller::anonymous(request)?;
    caller.read(|snapshot| render_page(request, &caller, snapshot)).await
}

async fn render_page(request: &Request, caller: &Caller, snapshot: Arc<Snapshot>) -> Result<Response, Problem> {
    let template = DeveloperPage {
        layout: Layout::of(request)?,
        counts: counts(&*snapshot, caller.timestamp()).await?,
    };
    render(&template, CachePolicy::WITHOUT_EVENT_TEXTS)
}
