//! The events that an address selects.

use super::{
    address::{FeedAddress, Format, Subject},
    full_calendar::Range,
};
use crate::{
    api::events::EventQuery,
    auth::Caller,
    calendar::{Kind, date::CacheLifetime, status::Status, window::DefaultWindow},
    error::Problem,
    extract::Params,
    store::{
        EventDependencies, Publishable, Snapshot, Term,
        entity::{category, event, organizer, tag, venue},
        events::{self, EventFilter, Outline, Scope},
        publishable::{self, Key, PublishableRow},
        term::{self, TermRow},
        visibility::Visibility,
    },
    views::publishable::page_url,
};

/// The events of a feed.
pub(super) struct Selection {
    pub content: Content,
    /// How long the selection stays the same if the data do not change.
    pub cache_lifetime: CacheLifetime,
    /// The names of the objects in the address.
    pub names: Vec<String>,
    /// The page of the first object in the address.
    pub page_url: Option<String>,
}

/// One event or a list.
pub(super) enum Content {
    Event(Box<event::Model>),
    List(events::EventQuery),
}

impl Selection {
    /// Resolves an address with the parameters of lists.
    pub(super) async fn resolve(
        caller: &Caller,
        snapshot: &Snapshot,
        address: &FeedAddress,
        params: Params<EventQuery>,
    ) -> Result<Self, Problem> {
        match &address.subjects[..] {
            [subject] if subject.kind == Kind::Event => {
                params.errors.into_result()?;
                Self::event(caller, snapshot, subject).await
            }
            subjects => Self::list(caller, snapshot, address, params, subjects).await,
        }
    }

    async fn event(caller: &Caller, snapshot: &Snapshot, subject: &Subject) -> Result<Self, Problem> {
        let row = readable::<event::Entity>(caller, snapshot, subject).await?;
        Ok(Self {
            names: vec![row.title.clone()],
            page_url: Some(page_url(caller, Kind::Event, &row.slug)),
            content: Content::Event(Box::new(row)),
            cache_lifetime: CacheLifetime::Unlimited,
        })
    }

    async fn list(
        caller: &Caller,
        snapshot: &Snapshot,
        address: &FeedAddress,
        params: Params<EventQuery>,
        subjects: &[Subject],
    ) -> Result<Self, Problem> {
        let Params { query, mut errors, .. } = params;
        let site = &caller.almanac.settings.site.zone;
        let range = match address.format {
            Format::FullCalendar => Range::read(&address.full_calendar, site, caller.now, &mut errors),
            _ => None,
        };
        let (window, lifetime) = match &range {
            Some(range) => (range.window, range.cache_lifetime),
            None => address.period.window(site, caller.now),
        };
        let default_window = DefaultWindow::Other(window, lifetime);
        let (_, mut query, mut cache_lifetime) = query.resolve(caller, snapshot, errors, default_window).await?;
        if let (Some(range), Scope::Listed(window)) = (range, &mut query.scope) {
            // The visible range also limits a list whose query has other dates.
            window.starts = window.starts.intersect(range.window.starts);
            window.ends = window.ends.intersect(range.window.ends);
            cache_lifetime = cache_lifetime.max(range.cache_lifetime);
        }
        let mut names = Vec::new();
        for subject in subjects {
            let (name, filter) = find_filter(caller, snapshot, subject).await?;
            names.push(name);
            query = query.with(filter);
        }
        Ok(Self {
            content: Content::List(query),
            cache_lifetime,
            names,
            page_url: subjects
                .first()
                .map(|subject| page_url(caller, subject.kind, &subject.slug)),
        })
    }

    /// The events that the feed may contain when their rows are read.
    pub(super) fn visibility(&self, caller: &Caller) -> Visibility {
        match &self.content {
            Content::Event(_) => Visibility {
                statuses: Status::ALL.to_vec(),
                unpublished_of: None,
                now: caller.timestamp(),
            },
            Content::List(query) => query.visibility.clone(),
        }
    }

    /// All events, the earliest first.
    pub(super) async fn outline(&self, snapshot: &Snapshot) -> Result<Outline, Problem> {
        Ok(match &self.content {
            Content::Event(row) => Outline::of(row),
            Content::List(query) => events::outline(snapshot, query).await?,
        })
    }

    /// The events that were published last, the latest first.
    pub(super) async fn newest(&self, snapshot: &Snapshot, limit: u64) -> Result<Vec<i64>, Problem> {
        Ok(match &self.content {
            Content::Event(row) => vec![row.id],
            Content::List(query) => events::newest(snapshot, query, limit).await?,
        })
    }

    /// The events on whose texts the feed depends.
    pub(super) fn dependencies(&self) -> EventDependencies {
        match &self.content {
            Content::Event(row) => EventDependencies::Of(vec![row.id]),
            Content::List(_) => EventDependencies::All,
        }
    }
}

/// The name of an object in an address, and the filter of its events. 404 if it does not exist.
async fn find_filter(
    caller: &Caller,
    snapshot: &Snapshot,
    subject: &Subject,
) -> Result<(String, EventFilter), Problem> {
    match subject.kind {
        Kind::Category => {
            let (id, name) = found_term::<category::Entity>(snapshot, subject).await?;
            Ok((name, EventFilter::Categories(vec![id])))
        }
        Kind::Tag => {
            let (id, name) = found_term::<tag::Entity>(snapshot, subject).await?;
            Ok((name, EventFilter::Tags(vec![id])))
        }
        Kind::Venue => {
            let venue = readable::<venue::Entity>(caller, snapshot, subject).await?;
            Ok((venue.title, EventFilter::Venues(vec![venue.id])))
        }
        Kind::Organizer => {
            let organizer = readable::<organizer::Entity>(caller, snapshot, subject).await?;
            Ok((organizer.title, EventFilter::Organizers(vec![organizer.id])))
        }
        Kind::Event => Err(Problem::internal("an event is not a filter")),
    }
}

async fn found_term<E: Term>(snapshot: &Snapshot, subject: &Subject) -> Result<(i64, String), Problem> {
    let term = term::find_by_slug::<E>(snapshot, &subject.slug).await?;
    let columns = term.ok_or_else(|| Problem::not_found(E::KIND))?.common_columns();
    Ok((columns.id, columns.name))
}

/// The object, if the caller may read it.
async fn readable<E: Publishable>(
    caller: &Caller,
    snapshot: &Snapshot,
    subject: &Subject,
) -> Result<E::Model, Problem> {
    publishable::find::<E>(snapshot, &Key::Slug(subject.slug.clone()))
        .await?
        .filter(|row| caller.identity.may_read(&row.common_columns(), caller.timestamp()))
        .ok_or_else(|| Problem::not_found(E::KIND))
}
